/// A string, prepared once for many comparisons by `<`, `<=`, `>` or `>=` with options.
///
/// Without `[l]`, strings are compared by the values of their folded scalars. With `[l]`, they are first compared
/// without case and diacritics. If they are equal in this comparison, they are compared again as the other options
/// require. This is the order that `localizedCompare:` sorts by, or `localizedCaseInsensitiveCompare:` with `[cl]`.
@usableFromInline
struct OrderedText: Hashable, Sendable {
  private let text: String
  private let first: FoldedText
  /// The text for a second comparison, with strings that are equal to ``first``; nil if the second comparison is that
  /// of `<` without options.
  private let second: FoldedText?
  private let isLocalized: Bool

  @usableFromInline init(_ text: String, _ options: PredicateOptions) {
    let rules = TextRules(options)
    let folded = FoldedText(text, rules)
    self.text = text
    isLocalized = options.contains(.localeSensitive) && !rules.isLiteral
    first = isLocalized ? FoldedText(text, TextRules([.caseInsensitive, .diacriticInsensitive])) : folded
    second = rules.foldsCase || rules.foldsMarks ? folded : nil
  }

  /// Returns the order of a text relative to this one.
  @usableFromInline func order(of other: String) -> PredicateOrder {
    let order = first.order(of: other)
    guard isLocalized, order == .equal else { return order }
    return second.map { $0.order(of: other) } ?? PredicateOrder(other, text)
  }
}
