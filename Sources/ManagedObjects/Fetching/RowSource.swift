public import ObjectModels
public import Predicates

/// A source of rows to execute requests on. Conform to it if your store does not keep its rows in a ``RowTable``.
///
/// ```swift
/// struct ServiceRows: RowSource {
///   let model: ManagedObjectModel
///   let storeNumber: StoreNumber
///   var table: [RowKey: StoreRow]
///
///   func row(_ key: RowKey) -> StoreRow? { table[key] }
///
///   func rows(ofEntity index: Int) -> [StoreRow] {
///     table.values.filter { $0.key.entityIndex == index }.sorted { $0.key.number < $1.key.number }
///   }
/// }
/// ```
public protocol RowSource: Sendable {
  /// Returns the row of an object; nil if it does not exist.
  func row(_ key: RowKey) -> StoreRow?
  /// Returns the rows of an entity without those of its subentities, sorted by primary key.
  func rows(ofEntity index: Int) -> [StoreRow]
  /// The model of the rows.
  var model: ManagedObjectModel { get }
  /// The number of the store, which is part of the key of each row.
  var storeNumber: StoreNumber { get }
}

extension FetchRequest {
  /// Executes the request on rows. If the request has no sort descriptors, the results are in the order of entities and
  /// primary keys.
  ///
  /// ```swift
  /// guard case .rows(let found) = try FetchRequest("Note").execute(on: rows, of: model["Note"]!) else { return }
  /// ```
  ///
  /// - Parameters:
  ///   - source: the rows.
  ///   - entity: the entity of the request.
  /// - Throws: ``ManagedObjectError/Code/unsupportedRequest`` if the request does not fit the entity, or if the
  ///   predicate cannot be evaluated with a value.
  /// - Complexity: O(*n*) in the rows of the entity; O(*n* log *n*) to sort the results.
  public func execute(
    on source: some RowSource, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult {
    try check(for: entity)
    return try executeChecked(on: source, of: entity)
  }

  /// Executes the request, which has been checked. See ``execute(on:of:)``.
  package func executeChecked(
    on source: some RowSource, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult {
    try PreparedFetch(self, of: entity).execute(on: source)
  }
}

extension PreparedFetch {
  /// Executes the request. See ``FetchRequest/execute(on:of:)``.
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

  /// Returns the matching rows in the order of the request. May leave out the rows after the last one that the limit
  /// selects.
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

  /// Calls a function with each row that matches the predicate, until the function returns false.
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
