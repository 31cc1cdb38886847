internal import Predicates

/// Functions that delete objects, and follow the delete rules of relationships.
extension ManagedObjectContext {
  /// Deletes an object and applies the delete rules of its relationships. The relationships of other objects change at
  /// once. If a rule denies the deletion, the save throws.
  ///
  /// ```swift
  /// for note in try context.fetch(Note.self, where: #Predicate { $0.isRead }) {
  ///   try context.delete(note)
  /// }
  /// try context.save()
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidState`` for an object of another context; the errors of reading the
  ///   object or its related objects.
  /// - Complexity: O(*n*) in the number of objects that are deleted or changed.
  public func delete(_ object: ManagedObject) throws(ManagedObjectError) {
    if object.managedObjectContext !== self {
      throw ManagedObjectError(.invalidState, "\(object) is not an object of this context", objectID: object.objectID)
    }
    beginOperation()
    defer { endOperation() }
    // A list instead of recursion, because objects can refer to each other in long chains and cycles.
    var open = [object]
    while let next = open.popLast() { open += try deleteAlone(next).reversed() }
  }

  /// Deletes one object.
  ///
  /// - Returns: the objects that must be deleted, too, because of the delete rules.
  private func deleteAlone(_ object: ManagedObject) throws(ManagedObjectError) -> [ManagedObject] {
    if !object.status.isDisjoint(with: [.deleted, .detached, .leaving]) { return [] }
    if object.needsRow { _ = try readRow(of: object) }
    if object.isFault { object.fire() }
    try object.complete()
    if object.status.isInaccessible { return [] }
    // `prepareForDeletion` may delete the object itself, or other objects whose rules delete it.
    object.status.insert(.leaving)
    object.prepareForDeletion()
    object.status.remove(.leaving)
    if !object.status.isDisjoint(with: [.deleted, .detached]) { return [] }
    let wasNew = object.status.isInserted
    var values = object.shape.emptyValues
    // Retained until the rules are followed: an object that is released is read again.
    var related: [ManagedObject] = []
    for relationship in object.shape.record.relationships {
      let slot = relationship.slot
      values[slot] = object.value(ofSlot: slot)
      let rule = relationship.definition.deleteRule
      guard rule == .cascade || object.shape.inverseSlots[slot] != nil, rule != .noAction || wasNew else { continue }
      // Reads the related objects before anything changes.
      let targets = targets(values[slot].keys, of: object, slot)
      try readFaults(targets, of: object)
      related += targets
    }
    markDeleted(object)
    return withExtendedLifetime(related) { followRules(of: object, wasNew: wasNew, values) }
  }

  /// Reads the related objects of an object. If the object has a batch, also reads those of the others in the batch,
  /// because a program often deletes all objects that it has fetched.
  private func readFaults(_ targets: [ManagedObject], of owner: ManagedObject) throws(ManagedObjectError) {
    guard let batch = owner.batch, batch.keys.count > 1 else { return try readFaults(targets) }
    // The objects without a batch, and those that their batch does not read, are read together.
    var rest: [ManagedObject] = []
    var last: FaultBatch?
    for target in targets where target.needsRow {
      guard let batch = target.batch, batch !== last else {
        rest.append(target)
        continue
      }
      last = batch
      _ = try readRow(of: target)
    }
    try readFaults(rest)
  }

  /// Applies the delete rules of a deleted object.
  ///
  /// - Parameters:
  ///   - wasNew: true if the object was never saved.
  ///   - values: the values of its relationships, by slot.
  /// - Returns: the objects that must be deleted, too, because of the rules.
  func followRules(of object: ManagedObject, wasNew: Bool, _ values: [RowValue]) -> [ManagedObject] {
    var cascade: [ManagedObject] = []
    for relationship in object.shape.record.relationships {
      let slot = relationship.slot
      let keys = values[slot].keys
      guard !keys.isEmpty else { continue }
      let inverse = object.shape.inverseSlots[slot]
      for key in relationship.definition.isOrdered ? keys : keys.sorted() {
        switch relationship.definition.deleteRule {
        // A store cannot keep a reference to an object that was never saved.
        case .noAction, .deny: if !wasNew { continue }
        case .nullify: break
        case .cascade: cascade.append(self.object(for: key))
        }
        guard let inverse, key != object.key else { continue }
        let target = self.object(for: key)
        if !target.status.isDeleted { drop(object.key, from: target, inverse) }
      }
    }
    return cascade
  }

  /// Marks an object as deleted without changing others. A new object is removed from the context.
  func markDeleted(_ object: ManagedObject) {
    record(.deleted(object, wasNew: object.status.isInserted))
    if object.status.isInserted { detach(object) } else { list(object, as: .deleted) }
  }
}

extension ManagedObject {
  /// Throws if a relationship of a deleted object denies its deletion.
  final func validateDeleteRules() throws(ManagedObjectError) {
    guard let context = managedObjectContext else { return }
    var errors: [ManagedObjectError] = []
    for relationship in shape.record.relationships where relationship.definition.deleteRule == .deny {
      let isDenied = value(ofSlot: relationship.slot).keys.contains { key in
        key != self.key && !context.isGone(key)
      }
      if isDenied {
        errors.append(
          ManagedObjectError(
            .deleteDenied, "the object cannot be deleted while it refers to other objects", objectID: objectID,
            key: relationship.definition.traits.name))
      }
    }
    if let error = ManagedObjectError(all: errors) { throw error }
  }
}

extension ManagedObjectContext {
  /// True if the object with a key is deleted, inaccessible or no longer in the context.
  fileprivate func isGone(_ key: RowKey) -> Bool {
    let object = object(for: key)
    if object.isFault { object.fire() }
    return object.status.isDeleted || object.status.isInaccessible || object.managedObjectContext == nil
  }
}
