/// What changed in a context since it was last told.
public struct ContextChange {
  /// New objects.
  public var inserted: Set<ManagedObject> = []
  /// Objects with other values, or changes that were taken back.
  public var updated: Set<ManagedObject> = []
  /// Objects that were deleted, or whose insertion was taken back.
  public var deleted: Set<ManagedObject> = []
  /// Objects that were read again, or became faults.
  public var refreshed: Set<ManagedObject> = []
  /// True if the context forgot all objects.
  public var isReset = false

  /// True if nothing changed.
  public var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && !isReset
  }
}

/// Who wants to know of changes in a context.
struct ContextObservers {
  private var callbacks: [Int: (ContextChange) -> Void] = [:]
  private var next = 0

  var isEmpty: Bool { callbacks.isEmpty }

  mutating func add(_ callback: @escaping (ContextChange) -> Void) -> Int {
    next += 1
    callbacks[next] = callback
    return next
  }

  mutating func remove(_ number: Int) { callbacks[number] = nil }

  func tell(_ change: ContextChange) { for number in callbacks.keys.sorted() { callbacks[number]?(change) } }
}

extension ManagedObjectContext {
  /// Calls a function with what changed, after each ``processPendingChanges()`` that finds changes.
  ///
  /// - Returns: a number for ``removeObserver(_:)``.
  public func addObserver(_ callback: @escaping (ContextChange) -> Void) -> Int { observers.add(callback) }

  /// Ends the calls of a function.
  public func removeObserver(_ number: Int) { observers.remove(number) }

  /// Ends a group of changes: the undo manager takes them back together, and observers are told of them.
  ///
  /// Saving, undoing and redoing do it by themselves. Elsewhere, a program says when a step of its user is complete.
  public func processPendingChanges() {
    undoManager?.closeGroup()
    guard !pending.isEmpty || !refreshed.isEmpty else { return }
    var change = ContextChange()
    for object in pending {
      object.status.remove(.pending)
      if object.status.contains(.detached) || object.isDeleted {
        change.deleted.insert(object)
      } else if object.isInserted {
        change.inserted.insert(object)
      } else {
        change.updated.insert(object)
      }
    }
    change.refreshed = Set(refreshed)
    pending = []
    refreshed = []
    observers.tell(change)
  }

  /// Remembers that an object changed.
  func notePending(_ object: ManagedObject) {
    if observers.isEmpty || object.status.contains(.pending) { return }
    object.status.insert(.pending)
    pending.append(object)
  }
}
