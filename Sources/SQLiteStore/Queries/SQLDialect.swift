internal import ManagedObjects

/// The words by which SQLite says what a request asks: no other part of the translation knows them.
///
/// Conditions are numbers: 1 for true, 0 for false, never null.
enum SQLDialect {
  static let number = "Z_PK"
  static let entity = "Z_ENT"
  static let holds = "1"
  static let fails = "0"
  static let null = "NULL"
  /// A list without values, and a set without values, as ``ValueCode`` has them.
  static let emptyList = "X'00'"
  static let emptySet = "X'01'"

  static func name(_ text: String) -> String { text.sqlName }

  /// The value that is bound to a parameter, from 1.
  static func parameter(_ number: Int) -> String { "?\(number)" }

  static func isNull(_ sql: String) -> String { "\(sql) IS NULL" }
  static func isNotNull(_ sql: String) -> String { "\(sql) IS NOT NULL" }

  /// Null equals null here.
  static func equal(_ first: String, _ second: String) -> String { "\(first) IS \(second)" }
  static func notEqual(_ first: String, _ second: String) -> String { "\(first) IS NOT \(second)" }

  /// An order of values that are not null.
  static func order(_ first: String, _ comparator: PredicateComparator, _ second: String) -> String {
    "\(first) \(comparator.rawValue) \(second)"
  }

  /// True if a value is not null and in an order to another.
  ///
  /// - Parameter isColumn: true if an index could find it. What else there is is computed once.
  static func order(
    _ value: String, _ comparator: PredicateComparator, _ other: String, isColumn: Bool
  ) -> String {
    notNull(value, order(value, comparator, other), isColumn: isColumn)
  }

  /// A condition that is null for null, as false.
  static func notNull(_ value: String, _ condition: String, isColumn: Bool) -> String {
    isColumn ? "(\(value) IS NOT NULL AND \(condition))" : "ifnull(\(condition), 0)"
  }

  /// True if a number is not null and not 0, in a form that can use an index.
  static func isTrue(_ sql: String) -> String { "(\(sql) IS NOT NULL AND (\(sql) < 0 OR \(sql) > 0))" }

  /// A number as 1 or 0, or null.
  static func truthValue(_ sql: String) -> String { "(\(sql) <> 0)" }

  static func not(_ condition: String) -> String { "NOT (\(condition))" }

  /// Conditions joined in pairs, so that there are few levels.
  static func all(_ conditions: [String]) -> String { joined(conditions[...], " AND ", holds) }
  static func any(_ conditions: [String]) -> String { joined(conditions[...], " OR ", fails) }

  private static func joined(_ conditions: ArraySlice<String>, _ word: String, _ none: String) -> String {
    switch conditions.count {
    case 0: return none
    case 1: return conditions[conditions.startIndex]
    case 2...16: return "(" + conditions.joined(separator: word) + ")"
    default:
      let middle = conditions.startIndex + conditions.count / 2
      return "(" + joined(conditions[..<middle], word, none) + word + joined(conditions[middle...], word, none) + ")"
    }
  }

  /// The second condition is tested only if the first is true.
  static func then(_ first: String, _ second: String) -> String { choice(first, second, fails) }

  /// The second condition is tested only if the first is false.
  static func otherwise(_ first: String, _ second: String) -> String { choice(first, holds, second) }

  static func choice(_ condition: String, _ first: String, _ second: String) -> String {
    "CASE WHEN \(condition) THEN \(first) ELSE \(second) END"
  }

  /// True if a value is in a list that is bound as a JSON array.
  static func isIn(_ sql: String, list parameter: String) -> String {
    "\(sql) IN (SELECT value FROM json_each(\(parameter)))"
  }
  static func isIn(_ sql: String, _ values: [String]) -> String { "\(sql) IN (\(values.joined(separator: ", ")))" }

  static func exists(_ from: String) -> String { "EXISTS (SELECT 1 \(from))" }
  static func count(_ from: String) -> String { "(SELECT COUNT(*) \(from))" }

  static func number(of value: String) -> String { "COUNT(\(value))" }
  /// A sum of integers; an error if there are too many digits.
  static func sum(_ value: String) -> String { "SUM(\(value))" }
  static func least(_ value: String) -> String { "MIN(\(value))" }
  static func greatest(_ value: String) -> String { "MAX(\(value))" }

  static func test(_ parameter: String, _ values: [String]) -> String {
    "\(Database.FunctionName.holds)(\(([parameter] + values).joined(separator: ", ")))"
  }

  /// A list of what a subquery has, in its order.
  static func list(_ parameter: String, _ values: [String], _ from: String, orderedBy order: String, isSet: Bool)
    -> String
  {
    let names = values.indices.map { "v\($0)" }
    let columns = zip(values, names).map { "\($0) AS \($1)" }.joined(separator: ", ")
    return "ifnull((SELECT \(Database.FunctionName.collect)(\(([parameter] + names).joined(separator: ", "))) "
      + "FROM (SELECT \(columns) \(from) ORDER BY \(order))), \(isSet ? emptySet : emptyList))"
  }

  static func form(_ form: TextForm, _ sql: String) -> String {
    "\(Database.FunctionName.form)(\(form.rawValue), \(sql))"
  }

  /// A term of an order.
  ///
  /// - Parameter nullsAreReversed: true if null comes last in ascending order, and first in descending order.
  static func term(_ sql: String, isAscending: Bool, nullsAreReversed: Bool) -> String {
    let nulls = nullsAreReversed ? (isAscending ? " NULLS LAST" : " NULLS FIRST") : ""
    return sql + (isAscending ? "" : " DESC") + nulls
  }

  /// A term that no index is used for, so that all rows are tested.
  static func unindexed(_ sql: String) -> String { "+" + sql }

  /// - Parameter limit: nil for all.
  static func window(limit: Int?, offset: Int) -> String {
    if limit == nil, offset == 0 { return "" }
    return " LIMIT \(limit ?? -1)" + (offset == 0 ? "" : " OFFSET \(offset)")
  }

  /// The index of each entity among others.
  static func index(of entity: String, among numbers: [Int64]) -> String {
    let cases = numbers.enumerated().map { "WHEN \($1) THEN \($0)" }.joined(separator: " ")
    return "CASE \(entity) \(cases) END"
  }
}
