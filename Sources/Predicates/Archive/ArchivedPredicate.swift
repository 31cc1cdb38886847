internal import KeyedArchiving

/// An object of an archive that is a condition: of a class below `NSPredicate`.
protocol ArchivedPredicate: SecureCoding {
  var predicate: ManagedPredicate { get }
  /// The number of levels.
  var height: Int { get }
}

/// `NSComparisonPredicate`.
struct ArchivedComparisonPredicate: ArchivedPredicate {
  static let archivedClass = ArchivedClass("NSComparisonPredicate", ancestors: ["NSPredicate", "NSObject"])

  let comparison: PredicateComparison
  let height: Int

  var predicate: ManagedPredicate { .comparison(comparison) }

  init(_ comparison: PredicateComparison) {
    self.comparison = comparison
    height = 0
  }

  init(coder: KeyedUnarchiver) throws {
    let left = try coder.expressionPart(forKey: "NSLeftExpression")
    let right = try coder.expressionPart(forKey: "NSRightExpression")
    let part = try coder.decode(of: ArchivedOperators.types, forKey: "NSPredicateOperator")
    guard let part = part as? any ArchivedOperator else {
      throw coder.failure(.invalidContents, "a predicate without an operator")
    }
    let sign = part.content
    comparison = PredicateComparison(
      left: left.expression, comparator: sign.comparator, right: right.expression, modifier: sign.modifier,
      options: sign.options)
    height = try coder.checkedHeight(max(left.height, right.height) + 1)
  }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(comparison.left, forKey: "NSLeftExpression")
    try coder.encode(comparison.right, forKey: "NSRightExpression")
    try coder.encode(ArchivedOperators.archived(comparison), forKey: "NSPredicateOperator")
  }
}

/// `NSCompoundPredicate`.
struct ArchivedCompoundPredicate: ArchivedPredicate {
  static let archivedClass = ArchivedClass("NSCompoundPredicate", ancestors: ["NSPredicate", "NSObject"])

  let predicate: ManagedPredicate
  let height: Int

  /// The numbers of Core Data's files.
  private enum Junction: Int {
    case not = 0
    case and = 1
    case or = 2
  }

  init(_ predicate: ManagedPredicate) {
    self.predicate = predicate
    height = 0
  }

  init(coder: KeyedUnarchiver) throws {
    let number = try coder.decode(Int.self, forKey: "NSCompoundPredicateType")
    let parts = try coder.decode([any SecureCoding].self, of: ArchivedPredicates.types, forKey: "NSSubpredicates")
      .compactMap { $0 as? any ArchivedPredicate }
    let predicates = parts.map(\.predicate)
    switch Junction(rawValue: number) {
    case .and: predicate = .and(predicates)
    case .or: predicate = .or(predicates)
    case .not where predicates.count == 1: predicate = .not(predicates[0])
    case .not, nil:
      throw coder.failure(.invalidContents, "a compound predicate of the type \(number) with \(parts.count) parts")
    }
    height = try coder.checkedHeight((parts.map(\.height).max() ?? 0) + 1)
  }

  func encode(with coder: KeyedArchiver) throws {
    let (junction, parts): (Junction, [ManagedPredicate]) =
      switch predicate {
      case .and(let parts): (.and, parts)
      case .or(let parts): (.or, parts)
      case .not(let part): (.not, [part])
      case .constant, .comparison: (.and, [predicate])
      }
    try coder.encode(junction.rawValue, forKey: "NSCompoundPredicateType")
    let subpredicates = parts.map { ArchivedPredicates.archived($0) as any SecureCoding }
    try coder.encode(subpredicates, forKey: "NSSubpredicates")
  }
}

/// `NSTruePredicate`.
struct ArchivedTruePredicate: ArchivedPredicate {
  static let archivedClass = ArchivedClass("NSTruePredicate", ancestors: ["NSPredicate", "NSObject"])

  var predicate: ManagedPredicate { .constant(true) }
  var height: Int { 1 }

  init() {}
  init(coder: KeyedUnarchiver) throws {}
  func encode(with coder: KeyedArchiver) throws {}
}

/// `NSFalsePredicate`.
struct ArchivedFalsePredicate: ArchivedPredicate {
  static let archivedClass = ArchivedClass("NSFalsePredicate", ancestors: ["NSPredicate", "NSObject"])

  var predicate: ManagedPredicate { .constant(false) }
  var height: Int { 1 }

  init() {}
  init(coder: KeyedUnarchiver) throws {}
  func encode(with coder: KeyedArchiver) throws {}
}

enum ArchivedPredicates {
  static let types: [any SecureCoding.Type] = [
    ArchivedComparisonPredicate.self, ArchivedCompoundPredicate.self, ArchivedTruePredicate.self,
    ArchivedFalsePredicate.self,
  ]

  static func archived(_ predicate: ManagedPredicate) -> any ArchivedPredicate {
    switch predicate {
    case .constant(let value): value ? ArchivedTruePredicate() : ArchivedFalsePredicate()
    case .comparison(let comparison): ArchivedComparisonPredicate(comparison)
    case .and, .or, .not: ArchivedCompoundPredicate(predicate)
    }
  }
}
