public import ObjectModels
public import Predicates

/// Rows that requests are executed on. A store that keeps its rows elsewhere than in a ``RowTable`` conforms to it.
public protocol RowSource: Sendable {
  /// The row of an object; nil if there is none.
  func row(_ key: RowKey) -> StoreRow?
  /// The rows of an entity itself, not of those that inherit from it, by ascending number.
  func rows(ofEntity index: Int) -> [StoreRow]
  /// The model of the rows.
  var model: ManagedObjectModel { get }
  /// The number of the store, which the keys of all rows have.
  var storeNumber: StoreNumber { get }
}

extension FetchRequest {
  /// Finds rows, in the order of their entities and numbers unless the request has another.
  ///
  /// - Parameters:
  ///   - source: the rows.
  ///   - entity: the entity of the request.
  /// - Throws: ``ManagedObjectError/Code/unsupportedRequest`` if the request does not fit the entity, and for values
  ///   that the predicate cannot be asked about.
  /// - Complexity: O(*n*) in the rows of the entity; O(*n* log *n*) to sort what is found.
  public func execute(
    on source: some RowSource, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult {
    try check(for: entity)
    return try executeChecked(on: source, of: entity)
  }

  /// As ``execute(on:of:)``, for a request that was checked.
  package func executeChecked(
    on source: some RowSource, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult {
    try PreparedFetch(self, of: entity).execute(on: source)
  }
}

extension PreparedFetch {
  /// As ``FetchRequest/execute(on:of:)``.
  func execute<Source: RowSource>(on source: Source) throws(ManagedObjectError) -> StoreFetchResult {
    switch request.resultType {
    case .count: return .count(request.windowCount(of: try count(in: source)))
    case .objects: return .rows(request.window(try found(in: source)))
    case .objectIDs: return .keys(request.window(try found(in: source)).map(\.key))
    case .dictionaries:
      let rows = try found(in: source)
      let subjects = (isWindowedBeforeProjection ? request.window(rows) : rows).map { RowSubject($0, source) }
      return .dictionaries(try dictionaries(of: subjects))
    }
  }

  /// The rows that fit, in order. Those after the end of the window may be missing.
  private func found<Source: RowSource>(in source: Source) throws(ManagedObjectError) -> [StoreRow] {
    let end = isWindowedBeforeProjection ? request.windowEnd : .max
    let rows = try matching(in: source, atMost: order.isEmpty ? end : .max)
    return order.isEmpty ? rows : try sorted(rows, first: end) { RowSubject($0, source) }
  }

  private func matching<Source: RowSource>(
    in source: Source, atMost limit: Int
  ) throws(ManagedObjectError) -> [StoreRow] {
    var found: [StoreRow] = []
    for index in entityIndices {
      if found.count >= limit { break }
      let rows = source.rows(ofEntity: index)
      if predicate == nil {
        if found.isEmpty { found = rows } else { found += rows }
        continue
      }
      try forEachMatch(among: rows, ofEntity: index, in: source) { row in
        found.append(row)
        return found.count < limit
      }
    }
    return found
  }

  private func count<Source: RowSource>(in source: Source) throws(ManagedObjectError) -> Int {
    var count = 0
    for index in entityIndices {
      let rows = source.rows(ofEntity: index)
      if predicate == nil {
        count += rows.count
        continue
      }
      try forEachMatch(among: rows, ofEntity: index, in: source) { _ in
        count += 1
        return true
      }
    }
    return count
  }

  /// Calls a function with each row that the predicate holds for, until it returns false.
  @inline(__always)
  private func forEachMatch<Source: RowSource>(
    among rows: [StoreRow], ofEntity index: Int, in source: Source, _ body: (StoreRow) -> Bool
  ) throws(ManagedObjectError) {
    let entity = ManagedObjectModel.Entity(model: entity.model, index: index)
    if let condition = predicate.flatMap({ RowCondition($0.condition, of: entity) }) {
      do {
        for row in rows where try condition.holds(row) {
          if !body(row) { return }
        }
      } catch {
        throw ManagedObjectError(error)
      }
    } else {
      for row in rows where try holds(for: RowSubject(row, source)) {
        if !body(row) { return }
      }
    }
  }
}
