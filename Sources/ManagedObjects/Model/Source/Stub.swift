// Stands in for the text form of predicates until that is merged: delete this file then, nothing else changes.
internal import FoundationEssentials

public struct PredicateError: Error, Hashable, Sendable { public var description: String }
extension ManagedPredicate {
  init(format: String, arguments: [String]) throws(PredicateError) {
    throw PredicateError(description: "no predicates")
  }
  func formatText() throws(PredicateError) -> String { throw PredicateError(description: "no predicates") }
}
extension ManagedExpression {
  init(format: String, arguments: [String]) throws(PredicateError) {
    throw PredicateError(description: "no predicates")
  }
  func formatText() throws(PredicateError) -> String { throw PredicateError(description: "no predicates") }
  static func decimal(_ text: String) -> Decimal? { Decimal(string: text) }
}
