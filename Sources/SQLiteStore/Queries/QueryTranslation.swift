internal import ManagedObjects

/// Makes a statement of parts of a request.
///
/// A statement says exactly what evaluation in memory results in. A comparison of a column with a constant, of
/// two columns, of objects and of numbers of objects is said in plain SQL where that is the same; the elements of
/// to-many relationships are subqueries. All other conditions on values are tested by a function that calls the
/// evaluation in memory with the values of the row (``RowTest``). Where neither is possible the part is
/// ``Untranslatable``.
///
/// A function that finds no result (a division by zero) ends the statement with an error, and the request is executed
/// in memory. So that no such test is left out, what comes after it in an AND or an OR waits for it.
struct QueryTranslation {
  let schema: StoreSchema
  let context: FunctionContext
  let root: ObjectAlias
  /// Values and objects to bind, from parameter 1 on.
  private(set) var bindings: [Binding] = []
  /// The objects that variables of subqueries stand for.
  var variables: [String: ObjectAlias] = [:]
  private var aliasCount = 0
  /// True if an index of the table can find a range of values.
  var hasIndexedRange = false

  enum Binding {
    case value(SQLValue)
    case object(FunctionObject)
  }

  /// - Parameter entities: those whose objects are looked for.
  init(_ schema: StoreSchema, _ context: FunctionContext, _ table: StoreTable, _ entities: Range<Int>) {
    self.schema = schema
    self.context = context
    let alias = RowSelection.mainAlias
    var conditions: [String] = []
    if table.entities != entities {
      conditions.append(Self.isOne(of: entities, "\(alias).\(SQLDialect.entity)", schema))
    }
    let scope = QueryScope("\(SQLDialect.name(table.name)) \(alias)", conditions)
    root = ObjectAlias(scope: scope, alias: alias, table: table, entities: entities, isThere: true, key: nil)
  }

  static func isOne(of entities: Range<Int>, _ sql: String, _ schema: StoreSchema) -> String {
    if entities.count == 1 { return "\(sql) = \(schema.numbers[entities.lowerBound])" }
    return SQLDialect.isIn(sql, entities.map { "\(schema.numbers[$0])" })
  }

  mutating func bind(_ value: SQLValue) -> String {
    bindings.append(.value(value))
    return SQLDialect.parameter(bindings.count)
  }

  mutating func bind(_ object: FunctionObject) -> String {
    bindings.append(.object(object))
    return SQLDialect.parameter(bindings.count)
  }

  /// Tries a translation, and forgets what it has bound if it fails.
  mutating func attempt<Result>(
    _ body: (inout QueryTranslation) throws(Untranslatable) -> Result
  ) -> Result? {
    let count = bindings.count
    do throws(Untranslatable) { return try body(&self) } catch {
      bindings.removeSubrange(count...)
      return nil
    }
  }

  mutating func newAlias() -> String {
    aliasCount += 1
    return "t\(aliasCount)"
  }

  /// The growth of the statement's work with the file.
  var growth: WorkLimit.Growth { aliasCount == 0 ? .rows : .pairs }
}

/// A condition in a statement.
struct SQLCondition {
  let sql: String
  /// True if the test of it can end the statement.
  var mayFail = false
}

extension QueryTranslation {
  mutating func condition(_ predicate: ManagedPredicate) throws(Untranslatable) -> SQLCondition {
    switch predicate {
    case .constant(let value): return SQLCondition(sql: value ? SQLDialect.holds : SQLDialect.fails)
    case .not(let part):
      let part = try condition(part)
      return SQLCondition(sql: SQLDialect.not(part.sql), mayFail: part.mayFail)
    case .and(let parts): return Self.all(try conditions(parts))
    case .or(let parts): return Self.any(try conditions(parts))
    case .comparison(let comparison):
      if bindings.count > Self.greatestBindingCount { throw Untranslatable() }
      return try condition(comparison)
    }
  }

  /// The most values that are bound to a statement. SQLite compares each with all others when it prepares one.
  private static let greatestBindingCount = 5_000

  private mutating func conditions(_ parts: [ManagedPredicate]) throws(Untranslatable) -> [SQLCondition] {
    var conditions: [SQLCondition] = []
    for part in parts { conditions.append(try condition(part)) }
    return conditions
  }

  static func all(_ parts: [SQLCondition]) -> SQLCondition {
    join(parts, SQLDialect.all, SQLDialect.then)
  }

  static func any(_ parts: [SQLCondition]) -> SQLCondition {
    join(parts, SQLDialect.any, SQLDialect.otherwise)
  }

  /// Conditions that follow one that may fail are tested after it.
  private static func join(
    _ parts: [SQLCondition], _ join: ([String]) -> String, _ after: (String, String) -> String
  ) -> SQLCondition {
    guard parts.contains(where: \.mayFail) else { return SQLCondition(sql: join(parts.map(\.sql))) }
    var sql: String?
    var group: [String] = []
    for part in parts.reversed() {
      if part.mayFail, let rest = rest(group, sql, join) {
        sql = after(part.sql, rest)
        group = []
      } else {
        group.insert(part.sql, at: 0)
      }
    }
    return SQLCondition(sql: rest(group, sql, join) ?? join([]), mayFail: true)
  }

  private static func rest(_ group: [String], _ last: String?, _ join: ([String]) -> String) -> String? {
    if group.isEmpty { return last }
    return join(group + (last.map { [$0] } ?? []))
  }
}
