internal import KeyedArchiving

/// An object of an archive that is the operator of a comparison: of a class below `NSPredicateOperator`.
protocol ArchivedOperator: SecureCoding {
  var content: ArchivedOperatorContent { get }
  init(_ content: ArchivedOperatorContent)
}

/// What all operators say.
struct ArchivedOperatorContent: Hashable {
  var comparator: PredicateComparator
  var modifier: PredicateModifier
  var options: PredicateOptions

  /// The numbers of `NSComparisonPredicate.Operator` (`NSComparisonPredicate.h`).
  private static let numbers: [PredicateComparator: Int] = [
    .lessThan: 0, .lessThanOrEqual: 1, .greaterThan: 2, .greaterThanOrEqual: 3, .equal: 4, .notEqual: 5, .matches: 6,
    .like: 7, .beginsWith: 8, .endsWith: 9, .in: 10, .contains: 99, .between: 100,
  ]
  private static let comparators = Dictionary(uniqueKeysWithValues: numbers.map { ($1, $0) })

  /// Operators on strings keep their options as flags.
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
    else { throw coder.failure(.invalidContents, "an operator of the type \(number) with the modifier \(modifier)") }
    self.comparator = comparator
    self.modifier = modifier
    self.options = PredicateOptions(rawValue: options)
  }

  func encode(with coder: KeyedArchiver) throws {
    guard let number = Self.numbers[comparator] else {
      throw KeyedArchiveError(
        .invalidValue, "\(comparator.rawValue) in a predicate, of which no archived form is known")
    }
    try coder.encode(number, forKey: "NSOperatorType")
    try coder.encode(modifier.rawValue, forKey: "NSModifier")
    try coder.encode(Int(bitPattern: options.rawValue), forKey: keepsFlags ? "NSFlags" : "NSOptions")
    switch comparator {
    case .equal, .notEqual: try coder.encode(comparator == .notEqual, forKey: "NSNegate")
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      try coder.encode(number, forKey: "NSVariant")
    default: break
    }
  }
}

extension ArchivedOperator {
  init(coder: KeyedUnarchiver) throws { self.init(try ArchivedOperatorContent(coder: coder)) }

  func encode(with coder: KeyedArchiver) throws { try content.encode(with: coder) }

  fileprivate static func named(_ name: String, below ancestors: String...) -> ArchivedClass {
    ArchivedClass(name, ancestors: ancestors + ["NSPredicateOperator", "NSObject"])
  }
}

/// The classes of operators. Those of strings have not been seen in files: their names are those of Foundation, and
/// their keys are those of `NSInPredicateOperator`.
enum ArchivedOperators {
  struct Order: ArchivedOperator {
    static let archivedClass = named("NSComparisonPredicateOperator")
    let content: ArchivedOperatorContent
    init(_ content: ArchivedOperatorContent) { self.content = content }
  }

  struct Equality: ArchivedOperator {
    static let archivedClass = named("NSEqualityPredicateOperator")
    let content: ArchivedOperatorContent
    init(_ content: ArchivedOperatorContent) { self.content = content }
  }

  struct Membership: ArchivedOperator {
    static let archivedClass = named("NSInPredicateOperator")
    let content: ArchivedOperatorContent
    init(_ content: ArchivedOperatorContent) { self.content = content }
  }

  struct Between: ArchivedOperator {
    static let archivedClass = named("NSBetweenPredicateOperator")
    let content: ArchivedOperatorContent
    init(_ content: ArchivedOperatorContent) { self.content = content }
  }

  struct Like: ArchivedOperator {
    static let archivedClass = named("NSLikePredicateOperator", below: "NSStringPredicateOperator")
    let content: ArchivedOperatorContent
    init(_ content: ArchivedOperatorContent) { self.content = content }
  }

  struct Matching: ArchivedOperator {
    static let archivedClass = named("NSMatchingPredicateOperator", below: "NSStringPredicateOperator")
    let content: ArchivedOperatorContent
    init(_ content: ArchivedOperatorContent) { self.content = content }
  }

  struct Substring: ArchivedOperator {
    static let archivedClass = named("NSSubstringPredicateOperator", below: "NSStringPredicateOperator")
    let content: ArchivedOperatorContent
    init(_ content: ArchivedOperatorContent) { self.content = content }
  }

  static let types: [any SecureCoding.Type] = [
    Order.self, Equality.self, Membership.self, Between.self, Like.self, Matching.self, Substring.self,
  ]

  static func archived(_ comparison: PredicateComparison) -> any ArchivedOperator {
    let content = ArchivedOperatorContent(comparison)
    return switch comparison.comparator {
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual: Order(content)
    case .equal, .notEqual: Equality(content)
    case .in, .contains: Membership(content)
    case .between: Between(content)
    case .like: Like(content)
    case .matches: Matching(content)
    // Type identifiers have no known form: encoding them is an error.
    case .beginsWith, .endsWith, .typeIdentifierConformsTo, .typeIdentifierEquals: Substring(content)
    }
  }
}
