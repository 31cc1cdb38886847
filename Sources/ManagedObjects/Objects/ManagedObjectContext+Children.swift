internal import OrderedCollections
internal import Predicates

/// Changes that a context takes over from one that saves into it.
extension ManagedObjectContext {
  /// Takes over the changes of a child, all or none.
  ///
  /// What this context changed meanwhile stays where the child has no change of the same property. Of a to-many
  /// relationship, what the child added is added, and what it removed is removed.
  ///
  /// - Throws: ``ManagedObjectError/Code/referentialIntegrity`` for changed objects that are deleted here, or gone.
  func take(_ objects: [ManagedObject]) throws(ManagedObjectError) {
    try checkPresence(of: objects)
    var relations: [(object: ManagedObject, slot: Int, value: RowValue)] = []
    for child in objects where !child.isDeleted {
      let object = object(for: child.key)
      if child.isInserted, !object.isInserted {
        object.values = object.shape.emptyValues
        object.status = []
        list(object, as: .inserted)
        noteArrival(object)
        record(.created(object))
      }
      takeAttributes(of: child, into: object)
      // One side of a relationship changes the other, so that all are compared before any is changed.
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
      // A deletion here prevails over a reference there.
      let targets = (isOrdered ? keys : keys.sorted()).map { self.object(for: $0) }.filter { !$0.isDeleted }
      setObjects(targets, of: object, slot)
    }
    for child in objects where child.isDeleted { takeDeletion(of: child) }
    processPendingChanges()
  }

  private func checkPresence(of objects: [ManagedObject]) throws(ManagedObjectError) {
    var errors: [ManagedObjectError] = []
    for child in objects where child.isUpdated {
      let object = object(for: child.key)
      if object.isFault { object.fire() }
      guard object.isDeleted || object.isInaccessible else { continue }
      errors.append(
        ManagedObjectError(
          .referentialIntegrity, "the object was changed, and the parent does not have it any more",
          objectID: child.objectID))
    }
    if let error = ManagedObjectError(all: errors) { throw error }
  }

  /// What the child started from: nothing for a new object.
  private func base(of child: ManagedObject) -> [RowValue] {
    child.isInserted ? child.shape.emptyValues : child.committed ?? child.values
  }

  private func takeAttributes(of child: ManagedObject, into object: ManagedObject) {
    let base = base(of: child)
    for attribute in child.shape.record.attributes where child.values[attribute.slot] != base[attribute.slot] {
      let value = child.values[attribute.slot]
      if object.value(ofSlot: attribute.slot) != value { object.change(attribute.slot, to: value) }
    }
  }

  /// The rules were followed by the child: the objects that they delete come from it.
  private func takeDeletion(of child: ManagedObject) {
    let object = object(for: child.key)
    if object.isFault { object.fire() }
    if object.isInaccessible || object.isDeleted { return }
    for relationship in object.shape.record.relationships {
      guard let inverse = object.shape.inverseSlots[relationship.slot] else { continue }
      let keys = object.value(ofSlot: relationship.slot).keys
      // The child may not have known of all that refer to the object by now.
      let dropped =
        switch relationship.definition.deleteRule {
        case .noAction where !object.isInserted: [RowKey]()
        case .deny where !object.isInserted:
          OrderedKeys(keys).subtracting(child.value(ofSlot: relationship.slot).keys).elements
        case .noAction, .deny, .nullify, .cascade: keys
        }
      for key in dropped where key != object.key {
        let target = self.object(for: key)
        if !target.isDeleted { drop(object.key, from: target, inverse) }
      }
    }
    markDeleted(object)
  }

  /// Takes over the names that objects got. Other contexts that save into this one do it too.
  func follow(_ newKeys: KeyReplacements) {
    guard !newKeys.isEmpty else { return }
    newKeys.visit { old, key in
      guard let object = registered[old] else { return }
      // Of those that were temporary, the saved names know.
      rename(object, to: key, keepsOld: undoManager != nil || !old.isTemporary)
      if object.version == 0, !object.isInserted { object.version = 1 }
    }
    // What is new in a parent can be in relationships that are no changes.
    if parent == nil {
      for object in listed { rename(in: object, newKeys) }
    } else {
      registered.visit { rename(in: $0, newKeys) }
    }
    tellChildren(newKeys)
  }

  /// Lets the contexts that save into this one take over the names that objects got here.
  func tellChildren(_ newKeys: KeyReplacements) {
    for child in children { child.context?.follow(newKeys) }
  }

  /// Gives new objects the names that they will have in their stores, before they are saved.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidState`` for an object of another context, and for one that no store
  ///   takes.
  public func obtainPermanentIDs(for objects: [ManagedObject]) throws(ManagedObjectError) {
    for object in objects where object.managedObjectContext !== self {
      throw ManagedObjectError(.invalidState, "\(object) is not an object of this context", objectID: object.objectID)
    }
    // All contexts that have the objects get to know the names.
    let names = try SavePlan.replaceKeys(objects, root, areLasting: true)
    root.permanentKeys.insert(names.pairs.sorted { $0.key.number > $1.key.number })
    root.follow(names)
  }

  /// Says which store a new object goes to, where several could take it.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidState`` for an object that was saved, is of another context, or whose
  ///   entity the store does not have.
  public func assign(_ object: ManagedObject, to store: any PersistentStore) throws(ManagedObjectError) {
    guard parent == nil, object.managedObjectContext === self, object.isInserted, object.key.isTemporary else {
      throw ManagedObjectError(
        .invalidState, "only a new object of the context can be assigned", objectID: object.objectID)
    }
    guard coordinator.store(store.number) != nil, coordinator.accepts(store, entityIndex: Int(object.key.entityIndex))
    else {
      throw ManagedObjectError(
        .invalidState, "the store does not take objects of \(object.entity.name.quoted)", objectID: object.objectID)
    }
    assignments[object.key] = store.number
  }
}
