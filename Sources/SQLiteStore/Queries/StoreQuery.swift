internal import ManagedObjects

/// A request as a statement, or the part of it that can be one.
///
/// If something of a request cannot be said in SQL, the statement finds the rows that may fit, and the request is
/// executed in memory on those: the conditions joined by AND that a statement can test narrow the rows, up to the first
/// other one that could fail.
struct StoreQuery {
  let sql: String
  let bindings: [QueryTranslation.Binding]
  /// True if the statement says all of the request.
  let isComplete: Bool
  /// The growth of its work with the file.
  let growth: WorkLimit.Growth

  init(sql: String, _ translation: QueryTranslation, isComplete: Bool) {
    self.sql = sql
    bindings = translation.bindings
    growth = translation.growth
    self.isComplete = isComplete
  }
}

extension StoreQuery {
  /// The most levels of a predicate that is translated. SQLite takes no more than 1000 of its own.
  private static let greatestHeight = 64

  /// - Parameters:
  ///   - entities: those whose own objects count.
  ///   - selection: how rows are read.
  init(
    _ request: FetchRequest, _ entities: Range<Int>, _ table: StoreTable, _ selection: RowSelection,
    _ schema: StoreSchema, _ context: FunctionContext
  ) {
    var translation = QueryTranslation(schema, context, table, entities)
    let whole = translation.attempt { (translation) throws(Untranslatable) in
      guard request.isWithin(height: Self.greatestHeight) else { throw Untranslatable() }
      let condition = try translation.condition(request.predicate ?? .constant(true))
      if request.resultType == .count { return "SELECT COUNT(*) " + translation.root.scope.clause([condition.sql]) }
      let order = try translation.order(request.sortDescriptors, testsAll: condition.mayFail)
      let columns =
        request.resultType == .objectIDs
        ? "\(translation.root.number), \(translation.root.entity)" : selection.list(translation.root.alias)
      let limit = request.fetchLimit > 0 ? request.fetchLimit : nil
      return "SELECT \(columns) \(translation.root.scope.clause([condition.sql])) ORDER BY \(order)"
        + SQLDialect.window(limit: limit, offset: max(request.fetchOffset, 0))
    }
    if let whole {
      self.init(sql: whole, translation, isComplete: true)
      return
    }
    self.init(narrowing: request, entities, table, selection, schema, context)
  }

  /// The rows that may fit, in the order of their entities and numbers.
  private init(
    narrowing request: FetchRequest, _ entities: Range<Int>, _ table: StoreTable, _ selection: RowSelection,
    _ schema: StoreSchema, _ context: FunctionContext
  ) {
    // A new statement gets nothing of one that failed.
    var translation = QueryTranslation(schema, context, table, entities)
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
    let order = translation.entityAndNumber(of: translation.root.alias, entities)
    self.init(
      sql: "SELECT \(selection.list(translation.root.alias)) \(translation.root.scope.clause(conditions)) "
        + "ORDER BY \(order)",
      translation, isComplete: false)
  }

  /// The functions' objects.
  var objects: [FunctionObject] {
    bindings.compactMap { if case .object(let object) = $0 { object } else { nil } }
  }

  /// Binds all values.
  func bind(to statement: Statement) throws(ManagedObjectError) {
    for (index, binding) in bindings.prefix(Int(statement.parameterCount)).enumerated() {
      switch binding {
      case .value(let value): try statement.bind(Int32(index + 1), value)
      case .object(let object): try statement.bind(Int32(index + 1), object: object)
      }
    }
  }
}

extension ManagedPredicate {
  /// The conditions that are joined by AND.
  fileprivate var parts: [ManagedPredicate] {
    if case .and(let parts) = self { parts.flatMap(\.parts) } else { [self] }
  }
}
