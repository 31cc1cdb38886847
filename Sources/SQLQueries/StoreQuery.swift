package import ManagedObjects

/// The SQL statement of a fetch request, or of a part of it.
///
/// If SQL cannot express the request, the statement finds rows that may match, and the request is executed on these
/// rows in memory. If the predicate joins several conditions by AND, the statement contains the conditions that can be
/// translated and that precede the first one whose evaluation can fail.
package struct StoreQuery {
  package let sql: String
  /// The values and functions to bind to the parameters of the statement, beginning with parameter 1.
  package let bindings: [QueryTranslation.Binding]
  /// True if the statement expresses the whole request.
  package let isComplete: Bool
  /// True if the statement reads only one table, and so reads each row at most once.
  package let readsOneTable: Bool

  init(sql: String, _ translation: QueryTranslation, isComplete: Bool) {
    self.sql = sql
    bindings = translation.bindings
    readsOneTable = translation.readsOneTable
    self.isComplete = isComplete
  }
}

extension StoreQuery {
  /// The greatest number of nested levels in a predicate that is translated. SQLite allows 1000 levels in its own
  /// expressions.
  static let greatestHeight = 64

  /// Creates the statement of a request.
  ///
  /// - Parameters:
  ///   - entities: The indices of the entities whose objects are fetched.
  ///   - rowColumns: The result columns for rows, in SQL with the table alias ``QueryTranslation/rootAlias``.
  /// - Returns: Nil if the store has none of the entities.
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
    // Starts with a new translation, because the failed one has added joins.
    guard let translation = QueryTranslation(schema, storeNumber, dialect, entities) else { return nil }
    self.init(narrowing: request, rowColumns, translation)
  }

  /// Creates a statement that finds the rows that may match, sorted by entity and primary key.
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
  /// The conditions that the predicate joins by AND; only the predicate itself if it is not an AND.
  fileprivate var parts: [ManagedPredicate] {
    if case .and(let parts) = self { parts.flatMap(\.parts) } else { [self] }
  }
}
