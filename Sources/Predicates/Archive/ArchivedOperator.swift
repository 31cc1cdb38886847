internal import KeyedArchiving

/// An archived object of a subclass of `NSPredicateOperator`.
struct ArchivedOperator: ArchivedForm {
  static let archivedClass = ArchivedClass(Class.order.rawValue, aliases: Class.allCases.map(\.rawValue))
  static let nameInMessages = "NSPredicateOperator"

  let comparator: PredicateComparator
  let modifier: PredicateModifier
  let options: PredicateOptions

  /// The classes of operators. Files with string operators are not known. Their class names here are those of
  /// Foundation, and their keys are assumed to be those of `NSInPredicateOperator`.
  private enum Class: String, CaseIterable {
    case order = "NSComparisonPredicateOperator"
    case equality = "NSEqualityPredicateOperator"
    case membership = "NSInPredicateOperator"
    case between = "NSBetweenPredicateOperator"
    case like = "NSLikePredicateOperator"
    case matching = "NSMatchingPredicateOperator"
    case substring = "NSSubstringPredicateOperator"
  }

  private static let classes = Dictionary(
    uniqueKeysWithValues: Class.allCases.map { objectClass in
      let isOfText = [.like, .matching, .substring].contains(objectClass)
      let ancestors = (isOfText ? ["NSStringPredicateOperator"] : []) + ["NSPredicateOperator", "NSObject"]
      return (objectClass, ArchivedClass(objectClass.rawValue, ancestors: ancestors))
    })

  private var objectClass: Class {
    switch comparator {
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual: .order
    case .equal, .notEqual: .equality
    case .in, .contains: .membership
    case .between: .between
    case .like: .like
    case .matches: .matching
    // Type identifiers have no known archived form: encoding them is an error.
    case .beginsWith, .endsWith, .typeIdentifierConformsTo, .typeIdentifierEquals: .substring
    }
  }

  /// The numbers of `NSComparisonPredicate.Operator` (`NSComparisonPredicate.h`).
  private static let numbers: [PredicateComparator: Int] = [
    .lessThan: 0, .lessThanOrEqual: 1, .greaterThan: 2, .greaterThanOrEqual: 3, .equal: 4, .notEqual: 5, .matches: 6,
    .like: 7, .beginsWith: 8, .endsWith: 9, .in: 10, .contains: 99, .between: 100,
  ]
  private static let comparators = Dictionary(uniqueKeysWithValues: numbers.map { ($1, $0) })

  /// True for operators on strings, whose options are archived as flags.
  private var keepsFlags: Bool {
    switch comparator {
    case .in, .contains, .beginsWith, .endsWith, .like, .matches: true
    default: false
    }
  }

  init(_ comparison: PredicateComparison) {
    comparator = comparison.comparator
    modifier = comparison.modifier
    options = comparison.options
  }

  init(coder: KeyedUnarchiver) throws {
    let number = try coder.decode(Int.self, forKey: "NSOperatorType")
    let modifier = try coder.decodeIfPresent(Int.self, forKey: "NSModifier") ?? 0
    let options = try coder.decodeIfPresent(Int.self, forKey: "NSOptions")
    let flags = try coder.decodeIfPresent(Int.self, forKey: "NSFlags")
    guard let comparator = Self.comparators[number], let modifier = PredicateModifier(rawValue: modifier),
      let options = UInt(exactly: options ?? flags ?? 0)
    else {
      throw coder.failure(
        .invalidContents,
        "an NSPredicateOperator has an unknown type (\(number)), modifier (\(modifier)) or options")
    }
    self.comparator = comparator
    self.modifier = modifier
    self.options = PredicateOptions(rawValue: options)
  }

  func encode(with coder: KeyedArchiver) throws {
    guard let number = Self.numbers[comparator] else {
      throw KeyedArchiveError(
        .invalidValue, "\(comparator.rawValue) has no known archived form")
    }
    try coder.encode(number, forKey: "NSOperatorType")
    try coder.encode(modifier.rawValue, forKey: "NSModifier")
    try coder.encode(Int(bitPattern: options.rawValue), forKey: keepsFlags ? "NSFlags" : "NSOptions")
    switch comparator {
    case .equal, .notEqual: try coder.encode(comparator == .notEqual, forKey: "NSNegate")
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual: try coder.encode(number, forKey: "NSVariant")
    default: break
    }
  }

  func _archive(by coder: KeyedArchiver) throws -> ArchivedReference {
    try coder.reference(toValue: self, as: Self.classes[objectClass] ?? Self.archivedClass)
  }
}
