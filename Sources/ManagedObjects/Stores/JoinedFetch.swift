internal import ObjectModels

/// The execution of a request on several stores. The results equal those of one store with all objects.
///
/// Relationships do not lead from one store to another, so each store can evaluate the predicate for its own objects.
/// Each store fetches at most as many objects as the results can include. The objects of all stores are then sorted,
/// and converted to dictionaries if requested, in memory.
struct JoinedFetch {
  let request: FetchRequest
  let entity: ManagedObjectModel.Entity
  let stores: [any PersistentStore]

  func result() throws(ManagedObjectError) -> StoreFetchResult {
    try request.check(for: entity)
    // A store cannot evaluate a key path that begins at a constant object of another store.
    if RequestKeys(FetchRequest(request.entityName, where: request.predicate)).beginsAtObjects {
      return try resultInMemory()
    }
    var rest = request
    rest.predicate = nil
    if rest.resultType != .dictionaries { rest.propertiesToFetch = nil }
    let prepared = try PreparedFetch(rest, of: entity)
    let end = prepared.isWindowedBeforeProjection ? request.windowEnd : .max
    let part = self.part(first: end)
    let found: [StoreRow]
    do {
      if request.resultType == .count { return .count(request.windowCount(of: try count(part))) }
      found = try rows(part)
    } catch {
      // The predicate cannot be evaluated for an object. A single store with all objects might have found enough
      // objects before that one, so the objects of all stores are evaluated in order.
      guard error.predicateError != nil, end < .max, request.sortDescriptors.isEmpty else { throw error }
      return try resultInMemory()
    }
    return try prepared.execute(on: JoinedRows(found, for: rest, entity.model, in: stores))
  }

  /// Returns the request to execute on each store.
  ///
  /// - Parameter limit: the maximum number of objects that each store returns; `.max` for all.
  private func part(first limit: Int) -> FetchRequest {
    var part = FetchRequest(request.entityName, where: request.predicate)
    part.includesSubentities = request.includesSubentities
    if request.resultType == .count {
      part.resultType = .count
    } else if limit < .max {
      part.fetchLimit = limit
      part.sortDescriptors = request.sortDescriptors
    }
    // If the results are object IDs and need not be sorted, the stores need not read values.
    if request.resultType == .objectIDs, request.sortDescriptors.isEmpty { part.resultType = .objectIDs }
    return part
  }

  /// Returns the rows that the stores find, in the order of the stores and then of the keys.
  private func rows(_ part: FetchRequest) throws(ManagedObjectError) -> [StoreRow] {
    var found: [StoreRow] = []
    for store in stores {
      switch try store.fetch(part, of: entity) {
      case .rows(let rows): found += part.sortDescriptors.isEmpty ? rows : rows.sorted { $0.key < $1.key }
      case .keys(let keys): found += keys.map { StoreRow(key: $0, version: 0, values: []) }
      case .dictionaries, .count: break
      }
    }
    return found
  }

  private func count(_ part: FetchRequest) throws(ManagedObjectError) -> Int {
    var count = 0
    for store in stores {
      if case .count(let own) = try store.fetch(part, of: entity) { count += own }
    }
    return count
  }

  /// Reads all objects of the entity, and executes the request on them in memory.
  private func resultInMemory() throws(ManagedObjectError) -> StoreFetchResult {
    var all = FetchRequest(request.entityName)
    all.includesSubentities = request.includesSubentities
    return try request.executeChecked(on: JoinedRows(rows(all), for: request, entity.model, in: stores), of: entity)
  }
}
