package import ManagedObjects

/// A request as a statement, or the part of it that can be one.
///
/// If something of a request cannot be said in SQL, the statement finds the rows that may fit, and the request is
/// executed in memory on those: the conditions joined by AND that a statement can test narrow the rows, up to the first
/// other one that could fail.
package struct StoreQuery {
  package let sql: String
  /// The values and functions that are bound to the parameters, from 1 on.
  package let bindings: [QueryTranslation.Binding]
  /// True if the statement says all of the request.
  package let isComplete: Bool
  /// True if the statement looks at each row of one table once.
  package let readsOneTable: Bool

  init(sql: String, _ translation: QueryTranslation, isComplete: Bool) {
    self.sql = sql
    bindings = translation.bindings
    readsOneTable = translation.readsOneTable
    self.isComplete = isComplete
  }
}

extension StoreQuery {
  /// The most levels of a predicate that is translated. SQLite takes no more than 1000 of its own.
  private static let greatestHeight = 64

  /// - Parameters:
  ///   - entities: those whose own objects count.
  ///   - rowColumns: the columns that make rows, of a table under ``QueryTranslation/rootAlias``.
  /// - Returns: nil if the store has none of the entities.
  package init?(
    _ request: FetchRequest, _ entities: Range<Int>, rowColumns: String, _ schema: any QuerySchema,
    _ storeNumber: StoreNumber, _ dialect: some SQLDialect
  ) {
    guard var translation = QueryTranslation(schema, storeNumber, dialect, entities) else { return nil }
    let whole = translation.attempt { (translation) throws(Untranslatable) in
      guard request.isWithin(height: Self.greatestHeight) else { throw Untranslatable() }
      let condition = try translation.condition(request.predicate ?? .constant(true))
      if request.resultType == .count { return "SELECT COUNT(*) " + translation.root.scope.clause([condition.sql]) }
      let order = try translation.order(request.sortDescriptors, testsAll: condition.mayFail)
      let columns =
        request.resultType == .objectIDs
        ? "\(translation.root.number), \(translation.root.entity)" : rowColumns
      let limit = request.fetchLimit > 0 ? request.fetchLimit : nil
      return "SELECT \(columns) \(translation.root.scope.clause([condition.sql])) ORDER BY \(order)"
        + translation.dialect.window(limit: limit, offset: max(request.fetchOffset, 0))
    }
    if let whole {
      self.init(sql: whole, translation, isComplete: true)
      return
    }
    // A new statement gets nothing of one that failed.
    guard let translation = QueryTranslation(schema, storeNumber, dialect, entities) else { return nil }
    self.init(narrowing: request, rowColumns, translation)
  }

  /// The rows that may fit, in the order of their entities and numbers.
  private init(narrowing request: FetchRequest, _ rowColumns: String, _ translation: QueryTranslation) {
    var translation = translation
    let root = translation.root
    var conditions: [String] = []
    let isTranslated = request.isWithin(height: Self.greatestHeight)
    for part in isTranslated ? request.predicate?.parts ?? [] : [] {
      let condition = translation.attempt { (translation) throws(Untranslatable) in try translation.condition(part) }
      guard let condition else {
        if translation.mayFail(part) { break }
        continue
      }
      if condition.mayFail { break }
      conditions.append(condition.sql)
    }
    let order = translation.entityAndNumber(of: root.alias, root.entities, root.table)
    self.init(
      sql: "SELECT \(rowColumns) \(root.scope.clause(conditions)) ORDER BY \(order)",
      translation, isComplete: false)
  }
}

extension ManagedPredicate {
  /// The conditions that are joined by AND.
  fileprivate var parts: [ManagedPredicate] {
    if case .and(let parts) = self { parts.flatMap(\.parts) } else { [self] }
  }
}
