package import ManagedObjects

/// Makes a statement of parts of a request.
///
/// A statement says exactly what evaluation in memory results in. A comparison of a column with a constant, of
/// two columns, of objects and of numbers of objects is said in plain SQL where that is the same; the elements of
/// to-many relationships are subqueries. All other conditions on values are tested by a function that calls the
/// evaluation in memory with the values of the row (``Binding/test(_:_:)``), if the database calls functions. Where
/// neither is possible the part is ``Untranslatable``.
///
/// A function that finds no result (a division by zero) ends the statement with an error, and the request is executed
/// in memory. So that no such test is left out, what comes after it in an AND or an OR waits for it.
package struct QueryTranslation {
  let schema: any QuerySchema
  private let storeNumber: StoreNumber
  let dialect: any SQLDialect
  let root: ObjectAlias
  /// Values and objects to bind, from parameter 1 on.
  private(set) var bindings: [Binding] = []
  /// The objects that variables of subqueries stand for.
  var variables: [String: ObjectAlias] = [:]
  private var aliasCount = 0
  /// True if an index of the table can find a range of values.
  var hasIndexedRange = false

  /// The alias of the table that a request is about.
  package static let rootAlias = "t"

  package enum Binding {
    case value(SQLValue)
    /// A condition on values of a row, which a function tests in memory.
    case test(ValueTest, [Leaf.Kind])
    /// A list of the values of many rows, which a function makes; a set of objects if `isSet`.
    case collector(Leaf.Kind, isSet: Bool)
  }

  /// - Parameter entities: those whose objects are looked for.
  /// - Returns: nil if the store has none of the entities.
  init?(_ schema: any QuerySchema, _ storeNumber: StoreNumber, _ dialect: any SQLDialect, _ entities: Range<Int>) {
    guard let table = schema.objectTable(ofEntity: entities.lowerBound) else { return nil }
    self.schema = schema
    self.storeNumber = storeNumber
    self.dialect = dialect
    let alias = Self.rootAlias
    let scope = QueryScope("\(dialect.name(table.name)) \(alias)", [], dialect)
    root = ObjectAlias(scope: scope, alias: alias, table: table, entities: entities, isThere: true, key: nil)
    for condition in restriction(of: alias, entities, table) { scope.add(condition) }
  }

  mutating func bind(_ value: SQLValue) -> String { bind(.value(value)) }

  mutating func bind(_ binding: Binding) -> String {
    bindings.append(binding)
    return dialect.parameter(bindings.count)
  }

  /// Tries a translation, and forgets what it has bound if it fails.
  mutating func attempt<Result>(_ body: (inout QueryTranslation) throws(Untranslatable) -> Result) -> Result? {
    let count = bindings.count
    do { return try body(&self) } catch {
      bindings.removeSubrange(count...)
      return nil
    }
  }

  mutating func newAlias() -> String {
    aliasCount += 1
    return "t\(aliasCount)"
  }

  /// True if the statement reads no other table, so that it looks at each row once.
  var readsOneTable: Bool { aliasCount == 0 }

  /// The number of a key's entity; nil if the object cannot have the key.
  func entityNumber(of key: RowKey, for object: ObjectAlias) -> Int64? {
    guard key.store == storeNumber, object.entities.contains(Int(key.entityIndex)) else { return nil }
    return schema.numbers[Int(key.entityIndex)]
  }
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
    case .constant(let value): return SQLCondition(sql: value ? dialect.holds : dialect.fails)
    case .not(let part):
      let part = try condition(part)
      return SQLCondition(sql: dialect.not(part.sql), mayFail: part.mayFail)
    case .and(let parts): return join(try conditions(parts), dialect.all, dialect.then)
    case .or(let parts): return join(try conditions(parts), dialect.any, dialect.otherwise)
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

  /// Conditions that follow one that may fail are tested after it.
  private func join(
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

  private func rest(_ group: [String], _ last: String?, _ join: ([String]) -> String) -> String? {
    if group.isEmpty { return last }
    return join(group + (last.map { [$0] } ?? []))
  }
}
