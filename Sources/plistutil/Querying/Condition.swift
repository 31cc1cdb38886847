import ArgumentParser
import Predicates
import PropertyLists

/// The condition of `find --where`: a predicate whose keys are fields of the tested value, such as `kind` and `size`.
struct Condition: Sendable {
  private let predicate: PreparedPredicate
  /// For each key of the predicate, by the key's index: the field that it represents; nil for a key of a dictionary.
  private let fields: [ConditionField?]

  /// Creates a condition.
  ///
  /// - Parameter fields: the fields. In the predicate, the key of a field is its index in this array.
  init(_ predicate: ManagedPredicate, _ fields: [ConditionField]) throws(ManagedPredicateError) {
    self.predicate = try PreparedPredicate(predicate, PreparationContext(isTolerant: true))
    self.fields = self.predicate.keys.map { key in
      Int(key).flatMap { fields.indices.contains($0) ? fields[$0] : nil }
    }
  }

  /// Returns an object that tests the values of a document.
  func prepared(for document: PropertyListDocument) -> ConditionRun { ConditionRun(predicate, fields, document) }

  /// Parses an expression on the command line.
  static func argument(_ text: String) throws -> Condition {
    do { return try ConditionTranslator.condition(text) } catch {
      throw ValidationError((error.column.map { "at column \($0): " } ?? "") + error.message)
    }
  }

  /// The help text about expressions.
  static let help = """
    An expression for --where compares a field with a literal, using =, !=, <, <=, > or >=, or with a pattern, using ~ \
    or like. Join comparisons with and, or, not and parentheses; not binds first, then and.

      key     the key of the value; an element of an array has no key
      kind    \(KindName.allValueStrings.joined(separator: ", "))
      value   the value itself
      count   the number of elements or entries of a container
      size    the number of bytes of data, or of a string in UTF-8
      path    the path of the value, from the root

    A path after value, kind, count or size leads to a value inside: \
    value.NSAppTransportSecurity.NSAllowsLocalNetworking, count.items.-1. Literals are true, false, null, numbers, \
    dates such as 2026-11-21 or 2026-11-21T08:00:00Z, and strings. Put a string that looks like another literal in \
    quotation marks: '41' or "41". Numbers are compared by value, dates by time, strings and data byte by byte. Values \
    of different kinds are never equal, and neither is less than the other. A missing value equals nothing.

    Everything else is as in Apple's predicates, with strings in quotation marks: BEGINSWITH, ENDSWITH, CONTAINS, \
    MATCHES, LIKE[cd], IN, BETWEEN, ANY, ALL, SUBQUERY, @count, [0], arithmetic and functions. A comparison that is \
    impossible for a value is false.
    """
}
