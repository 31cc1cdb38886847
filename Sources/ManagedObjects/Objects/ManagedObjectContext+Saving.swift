internal import Predicates

/// Functions that save the changes of the context.
extension ManagedObjectContext {
  /// The number of rounds of `willSave` calls after which a save fails.
  private static let greatestRounds = 1_000
  /// The number of attempts to resolve conflicts after which a save fails.
  private static let greatestAttempts = 10_000

  /// Saves all changes into the parent, or into the stores if the context has no parent. Each store saves all changes
  /// or none.
  ///
  /// Objects are validated, and `willSave` and `didSave` are called. If a save fails, the changes stay unsaved. For an
  /// example that reports the errors of all objects, see ``ManagedObjectError``.
  ///
  /// - Throws: ``ManagedObjectError``. A validation error, or ``ManagedObjectError/Code/multipleErrors`` with all of
  ///   them. ``ManagedObjectError/Code/merge`` or ``ManagedObjectError/Code/constraintMerge`` if there are conflicts
  ///   and the policy is ``MergePolicy/error``; the errors of the ``mergeFunction`` and of its merged values.
  ///   ``ManagedObjectError/Code/constraintValidation`` if an object is in the same to-many relationship of two
  ///   objects, and the relationship has no inverse.
  ///   ``ManagedObjectError/Code/incompleteSave`` if a store fails after another one was saved.
  /// - Complexity: O(*n*) in the number of changed objects.
  public func save() throws(ManagedObjectError) {
    if isSaving { throw ManagedObjectError(.invalidState, "save() was called while the context is being saved") }
    guard hasChanges else {
      processPendingChanges()
      return
    }
    defer { reportSave() }
    isSaving = true
    beginOperation(changesAll: true)
    defer { endOperation() }
    defer {
      isSaving = false
      if !parentChanges.isEmpty { mergeParentChanges() }
    }
    eventObservers.tell(.willSave)
    try announce()
    processPendingChanges()
    if validatesOnSave { try validate() }
    sweep()
    let saved = listed
    if let parent {
      try parent.take(saved)
      if !parentChanges.isEmpty { parentChanges.removeDeletions(Set(saved.filter(\.status.isDeleted).map(\.key))) }
      noteSavedIntoParent(saved)
      for object in saved { settle(object) }
    } else {
      try saveIntoStores()
    }
    sweep()
    for object in saved { object.didSave() }
    hasSilentNews = !followers.isEmpty
    processPendingChanges()
  }

  /// Calls `willSave` of all changed objects, and of the objects that change meanwhile, until no more objects change.
  /// If an object changes itself in `willSave`, its `willSave` is not called again.
  private func announce() throws(ManagedObjectError) {
    var isFirst = true
    for _ in 0..<Self.greatestRounds {
      hasUnannouncedChanges = false
      for object in listed {
        if isFirst { object.status.remove(.announced) }
        guard object.status.hasChanges, !object.status.contains(.announced) else { continue }
        object.willSave()
        object.status.insert(.announced)
      }
      isFirst = false
      if !hasUnannouncedChanges { return }
    }
    throw ManagedObjectError(.invalidState, "cannot save, because objects keep changing each other in willSave()")
  }

  /// Validates all changed objects.
  private func validate() throws(ManagedObjectError) {
    var errors: [ManagedObjectError] = []
    for object in listed where object.status.hasChanges {
      do throws(ManagedObjectError) {
        if object.status.isDeleted {
          try object.validateForDelete()
        } else if object.status.isInserted {
          try object.validateForInsert()
        } else {
          try object.validateForUpdate()
        }
      } catch {
        errors += error.details.isEmpty ? [error] : error.details
      }
    }
    if let error = ManagedObjectError(all: errors) { throw error }
  }

  private func saveIntoStores() throws(ManagedObjectError) {
    // Conflicts are resolved with the newest rows.
    let isPinned = queryGenerationToken != nil
    queryGenerationToken = nil
    defer { if isPinned { queryGenerationToken = .current } }
    var isPartlySaved = false
    do throws(ManagedObjectError) {
      for _ in 0..<Self.greatestAttempts {
        if try attempt(&isPartlySaved) { return }
      }
      throw ManagedObjectError(.timeout, "cannot save the objects, because they keep changing in the store")
    } catch {
      guard isPartlySaved else { throw error }
      var failure = ManagedObjectError(.incompleteSave, "some stores were saved, but not all: \(error)")
      failure.details = [error]
      throw failure
    }
  }

  /// Makes one attempt to save the changes that are not saved yet.
  ///
  /// - Parameter isPartlySaved: set to true if one store was saved and a later one failed.
  /// - Returns: false if the save must be tried again: conflicts were resolved, or the store already uses the permanent
  ///   keys of new objects.
  private func attempt(_ isPartlySaved: inout Bool) throws(ManagedObjectError) -> Bool {
    var plan = try SavePlan(changedObjects, self)
    do {
      try plan.saveParts()
      finish(plan)
      return true
    } catch {
      restoreKeys(in: plan.unsavedObjects, plan.newKeys)
      finish(plan)
      if plan.saved.contains(where: { !$0.changes.isEmpty }) { isPartlySaved = true }
      // The next attempt creates other keys. Keys from `obtainPermanentIDs(for:)` cannot be replaced.
      if error.code == .keysTaken, !plan.newKeys.isEmpty { return false }
      guard error.code == .merge || error.code == .constraintMerge else { throw withCurrentKeys(error, plan) }
      attemptedKeys = plan.newKeys.inverted
      defer { attemptedKeys = KeyReplacements() }
      let resolutions = try resolutions(of: error)
      // If this context has changed none of the objects in conflict, it cannot resolve the conflicts.
      guard error.conflicts.contains(where: { object(of: $0)?.status.hasChanges == true }) else { throw error }
      try withoutUndo { () throws(ManagedObjectError) in try resolve(resolutions) }
      return false
    }
  }

  /// Restores the temporary keys in the relationships of objects that were not saved.
  ///
  /// - Parameter newKeys: The permanent keys that the save has set, by the temporary ones.
  func restoreKeys(in objects: some Sequence<ManagedObject>, _ newKeys: KeyReplacements) {
    let oldKeys = newKeys.inverted
    for object in objects where !object.status.isDeleted { rename(in: object, oldKeys) }
  }

  /// Returns an error that refers to new objects by their present, temporary IDs instead of those of the failed
  /// attempt.
  private func withCurrentKeys(_ error: ManagedObjectError, _ plan: SavePlan) -> ManagedObjectError {
    if plan.newKeys.isEmpty { return error }
    let oldKeys = plan.newKeys.inverted
    func present(_ id: ManagedObjectID) -> ManagedObjectID {
      oldKeys[id.key].map { ManagedObjectID($0, model: model, storeIdentifier: nil) } ?? id
    }
    func present(_ error: ManagedObjectError) -> ManagedObjectError {
      var error = error
      error.objectID = error.objectID.map { present($0) }
      error.relatedObjectIDs = error.relatedObjectIDs.map { present($0) }
      return error
    }
    var result = present(error)
    result.details = error.details.map { present($0) }
    return result
  }

  /// Throws if another context or process has saved an object since this context read it, so that saving a change of
  /// the object would be a conflict. Never throws for a new object or a fault of this context.
  ///
  /// ```swift
  /// try context.detectConflicts(for: note)
  /// ```
  ///
  /// The result can be outdated as soon as the method returns. A save checks again.
  ///
  /// - Throws: ``ManagedObjectError/Code/merge`` with the conflict; ``ManagedObjectError/Code/invalidState`` for an
  ///   object of another context; the errors of reading.
  public func detectConflicts(for object: ManagedObject) throws(ManagedObjectError) {
    if object.managedObjectContext !== self {
      throw ManagedObjectError(.invalidState, "\(object) is not an object of this context", objectID: object.objectID)
    }
    // A fault has no values that could be outdated.
    if object.status.isInserted || object.needsRow { return }
    let generation = queryGenerationToken
    queryGenerationToken = nil
    defer { queryGenerationToken = generation }
    let stored = try readRows([object.key])[0]
    if stored?.version == object.version { return }
    let mine = StoreRow(key: object.key, version: object.version, values: object.values)
    let snapshot = StoreRow(key: object.key, version: object.version, values: object.committed ?? object.values)
    var error = ManagedObjectError(
      .merge, "another context or process has \(stored == nil ? "deleted" : "saved") the object",
      objectID: object.objectID)
    error.conflicts = [MergeConflict(object: object.status.isDeleted ? nil : mine, snapshot: snapshot, stored: stored)]
    throw error
  }

  /// Adds the objects' committed values to the conflicts, because stores do not know them.
  func withSnapshots(_ error: ManagedObjectError) -> ManagedObjectError {
    var error = error
    for (index, conflict) in error.conflicts.enumerated() where conflict.snapshot == nil {
      guard let object = conflict.object.flatMap({ registered[$0.key] }), !object.status.isInserted else { continue }
      error.conflicts[index].snapshot = StoreRow(
        key: object.key, version: object.version, values: object.committed ?? object.values)
    }
    return error
  }

  /// Marks the objects in the saved stores as saved: sets their permanent keys and versions, and notifies the listeners
  /// of the coordinator and the child contexts.
  private func finish(_ plan: SavePlan) {
    guard !plan.saved.isEmpty else { return }
    let isEvent = !eventObservers.isEmpty
    let told = isEvent || coordinator.hasListeners ? savedChanges(plan) : nil
    var names: [(key: RowKey, value: RowKey)] = []
    names.reserveCapacity(plan.newKeys.count)
    for part in plan.saved {
      for object in part.objects {
        let isNewVersion = plan.raised.contains(object.key)
        if let key = plan.newKeys[object.key] {
          names.append((object.key, key))
          rename(object, to: key, keepsOld: undoManager != nil)
        }
        if !object.status.isDeleted {
          if object.status.isInserted {
            object.version = 1
          } else if isNewVersion {
            object.version = object.version.nextVersion
          }
        }
        if isEvent { noteSaved(object, isUpdate: isNewVersion) }
        settle(object)
      }
    }
    root.permanentKeys.insert(names)
    if let told {
      coordinator.tell(told)
      if isEvent { lastSave.changes.append(told) }
    }
    // The rows of these objects differ from the saved values, so the objects are read again.
    for key in plan.saved.flatMap(\.mended) {
      if let object = registered[key], !object.status.hasChanges { readAgain(object) }
    }
    if children.isEmpty { return }
    // Does not include new objects of a store that failed: they keep their temporary keys.
    var given = KeyReplacements()
    for (old, new) in names { given[old] = new }
    tellChildren(given)
  }

  /// Turns an object into a fault. If it has transient values, which a fault would lose, reads its row at once instead.
  private func readAgain(_ object: ManagedObject) {
    guard !object.shape.isAllPersistent, !object.isFault, let row = try? readRows([object.key])[0] else {
      return turnIntoFault(object)
    }
    if object.status.contains(.observed) { state.observed.touch(object) }
    object.status.remove(.partial)
    object.version = row.version
    for slot in row.values.indices where object.shape.isPersistent[slot] { object.values[slot] = row.values[slot] }
    noteRefreshed(object)
  }

  /// Returns the changes that a save reports to listeners.
  private func savedChanges(_ plan: SavePlan) -> SavedChanges {
    var changes = SavedChanges(author: transactionAuthor, contextName: name, origin: state.number)
    for part in plan.saved {
      func id(_ key: RowKey) -> ManagedObjectID {
        ManagedObjectID(plan.newKeys[key] ?? key, model: coordinator.model, storeIdentifier: part.store.identifier)
      }
      for object in part.objects {
        if object.status.isDeleted {
          changes.deleted.insert(id(object.key))
        } else if object.status.isInserted {
          changes.inserted.insert(id(object.key))
        } else if plan.raised.contains(object.key) {
          changes.updated.insert(id(object.key))
        }
      }
      for id in part.mended.map(id) where !changes.inserted.contains(id) { changes.updated.insert(id) }
    }
    return changes
  }

  /// Marks an object as unchanged after it was saved. Removes a deleted object from the context.
  private func settle(_ object: ManagedObject) {
    rowChangeCount &+= 1
    if object.status.isDeleted {
      detach(object, isChange: false)
    } else {
      object.committed = nil
      // The values of the object did not change, so nothing is reported.
      unlist(object, isChange: false)
    }
  }
}
