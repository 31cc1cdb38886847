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

/// What is told to those who follow all that a context does, such as fetched results.
enum ContextEvent {
  /// An object has another key. Told at once, also in the middle of a save.
  case renamed(RowKey, to: RowKey)
  /// Objects changed, or others saved objects, which the context may not have.
  case changed(ContextChange, MergedKeys)
}

/// The objects that others saved, of what a context has merged.
struct MergedKeys {
  /// Those that are new or have other values.
  var saved: [RowKey] = []
  var deleted: [RowKey] = []
  /// False if there may be any others.
  var isComplete = true

  var isEmpty: Bool { saved.isEmpty && deleted.isEmpty && isComplete }
}

/// Who wants to know of something that happens in a context.
struct ContextObservers<Event> {
  private var callbacks: [Int: (Event) -> Void] = [:]
  private var next = 0

  var isEmpty: Bool { callbacks.isEmpty }

  mutating func add(_ callback: @escaping (Event) -> Void) -> Int {
    next += 1
    callbacks[next] = callback
    return next
  }

  mutating func remove(_ number: Int) { callbacks[number] = nil }

  func tell(_ event: Event) { for number in callbacks.keys.sorted() { callbacks[number]?(event) } }
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
    guard !pending.isEmpty || !refreshed.isEmpty || !merged.isEmpty || hasSilentNews else { return }
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
    let merged = merged
    pending = []
    refreshed = []
    self.merged = MergedKeys()
    hasSilentNews = false
    followers.tell(.changed(change, merged))
    if !change.isEmpty { observers.tell(change) }
  }

  /// True if somebody is to be told of changes.
  var isObserved: Bool { !observers.isEmpty || !followers.isEmpty }

  /// Remembers that an object changed.
  func notePending(_ object: ManagedObject) {
    if !isObserved || object.status.contains(.pending) { return }
    object.status.insert(.pending)
    pending.append(object)
  }
}
