// Stands in for the text form of predicates until that is merged. Then this file goes, and with it
// ArchivedPredicate.swift and ArchivedExpression.swift in Compiled, whose functions have the same names there.
internal import FoundationEssentials

public struct ManagedPredicateError: Error, Hashable, Sendable { public var description: String }
extension ManagedPredicate {
  init(format: String, arguments: [String]) throws(ManagedPredicateError) {
    throw ManagedPredicateError(description: "no predicates")
  }
  func formatText() throws(ManagedPredicateError) -> String {
    throw ManagedPredicateError(description: "no predicates")
  }
}
extension ManagedExpression {
  init(format: String, arguments: [String]) throws(ManagedPredicateError) {
    throw ManagedPredicateError(description: "no predicates")
  }
  func formatText() throws(ManagedPredicateError) -> String {
    throw ManagedPredicateError(description: "no predicates")
  }
  static func decimal(_ text: String) -> Decimal? { Decimal(string: text) }
}
