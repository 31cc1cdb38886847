internal import FoundationEssentials
internal import KeyedArchiving
internal import OrderedCollections
internal import PropertyLists

/// A part of an archived predicate, and how deep it is nested.
class ArchivedPredicatePart: ArchivedModelObject {
  fileprivate(set) var height = 1

  /// How deep predicates of models may be nested; those of programs are far below.
  private static let greatestHeight = 100

  /// Counts the parts that this one is made of.
  func contain(_ parts: [ArchivedPredicatePart], _ coder: KeyedUnarchiver) throws {
    height = 1 + (parts.map(\.height).max() ?? 0)
    guard height <= Self.greatestHeight else {
      throw coder.failure(.nestedTooDeeply, "a predicate is nested more than \(Self.greatestHeight) deep")
    }
  }
}

/// `NSPredicate`, which is there as one of its subclasses only.
class ArchivedPredicate: ArchivedPredicatePart, SecureCoding {
  class var archivedClass: ArchivedClass { ArchivedClass("NSPredicate") }

  static let types: [any SecureCoding.Type] = [
    ArchivedComparison.self, ArchivedCompound.self, ArchivedTruePredicate.self, ArchivedFalsePredicate.self,
  ]

  let predicate: ManagedPredicate

  fileprivate init(_ predicate: ManagedPredicate) { self.predicate = predicate }

  required init(coder: KeyedUnarchiver) throws {
    let (predicate, parts) = try Self.predicate(coder)
    self.predicate = predicate
    super.init()
    try contain(parts, coder)
  }

  /// The predicate that is being decoded, and what it is made of.
  fileprivate class func predicate(_ coder: KeyedUnarchiver) throws -> (ManagedPredicate, [ArchivedPredicatePart]) {
    throw coder.failure(.classNotAllowed, "a predicate of an unknown class")
  }

  func encode(with coder: KeyedArchiver) throws {}

  static func make(_ predicate: ManagedPredicate) -> ArchivedPredicate {
    switch predicate {
    case .constant(true): ArchivedTruePredicate(predicate)
    case .constant(false): ArchivedFalsePredicate(predicate)
    case .comparison: ArchivedComparison(predicate)
    case .and, .or, .not: ArchivedCompound(predicate)
    }
  }
}

/// `NSTruePredicate`.
final class ArchivedTruePredicate: ArchivedPredicate {
  override class var archivedClass: ArchivedClass { ArchivedClass("NSTruePredicate", superclass: super.archivedClass) }

  override class func predicate(_ coder: KeyedUnarchiver) throws -> (ManagedPredicate, [ArchivedPredicatePart]) {
    (.constant(true), [])
  }
}

/// `NSFalsePredicate`.
final class ArchivedFalsePredicate: ArchivedPredicate {
  override class var archivedClass: ArchivedClass { ArchivedClass("NSFalsePredicate", superclass: super.archivedClass) }

  override class func predicate(_ coder: KeyedUnarchiver) throws -> (ManagedPredicate, [ArchivedPredicatePart]) {
    (.constant(false), [])
  }
}

/// `NSCompoundPredicate`.
final class ArchivedCompound: ArchivedPredicate {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("NSCompoundPredicate", superclass: super.archivedClass)
  }

  override class func predicate(_ coder: KeyedUnarchiver) throws -> (ManagedPredicate, [ArchivedPredicatePart]) {
    let parts = try coder.decode([ArchivedPredicate].self, of: types, forKey: "NSSubpredicates")
    let predicates = parts.map(\.predicate)
    switch try coder.decode(Int.self, forKey: "NSCompoundPredicateType") {
    case 0:
      guard predicates.count == 1 else { throw coder.failure(.invalidContents, "a NOT of \(predicates.count)") }
      return (.not(predicates[0]), parts)
    case 1: return (.and(predicates), parts)
    case 2: return (.or(predicates), parts)
    case let type: throw coder.failure(.invalidContents, "\(type) is no type of a compound predicate")
    }
  }

  override func encode(with coder: KeyedArchiver) throws {
    let (type, parts): (Int, [ManagedPredicate]) =
      switch predicate {
      case .not(let part): (0, [part])
      case .or(let parts): (2, parts)
      case .and(let parts): (1, parts)
      case .constant, .comparison: (1, [predicate])
      }
    try coder.encode(type, forKey: "NSCompoundPredicateType")
    try coder.encode(parts.map { ArchivedValue.object(ArchivedPredicate.make($0)) }, forKey: "NSSubpredicates")
  }
}

/// `NSComparisonPredicate`.
final class ArchivedComparison: ArchivedPredicate {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("NSComparisonPredicate", superclass: super.archivedClass)
  }

  override class func predicate(_ coder: KeyedUnarchiver) throws -> (ManagedPredicate, [ArchivedPredicatePart]) {
    let left = try coder.decode(ArchivedExpression.self, of: ArchivedExpression.types, forKey: "NSLeftExpression")
    let right = try coder.decode(ArchivedExpression.self, of: ArchivedExpression.types, forKey: "NSRightExpression")
    let comparator = try coder.decode(ArchivedOperator.self, of: ArchivedOperator.types, forKey: "NSPredicateOperator")
    let comparison = PredicateComparison(
      left: left.expression, comparator: comparator.comparator, right: right.expression,
      modifier: comparator.modifier, options: comparator.options)
    return (.comparison(comparison), [left, right])
  }

  override func encode(with coder: KeyedArchiver) throws {
    guard case .comparison(let comparison) = predicate else { return }
    try coder.encode(ArchivedExpression.make(comparison.left), forKey: "NSLeftExpression")
    try coder.encode(ArchivedExpression.make(comparison.right), forKey: "NSRightExpression")
    try coder.encode(ArchivedOperator.make(comparison), forKey: "NSPredicateOperator")
  }
}

/// `NSPredicateOperator`, which is there as one of its subclasses only.
///
/// Files with those for order, equality and membership were found; of the others only the names are known, and their
/// keys are taken to be the same.
class ArchivedOperator: ArchivedModelObject, SecureCoding {
  class var archivedClass: ArchivedClass { ArchivedClass("NSPredicateOperator") }

  static let types: [any SecureCoding.Type] = [
    ArchivedOrderOperator.self, ArchivedEqualityOperator.self, ArchivedInOperator.self, ArchivedLikeOperator.self,
    ArchivedMatchingOperator.self, ArchivedSubstringOperator.self, ArchivedBetweenOperator.self,
  ]

  /// By the numbers of `NSPredicateOperatorType`.
  private static let comparators: [Int: PredicateComparator] = [
    0: .lessThan, 1: .lessThanOrEqual, 2: .greaterThan, 3: .greaterThanOrEqual, 4: .equal, 5: .notEqual, 6: .matches,
    7: .like, 8: .beginsWith, 9: .endsWith, 10: .in, 99: .contains, 100: .between,
  ]

  let comparator: PredicateComparator
  let modifier: PredicateModifier
  let options: PredicateOptions
  fileprivate let number: Int

  fileprivate init(_ comparison: PredicateComparison, _ number: Int) {
    comparator = comparison.comparator
    modifier = comparison.modifier
    options = comparison.options
    self.number = number
  }

  required init(coder: KeyedUnarchiver) throws {
    number = try coder.decode(Int.self, forKey: "NSOperatorType")
    guard let comparator = Self.comparators[number] else {
      throw coder.failure(.invalidContents, "\(number) is no operator of a predicate")
    }
    self.comparator = comparator
    let modifier = try coder.decodeIfPresent(Int.self, forKey: "NSModifier") ?? 0
    guard let modifier = PredicateModifier(rawValue: modifier) else {
      throw coder.failure(.invalidContents, "\(modifier) is no modifier of a predicate")
    }
    self.modifier = modifier
    let options =
      try coder.decodeIfPresent(Int.self, forKey: "NSOptions") ?? coder.decodeIfPresent(Int.self, forKey: "NSFlags")
    self.options = PredicateOptions(rawValue: UInt(truncatingIfNeeded: options ?? 0))
  }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(number, forKey: "NSOperatorType")
    try coder.encode(modifier.rawValue, forKey: "NSModifier")
  }

  fileprivate func encodeOptions(forKey key: String, with coder: KeyedArchiver) throws {
    try coder.encode(Int(truncatingIfNeeded: options.rawValue), forKey: key)
  }

  static func make(_ comparison: PredicateComparison) throws -> ArchivedOperator {
    guard let number = comparators.first(where: { $0.value == comparison.comparator })?.key else {
      throw KeyedArchiveError(.invalidValue, "\(comparison.comparator.rawValue) has no form in compiled models")
    }
    return switch number {
    case 0...3: ArchivedOrderOperator(comparison, number)
    case 4, 5: ArchivedEqualityOperator(comparison, number)
    case 6: ArchivedMatchingOperator(comparison, number)
    case 7: ArchivedLikeOperator(comparison, number)
    case 8, 9: ArchivedSubstringOperator(comparison, number)
    case 100: ArchivedBetweenOperator(comparison, number)
    default: ArchivedInOperator(comparison, number)
    }
  }
}

/// `NSComparisonPredicateOperator`.
final class ArchivedOrderOperator: ArchivedOperator {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("NSComparisonPredicateOperator", superclass: super.archivedClass)
  }

  override func encode(with coder: KeyedArchiver) throws {
    try super.encode(with: coder)
    try encodeOptions(forKey: "NSOptions", with: coder)
    try coder.encode(number, forKey: "NSVariant")
  }
}

/// `NSEqualityPredicateOperator`.
final class ArchivedEqualityOperator: ArchivedOperator {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("NSEqualityPredicateOperator", superclass: super.archivedClass)
  }

  override func encode(with coder: KeyedArchiver) throws {
    try super.encode(with: coder)
    try encodeOptions(forKey: "NSOptions", with: coder)
    try coder.encode(comparator == .notEqual, forKey: "NSNegate")
  }
}

/// `NSInPredicateOperator`.
final class ArchivedInOperator: ArchivedOperator {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("NSInPredicateOperator", superclass: super.archivedClass)
  }

  override func encode(with coder: KeyedArchiver) throws {
    try super.encode(with: coder)
    try encodeOptions(forKey: "NSFlags", with: coder)
  }
}

/// `NSStringPredicateOperator`, which is there as one of its subclasses only.
class ArchivedStringOperator: ArchivedOperator {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("NSStringPredicateOperator", superclass: super.archivedClass)
  }

  override func encode(with coder: KeyedArchiver) throws {
    try super.encode(with: coder)
    try encodeOptions(forKey: "NSFlags", with: coder)
  }
}

/// `NSLikePredicateOperator`.
final class ArchivedLikeOperator: ArchivedStringOperator {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("NSLikePredicateOperator", superclass: super.archivedClass)
  }
}

/// `NSMatchingPredicateOperator`.
final class ArchivedMatchingOperator: ArchivedStringOperator {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("NSMatchingPredicateOperator", superclass: super.archivedClass)
  }
}

/// `NSSubstringPredicateOperator`.
final class ArchivedSubstringOperator: ArchivedStringOperator {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("NSSubstringPredicateOperator", superclass: super.archivedClass)
  }
}

/// `NSBetweenPredicateOperator`.
final class ArchivedBetweenOperator: ArchivedOperator {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("NSBetweenPredicateOperator", superclass: super.archivedClass)
  }
}

extension KeyedUnarchiver {
  /// A predicate; nil if there is none.
  func decodePredicateIfPresent(forKey key: String) throws -> ManagedPredicate? {
    try decodeIfPresent(ArchivedPredicate.self, of: ArchivedPredicate.types, forKey: key)?.predicate
  }

  /// An array of predicates; nothing if there is none.
  func decodePredicates(forKey key: String) throws -> [ManagedPredicate] {
    try decodeIfPresent([ArchivedPredicate].self, of: ArchivedPredicate.types, forKey: key)?.map(\.predicate) ?? []
  }

  /// An expression; nil if there is none.
  func decodeExpressionIfPresent(forKey key: String) throws -> ManagedExpression? {
    try decodeIfPresent(ArchivedExpression.self, of: ArchivedExpression.types, forKey: key)?.expression
  }
}

extension KeyedArchiver {
  func encode(_ predicate: ManagedPredicate?, forKey key: String) throws {
    try encode(predicate.map(ArchivedPredicate.make), forKey: key)
  }

  func encode(_ predicates: [ManagedPredicate], forKey key: String) throws {
    try encode(predicates.map { ArchivedValue.object(ArchivedPredicate.make($0)) }, forKey: key)
  }

  func encode(_ expression: ManagedExpression?, forKey key: String) throws {
    try encode(try expression.map { try ArchivedExpression.make($0) }, forKey: key)
  }
}
