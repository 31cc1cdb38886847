internal import ManagedObjects

/// The entity of an object in a statement, or a part of the entity, such as its name.
struct EntityTerm {
  let object: ObjectAlias
  /// The keys after the key `entity` in the key path; empty for the entity itself.
  var keys: [String] = []

  /// Returns this term with `key` added to its keys.
  func following(_ key: String) -> EntityTerm { EntityTerm(object: object, keys: keys + [key]) }

  /// True for the entity itself and for its name; false for parts that can be collections.
  var isWholeOrName: Bool { keys.isEmpty || keys == [EntityPredicateKey.name.rawValue] }
}

/// Functions that translate comparisons of the entities of objects. A comparison with a constant is evaluated in memory
/// for each entity that the object can have. The translation is a condition on the entity number.
extension QueryTranslation {
  /// Translates a comparison of an object's entity with a constant, or of two entities. Returns nil for other
  /// comparisons.
  func restriction(
    _ left: QueryOperand, _ comparison: PredicateComparison, _ modifier: PredicateModifier, _ right: QueryOperand
  ) throws(Untranslatable) -> String? {
    let object: ObjectAlias
    switch (left, right) {
    case (.entity(let term), .constant), (.constant, .entity(let term)): object = term.object
    case (.entity(let first), .entity(let second)):
      guard first.keys.isEmpty, second.keys.isEmpty, modifier == .direct else { return nil }
      let isEqual = dialect.equal(first.object.referredEntity, second.object.referredEntity)
      switch comparison.comparator {
      case .equal: return isEqual
      case .notEqual: return dialect.not(isEqual)
      default: return nil
      }
    default: return nil
    }
    do {
      let test = try ValueTest(
        .comparing(
          Self.side(left), comparison.comparator, Self.side(right), modifier: modifier, options: comparison.options),
        variables: ["entity"])
      let numbers = try object.entities.filter { index throws(ManagedPredicateError) in
        let entity = ManagedObjectModel.Entity(model: schema.model, index: index)
        return try test.holds([PredicateValue(entity.predicateConstant)])
      }.map { "\(schema.numbers[$0])" }
      let holdsIfMissing = try !object.isThere && test.holds([.null])
      return restriction(of: object, numbers, holdsIfMissing: holdsIfMissing)
    } catch {
      throw Untranslatable()
    }
  }

  /// Returns a side of a comparison as an expression. The variable `entity` replaces the object's entity.
  private static func side(_ operand: QueryOperand) -> ManagedExpression {
    switch operand {
    case .entity(let term):
      PredicateKeyPath(keys: term.keys).map { .keyPath($0, of: .variable("entity")) } ?? .variable("entity")
    case .constant(let constant): .constant(constant)
    case .value, .object, .composite, .collection, .count, .other: .constant(.null)
    }
  }

  /// Returns a condition that is true if an object has one of the entity numbers.
  ///
  /// - Parameter holdsIfMissing: True if the condition must be true for a missing object.
  private func restriction(of object: ObjectAlias, _ numbers: [String], holdsIfMissing: Bool) -> String {
    if numbers.isEmpty { return holdsIfMissing ? dialect.isNull(object.reference) : dialect.fails }
    if numbers.count == object.entities.count {
      return object.isThere || holdsIfMissing ? dialect.holds : dialect.isNotNull(object.reference)
    }
    let entity = object.referredEntity
    let isOne = numbers.count == 1 ? dialect.equal(entity, numbers[0]) : dialect.isIn(entity, numbers)
    if object.isThere { return isOne }
    if holdsIfMissing { return dialect.any([dialect.isNull(object.reference), isOne]) }
    return numbers.count == 1 ? isOne : dialect.ifNull(isOne, dialect.fails)
  }

  /// Converts the name of an object's entity to a value. Throws for the entity itself and for its other parts. Returns
  /// operands that are not entity terms unchanged.
  mutating func withNames(_ operand: QueryOperand) throws(Untranslatable) -> QueryOperand {
    if case .entity(let term) = operand { .value(try name(of: term)) } else { operand }
  }

  /// Returns the value for an entity term that is the name of an object's entity. Throws for other terms.
  mutating func name(of term: EntityTerm) throws(Untranslatable) -> ValueTerm {
    guard term.keys == [EntityPredicateKey.name.rawValue] else { throw Untranslatable() }
    let entities = term.object.entities.map { ManagedObjectModel.Entity(model: schema.model, index: $0) }
    let cases = entities.map { ("\(schema.numbers[$0.index])", bind(.text($0.name))) }
    return ValueTerm(
      sql: dialect.choice(of: term.object.referredEntity, cases), type: .string, isColumn: false,
      isThere: term.object.isThere)
  }
}
