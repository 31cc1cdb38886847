// The macro #Predicate calls functions with these names.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import FoundationEssentials
internal import Predicates

/// The node for `$0.title.localizedStandardContains(text)` in a `#Predicate`, which Foundation on Linux does not have.
/// ``ManagedPredicate`` converts it to `title CONTAINS[cd] text`.
public struct LocalizedStandardContainment<Text: PredicateExpression, Part: PredicateExpression>: PredicateExpression
where Text.Output == String, Part.Output == String {
  let text: Text
  let part: Part

  /// True if a string contains another one, ignoring case and diacritics.
  public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    let predicate = ManagedPredicate.comparing(
      .evaluatedObject, .contains, .value(.string(try part.evaluate(bindings))),
      options: [.caseInsensitive, .diacriticInsensitive])
    return try predicate.evaluate(with: AttributeValue.string(try text.evaluate(bindings)))
  }
}

extension LocalizedStandardContainment: Sendable where Text: Sendable, Part: Sendable {}

extension LocalizedStandardContainment: Codable where Text: Codable, Part: Codable {}

extension LocalizedStandardContainment: StandardPredicateExpression
where Text: StandardPredicateExpression, Part: StandardPredicateExpression {}

extension PredicateExpressions {
  /// Returns the node for a call of `localizedStandardContains(_:)`. The macro `#Predicate` calls this function.
  @_disfavoredOverload
  public static func build_localizedStandardContains<Text: PredicateExpression, Part: PredicateExpression>(
    _ text: Text, _ part: Part
  ) -> LocalizedStandardContainment<Text, Part> { LocalizedStandardContainment(text: text, part: part) }
}

extension LocalizedStandardContainment: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    .condition(
      .comparing(
        try translation.expression(text), .contains, try translation.expression(part),
        options: [.caseInsensitive, .diacriticInsensitive]))
  }
}
