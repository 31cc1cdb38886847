/// Two expressions and the operator between them.
public struct PredicateComparison: Hashable, Sendable {
  /// The expression before the operator.
  public var left: ManagedExpression
  /// The operator.
  public var comparator: PredicateComparator
  /// The expression after the operator.
  public var right: ManagedExpression
  /// The way in which a collection on the left is compared. `NONE` is the negation of ``PredicateModifier/any``.
  public var modifier: PredicateModifier
  /// Used by the operators on strings, and by equality of strings.
  public var options: PredicateOptions

  /// A comparison; without a modifier and options, the left side is compared as it is.
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
  /// The right side has the left side: as an element of a collection, or as a part of a string.
  case `in` = "IN"
  case contains = "CONTAINS"
  /// The right side is a collection of the lowest and the highest value; both are within.
  case between = "BETWEEN"
  case typeIdentifierConformsTo = "UTI-CONFORMS-TO"
  case typeIdentifierEquals = "UTI-EQUALS"
}

/// The use of the elements of a collection on the left side of a comparison.
public enum PredicateModifier: Int, Hashable, Sendable, CaseIterable {
  /// The left side is compared as it is.
  case direct = 0
  /// Every element has to fit. True for no elements.
  case all = 1
  /// One element has to fit. False for no elements. `SOME` means the same.
  case any = 2
}

/// The options for strings: the letters in brackets after an operator. The raw values are those of Core Data's files.
public struct PredicateOptions: OptionSet, Hashable, Sendable {
  /// The sum of the options.
  public let rawValue: UInt

  /// Options by the sum that Core Data's files have.
  @inlinable public init(rawValue: UInt) { self.rawValue = rawValue }

  /// `[c]`: upper and lower case are the same.
  public static let caseInsensitive = PredicateOptions(rawValue: 1)
  /// `[d]`: letters are the same with and without marks.
  public static let diacriticInsensitive = PredicateOptions(rawValue: 2)
  /// `[n]`: the strings are known to be normalised, and compared scalar by scalar. The other options have no effect.
  public static let normalized = PredicateOptions(rawValue: 4)
  /// `[l]`: compared by the rules of the user's locale.
  public static let localeSensitive = PredicateOptions(rawValue: 8)
}
