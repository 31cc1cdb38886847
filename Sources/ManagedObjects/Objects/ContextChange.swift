internal import Predicates

/// The changes of a context since its last report to observers.
public struct ContextChange {
  /// The objects that are new in the context: inserted objects, objects whose deletion was undone, and faults for
  /// objects that other contexts inserted and ``ManagedObjectContext/mergeChanges(from:)`` merged. Each object is
  /// reported as new once.
  public var inserted: Set<ManagedObject> = []
  /// The objects whose values changed, or whose changes were undone.
  public var updated: Set<ManagedObject> = []
  /// The objects that were deleted, or whose insertion was undone. An object that was inserted and deleted since the
  /// last report is not in any of the sets.
  public var deleted: Set<ManagedObject> = []
  /// The objects that were read again or became faults.
  public var refreshed: Set<ManagedObject> = []
  /// True if the context was reset.
  public var isReset = false

  /// True if nothing changed.
  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && !isReset }
}

/// An event for observers that follow everything in a context, such as fetched results.
enum ContextEvent {
  /// The key of an object changed. Sent at once, even in the middle of a save.
  case renamed(RowKey, to: RowKey)
  /// The program chose another store for a new object. An event ``changed(_:_:)`` follows.
  case assigned(RowKey)
  /// Objects of the context changed, or it merged the changes of other contexts. The merged keys can be those of
  /// objects that are not registered.
  case changed(ContextChange, MergedKeys)
}

/// The keys of the objects that other contexts saved and this context merged.
struct MergedKeys {
  /// The keys of inserted and updated objects.
  var saved: [RowKey] = []
  var deleted: [RowKey] = []
  /// False if objects with other keys may have changed, too.
  var isComplete = true

  var isEmpty: Bool { saved.isEmpty && deleted.isEmpty && isComplete }
}

/// The observers of one kind of event in a context.
struct ContextObservers<Event> {
  private var callbacks: [Int: (Event) -> Void] = [:]
  private var next = 0

  var isEmpty: Bool { callbacks.isEmpty }

  mutating func add(_ callback: @escaping (Event) -> Void) -> Int {
    next += 1
    callbacks[next] = callback
    return next
  }

  /// Adds an observer with a number that the caller chooses. If one observer of a list is added with this method, all
  /// must be.
  mutating func add(_ callback: @escaping (Event) -> Void, number: Int) { callbacks[number] = callback }

  mutating func remove(_ number: Int) { callbacks[number] = nil }

  func tell(_ event: Event) { for number in callbacks.keys.sorted() { callbacks[number]?(event) } }
}

extension ManagedObjectContext {
  /// Adds an observer: a function that ``processPendingChanges()`` calls with the changes, if there are any. The
  /// context retains the function until it is removed. For saves, see ``addEventObserver(_:)``.
  ///
  /// ```swift
  /// let number = context.addObserver { change in
  ///   print(change.updated.map(\.description))             // ["Note/p2"]
  /// }
  /// note.title = "Letters"
  /// context.processPendingChanges()
  /// context.removeObserver(number)
  /// ```
  ///
  /// - Returns: a number to pass to ``removeObserver(_:)``.
  public func addObserver(_ callback: @escaping (ContextChange) -> Void) -> Int {
    observerCount += 1
    observers.add(callback, number: observerCount)
    if !arrived.isEmpty { scheduleEndOfTurn() }
    return observerCount
  }

  /// Removes an observer.
  ///
  /// - Parameter number: the number that ``addObserver(_:)`` or ``addEventObserver(_:)`` returned.
  public func removeObserver(_ number: Int) {
    observers.remove(number)
    eventObservers.remove(number)
  }

  /// Ends a group of changes: the undo manager undoes them together, and observers are called with them.
  ///
  /// Saving, undoing, redoing, rolling back and merging changes call this method. A context that is confined to an
  /// actor, such as ``PersistentContainer/mainContext``, calls it at the end of each turn of the actor that changed
  /// objects. For other contexts, call it when the user has completed a step.
  public func processPendingChanges() {
    if mailbox != nil { mergeMail() }
    beginOperation()
    defer { endOperation() }
    state.observed.completesStep = true
    undoManager?.closeGroup()
    // Observers may ask for the changes of the event, and may make changes that belong to the next one.
    let reportedCount = eventChanges.count
    defer { if reportedCount > 0 { setEventChanges(Array(eventChanges.dropFirst(reportedCount))) } }
    let concernsFollowers = !pending.isEmpty || !refreshed.isEmpty || !merged.isEmpty || hasSilentNews
    guard concernsFollowers || !arrived.isEmpty else { return }
    var change = ContextChange()
    for object in pending {
      let isNew = object.status.contains(.unreported)
      object.status.subtract([.pending, .unreported])
      if object.status.contains(.detached) || object.status.isDeleted {
        if !isNew { change.deleted.insert(object) }
      } else if isNew {
        change.inserted.insert(object)
      } else {
        change.updated.insert(object)
      }
    }
    change.refreshed = Set(refreshed)
    // Objects are released at the end, because the deallocator of data may use the context.
    let (merged, arrived, reported) = (merged, arrived, pending)
    defer { withExtendedLifetime(reported) {} }
    pending = []
    refreshed = []
    self.merged = MergedKeys()
    self.arrived = []
    hasSilentNews = false
    // The observers in `followers` do not need `arrived`: they fetch the objects that exist when they begin, and find
    // those of other contexts by the keys in `merged`.
    if concernsFollowers { followers.tell(.changed(change, merged)) }
    let hasObservers = !observers.isEmpty
    for object in arrived {
      object.status.remove(.unreported)
      if hasObservers, !object.status.isDeleted, object.managedObjectContext === self { change.inserted.insert(object) }
    }
    if !change.isEmpty { observers.tell(change) }
  }

  /// True if the context has observers or followers.
  var isObserved: Bool { !observers.isEmpty || !followers.isEmpty || endsTurns }

  /// Records that an object is new in the context. The object is recorded even if the context has no observers yet,
  /// because an observer that is added before the next report must receive it.
  func noteArrival(_ object: ManagedObject) {
    object.status.insert(.unreported)
    if isObserved { notePending(object) } else { arrived.append(object) }
  }

  /// Records that an object changed.
  func notePending(_ object: ManagedObject) {
    if !isObserved || object.status.contains(.pending) { return }
    object.status.insert(.pending)
    pending.append(object)
    if pending.count == 1 { scheduleEndOfTurn() }
  }
}
