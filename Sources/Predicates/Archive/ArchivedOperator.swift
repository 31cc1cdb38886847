internal import KeyedArchiving

/// An object of an archive that is the operator of a comparison.
protocol ArchivedOperator: SecureCoding {
  var content: ArchivedOperatorContent { get }
}

/// The contents of all operators.
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
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual: try coder.encode(number, forKey: "NSVariant")
    default: break
    }
  }
}

/// A class below `NSPredicateOperator`.
protocol OperatorClass {
  static var archivedClass: ArchivedClass { get }
}

extension OperatorClass {
  fileprivate static func named(_ name: String, below ancestors: String...) -> ArchivedClass {
    ArchivedClass(name, ancestors: ancestors + ["NSPredicateOperator", "NSObject"])
  }
}

/// An object of a class below `NSPredicateOperator`.
struct OperatorObject<Class: OperatorClass>: ArchivedOperator {
  static var archivedClass: ArchivedClass { Class.archivedClass }

  let content: ArchivedOperatorContent

  init(_ comparison: PredicateComparison) { content = ArchivedOperatorContent(comparison) }

  init(coder: KeyedUnarchiver) throws { content = try ArchivedOperatorContent(coder: coder) }

  func encode(with coder: KeyedArchiver) throws { try content.encode(with: coder) }
}

/// The classes of operators. Those of strings have not been seen in files: their names are those of Foundation, and
/// their keys are those of `NSInPredicateOperator`.
enum ArchivedOperators {
  enum Order: OperatorClass { static let archivedClass = named("NSComparisonPredicateOperator") }

  enum Equality: OperatorClass { static let archivedClass = named("NSEqualityPredicateOperator") }

  enum Membership: OperatorClass { static let archivedClass = named("NSInPredicateOperator") }

  enum Between: OperatorClass { static let archivedClass = named("NSBetweenPredicateOperator") }

  enum Like: OperatorClass {
    static let archivedClass = named("NSLikePredicateOperator", below: "NSStringPredicateOperator")
  }

  enum Matching: OperatorClass {
    static let archivedClass = named("NSMatchingPredicateOperator", below: "NSStringPredicateOperator")
  }

  enum Substring: OperatorClass {
    static let archivedClass = named("NSSubstringPredicateOperator", below: "NSStringPredicateOperator")
  }

  static let types: [any SecureCoding.Type] = [
    OperatorObject<Order>.self, OperatorObject<Equality>.self, OperatorObject<Membership>.self,
    OperatorObject<Between>.self, OperatorObject<Like>.self, OperatorObject<Matching>.self,
    OperatorObject<Substring>.self,
  ]

  static func archived(_ comparison: PredicateComparison) -> any ArchivedOperator {
    switch comparison.comparator {
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual: OperatorObject<Order>(comparison)
    case .equal, .notEqual: OperatorObject<Equality>(comparison)
    case .in, .contains: OperatorObject<Membership>(comparison)
    case .between: OperatorObject<Between>(comparison)
    case .like: OperatorObject<Like>(comparison)
    case .matches: OperatorObject<Matching>(comparison)
    // Type identifiers have no known form: encoding them is an error.
    case .beginsWith, .endsWith, .typeIdentifierConformsTo, .typeIdentifierEquals: OperatorObject<Substring>(comparison)
    }
  }
}
