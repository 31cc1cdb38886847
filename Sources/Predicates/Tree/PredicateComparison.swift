/// Two expressions and the operator between them.
///
/// ```swift
/// if case .comparison(let comparison) = try ManagedPredicate(format: "ANY tags.name ==[c] 'work'") {
///   print(comparison.left, comparison.comparator.rawValue, comparison.right)   // tags.name == "work"
///   print(comparison.modifier, comparison.options == .caseInsensitive)         // any true
/// }
/// ```
public struct PredicateComparison: Hashable, Sendable {
  /// The expression before the operator.
  public var left: ManagedExpression
  /// The operator.
  public var comparator: PredicateComparator
  /// The expression after the operator.
  public var right: ManagedExpression
  /// The treatment of a collection on the left side. `NONE` is the negation of ``PredicateModifier/any``.
  public var modifier: PredicateModifier
  /// The options for comparing strings. They have no effect on other values.
  public var options: PredicateOptions

  /// Creates a comparison. By default, the left side is compared as it is.
  public init(
    left: ManagedExpression, comparator: PredicateComparator, right: ManagedExpression,
    modifier: PredicateModifier = .direct, options: PredicateOptions = []
  ) {
    self.left = left
    self.comparator = comparator
    self.right = right
    self.modifier = modifier
    self.options = options
  }
}

/// The operator of a comparison. The raw values are the words of the format.
public enum PredicateComparator: String, Hashable, Sendable, CaseIterable {
  case lessThan = "<"
  case lessThanOrEqual = "<="
  case greaterThan = ">"
  case greaterThanOrEqual = ">="
  case equal = "=="
  case notEqual = "!="
  /// The whole string matches a regular expression.
  case matches = "MATCHES"
  /// The whole string matches a pattern with `*` (any characters) and `?` (one character).
  case like = "LIKE"
  case beginsWith = "BEGINSWITH"
  case endsWith = "ENDSWITH"
  /// The right side contains the left side: as an element of a collection, or as a substring.
  case `in` = "IN"
  /// The left side contains the right side: as an element of a collection, or as a substring.
  case contains = "CONTAINS"
  /// The right side is a collection of the lowest and the highest value. Both are included.
  case between = "BETWEEN"
  /// The left side is the name of a type that conforms to the right side: `public.jpeg` to `public.image`.
  case typeIdentifierConformsTo = "UTI-CONFORMS-TO"
  /// The two sides name the same type. Upper and lower case are equal.
  case typeIdentifierEquals = "UTI-EQUALS"
}

/// The treatment of a collection on the left side of a comparison.
public enum PredicateModifier: Int, Hashable, Sendable, CaseIterable {
  /// The left side is compared as it is.
  case direct = 0
  /// Every element must match. True for an empty collection.
  case all = 1
  /// At least one element must match. False for an empty collection. `SOME` means the same.
  case any = 2
}

/// The options for strings: the letters in brackets after an operator. The raw values are those in Core Data's files.
public struct PredicateOptions: OptionSet, Hashable, Sendable {
  /// The bits of the options.
  public let rawValue: UInt

  /// Creates options from the bits used in Core Data's files.
  @inlinable public init(rawValue: UInt) { self.rawValue = rawValue }

  /// `[c]`: ignores the difference between upper and lower case.
  public static let caseInsensitive = PredicateOptions(rawValue: 1)
  /// `[d]`: ignores diacritics.
  public static let diacriticInsensitive = PredicateOptions(rawValue: 2)
  /// `[n]`: compares the strings scalar by scalar, because they are known to be normalized. The other options have no
  /// effect.
  public static let normalized = PredicateOptions(rawValue: 4)
  /// `[l]`: `<`, `<=`, `>`, `>=` and `BETWEEN` compare strings in the order of the sort comparison `localized` or, with
  /// `[cl]`, `localizedCaseInsensitive`: `"école" <[l] "Zoo"` is true.
  ///
  /// The order has the same rules in every locale, so that a request has the same result on every computer and in every
  /// store. Core Data uses the rules of the user's locale. Equality and searches are the same with and without `[l]`.
  public static let localeSensitive = PredicateOptions(rawValue: 8)
}
