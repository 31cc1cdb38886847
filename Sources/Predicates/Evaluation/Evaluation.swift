/// The evaluation of a predicate for one object.
@usableFromInline
package struct Evaluation<Object: PredicateSubject> {
  @usableFromInline package typealias Value = PredicateValue<Object>

  @usableFromInline let object: Object
  @usableFromInline var variables: [Value]

  /// Creates an evaluation for an object.
  ///
  /// - Parameter parameters: The values of the parameters, which are the first of the variables. The others are null at
  ///   first.
  @inlinable init(_ object: Object, variableCount: Int, _ parameters: [Value]) {
    self.object = object
    variables = parameters
    while variables.count < variableCount { variables.append(.null) }
  }

  @inlinable mutating func holds(_ condition: PreparedCondition) throws(ManagedPredicateError) -> Bool {
    switch condition {
    case .constant(let value): return value
    case .all(let parts):
      for part in parts where try !holds(part) { return false }
      return true
    case .any(let parts):
      for part in parts where try holds(part) { return true }
      return false
    case .not(let part): return try !holds(part)
    case .key(let key, let test): return try holds(try object.predicateValue(forKey: key), test)
    case .test(let operand, let modifier, let test):
      let left = try value(operand)
      if modifier == .direct { return try holds(left, test) }
      for element in try elements(left, modifier) where try holds(element, test) == (modifier == .any) {
        return modifier == .any
      }
      return modifier == .all
    case .comparison(let operand, let modifier, let comparator, let options, let other):
      let left = try value(operand)
      let right = try value(other)
      if modifier == .direct { return try Self.compare(left, comparator, options, right) }
      for element in try elements(left, modifier)
      where try Self.compare(element, comparator, options, right) == (modifier == .any) { return modifier == .any }
      return modifier == .all
    case .tolerant(let comparison):
      do { return try holds(comparison) } catch {
        guard error.isAboutValues else { throw error }
        return false
      }
    }
  }

  /// Returns the elements of the collection to which `ANY` or `ALL` is applied. Null has no elements.
  @inlinable func elements(_ value: Value, _ modifier: PredicateModifier) throws(ManagedPredicateError) -> [Value] {
    if value.isNull { return [] }
    guard let elements = value.elements else {
      throw ManagedPredicateError(
        .typeMismatch, "\(modifier == .any ? "ANY" : "ALL") needs a collection, not \(value.kindName)")
    }
    return elements
  }

  @inline(__always)
  @inlinable func holds(_ value: Value, _ test: ConstantTest) throws(ManagedPredicateError) -> Bool {
    switch value {
    case .value(let value): if let result = try test.holds(value) { return result }
    case .object(let object): if let result = test.holds(object.predicateConstant) { return result }
    case .constant(let constant): if let result = test.holds(constant) { return result }
    default: break
    }
    return try Self.compare(value, test.comparator, test.options, Value(test.constant))
  }

  /// Returns true if a comparison of two values is true. Accepts values of all kinds; ``ConstantTest`` has fast tests
  /// for constants.
  @inlinable static func compare(
    _ left: Value, _ comparator: PredicateComparator, _ options: PredicateOptions, _ right: Value
  ) throws(ManagedPredicateError) -> Bool {
    switch comparator {
    case .equal, .notEqual: return isEqual(left, right, options) == (comparator == .equal)
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      if left.isNull || right.isNull { return false }
      return comparator.holds(try order(left, right, options))
    case .between:
      if left.isNull || right.isNull { return false }
      guard let bounds = right.elements, bounds.count == 2 else {
        throw ManagedPredicateError(.typeMismatch, "BETWEEN needs the lowest and the highest value")
      }
      if bounds[0].isNull || bounds[1].isNull { return false }
      if try order(left, bounds[0], options) == .less { return false }
      return try order(left, bounds[1], options) != .greater
    case .contains: return try contains(left, right, options, comparator)
    case .in: return try contains(right, left, options, comparator)
    case .beginsWith, .endsWith, .like, .matches:
      if left.isNull || right.isNull { return false }
      guard case .value(.string(let text)) = left, case .value(let pattern) = right, case .string = pattern else {
        throw mismatch(left, comparator, right)
      }
      return try ConstantTest(comparator, options, .value(pattern)).holds(.string(text)) ?? false
    case .typeIdentifierEquals, .typeIdentifierConformsTo:
      if left.isNull || right.isNull { return false }
      guard case .value(.string(let type)) = left, case .value(.string(let other)) = right else {
        throw mismatch(left, comparator, right)
      }
      if comparator == .typeIdentifierEquals { return TypeIdentifier(type) == TypeIdentifier(other) }
      return TypeIdentifier(type).conforms(to: TypeIdentifier(other))
    }
  }

  @inlinable static func mismatch(
    _ left: Value, _ comparator: PredicateComparator, _ right: Value
  ) -> ManagedPredicateError {
    ManagedPredicateError(
      .typeMismatch, "\(comparator.rawValue) cannot compare \(left.kindName) with \(right.kindName)")
  }

  @inlinable static func isEqual(_ first: Value, _ second: Value, _ options: PredicateOptions) -> Bool {
    if !options.isEmpty, case .value(.string(let first)) = first, case .value(.string(let second)) = second {
      return FoldedText(second, TextRules(options)).isEqual(to: first)
    }
    return first == second
  }

  /// Returns the order of two values. Throws if they cannot be ordered.
  @inlinable static func order(
    _ first: Value, _ second: Value, _ options: PredicateOptions = []
  ) throws(ManagedPredicateError) -> PredicateOrder {
    if case .value(let one) = first, case .value(let other) = second {
      if !options.isEmpty, case .string(let one) = one, case .string(let other) = other {
        return OrderedText(other, options).order(of: one)
      }
      if let order = one.order(to: other) { return order }
    }
    throw ManagedPredicateError(.typeMismatch, "\(first.kindName) cannot be compared with \(second.kindName)")
  }

  @inlinable static func contains(
    _ whole: Value, _ part: Value, _ options: PredicateOptions, _ comparator: PredicateComparator
  ) throws(ManagedPredicateError) -> Bool {
    if whole.isNull { return false }
    if let elements = whole.elements { return elements.contains { isEqual($0, part, options) } }
    if case .value(.string(let text)) = whole {
      if part.isNull { return false }
      if case .value(.string(let part)) = part { return FoldedText(part, TextRules(options)).isContained(in: text) }
    }
    throw ManagedPredicateError(
      .typeMismatch, "\(comparator.rawValue) cannot find \(part.kindName) in \(whole.kindName)")
  }

  @inlinable mutating func value(_ operand: PreparedOperand) throws(ManagedPredicateError) -> Value {
    switch operand {
    case .constant(let constant): return Value(constant)
    case .evaluatedObject: return object.predicateValue
    case .key(let key): return try object.predicateValue(forKey: key)
    case .variable(let index): return variables[index]
    case .assignment(let index, let operand):
      let value = try value(operand)
      variables[index] = value
      return value
    case .keyPath(let steps, let root, let flattens):
      return try KeyPathWalk(object, flattens: flattens).follow(steps[...], from: value(root))
    case .anyKey: return .array(try object.allPredicateValues())
    case .aggregate(let elements): return .array(try values(elements))
    case .function(let function, let arguments): return try Self.apply(function, values(arguments))
    case .element(let base, let index): return try Self.element(of: value(base), at: value(index))
    case .subscripted(let elementSubscript, let base): return try Self.element(of: value(base), elementSubscript)
    case .subquery(let collection, let variable, let condition):
      return try subquery(value(collection), variable, condition)
    case .conditional(let condition, let first, let second): return try value(holds(condition) ? first : second)
    case .combination(let operation, let first, let second):
      return try Self.combine(value(first), operation, value(second))
    }
  }

  @inlinable mutating func values(_ operands: [PreparedOperand]) throws(ManagedPredicateError) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(operands.count)
    for operand in operands { values.append(try value(operand)) }
    return values
  }

  @inlinable mutating func subquery(
    _ collection: Value, _ variable: Int, _ condition: PreparedCondition
  ) throws(ManagedPredicateError) -> Value {
    if collection.isNull { return .array([]) }
    guard let elements = collection.elements else {
      throw ManagedPredicateError(.typeMismatch, "SUBQUERY needs a collection, not \(collection.kindName)")
    }
    var found: [Value] = []
    for element in elements {
      variables[variable] = element
      if try holds(condition) { found.append(element) }
    }
    if case .set = collection { return .set(found) }
    return .array(found)
  }

  @inlinable static func element(of base: Value, at index: Value) throws(ManagedPredicateError) -> Value {
    switch (base, index) {
    case (.value(.null), _): return .null
    case (.array(let elements), .value(.integer(let number))):
      guard let elementIndex = Int(exactly: number), elements.indices.contains(elementIndex) else {
        throw ManagedPredicateError(
          .indexOutOfRange, "the index \(number) is out of range (number of elements: \(elements.count))")
      }
      return elements[elementIndex]
    case (.array, .value(.boolean(let isSecond))): return try element(of: base, at: .value(.integer(isSecond ? 1 : 0)))
    case (.constant(.dictionary(let entries)), .value(.string(let key))): return entries[key].map { Value($0) } ?? .null
    case (.value(.composite(let elements)), .value(.string(let key))): return .value(elements[key] ?? .null)
    case (.object(let object), .value(.string(let key))):
      // The key was computed, so it is not one of the keys of the prepared predicate.
      return try object.predicateValue(forKey: PredicateKey(name: key, index: -1))
    default: throw ManagedPredicateError(.typeMismatch, "\(base.kindName) cannot be indexed by \(index.kindName)")
    }
  }

  @inlinable static func element(of base: Value, _ elementSubscript: PredicateSubscript) throws(ManagedPredicateError)
    -> Value
  {
    if base.isNull { return .null }
    switch (elementSubscript, base) {
    case (.size, .array(let elements)), (.size, .set(let elements)): return .value(.integer(Int64(elements.count)))
    case (.first, .array(let elements)): return elements.first ?? .null
    case (.last, .array(let elements)): return elements.last ?? .null
    default: throw ManagedPredicateError(.typeMismatch, "\(base.kindName) has no first or last element")
    }
  }

  @inlinable static func combine(
    _ first: Value, _ operation: PredicateSetOperation, _ second: Value
  ) throws(ManagedPredicateError) -> Value {
    guard let left = first.isNull ? [] : first.elements, let right = second.isNull ? [] : second.elements else {
      throw ManagedPredicateError(
        .typeMismatch, "\(operation.rawValue) needs collections, not \(first.kindName) and \(second.kindName)")
    }
    let others = Set(right)
    return switch operation {
    case .union: .set(distinct(left + right))
    case .intersect: .set(distinct(left.filter { others.contains($0) }))
    case .minus: .set(distinct(left.filter { !others.contains($0) }))
    }
  }

  /// Returns the elements without duplicates, in the same order.
  @inlinable package static func distinct(_ elements: [Value]) -> [Value] {
    var seen: Set<Value> = []
    return elements.filter { seen.insert($0).inserted }
  }
}
