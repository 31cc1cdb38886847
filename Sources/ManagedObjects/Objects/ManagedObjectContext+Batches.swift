internal import ObjectModels
internal import Predicates

/// Batch requests, which stores execute themselves.
extension ManagedObjectContext {
  /// Inserts, updates or deletes many objects in the stores, without creating objects in this context. The context must
  /// not have a parent. Each store applies all changes or none. The ``mergePolicy`` decides about new objects that
  /// violate a uniqueness constraint.
  ///
  /// ```swift
  /// let changes = try context.execute(.delete("Note", where: ManagedPredicate(format: "isRead == YES")))
  /// try context.mergeChanges(from: changes)
  /// ```
  ///
  /// - Returns: the changes. Pass them to ``mergeChanges(from:)`` of this context and of others.
  /// - Throws: ``ManagedObjectError/Code/invalidState`` if the context has a parent;
  ///   ``ManagedObjectError/Code/undefinedKey`` for a name that the model does not have;
  ///   ``ManagedObjectError/Code/invalidValue`` for a value that an attribute cannot have;
  ///   ``ManagedObjectError/Code/missingMandatoryProperty`` and
  ///   ``ManagedObjectError/Code/relationshipLacksMinimumCount`` for objects that would violate the model, including
  ///   those that refer to deleted objects; ``ManagedObjectError/Code/multipleErrors`` with the first 100 of these
  ///   errors; ``ManagedObjectError/Code/constraintMerge`` if objects would violate a uniqueness constraint, and the
  ///   merge policy does not resolve this; ``ManagedObjectError/Code/unsupportedRequest`` if a store does not support
  ///   batch requests; the errors of the store.
  @discardableResult
  public func execute(_ request: BatchRequest) throws(ManagedObjectError) -> SavedChanges {
    guard parent == nil else {
      throw ManagedObjectError(.invalidState, "batch requests need a context without a parent")
    }
    guard let entity = model.entity(named: request.entityName) else {
      throw ManagedObjectError(.undefinedKey, "the model has no entity \(request.entityName.quoted)")
    }
    let request = try checked(request, entity)
    var changes = SavedChanges()
    changes.author = transactionAuthor
    changes.contextName = name
    for store in stores(for: request, entity) {
      let keys = try store.execute(request, of: entity, mergePolicy: mergePolicy)
      let ids = Set(keys.changed.map { ManagedObjectID($0, model: model, storeIdentifier: store.identifier) })
      switch request {
      case .insert: changes.inserted.formUnion(ids)
      case .update: changes.updated.formUnion(ids)
      case .delete: changes.deleted.formUnion(ids)
      }
      for key in keys.mended {
        changes.updated.insert(ManagedObjectID(key, model: model, storeIdentifier: store.identifier))
      }
    }
    if coordinator.hasListeners { coordinator.tell(changes) }
    return changes
  }

  private func stores(for request: BatchRequest, _ entity: ManagedObjectModel.Entity) -> [any PersistentStore] {
    if case .insert = request {
      return coordinator.store(forNew: entity.index).map { [$0] } ?? []
    }
    return coordinator.stores.filter { store in
      !store.isReadOnly && model.hasEntity(entity, inConfiguration: store.configuration)
    }
  }

  /// Checks a request, and returns it with its values converted to the types of the attributes.
  private func checked(
    _ request: BatchRequest, _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> BatchRequest {
    switch request {
    case .insert(let name, let objects):
      if entity.isAbstract { throw ManagedObjectError(.invalidValue, "the entity \(name.quoted) is abstract") }
      var checked: [[String: AttributeValue]] = []
      checked.reserveCapacity(objects.count)
      for values in objects { checked.append(try normalized(values, entity)) }
      return .insert(entityName: name, checked)
    case .update(let fetch, let values):
      try fetch.check(for: entity)
      return .update(fetch, try normalized(values, entity))
    case .delete(let fetch):
      try fetch.check(for: entity)
      return request
    }
  }

  private func normalized(
    _ values: [String: AttributeValue], _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> [String: AttributeValue] {
    var normalized: [String: AttributeValue] = [:]
    for (name, value) in values {
      guard let attribute = entity.attribute(named: name), !attribute.isTransient else {
        throw ManagedObjectError(
          .undefinedKey, "the entity \(entity.name.quoted) has no stored attribute \(name.quoted)", key: name)
      }
      guard let own = attribute.definition.type.normalized(value) else {
        throw ManagedObjectError(
          .invalidValue, "expected \(attribute.definition.type.name), found \(value.kindName)", key: name, value: value)
      }
      normalized[name] = own
    }
    return normalized
  }
}
