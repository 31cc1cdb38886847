internal import Predicates

/// The words by which a database says what a request asks, as far as databases differ in them.
///
/// A condition in a statement is true or false, never null. What all databases say alike has an implementation here.
package protocol SQLDialect: Sendable {
  /// A condition that is always true.
  var holds: String { get }
  /// A condition that is always false.
  var fails: String { get }

  /// A name in quotation marks. It may have any characters.
  func name(_ text: String) -> String

  /// The value that is bound to a parameter, from 1.
  func parameter(_ number: Int) -> String

  /// Null equals null.
  func equal(_ first: String, _ second: String) -> String
  func notEqual(_ first: String, _ second: String) -> String

  /// True for a truth value that is true, in a form that can use an index.
  func isTrue(_ sql: String) -> String

  /// A truth value as the number 1 or 0, or null.
  func truthValue(_ sql: String) -> String

  /// True if a value is in a list that is bound as a JSON array.
  func isIn(_ sql: String, list parameter: String) -> String

  /// A condition that a function tests, which is bound to a parameter; nil if the database calls no functions.
  func test(_ parameter: String, _ values: [String]) -> String?

  /// A list of what a subquery has, in its order, which a function collects; nil if the database calls no functions.
  func list(_ parameter: String, _ values: [String], _ from: String, orderedBy order: String, isSet: Bool) -> String?

  /// The form of a text that is compared; nil if the database does not make it.
  func form(_ form: TextForm, _ sql: String) -> String?

  /// A term of an order. Null comes first in ascending order, and last in descending order.
  ///
  /// - Parameter nullsAreReversed: true for the other way round.
  func term(_ sql: String, isAscending: Bool, nullsAreReversed: Bool) -> String

  /// A term that no index is used for.
  func unindexed(_ sql: String) -> String

  /// The part of a result that is asked for.
  ///
  /// - Parameter limit: nil for all.
  func window(limit: Int?, offset: Int) -> String
}

extension SQLDialect {
  var null: String { "NULL" }

  func isNull(_ sql: String) -> String { "\(sql) IS NULL" }
  func isNotNull(_ sql: String) -> String { "\(sql) IS NOT NULL" }
  func ifNull(_ value: String, _ other: String) -> String { "coalesce(\(value), \(other))" }

  /// An order of values that are not null.
  func order(_ first: String, _ comparator: PredicateComparator, _ second: String) -> String {
    "\(first) \(comparator == .equal ? "=" : comparator.rawValue) \(second)"
  }

  /// True if a value is not null and in an order to another.
  ///
  /// - Parameter isColumn: true if an index could find it. What else there is is computed once.
  func order(_ value: String, _ comparator: PredicateComparator, _ other: String, isColumn: Bool) -> String {
    notNull(value, order(value, comparator, other), isColumn: isColumn)
  }

  /// A condition that is null for null, as false.
  func notNull(_ value: String, _ condition: String, isColumn: Bool) -> String {
    isColumn ? "(\(isNotNull(value)) AND \(condition))" : ifNull(condition, fails)
  }

  func not(_ condition: String) -> String { "NOT (\(condition))" }

  /// Conditions joined in pairs, so that there are few levels.
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

  /// The second condition is tested only if the first is true.
  func then(_ first: String, _ second: String) -> String { choice(first, second, fails) }

  /// The second condition is tested only if the first is false.
  func otherwise(_ first: String, _ second: String) -> String { choice(first, holds, second) }

  func choice(_ condition: String, _ first: String, _ second: String) -> String {
    "CASE WHEN \(condition) THEN \(first) ELSE \(second) END"
  }

  func isIn(_ sql: String, _ values: [String]) -> String { "\(sql) IN (\(values.joined(separator: ", ")))" }

  func exists(_ from: String) -> String { "EXISTS (SELECT 1 \(from))" }
  func count(_ from: String) -> String { "(SELECT COUNT(*) \(from))" }

  func number(of value: String) -> String { "COUNT(\(value))" }
  /// A sum of integers; an error if there are too many digits.
  func sum(_ value: String) -> String { "SUM(\(value))" }
  func least(_ value: String) -> String { "MIN(\(value))" }
  func greatest(_ value: String) -> String { "MAX(\(value))" }

  /// The index of each entity among others.
  func index(of entity: String, among numbers: [Int64]) -> String {
    let cases = numbers.enumerated().map { "WHEN \($1) THEN \($0)" }.joined(separator: " ")
    return "CASE \(entity) \(cases) END"
  }
}
