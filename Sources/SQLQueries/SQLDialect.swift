internal import Predicates

/// A writer of SQL for a database. The requirements are the parts of SQL that differ between databases. The parts that
/// all databases share are in an extension.
///
/// Functions take and return SQL. A condition must be true or false, never NULL.
package protocol SQLDialect: Sendable {
  /// A condition that is always true.
  var holds: String { get }
  /// A condition that is always false.
  var fails: String { get }

  /// Returns a table or column name, quoted so that it may contain any characters.
  func name(_ text: String) -> String

  /// Returns the placeholder of a parameter. Parameter numbers start at 1.
  func parameter(_ number: Int) -> String

  /// Returns a condition that is true if two values are equal. NULL equals NULL.
  func equal(_ first: String, _ second: String) -> String
  func notEqual(_ first: String, _ second: String) -> String

  /// Returns a condition that is true if a Boolean value is true. The database can use an index of the value's column.
  func isTrue(_ sql: String) -> String

  /// Returns SQL that converts a Boolean value to 1 or 0. NULL stays NULL.
  func truthValue(_ sql: String) -> String

  /// Returns a condition that is true if a value is in a list.
  ///
  /// - Parameter parameter: The placeholder of the list, which is bound as a JSON array.
  func isIn(_ sql: String, list parameter: String) -> String

  /// Returns a condition that calls a function with values. The function is bound to the parameter. Returns nil if the
  /// database cannot call functions.
  func test(_ parameter: String, _ values: [String]) -> String?

  /// Returns SQL for the result of a function that is called with values. The function is bound to the parameter.
  /// Returns nil if the database cannot call functions.
  func computation(_ parameter: String, _ values: [String]) -> String?

  /// Returns a subquery that collects values into a list, in the given order. The function that collects them is bound
  /// to the parameter. Returns nil if the database cannot call functions.
  func list(_ parameter: String, _ values: [String], _ from: String, orderedBy order: String, isSet: Bool) -> String?

  /// Returns SQL that converts a string to the form that comparisons use; nil if the database cannot convert it.
  func form(_ form: TextForm, _ sql: String) -> String?

  /// Returns a term of an ORDER BY clause. NULL comes first in ascending order, and last in descending order.
  ///
  /// - Parameter nullsAreReversed: True to put NULL last in ascending order, and first in descending order.
  func term(_ sql: String, isAscending: Bool, nullsAreReversed: Bool) -> String

  /// Returns SQL that has the same value as `sql`, but prevents the database from using an index.
  func unindexed(_ sql: String) -> String

  /// Returns the LIMIT and OFFSET clauses of a statement.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of rows; nil for all rows.
  ///   - offset: The number of rows to skip.
  func window(limit: Int?, offset: Int) -> String
}

extension SQLDialect {
  var null: String { "NULL" }

  func isNull(_ sql: String) -> String { "\(sql) IS NULL" }
  func isNotNull(_ sql: String) -> String { "\(sql) IS NOT NULL" }
  func ifNull(_ value: String, _ other: String) -> String { "coalesce(\(value), \(other))" }

  /// Returns a comparison of two values. Neither may be NULL.
  func order(_ first: String, _ comparator: PredicateComparator, _ second: String) -> String {
    "\(first) \(comparator == .equal ? "=" : comparator.rawValue) \(second)"
  }

  /// Returns a condition that is true if a value is not NULL and its comparison with `other` is true.
  ///
  /// - Parameter isColumn: True if the value is a column, which may have an index. If false, the value occurs only once
  ///   in the returned SQL, so that it is computed only once.
  func order(_ value: String, _ comparator: PredicateComparator, _ other: String, isColumn: Bool) -> String {
    notNull(value, order(value, comparator, other), isColumn: isColumn)
  }

  /// Returns a condition that is false if a value is NULL, and otherwise has the result of `condition`.
  ///
  /// - Parameters:
  ///   - condition: A condition that is NULL if the value is NULL.
  ///   - isColumn: True if the value is a column, as for ``order(_:_:_:isColumn:)``.
  func notNull(_ value: String, _ condition: String, isColumn: Bool) -> String {
    isColumn ? "(\(isNotNull(value)) AND \(condition))" : ifNull(condition, fails)
  }

  func not(_ condition: String) -> String { "NOT (\(condition))" }

  /// Joins conditions by AND. Nests them as a balanced tree, because databases limit the depth of expressions.
  func all(_ conditions: [String]) -> String { joined(conditions[...], " AND ", holds) }
  func any(_ conditions: [String]) -> String { joined(conditions[...], " OR ", fails) }

  private func joined(_ conditions: ArraySlice<String>, _ word: String, _ none: String) -> String {
    switch conditions.count {
    case 0: return none
    case 1: return conditions[conditions.startIndex]
    case 2...16: return "(" + conditions.joined(separator: word) + ")"
    default:
      let middle = conditions.startIndex + conditions.count / 2
      return "(" + joined(conditions[..<middle], word, none) + word + joined(conditions[middle...], word, none) + ")"
    }
  }

  /// Returns a condition that evaluates the second condition only if the first is true.
  func then(_ first: String, _ second: String) -> String { choice(first, second, fails) }

  /// Returns a condition that evaluates the second condition only if the first is false.
  func otherwise(_ first: String, _ second: String) -> String { choice(first, holds, second) }

  func choice(_ condition: String, _ first: String, _ second: String) -> String {
    "CASE WHEN \(condition) THEN \(first) ELSE \(second) END"
  }

  func isIn(_ sql: String, _ values: [String]) -> String { "\(sql) IN (\(values.joined(separator: ", ")))" }

  func exists(_ from: String) -> String { "EXISTS (SELECT 1 \(from))" }
  func count(_ from: String) -> String { "(SELECT COUNT(*) \(from))" }

  func number(of value: String) -> String { "COUNT(\(value))" }
  /// Returns a sum of integers. The statement fails if the sum overflows.
  func sum(_ value: String) -> String { "SUM(\(value))" }
  func least(_ value: String) -> String { "MIN(\(value))" }
  func greatest(_ value: String) -> String { "MAX(\(value))" }

  /// Returns SQL for the index of an entity number in `numbers`. It is used to sort rows.
  func index(of entity: String, among numbers: [Int64]) -> String {
    choice(of: entity, numbers.enumerated().map { ("\($1)", "\($0)") })
  }

  /// Returns SQL that compares a value with the value of each case. Its result is that of the first equal case; NULL if
  /// no case is equal.
  func choice(of value: String, _ cases: [(value: String, result: String)]) -> String {
    "CASE \(value) \(cases.map { "WHEN \($0.value) THEN \($0.result)" }.joined(separator: " ")) END"
  }
}
