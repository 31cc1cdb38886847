/// Forgetting values, reading them again, and merging what others saved.
extension ManagedObjectContext {
  /// Makes an object a fault, so that its values are read again.
  ///
  /// - Parameters:
  ///   - object: an object of this context.
  ///   - mergeChanges: true to keep the object's changes, over new values of everything else. False to drop them;
  ///     objects that they refer to stay as they are.
  /// - Throws: ``ManagedObjectError/Code/invalidState`` for an object of another context; what reading throws.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws(ManagedObjectError) {
    if object.managedObjectContext !== self {
      throw ManagedObjectError(.invalidState, "\(object) is not an object of this context", objectID: object.objectID)
    }
    // A new object has nothing that could be read, and a deleted one keeps its deletion.
    if object.isInserted { return }
    if !mergeChanges { unlist(object) }
    if object.hasChanges {
      guard let row = try readRows([object.key])[0] else {
        object.status.insert(.inaccessible)
        noteRefreshed(object)
        return
      }
      try withoutUndo { () throws(ManagedObjectError) in try merge(row, into: object, by: .objectTrump) }
      noteRefreshed(object)
    } else {
      turnIntoFault(object)
    }
  }

  /// Makes all objects faults.
  ///
  /// - Throws: what reading throws: objects with changes keep them, over new values.
  public func refreshAllObjects() throws(ManagedObjectError) { try refreshAll(registered.objects) }

  /// Objects without changes first: those with changes are merged with what relationships lead to now.
  func refreshAll(_ objects: [ManagedObject]) throws(ManagedObjectError) {
    for object in objects where !object.hasChanges { try refresh(object, mergeChanges: true) }
    for object in objects where object.hasChanges { try refresh(object, mergeChanges: true) }
  }

  /// A changed value together with what somebody else has saved: what was added to a to-many relationship is added, and
  /// what was taken out of it is taken out.
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

  /// Forgets the values of an object without changes.
  func turnIntoFault(_ object: ManagedObject) {
    guard !object.isFault || !object.values.isEmpty, !object.status.contains(.turning) else { return }
    if !object.isFault {
      object.status.insert(.turning)
      object.willTurnIntoFault()
      object.status.remove(.turning)
      // What the object changes in itself goes with its values.
      if object.isUpdated { unlist(object) }
      if object.hasChanges || object.managedObjectContext !== self { return }
    }
    object.status.insert(.fault)
    object.status.remove(.inaccessible)
    object.values = []
    object.committed = nil
    noteRefreshed(object)
  }

  /// Remembers that an object was read again, or will be.
  func noteRefreshed(_ object: ManagedObject) {
    // Without anybody to tell, nothing is kept.
    if isObserved { refreshed.append(object) }
  }

  /// Drops all changes: objects have the values that they were read or saved with, new ones are not part of the context
  /// any more, and the undo manager has nothing to take back.
  public func rollback() {
    undoManager?.removeAllActions()
    for object in changedObjects {
      if object.isInserted {
        detach(object)
      } else {
        if let committed = object.committed { object.values = committed }
        object.committed = nil
        unlist(object)
      }
    }
    sweep()
    processPendingChanges()
  }

  /// Forgets all objects and all changes. The objects that the program still has are not part of the context any more.
  public func reset() {
    undoManager?.removeAllActions()
    for object in registered.objects {
      object.status.subtract([.changed, .refusing])
      object.status.insert([.detached, .inaccessible])
      object.status.remove(.fault)
      object.values = object.shape.emptyValues
      object.committed = nil
    }
    registered = IdentityMap()
    listed = []
    pending = []
    arrived = []
    refreshed = []
    merged = MergedKeys()
    hasSilentNews = false
    prefetched = []
    changedCount = 0
    aliases = KeyReplacements()
    attemptedKeys = KeyReplacements()
    refusals = [:]
    assignments = [:]
    batches = [:]
    var change = ContextChange()
    change.isReset = true
    followers.tell(.changed(change, MergedKeys()))
    observers.tell(change)
  }

  /// Takes over what another context saved into the same stores: objects are read again when they are asked for. An
  /// object with changes keeps them, over the new values of everything else. One that is gone and has no changes is not
  /// part of the context any more.
  ///
  /// Of changes that are not ``SavedChanges/isComplete``, all objects of the context are read again.
  ///
  /// - Throws: what reading throws.
  /// - Complexity: O(*n*) in the number of objects that were saved; of all that the context has if the changes are not
  ///   complete.
  public func mergeChanges(from changes: SavedChanges) throws(ManagedObjectError) {
    // Of the rows of these very keys: an object that was saved again after its row was deleted has another row.
    let saved = changes.inserted.union(changes.updated).compactMap { savedKey($0) }
    let deleted = changes.deleted.compactMap { savedKey($0) }
    if !followers.isEmpty {
      merged.saved += saved
      merged.deleted += deleted
      if !changes.isComplete { merged.isComplete = false }
    }
    if !observers.isEmpty, changes.origin != state.number {
      for key in changes.inserted.compactMap({ savedKey($0) }).sorted() where registered[key] == nil {
        arrived.append(object(for: key))
      }
    }
    if !changes.isComplete { try refreshAllObjects() }
    try refreshAll(saved.sorted().compactMap { registered[$0] })
    for key in deleted.sorted() {
      guard let object = registered[key] else { continue }
      // The deletion is what both want. Other changes meet it in the next save.
      if object.hasChanges, !object.isDeleted { continue }
      notePending(object)
      if object.isFault, object.values.isEmpty { object.values = object.shape.emptyValues }
      object.status.remove(.fault)
      object.status.insert(.inaccessible)
      detach(object)
    }
    processPendingChanges()
  }
}
