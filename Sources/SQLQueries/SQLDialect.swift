internal import Predicates

/// The SQL that differs between databases. The SQL that all databases share is in an extension.
///
/// A condition in a statement is true or false, never NULL.
package protocol SQLDialect: Sendable {
  /// A condition that is always true.
  var holds: String { get }
  /// A condition that is always false.
  var fails: String { get }

  /// Returns a quoted name. Any characters are allowed.
  func name(_ text: String) -> String

  /// Returns the placeholder of a parameter. Parameter numbers start at 1.
  func parameter(_ number: Int) -> String

  /// Returns a condition that is true if two values are equal. NULL equals NULL.
  func equal(_ first: String, _ second: String) -> String
  func notEqual(_ first: String, _ second: String) -> String

  /// Returns a condition that is true if a Boolean value is true, in a form that can use an index.
  func isTrue(_ sql: String) -> String

  /// Returns a Boolean value as 1 or 0, or NULL.
  func truthValue(_ sql: String) -> String

  /// Returns a condition that is true if a value is in a list that is bound as a JSON array.
  func isIn(_ sql: String, list parameter: String) -> String

  /// Returns a condition that a bound function object tests; nil if the database cannot call functions.
  func test(_ parameter: String, _ values: [String]) -> String?

  /// Returns the values of a subquery in order, collected into a list by a function; nil if the database cannot call
  /// functions.
  func list(_ parameter: String, _ values: [String], _ from: String, orderedBy order: String, isSet: Bool) -> String?

  /// Returns the form of a text that is compared; nil if the database cannot compute it.
  func form(_ form: TextForm, _ sql: String) -> String?

  /// Returns a term of an ORDER BY clause. NULL comes first in ascending order, and last in descending order.
  ///
  /// - Parameter nullsAreReversed: True to put NULL last in ascending order, and first in descending order.
  func term(_ sql: String, isAscending: Bool, nullsAreReversed: Bool) -> String

  /// Returns a term that prevents the use of an index.
  func unindexed(_ sql: String) -> String

  /// Returns the clause that limits the number of rows.
  ///
  /// - Parameter limit: The maximum number of rows; nil for all rows.
  func window(limit: Int?, offset: Int) -> String
}

extension SQLDialect {
  var null: String { "NULL" }

  func isNull(_ sql: String) -> String { "\(sql) IS NULL" }
  func isNotNull(_ sql: String) -> String { "\(sql) IS NOT NULL" }
  func ifNull(_ value: String, _ other: String) -> String { "coalesce(\(value), \(other))" }

  /// Returns a comparison of values that are not NULL.
  func order(_ first: String, _ comparator: PredicateComparator, _ second: String) -> String {
    "\(first) \(comparator == .equal ? "=" : comparator.rawValue) \(second)"
  }

  /// Returns a condition that is true if a value is not NULL and compares with another value as requested.
  ///
  /// - Parameter isColumn: True if an index may be usable. Otherwise the value is written, and so computed, only once.
  func order(_ value: String, _ comparator: PredicateComparator, _ other: String, isColumn: Bool) -> String {
    notNull(value, order(value, comparator, other), isColumn: isColumn)
  }

  /// Returns a condition that is false instead of NULL if the value is NULL.
  func notNull(_ value: String, _ condition: String, isColumn: Bool) -> String {
    isColumn ? "(\(isNotNull(value)) AND \(condition))" : ifNull(condition, fails)
  }

  func not(_ condition: String) -> String { "NOT (\(condition))" }

  /// Joins conditions as a balanced tree, which keeps the nesting low.
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

  /// Returns the index of a row's entity in a list of entity numbers.
  func index(of entity: String, among numbers: [Int64]) -> String {
    let cases = numbers.enumerated().map { "WHEN \($1) THEN \($0)" }.joined(separator: " ")
    return "CASE \(entity) \(cases) END"
  }
}
