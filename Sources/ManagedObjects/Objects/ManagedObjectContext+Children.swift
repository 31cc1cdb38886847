internal import OrderedCollections
internal import Predicates

/// Functions for the changes that child contexts save into this context, and for permanent object IDs.
extension ManagedObjectContext {
  /// Applies the changes that a child context saves: all or none.
  ///
  /// Unsaved changes of this context stay for properties that the child did not change. A to-many relationship keeps
  /// the changes of both contexts.
  ///
  /// - Throws: ``ManagedObjectError/Code/referentialIntegrity`` if the child updated an object that is deleted or
  ///   inaccessible in this context.
  func take(_ objects: [ManagedObject]) throws(ManagedObjectError) {
    beginOperation(changesAll: true)
    defer { endOperation() }
    try checkPresence(of: objects)
    var relations: [(object: ManagedObject, slot: Int, value: RowValue)] = []
    for child in objects where !child.status.isDeleted {
      let object = object(for: child.key)
      if child.status.isInserted, !object.status.isInserted {
        object.values = object.shape.emptyValues
        object.status.formIntersection(.observed)
        list(object, as: .inserted)
        noteArrival(object)
        record(.created(object))
      }
      takeAttributes(of: child, into: object)
      // Setting one side of a relationship changes the other, so all values are compared before any is set.
      let base = base(of: child)
      for relationship in child.shape.record.relationships {
        let slot = relationship.slot
        let value = child.values[slot]
        guard value != base[slot] else { continue }
        relations.append((object, slot, merged(value, since: base[slot], with: object.value(ofSlot: slot))))
      }
    }
    for (object, slot, value) in relations {
      let keys = value.keys
      let isOrdered = object.shape.relationships[slot]?.definition.isOrdered == true
      // A deletion in this context takes precedence over a reference in the child.
      let targets = (isOrdered ? keys : keys.sorted()).map { self.object(for: $0) }.filter { !$0.status.isDeleted }
      setObjects(targets, of: object, slot)
    }
    for child in objects where child.status.isDeleted { takeDeletion(of: child) }
    processPendingChanges()
  }

  private func checkPresence(of objects: [ManagedObject]) throws(ManagedObjectError) {
    var errors: [ManagedObjectError] = []
    for child in objects where child.status.isUpdated {
      let object = object(for: child.key)
      if object.isFault { object.fire() }
      guard object.status.isDeleted || object.status.isInaccessible else { continue }
      errors.append(
        ManagedObjectError(
          .referentialIntegrity, "the object was changed, but the parent context no longer has it",
          objectID: child.objectID))
    }
    if let error = ManagedObjectError(all: errors) { throw error }
  }

  /// Returns the values before the child's changes: the committed values, or empty values for a new object.
  private func base(of child: ManagedObject) -> [RowValue] {
    child.status.isInserted ? child.shape.emptyValues : child.committed ?? child.values
  }

  private func takeAttributes(of child: ManagedObject, into object: ManagedObject) {
    let base = base(of: child)
    for attribute in child.shape.record.attributes where child.values[attribute.slot] != base[attribute.slot] {
      let value = child.values[attribute.slot]
      if object.value(ofSlot: attribute.slot) != value { object.change(attribute.slot, to: value) }
    }
  }

  /// Deletes an object that the child deleted. The delete rules are not applied, because the child has applied them:
  /// the objects that the rules delete are among its changes.
  private func takeDeletion(of child: ManagedObject) {
    let object = object(for: child.key)
    if object.isFault { object.fire() }
    if object.status.contains(.partial) { completePartial(object) }
    if object.status.isInaccessible || object.status.isDeleted { return }
    for relationship in object.shape.record.relationships {
      guard let inverse = object.shape.inverseSlots[relationship.slot] else { continue }
      let keys = object.value(ofSlot: relationship.slot).keys
      // The object may be related to objects here to which it is not related in the child.
      let dropped =
        switch relationship.definition.deleteRule {
        case .noAction where !object.status.isInserted: [RowKey]()
        case .deny where !object.status.isInserted:
          OrderedKeys(keys).subtracting(child.value(ofSlot: relationship.slot).keys).elements
        case .noAction, .deny, .nullify, .cascade: keys
        }
      for key in dropped where key != object.key {
        let target = self.object(for: key)
        if !target.status.isDeleted { drop(object.key, from: target, inverse) }
      }
    }
    markDeleted(object)
  }

  /// Replaces the keys of objects in this context and in its child contexts.
  func follow(_ newKeys: KeyReplacements) {
    guard !newKeys.isEmpty else { return }
    beginOperation(changesAll: true)
    defer { endOperation() }
    newKeys.visit { old, key in
      guard let object = registered[old] else { return }
      // Old temporary keys are recorded only for undo, because `permanentKeys` contains those of saved objects.
      rename(object, to: key, keepsOld: undoManager != nil || !old.isTemporary)
      if object.version == 0, !object.status.isInserted { object.version = 1 }
    }
    // In a child context, unchanged relationships can refer to new objects of the parent, so all objects are searched.
    if parent == nil {
      for object in listed { rename(in: object, newKeys) }
    } else {
      registered.visit { rename(in: $0, newKeys) }
    }
    tellChildren(newKeys)
  }

  /// Replaces the keys of objects in the child contexts.
  func tellChildren(_ newKeys: KeyReplacements) {
    for child in children { child.context?.follow(newKeys) }
  }

  /// Gives new objects their permanent object IDs before they are saved.
  ///
  /// ```swift
  /// let tag = try context.insert(Tag.self)
  /// try context.obtainPermanentIDs(for: [tag])
  /// print(tag.objectID.isTemporary)                        // false
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidState`` for an object of another context, and for an object whose
  ///   entity is not in any writable store.
  public func obtainPermanentIDs(for objects: [ManagedObject]) throws(ManagedObjectError) {
    for object in objects where object.managedObjectContext !== self {
      throw ManagedObjectError(.invalidState, "\(object) is not an object of this context", objectID: object.objectID)
    }
    // The root context and all its descendants replace the keys of these objects.
    let names = try SavePlan.replaceKeys(objects, root, areLasting: true)
    root.permanentKeys.insert(names.pairs.sorted { $0.key.number > $1.key.number })
    root.follow(names)
  }

  /// Chooses the store that a new object is saved to, if several stores have its entity.
  ///
  /// ```swift
  /// let archive = container.coordinator.stores[1]
  /// try context.assign(note, to: archive)
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidState`` if the object was saved or belongs to another context, if this
  ///   context has a parent, or if the store does not accept the object's entity.
  public func assign(_ object: ManagedObject, to store: any PersistentStore) throws(ManagedObjectError) {
    guard parent == nil, object.managedObjectContext === self, object.status.isInserted, object.key.isTemporary else {
      throw ManagedObjectError(
        .invalidState, "only a new object of a context without a parent can be assigned to a store",
        objectID: object.objectID)
    }
    guard coordinator.store(store.number) != nil, coordinator.accepts(store, entityIndex: Int(object.key.entityIndex))
    else {
      throw ManagedObjectError(
        .invalidState, "the store does not accept objects of \(object.entity.name.quoted)", objectID: object.objectID)
    }
    let hasMoved = storeNumber(forNew: object) != store.number
    assignments[object.key] = store.number
    guard hasMoved, !followers.isEmpty else { return }
    // A request that reads only some stores can have another result.
    followers.tell(.assigned(object.key))
    hasSilentNews = true
    scheduleEndOfTurn()
  }
}
