package import ManagedObjects

/// Translates the predicate and the sort descriptors of a fetch request to SQL.
///
/// The statement gives exactly the same result as evaluation in memory. Comparisons of a column with a constant, of two
/// columns, of objects and of counts become plain SQL, unless its result would differ. To-many relationships become
/// subqueries. Other conditions become calls of a function that evaluates them in memory (``Binding/test(_:_:)``), if
/// the database can call functions. If neither is possible, the translation throws ``Untranslatable``.
///
/// If a function fails for a row, for example because of a division by zero, the statement ends with an error, and the
/// request is executed in memory. SQLite may evaluate the conditions of an AND or OR in any order, and skip some. So if
/// a condition can fail, the statement forces SQLite to evaluate it before the conditions after it.
package struct QueryTranslation {
  let schema: any QuerySchema
  private let storeNumber: StoreNumber
  let dialect: any SQLDialect
  let root: ObjectAlias
  /// The values and functions to bind to the parameters of the statement, beginning with parameter 1.
  private(set) var bindings: [Binding] = []
  /// The variables of `SUBQUERY` expressions: the object that each represents, by the name of the variable.
  var variables: [String: ObjectAlias] = [:]
  private var aliasCount = 0
  /// True if the predicate has a range condition on an indexed attribute of the fetched entity.
  var hasIndexedRange = false

  /// The table alias of the fetched objects.
  package static let rootAlias = "t"

  package enum Binding {
    case value(SQLValue)
    /// A function that evaluates a condition in memory, and the kinds of its arguments.
    case test(ValueTest, [Leaf.Kind])
    /// A function that computes the value of an attribute in memory, and the kinds of its arguments. `isExternal` is
    /// true if the attribute allows external storage.
    case computation(ValueComputation, [Leaf.Kind], isExternal: Bool)
    /// A function that collects the values of many rows into a list, or into a set if `isSet` is true. The first value
    /// is the kind of the collected values.
    case collector(Leaf.Kind, isSet: Bool)
  }

  /// Creates a translation for a request that fetches objects of some entities.
  ///
  /// - Parameter entities: The indices of the entities whose objects are fetched.
  /// - Returns: Nil if the store has none of the entities.
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

  /// Tries a translation. If it throws, removes its bindings and returns nil.
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

  /// True if the statement reads only the table of the fetched objects, and so reads each row at most once.
  var readsOneTable: Bool { aliasCount == 0 }

  /// Returns the entity number of a key that is compared with an object in the statement; nil if the object cannot have
  /// the key.
  func entityNumber(of key: RowKey, for object: ObjectAlias) -> Int64? {
    guard key.store == storeNumber, object.entities.contains(Int(key.entityIndex)) else { return nil }
    return schema.numbers[Int(key.entityIndex)]
  }
}

/// A condition of a statement.
struct SQLCondition {
  let sql: String
  /// True if evaluating the condition can end the statement with an error.
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

  /// The maximum number of parameters of a statement. When SQLite prepares a statement, it compares each parameter with
  /// all others, so many parameters take a long time.
  private static let greatestBindingCount = 5_000

  private mutating func conditions(_ parts: [ManagedPredicate]) throws(Untranslatable) -> [SQLCondition] {
    var conditions: [SQLCondition] = []
    for part in parts { conditions.append(try condition(part)) }
    return conditions
  }

  /// Joins conditions by AND or OR. Makes SQLite evaluate a condition that may fail before the conditions that follow
  /// it.
  ///
  /// - Parameters:
  ///   - join: Joins conditions that may be evaluated in any order.
  ///   - after: Joins two conditions so that the second is evaluated after the first.
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
