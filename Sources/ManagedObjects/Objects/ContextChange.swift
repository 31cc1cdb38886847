internal import Predicates

/// What changed in a context since it was last told.
public struct ContextChange {
  /// The objects that are new in the context, once each: inserted ones, those whose deletion was taken back, and faults
  /// for objects of other contexts, inserted by changes that ``ManagedObjectContext/mergeChanges(from:)`` got.
  public var inserted: Set<ManagedObject> = []
  /// The objects with other values, or whose changes were taken back.
  public var updated: Set<ManagedObject> = []
  /// The objects that were deleted, or whose insertion was taken back. One that was inserted and deleted since the last
  /// report is in none of the sets.
  public var deleted: Set<ManagedObject> = []
  /// Objects that were read again, or became faults.
  public var refreshed: Set<ManagedObject> = []
  /// True if the context forgot all objects.
  public var isReset = false

  /// True if nothing changed.
  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && !isReset }
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
    let concernsFollowers = !pending.isEmpty || !refreshed.isEmpty || !merged.isEmpty || hasSilentNews
    guard concernsFollowers || !arrived.isEmpty else { return }
    var change = ContextChange()
    for object in pending {
      let isNew = object.status.contains(.unreported)
      object.status.subtract([.pending, .unreported])
      if object.status.contains(.detached) || object.isDeleted {
        if !isNew { change.deleted.insert(object) }
      } else if isNew {
        change.inserted.insert(object)
      } else {
        change.updated.insert(object)
      }
    }
    change.refreshed = Set(refreshed)
    let (merged, arrived) = (merged, arrived)
    pending = []
    refreshed = []
    self.merged = MergedKeys()
    self.arrived = []
    hasSilentNews = false
    // Followers have read new objects when they began, and find those of other contexts by the keys in `merged`.
    if concernsFollowers { followers.tell(.changed(change, merged)) }
    for object in arrived {
      object.status.remove(.unreported)
      if !object.isDeleted, object.managedObjectContext === self { change.inserted.insert(object) }
    }
    if !change.isEmpty { observers.tell(change) }
  }

  /// True if somebody is to be told of changes.
  var isObserved: Bool { !observers.isEmpty || !followers.isEmpty }

  /// Remembers that an object is new in the context. Without observers too: one that is added before the next report
  /// gets the object, and one that is added later does not.
  func noteArrival(_ object: ManagedObject) {
    object.status.insert(.unreported)
    if isObserved { notePending(object) } else { arrived.append(object) }
  }

  /// Remembers that an object changed.
  func notePending(_ object: ManagedObject) {
    if !isObserved || object.status.contains(.pending) { return }
    object.status.insert(.pending)
    pending.append(object)
  }
}
