/// Functions that refresh objects, and merge the changes of other contexts.
extension ManagedObjectContext {
  /// Turns an object into a fault, so that its values are read again. Does nothing for a new object.
  ///
  /// ```swift
  /// note.title = "Draft"
  /// try context.refresh(note, mergeChanges: false)
  /// print(note.title)                                      // Numbers of Bernoulli
  /// ```
  ///
  /// - Parameters:
  ///   - object: an object of this context.
  ///   - mergeChanges: true to keep the object's changes on top of newly read values; false to discard the changes.
  ///     Discarding does not change other objects, even if the changes refer to them.
  /// - Throws: ``ManagedObjectError/Code/invalidState`` for an object of another context; the errors of reading.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws(ManagedObjectError) {
    if object.managedObjectContext !== self {
      throw ManagedObjectError(.invalidState, "\(object) is not an object of this context", objectID: object.objectID)
    }
    // A new object has no row to read.
    if object.status.isInserted { return }
    rowChangeCount &+= 1
    beginOperation()
    defer { endOperation() }
    if object.status.contains(.observed) { state.observed.touch(object) }
    if !mergeChanges { unlist(object) }
    if object.status.hasChanges {
      guard let row = try readRows([object.key])[0] else {
        object.status.insert(.inaccessible)
        noteRefreshed(object)
        return
      }
      try withoutUndo { () throws(ManagedObjectError) in try merge(row, into: object, by: .objectTrump) }
      object.awake(from: .refresh)
      noteRefreshed(object)
    } else {
      turnIntoFault(object)
    }
  }

  /// Turns all objects into faults. Objects with changes are read again and keep their changes.
  ///
  /// - Throws: the errors of reading the objects with changes.
  public func refreshAllObjects() throws(ManagedObjectError) { try refreshAll(registered.objects) }

  /// Refreshes objects. Those without changes come first, because merging an object with changes also updates its
  /// related objects.
  func refreshAll(_ objects: [ManagedObject]) throws(ManagedObjectError) {
    beginOperation()
    defer { endOperation() }
    for object in objects where !object.status.hasChanges { try refresh(object, mergeChanges: true) }
    for object in objects where object.status.hasChanges { try refresh(object, mergeChanges: true) }
  }

  /// Returns the value of a property that was changed in two places. For a to-many relationship, the changes of both
  /// places are combined. Other properties get the value `mine`.
  ///
  /// - Parameters:
  ///   - mine: the value of this side.
  ///   - old: the value before the changes.
  ///   - theirs: the value of the other side, such as the store.
  func merged(_ mine: RowValue, since old: RowValue, with theirs: RowValue) -> RowValue {
    switch (mine, old, theirs) {
    case (.toMany(let mine), .toMany(let old), .toMany(let theirs)):
      return .toMany(theirs.subtracting(old.subtracting(mine)).union(mine.subtracting(old)))
    case (.orderedToMany(let mine), .orderedToMany(let old), .orderedToMany(let theirs)):
      if theirs == old { return .orderedToMany(mine) }
      var keys = theirs.subtracting(old.subtracting(mine))
      keys.append(contentsOf: mine.subtracting(old))
      return .orderedToMany(keys)
    default: return mine
    }
  }

  /// Turns an object without changes into a fault.
  func turnIntoFault(_ object: ManagedObject) {
    guard !object.isFault || object.hasValues, !object.status.contains(.turning) else { return }
    let wasAwake = !object.isFault
    if wasAwake {
      object.status.insert(.turning)
      object.willTurnIntoFault()
      object.status.remove(.turning)
      // Changes that the object makes to itself are discarded with its values.
      if object.status.isUpdated { unlist(object) }
      if object.status.hasChanges || object.managedObjectContext !== self { return }
    }
    if object.status.contains(.observed) { state.observed.touch(object) }
    object.status.insert(.fault)
    object.status.subtract([.inaccessible, .partial])
    object.values = []
    object.committed = nil
    noteRefreshed(object)
    if wasAwake { object.didTurnIntoFault() }
  }

  /// Records that an object was read again or turned into a fault.
  func noteRefreshed(_ object: ManagedObject) {
    rowChangeCount &+= 1
    // Without observers, nothing is recorded.
    guard isObserved else { return }
    refreshed.append(object)
    if refreshed.count == 1 { scheduleEndOfTurn() }
  }

  /// Discards all changes: restores the values that objects had when they were read or saved, removes new objects from
  /// the context, and empties the undo manager.
  ///
  /// ```swift
  /// note.title = "Draft"
  /// context.rollback()
  /// print(note.title)                                      // Numbers of Bernoulli
  /// ```
  public func rollback() {
    beginOperation(changesAll: true)
    defer { endOperation() }
    undoManager?.removeAllActions()
    var restored: [ManagedObject] = []
    for object in changedObjects {
      if object.status.isInserted {
        detach(object)
      } else {
        if let committed = object.committed { object.values = committed }
        object.committed = nil
        unlist(object)
        restored.append(object)
      }
    }
    for object in restored { object.awake(from: .rollback) }
    sweep()
    processPendingChanges()
  }

  /// Removes all objects and changes from the context. Objects that your program still references no longer have a
  /// context.
  ///
  /// A context with a query generation reads the newest one from now on.
  public func reset() {
    advanceGeneration()
    beginOperation(changesAll: true)
    defer { endOperation() }
    // Objects are released at the end, because the deallocator of data may use the context.
    let old = (registered.objects, listed, pending, arrived, refreshed, eventChanges, prefetched)
    defer { withExtendedLifetime(old) {} }
    undoManager?.removeAllActions()
    for object in old.0 {
      object.status.subtract([.changed, .refusing])
      object.status.insert([.detached, .inaccessible])
      object.status.remove(.fault)
      object.values = object.shape.emptyValues
      object.committed = nil
    }
    unregisterAll()
    listed = []
    pending = []
    arrived = []
    refreshed = []
    eventChanges = []
    merged = MergedKeys()
    hasSilentNews = false
    setPrefetched([])
    changedCount = 0
    aliases = KeyReplacements()
    attemptedKeys = KeyReplacements()
    refusals = [:]
    undecodableValues = UndecodableValues()
    assignments = [:]
    state.releaseReadAhead()
    var change = ContextChange()
    change.isReset = true
    followers.tell(.changed(change, MergedKeys()))
    observers.tell(change)
  }

  /// Merges the changes that another context saved to the same stores. The saved objects are read again on their next
  /// access. An object with changes is read at once, and keeps its changes. A deleted object without changes is removed
  /// from the context.
  ///
  /// If ``SavedChanges/isComplete`` is false, all objects of the context are refreshed. A context with a query
  /// generation reads the newest one from now on.
  ///
  /// The changes come from ``PersistentStoreCoordinator/saves``, ``PersistentStoreCoordinator/remoteChanges`` or
  /// ``execute(_:mergesChanges:)``.
  ///
  /// - Throws: the errors of reading.
  /// - Complexity: O(*n*) in the number of saved objects, or of all registered objects if the changes are not complete.
  public func mergeChanges(from changes: SavedChanges) throws(ManagedObjectError) {
    advanceGeneration()
    beginOperation()
    defer { endOperation() }
    // Uses the saved keys, not the present ones: an object that was inserted again after its deletion has a new row.
    let saved = changes.inserted.union(changes.updated).compactMap { savedKey($0) }
    let deleted = changes.deleted.compactMap { savedKey($0) }
    let inserted = changes.isFrom(self) ? [] : changes.inserted.compactMap { savedKey($0) }
    try merge(MergedKeys(saved: saved, deleted: deleted, isComplete: changes.isComplete), inserted: inserted)
    if !eventObservers.isEmpty { eventObservers.tell(.didMerge(changes)) }
  }

  /// Merges changes that other contexts made in the stores or in the parent.
  ///
  /// - Parameter inserted: the keys of objects that are new in the context.
  func merge(_ keys: MergedKeys, inserted: [RowKey]) throws(ManagedObjectError) {
    rowChangeCount &+= 1
    if !followers.isEmpty {
      merged.saved += keys.saved
      merged.deleted += keys.deleted
      if !keys.isComplete { merged.isComplete = false }
    }
    if !observers.isEmpty {
      for key in inserted.sorted() where registered[key] == nil { arrived.append(object(for: key)) }
    }
    if !keys.isComplete { try refreshAllObjects() }
    try refreshAll(keys.saved.sorted().compactMap { registered[$0] })
    // The objects need not be registered.
    if !keys.deleted.isEmpty { removalCount &+= 1 }
    for key in keys.deleted.sorted() {
      guard let object = registered[key] else { continue }
      // An object with changes stays, and the next save finds a conflict. There is none if both contexts deleted it.
      if object.status.hasChanges, !object.status.isDeleted { continue }
      notePending(object)
      if object.isFault, !object.hasValues { object.values = object.shape.emptyValues }
      object.status.remove(.fault)
      object.status.insert(.inaccessible)
      detach(object)
    }
    processPendingChanges()
  }
}
