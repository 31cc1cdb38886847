internal import ManagedObjects
internal import Predicates

/// Functions that translate comparisons to SQL.
extension QueryTranslation {
  mutating func condition(_ comparison: PredicateComparison) throws(Untranslatable) -> SQLCondition {
    let left = try operand(comparison.left, flattens: comparison.modifier != .direct)
    let right = try operand(comparison.right)
    if comparison.modifier == .direct { return try compare(left, comparison, right) }
    guard case .collection(let collection) = left else {
      if let sql = try restriction(left, comparison, comparison.modifier, right) { return SQLCondition(sql: sql) }
      return try test(left, comparison, right, comparison.modifier)
    }
    let condition = try compare(collection.content.operand, comparison, right)
    // In memory, the right side is evaluated even for an empty collection, so it can fail. SQL would not evaluate it
    // for an empty collection.
    if condition.mayFail, mayFail(comparison.right) { throw Untranslatable() }
    let isAny = comparison.modifier == .any
    let clause = collection.scope.clause([isAny ? condition.sql : dialect.not(condition.sql)])
    // EXISTS stops at the first match. Counting tests every element, so no test that can fail is skipped.
    let exists =
      condition.mayFail
      ? dialect.order(dialect.count(clause), .greaterThan, "0") : dialect.exists(clause)
    return SQLCondition(sql: isAny ? exists : dialect.not(exists), mayFail: condition.mayFail)
  }

  /// Translates a comparison of two operands to plain SQL if possible, otherwise to a function call. Ignores the
  /// modifier of the comparison (ANY or ALL).
  private mutating func compare(
    _ left: QueryOperand, _ comparison: PredicateComparison, _ right: QueryOperand
  ) throws(Untranslatable) -> SQLCondition {
    if let sql = try restriction(left, comparison, .direct, right) { return SQLCondition(sql: sql) }
    let (left, right) = (try withNames(left), try withNames(right))
    if let sql = try plain(left, comparison, right) { return SQLCondition(sql: sql) }
    return try test(left, comparison, right, .direct)
  }

  /// Translates a comparison to an SQL function call that evaluates the comparison in memory.
  private mutating func test(
    _ left: QueryOperand, _ comparison: PredicateComparison, _ right: QueryOperand, _ modifier: PredicateModifier
  ) throws(Untranslatable) -> SQLCondition {
    var leaves = Leaves()
    let predicate = ManagedPredicate.comparing(
      try expression(left, &leaves), comparison.comparator, try expression(right, &leaves), modifier: modifier,
      options: comparison.options)
    let test: ValueTest
    do { test = try ValueTest(predicate, variables: leaves.names) } catch { throw Untranslatable() }
    let parameter = bind(.test(test, leaves.all.map(\.kind)))
    guard let sql = dialect.test(parameter, leaves.columns) else { throw Untranslatable() }
    return SQLCondition(
      sql: sql,
      mayFail: mayFail(comparison.left) || mayFail(comparison.right)
        || leaves.all.contains { $0.hasAnyType } && !comparison.comparator.takesAnything)
  }

  /// Translates a comparison of two operands to plain SQL, which calls no function; nil if plain SQL cannot express the
  /// comparison. Ignores the modifier.
  private mutating func plain(
    _ left: QueryOperand, _ comparison: PredicateComparison, _ right: QueryOperand
  ) throws(Untranslatable) -> String? {
    switch comparison.comparator {
    case .in: return try membership(of: left, in: right, comparison)
    case .contains: return try membership(of: right, in: left, comparison)
    default: break
    }
    switch (left, right) {
    case (.value(let value), .constant(let constant)):
      return self.comparison(value, comparison.comparator, comparison.options, constant)
    case (.constant(let constant), .value(let value)):
      guard let comparator = comparison.comparator.flipped else { return nil }
      return self.comparison(value, comparator, comparison.options, constant)
    case (.value(let first), .value(let second)):
      return self.comparison(first, comparison.comparator, comparison.options, second)
    case (.count(let collection, let isNullable), .constant(let constant)):
      if let sql = emptiness(collection, isNullable, comparison.comparator, constant) { return sql }
      return self.comparison(
        count(collection, isNullable: isNullable), comparison.comparator, comparison.options, constant)
    case (.constant(let constant), .count(let collection, let isNullable)):
      guard let comparator = comparison.comparator.flipped else { return nil }
      if let sql = emptiness(collection, isNullable, comparator, constant) { return sql }
      return self.comparison(count(collection, isNullable: isNullable), comparator, comparison.options, constant)
    case (.count(let first, let isNullable), .count(let second, let other)):
      return self.comparison(
        count(first, isNullable: isNullable), comparison.comparator, [], count(second, isNullable: other))
    case (.object(let first), .object(let second)): return equality(comparison.comparator, equal(first, second))
    case (.composite(let term), .constant(.value(.null))), (.constant(.value(.null)), .composite(let term)):
      return absence(of: term).flatMap { equality(comparison.comparator, $0) }
    case (.object(let object), .constant(let constant)), (.constant(let constant), .object(let object)):
      guard [.equal, .notEqual].contains(comparison.comparator) else { return nil }
      return equality(comparison.comparator, equal(object, constant))
    default: return nil
    }
  }

  private func equality(_ comparator: PredicateComparator, _ sql: String) -> String? {
    switch comparator {
    case .equal: sql
    case .notEqual: dialect.not(sql)
    default: nil
    }
  }

  /// Returns a condition that is true if a composite value is null: no element has a value. Returns nil if the value of
  /// an element can be null although its column is not NULL.
  private func absence(of term: CompositeTerm) -> String? {
    let leaves = term.columns.leaves
    if leaves.contains(where: { $0.definition.isExternal || $0.definition.type == .uri }) { return nil }
    return dialect.all(leaves.map { dialect.isNull(term.object.column($0.column)) })
  }

  /// Translates a comparison that only tests if a collection is empty, such as `@count > 0`, to SQL that does not count
  /// the elements. Returns nil for other comparisons of a count.
  private func emptiness(
    _ collection: CollectionTerm, _ isNullable: Bool, _ comparator: PredicateComparator, _ constant: PredicateConstant
  ) -> String? {
    guard case .value(.integer(let number)) = constant else { return nil }
    switch (comparator, number) {
    case (.greaterThan, 0), (.greaterThanOrEqual, 1): return dialect.exists(collection.scope.clause())
    case (.notEqual, 0) where !isNullable: return dialect.exists(collection.scope.clause())
    case (.equal, 0), (.lessThan, 1), (.lessThanOrEqual, 0):
      let isEmpty = dialect.not(dialect.exists(collection.scope.clause()))
      return isNullable ? dialect.all([dialect.isNotNull(collection.owner.number), isEmpty]) : isEmpty
    default: return nil
    }
  }

  func equal(_ first: ObjectAlias, _ second: ObjectAlias) -> String {
    if first.table.name == second.table.name { return dialect.equal(first.reference, second.reference) }
    if first.isThere || second.isThere { return dialect.fails }
    return dialect.all([dialect.isNull(first.reference), dialect.isNull(second.reference)])
  }

  private mutating func equal(_ object: ObjectAlias, _ constant: PredicateConstant) -> String {
    switch constant {
    case .value(.null): return object.isThere ? dialect.fails : dialect.isNull(object.reference)
    case .object(let key):
      guard let entity = entityNumber(of: key, for: object) else { return dialect.fails }
      let number = bind(.integer(key.number))
      return dialect.all([dialect.equal(object.reference, number), dialect.equal(object.referredEntity, "\(entity)")])
    default: return dialect.fails
    }
  }

  /// Returns a condition that is true if an object equals one of the constants.
  private mutating func membership(of object: ObjectAlias, in constants: [PredicateConstant]) -> String {
    var numbers: [Int64: [Int64]] = [:]
    var conditions: [String] = []
    for constant in constants {
      switch constant {
      case .value(.null):
        if !object.isThere { conditions.append(dialect.isNull(object.reference)) }
      case .object(let key):
        if let entity = entityNumber(of: key, for: object) { numbers[entity, default: []].append(key.number) }
      default: break
      }
    }
    for (entity, keys) in numbers.sorted(by: { $0.key < $1.key }) {
      let list = bind(.text("[" + keys.map { "\($0)" }.joined(separator: ",") + "]"))
      // If the reference is NULL, the entity number is NULL too, and the condition is false.
      conditions.append(
        dialect.all([dialect.equal(object.referredEntity, "\(entity)"), dialect.isIn(object.reference, list: list)]))
    }
    return dialect.any(conditions)
  }

  // `IN` and `CONTAINS` with a collection.

  private mutating func membership(
    of part: QueryOperand, in whole: QueryOperand, _ comparison: PredicateComparison
  ) throws(Untranslatable) -> String? {
    if case .collection(let collection) = whole, !collection.isFlattened {
      return try membership(of: part, in: collection, comparison)
    }
    guard case .constant(let constant) = whole, let elements = constant.elements else { return nil }
    switch part {
    case .object(let object): return membership(of: object, in: elements)
    case .value(let value): return comparison.options.isEmpty ? self.membership(of: value, in: elements) : nil
    case .count(let collection, let isNullable):
      return self.membership(of: count(collection, isNullable: isNullable), in: elements)
    default: return nil
    }
  }

  private mutating func membership(
    of part: QueryOperand, in collection: CollectionTerm, _ comparison: PredicateComparison
  ) throws(Untranslatable) -> String? {
    let equality = PredicateComparison(
      left: comparison.left, comparator: .equal, right: comparison.right, options: comparison.options)
    let condition = try compare(collection.content.operand, equality, part)
    if condition.mayFail { throw Untranslatable() }
    return dialect.exists(collection.scope.clause([condition.sql]))
  }
}

extension PredicateConstant {
  /// The elements, if the constant is an array or a set; otherwise nil.
  var elements: [PredicateConstant]? {
    switch self {
    case .array(let elements): elements
    case .set(let elements): Array(elements)
    default: nil
    }
  }
}

extension PredicateComparator {
  /// The comparator that has the same result after the sides are exchanged, such as `>` for `<`; nil if no comparator
  /// has.
  fileprivate var flipped: PredicateComparator? {
    switch self {
    case .equal, .notEqual: self
    case .lessThan: .greaterThan
    case .lessThanOrEqual: .greaterThanOrEqual
    case .greaterThan: .lessThan
    case .greaterThanOrEqual: .lessThanOrEqual
    default: nil
    }
  }

  /// True if the comparator can compare values of any two types.
  fileprivate var takesAnything: Bool { [.equal, .notEqual].contains(self) }
}

extension Leaf {
  /// True if the type of the value is known only when the statement runs, because values of the attribute can have
  /// different types.
  fileprivate var hasAnyType: Bool {
    switch kind {
    case .attribute(.transformable, _), .attribute(.undefined, _), .attribute(.composite, _): true
    case .attribute, .object, .list: false
    }
  }
}
