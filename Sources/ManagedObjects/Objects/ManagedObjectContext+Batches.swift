internal import ObjectModels
internal import Predicates

/// Functions that pass batch requests to the stores, which execute them.
extension ManagedObjectContext {
  /// Inserts, updates or deletes many objects in the stores, without creating objects in this context. The context must
  /// not have a parent. Each store applies all changes or none. The ``mergePolicy`` decides about new objects that
  /// violate a uniqueness constraint.
  ///
  /// ```swift
  /// let read = try ManagedPredicate(format: "isRead == YES")
  /// let result = try context.execute(.delete("Note", where: read), mergesChanges: true)
  /// print(result.count)
  /// try ManagedObjectContext.mergeChanges(from: result.changes, into: [otherContext])
  /// ```
  ///
  /// - Parameter mergesChanges: true to merge the changes into this context. If false, pass the result's changes to
  ///   ``mergeChanges(from:)``.
  /// - Returns: the number of changed objects, and the changes.
  /// - Throws: ``ManagedObjectError/Code/invalidState`` if the context has a parent;
  ///   ``ManagedObjectError/Code/undefinedKey`` for a name that the model does not have;
  ///   ``ManagedObjectError/Code/invalidValue`` for a value that an attribute cannot have;
  ///   ``ManagedObjectError/Code/unsupportedRequest`` for a predicate or an expression that is not valid for the
  ///   entity; ``ManagedObjectError/Code/missingMandatoryProperty`` and
  ///   ``ManagedObjectError/Code/relationshipLacksMinimumCount`` for objects that would violate the model, including
  ///   those that refer to deleted objects; ``ManagedObjectError/Code/multipleErrors`` with the first 100 of these
  ///   errors; ``ManagedObjectError/Code/constraintMerge`` if objects would violate a uniqueness constraint, and the
  ///   merge policy does not resolve this; ``ManagedObjectError/Code/save`` if no writable store has the
  ///   entity; ``ManagedObjectError/Code/incompleteSave`` if a store fails after another one was changed; the errors of
  ///   the store.
  @discardableResult
  public func execute(
    _ request: BatchRequest, mergesChanges: Bool = false
  ) throws(ManagedObjectError) -> BatchResult {
    guard parent == nil else {
      throw ManagedObjectError(.invalidState, "batch requests need a context without a parent")
    }
    guard let entity = model.entity(named: request.entityName) else {
      throw ManagedObjectError(.undefinedKey, "the model has no entity \(request.entityName.quoted)")
    }
    var request = try checked(request, entity)
    request.author = transactionAuthor
    request.contextName = name
    let stores = stores(for: request, entity)
    if stores.isEmpty {
      throw ManagedObjectError(.save, "no writable store has the entity \(entity.name.quoted)")
    }
    var result = BatchResult()
    result.changes.author = transactionAuthor
    result.changes.contextName = name
    result.changes.isComplete = request.resultType == .objectIDs
    do throws(ManagedObjectError) {
      for store in stores {
        let part = try store.execute(request, of: entity, mergePolicy: mergePolicy)
        result.add(part, request.action, model, store.identifier)
      }
    } catch {
      // No store has changed objects before the error.
      guard result.count > 0 else { throw error }
      if coordinator.hasListeners { coordinator.tell(result.changes) }
      var failure = ManagedObjectError(.incompleteSave, "some stores were changed, but not all: \(error)")
      failure.details = [error]
      failure.savedChanges = result.changes
      throw failure
    }
    if result.count > 0, coordinator.hasListeners { coordinator.tell(result.changes) }
    if mergesChanges, result.count > 0 { try mergeChanges(from: result.changes) }
    return result
  }

  private func stores(for request: BatchRequest, _ entity: ManagedObjectModel.Entity) -> [any PersistentStore] {
    let stores =
      switch request.action {
      case .insert: coordinator.store(forNew: entity.index).map { [$0] } ?? []
      case .update(let fetch, _), .delete(let fetch): coordinator.stores(for: fetch, of: entity)
      }
    return stores.filter { !$0.isReadOnly }
  }

  /// Checks a request. Returns the request with the current keys of the objects in its predicate.
  private func checked(
    _ request: BatchRequest, _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> BatchRequest {
    var checked: BatchRequest
    switch request.action {
    case .insert:
      if entity.isAbstract { throw ManagedObjectError(.invalidValue, "the entity \(entity.name.quoted) is abstract") }
      return request
    case .update(var fetch, let values):
      try check(&fetch, entity)
      _ = try BatchAssignment.all(values, entity)
      checked = BatchRequest(entityName: request.entityName, .update(fetch, values))
    case .delete(var fetch):
      try check(&fetch, entity)
      checked = BatchRequest(entityName: request.entityName, .delete(fetch))
    }
    checked.resultType = request.resultType
    return checked
  }

  private func check(
    _ fetch: inout FetchRequest, _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) {
    fetch.resultType = .objects
    _ = try self.entity(of: &fetch)
    if fetch.fetchLimit > 0 || fetch.fetchOffset > 0, coordinator.stores(for: fetch, of: entity).count > 1 {
      throw ManagedObjectError(
        .unsupportedRequest, "a batch request for the objects of several stores cannot have an offset or a limit")
    }
  }
}

extension BatchResult {
  /// Adds the result of a store.
  fileprivate mutating func add(
    _ part: StoreBatchResult, _ action: BatchRequest.Action, _ model: ManagedObjectModel, _ storeIdentifier: String
  ) {
    func ids(_ keys: [RowKey]) -> [ManagedObjectID] {
      keys.map { ManagedObjectID($0, model: model, storeIdentifier: storeIdentifier) }
    }
    count += part.count
    guard changes.isComplete else { return }
    switch action {
    case .insert: changes.inserted.formUnion(ids(part.changed))
    case .update: changes.updated.formUnion(ids(part.changed))
    case .delete: changes.deleted.formUnion(ids(part.changed))
    }
    changes.updated.formUnion(ids(part.mended))
  }
}
