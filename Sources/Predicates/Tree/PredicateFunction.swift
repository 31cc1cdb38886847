/// A function of expressions. The raw values are the selectors in archives, and the names in the text format.
///
/// ```swift
/// let chapters = try ManagedExpression(format: "ceiling(pages / 10.0)")
/// if case .function(let function, _) = chapters { print(function, function.rawValue) }   // ceiling ceiling:
/// ```
public enum PredicateFunction: String, Hashable, Sendable, CaseIterable {
  // Functions of a collection, or of their arguments if there is more than one.
  case sum = "sum:"
  case count = "count:"
  case minimum = "min:"
  case maximum = "max:"
  case average = "average:"
  case median = "median:"
  case mode = "mode:"
  case standardDeviation = "stddev:"

  case add = "add:to:"
  /// `from:subtract:`: the first argument minus the second.
  case subtract = "from:subtract:"
  case multiply = "multiply:by:"
  case divide = "divide:by:"
  case modulus = "modulus:by:"
  case negate = "chs:"
  case squareRoot = "sqrt:"
  case logarithm = "log:"
  case naturalLogarithm = "ln:"
  case power = "raise:toPower:"
  case exponential = "exp:"
  case ceiling = "ceiling:"
  case floor = "floor:"
  case absolute = "abs:"
  case truncate = "trunc:"
  case random = "random"
  case randomBelow = "random:"

  case now = "now"
  case uppercase = "uppercase:"
  case lowercase = "lowercase:"
  case canonical = "canonical:"
  case length = "length:"
  case distance = "distanceToLocation:fromLocation:"
  /// `noindex:`: returns its argument. It asks a store not to use an index.
  case noIndex = "noindex:"
  /// `CAST(value, 'Class')`. Strings become numbers or, if they are in ISO 8601, dates: `2027-01-31` (the first moment
  /// of the day in UTC), `2027-01-31T12:00:00Z` or `2027-01-31T12:00:00+01:00`. Apple does not document which strings
  /// its casts accept.
  case cast = "castObject:toType:"

  case bitwiseAnd = "bitwiseAnd:with:"
  case bitwiseOr = "bitwiseOr:with:"
  case bitwiseExclusiveOr = "bitwiseXor:with:"
  case leftShift = "leftshift:by:"
  case rightShift = "rightshift:by:"
  case onesComplement = "onesComplement:"

  /// The numbers of arguments that the function takes.
  public var argumentCounts: ClosedRange<Int> {
    switch self {
    case .random, .now: return 0...0
    case .sum, .count, .minimum, .maximum, .average, .median, .mode, .standardDeviation: return 1...Int.max
    default:
      let count = rawValue.utf8.count { $0 == UInt8(ascii: ":") }
      return count...count
    }
  }
}
