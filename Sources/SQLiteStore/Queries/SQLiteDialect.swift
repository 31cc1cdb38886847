internal import SQLQueries

/// The SQL dialect of SQLite. Conditions have the values 1 and 0.
struct SQLiteDialect: SQLDialect {
  let holds = "1"
  let fails = "0"

  func name(_ text: String) -> String { text.sqlName }

  func parameter(_ number: Int) -> String { "?\(number)" }

  func equal(_ first: String, _ second: String) -> String { "\(first) IS \(second)" }
  func notEqual(_ first: String, _ second: String) -> String { "\(first) IS NOT \(second)" }

  /// Returns a condition that is true for every number except 0, because another program may have stored other numbers
  /// than 0 and 1.
  func isTrue(_ sql: String) -> String { "(\(sql) IS NOT NULL AND (\(sql) < 0 OR \(sql) > 0))" }
  func truthValue(_ sql: String) -> String { "(\(sql) <> 0)" }

  func isIn(_ sql: String, list parameter: String) -> String { "\(sql) IN (SELECT value FROM json_each(\(parameter)))" }

  func test(_ parameter: String, _ values: [String]) -> String? {
    "\(Database.FunctionName.holds)(\(([parameter] + values).joined(separator: ", ")))"
  }

  func computation(_ parameter: String, _ values: [String]) -> String? {
    "\(Database.FunctionName.compute)(\(([parameter] + values).joined(separator: ", ")))"
  }

  func list(_ parameter: String, _ values: [String], _ from: String, orderedBy order: String, isSet: Bool) -> String? {
    let names = values.indices.map { "v\($0)" }
    let columns = zip(values, names).map { "\($0) AS \($1)" }.joined(separator: ", ")
    return "ifnull((SELECT \(Database.FunctionName.collect)(\(([parameter] + names).joined(separator: ", "))) "
      + "FROM (SELECT \(columns) \(from) ORDER BY \(order))), \(ValueCode.empty(isSet: isSet)))"
  }

  func form(_ form: TextForm, _ sql: String) -> String? { "\(Database.FunctionName.form)(\(form.rawValue), \(sql))" }

  func term(_ sql: String, isAscending: Bool, nullsAreReversed: Bool) -> String {
    let nulls = nullsAreReversed ? (isAscending ? " NULLS LAST" : " NULLS FIRST") : ""
    return sql + (isAscending ? "" : " DESC") + nulls
  }

  func unindexed(_ sql: String) -> String { "+" + sql }

  func window(limit: Int?, offset: Int) -> String {
    if limit == nil, offset == 0 { return "" }
    return " LIMIT \(limit ?? -1)" + (offset == 0 ? "" : " OFFSET \(offset)")
  }
}
