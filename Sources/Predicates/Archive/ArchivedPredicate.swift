internal import KeyedArchiving

/// An archived object of a subclass of `NSPredicate`.
struct ArchivedPredicate: ArchivedForm {
  static let archivedClass = ArchivedClass(Class.comparison.rawValue, aliases: Class.allCases.map(\.rawValue))
  static let nameInMessages = "NSPredicate"

  let predicate: ManagedPredicate
  /// The number of levels of a decoded predicate; 0 for a predicate that will be encoded.
  let height: Int

  private enum Class: String, CaseIterable {
    case comparison = "NSComparisonPredicate"
    case compound = "NSCompoundPredicate"
    case truth = "NSTruePredicate"
    case falsehood = "NSFalsePredicate"
  }

  private static let classes = Dictionary(
    uniqueKeysWithValues: Class.allCases.map {
      ($0, ArchivedClass($0.rawValue, ancestors: ["NSPredicate", "NSObject"]))
    })

  /// The kinds of compound predicates, with their numbers in Core Data's files.
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
    switch coder.currentClass(among: Class.self) ?? .comparison {
    case .truth: (predicate, height) = (.constant(true), 1)
    case .falsehood: (predicate, height) = (.constant(false), 1)
    case .comparison:
      let left = try coder.decode(ArchivedExpression.self, forKey: "NSLeftExpression")
      let right = try coder.decode(ArchivedExpression.self, forKey: "NSRightExpression")
      let sign = try coder.decode(ArchivedOperator.self, forKey: "NSPredicateOperator")
      predicate = .comparison(
        PredicateComparison(
          left: left.expression, comparator: sign.comparator, right: right.expression, modifier: sign.modifier,
          options: sign.options))
      height = try coder.checkedHeight(max(left.height, right.height) + 1)
    case .compound:
      let number = try coder.decode(Int.self, forKey: "NSCompoundPredicateType")
      let parts = try coder.decode([ArchivedPredicate].self, forKey: "NSSubpredicates")
      let predicates = parts.map(\.predicate)
      switch Junction(rawValue: number) {
      case .and: predicate = .and(predicates)
      case .or: predicate = .or(predicates)
      case .not where predicates.count == 1: predicate = .not(predicates[0])
      case .not, nil:
        throw coder.failure(
          .invalidContents,
          "an NSCompoundPredicate of type \(number) with \(parts.count) subpredicates is not valid")
      }
      height = try coder.checkedHeight((parts.map(\.height).max() ?? 0) + 1)
    }
  }

  func _archive(by coder: KeyedArchiver) throws -> ArchivedReference {
    let objectClass: Class =
      switch predicate {
      case .constant(let value): value ? .truth : .falsehood
      case .comparison: .comparison
      case .and, .or, .not: .compound
      }
    return try coder.reference(toValue: self, as: Self.classes[objectClass] ?? Self.archivedClass)
  }

  func encode(with coder: KeyedArchiver) throws {
    func encode(_ junction: Junction, _ parts: [ManagedPredicate]) throws {
      try coder.encode(junction.rawValue, forKey: "NSCompoundPredicateType")
      try coder.encode(parts.map(ArchivedPredicate.init), forKey: "NSSubpredicates")
    }
    switch predicate {
    case .constant: break
    case .comparison(let comparison):
      try coder.encode(comparison.left, forKey: "NSLeftExpression")
      try coder.encode(comparison.right, forKey: "NSRightExpression")
      try coder.encode(ArchivedOperator(comparison), forKey: "NSPredicateOperator")
    case .and(let parts): try encode(.and, parts)
    case .or(let parts): try encode(.or, parts)
    case .not(let part): try encode(.not, [part])
    }
  }
}
