/// A condition that is prepared for evaluation: constants are folded, and names are resolved.
@usableFromInline
package indirect enum PreparedCondition: Sendable {
  case constant(Bool)
  case all([PreparedCondition])
  case any([PreparedCondition])
  case not(PreparedCondition)
  /// A comparison that is false, instead of throwing an error, if it cannot use the values.
  case tolerant(PreparedCondition)
  /// A comparison with a constant whose left side is a key of the evaluated object.
  case key(PredicateKey, ConstantTest)
  case test(PreparedOperand, PredicateModifier, ConstantTest)
  case comparison(PreparedOperand, PredicateModifier, PredicateComparator, PredicateOptions, PreparedOperand)
}

/// An expression that is prepared for evaluation: its keys and variables are resolved.
@usableFromInline
package indirect enum PreparedOperand: Sendable {
  case constant(PredicateConstant)
  case evaluatedObject
  case variable(Int)
  case assignment(Int, PreparedOperand)
  case key(PredicateKey)
  /// The value at the end of a key path. If `flattens` is true and the path leads through nested collections, all their
  /// elements are in one collection.
  case keyPath([PreparedStep], PreparedOperand, flattens: Bool)
  case anyKey
  case aggregate([PreparedOperand])
  case function(PredicateFunction, [PreparedOperand])
  case element(PreparedOperand, PreparedOperand)
  case subscripted(PredicateSubscript, PreparedOperand)
  case subquery(PreparedOperand, Int, PreparedCondition)
  case conditional(PreparedCondition, PreparedOperand, PreparedOperand)
  case combination(PredicateSetOperation, PreparedOperand, PreparedOperand)
}

/// A part of a key path.
@usableFromInline
package enum PreparedStep: Hashable, Sendable {
  case key(PredicateKey)
  /// A collection operator, such as `@sum`. It is applied to the values that the rest of the path leads to.
  case collection(PredicateCollectionOperator)
}

/// The context for evaluating a prepared predicate: the model, and the parameters.
package struct PreparationContext {
  /// A function that returns the slots of a key's value in the objects of a model; see ``PredicateKey/slots``. Nil if
  /// the objects do not belong to a model.
  package var slots: ((String) -> [PredicateKey.SlotRange])?
  /// The names of the variables whose values are passed to each evaluation, in this order.
  package var parameters: [String] = []
  /// True if a comparison is false, instead of throwing an error, if it cannot compare the values.
  package var isTolerant = false

  package init(
    slots: ((String) -> [PredicateKey.SlotRange])? = nil, parameters: [String] = [], isTolerant: Bool = false
  ) {
    self.slots = slots
    self.parameters = parameters
    self.isTolerant = isTolerant
  }
}

/// Prepares the conditions and expressions of a predicate. Throws if a regular expression is invalid or a variable has
/// no value.
struct Preparation {
  private(set) var keys: [String] = []
  private var indices: [String: Int] = [:]
  private(set) var variableCount = 0
  private var variables: [String: Int] = [:]
  private let slots: ((String) -> [PredicateKey.SlotRange])?
  private let isTolerant: Bool

  init(_ context: PreparationContext) {
    slots = context.slots
    isTolerant = context.isTolerant
    for name in context.parameters { _ = newVariable(name) }
  }

  private mutating func key(_ name: String) -> PredicateKey {
    if let index = indices[name] { return PredicateKey(name: name, index: index, slots: slots?(name)) }
    indices[name] = keys.count
    keys.append(name)
    return PredicateKey(name: name, index: keys.count - 1, slots: slots?(name))
  }

  private mutating func newVariable(_ name: String) -> Int {
    variables[name] = variableCount
    variableCount += 1
    return variableCount - 1
  }

  mutating func condition(_ predicate: ManagedPredicate) throws(ManagedPredicateError) -> PreparedCondition {
    switch predicate {
    case .constant(let value): return .constant(value)
    case .comparison(let comparison):
      return isTolerant ? .tolerant(try tolerant(comparison)) : try condition(comparison)
    case .and(let parts): return .all(try conditions(parts))
    case .or(let parts): return .any(try conditions(parts))
    case .not(let part): return .not(try condition(part))
    }
  }

  private mutating func conditions(_ parts: [ManagedPredicate]) throws(ManagedPredicateError) -> [PreparedCondition] {
    var conditions: [PreparedCondition] = []
    for part in parts { conditions.append(try condition(part)) }
    return conditions
  }

  private mutating func condition(_ comparison: PredicateComparison) throws(ManagedPredicateError) -> PreparedCondition
  {
    let modifier = comparison.modifier
    let left = try operand(comparison.left, flattens: modifier != .direct)
    let right = try operand(comparison.right)
    // `list CONTAINS x` with a constant list is prepared as `x IN list`, which is a lookup in a hash table.
    if case .constant(let list) = left, list.isCollection, comparison.comparator == .contains, modifier == .direct {
      return test(right, .direct, try ConstantTest(.in, comparison.options, list))
    }
    guard case .constant(let constant) = right else {
      return .comparison(left, modifier, comparison.comparator, comparison.options, right)
    }
    return test(left, modifier, try ConstantTest(comparison.comparator, comparison.options, constant))
  }

  /// Prepares a comparison that is false, instead of throwing an error, if it cannot use the values.
  ///
  /// For `ANY`, prepares a test that the comparison is true for at least one element. For `ALL`, prepares a test that
  /// the comparison is false for none. Each element is compared on its own, and the comparison is false for an element
  /// that it cannot use.
  private mutating func tolerant(_ comparison: PredicateComparison) throws(ManagedPredicateError) -> PreparedCondition {
    guard comparison.modifier != .direct else { return try condition(comparison) }
    let collection = try operand(comparison.left, flattens: true)
    // The variable for the element has an empty name, which no variable in predicate text can have.
    let outer = variables[""]
    let variable = newVariable("")
    var ofElement = comparison
    ofElement.modifier = .direct
    ofElement.left = .variable("")
    let holds = PreparedCondition.tolerant(try condition(ofElement))
    variables[""] = outer
    let isAny = comparison.modifier == .any
    let found = PreparedOperand.subquery(collection, variable, isAny ? holds : .not(holds))
    return .test(
      .function(.count, [found]), .direct, try ConstantTest(isAny ? .notEqual : .equal, [], .value(.integer(0))))
  }

  private func test(
    _ operand: PreparedOperand, _ modifier: PredicateModifier, _ test: ConstantTest
  ) -> PreparedCondition {
    if case .key(let key) = operand, modifier == .direct { return .key(key, test) }
    return .test(operand, modifier, test)
  }

  mutating func operand(
    _ expression: ManagedExpression, flattens: Bool = false
  ) throws(ManagedPredicateError) -> PreparedOperand {
    switch expression {
    case .constant(let constant): return .constant(constant)
    case .evaluatedObject: return .evaluatedObject
    case .variable(let name):
      guard let index = variables[name] else {
        throw ManagedPredicateError(.unboundVariable, "the variable $\(name) has no value")
      }
      return .variable(index)
    case .assignment(let name, let value):
      let value = try operand(value)
      return .assignment(variables[name] ?? newVariable(name), value)
    case .keyPath(let path, of: let root): return try keyPath(path, of: operand(root), flattens: flattens)
    case .anyKey: return .anyKey
    case .aggregate(let elements):
      let elements = try operands(elements)
      let constants = elements.compactMap { if case .constant(let constant) = $0 { constant } else { nil } }
      return constants.count == elements.count ? .constant(.array(constants)) : .aggregate(elements)
    case .function(let function, let arguments):
      guard function.argumentCounts.contains(arguments.count) else {
        throw ManagedPredicateError(.argument, "wrong number of arguments for \(function.rawValue): \(arguments.count)")
      }
      return .function(function, try operands(arguments))
    case .method(let selector, of: let operand, let arguments): return try method(selector, of: operand, arguments)
    case .element(.index(let index), of: let base): return .element(try operand(base), try operand(index))
    case .element(let elementSubscript, of: let base): return .subscripted(elementSubscript, try operand(base))
    case .subquery(let collection, let name, let predicate):
      let collection = try operand(collection)
      let outer = variables[name]
      let variable = newVariable(name)
      let condition = try condition(predicate)
      variables[name] = outer
      return .subquery(collection, variable, condition)
    case .conditional(let predicate, let first, let second):
      return .conditional(try condition(predicate), try operand(first), try operand(second))
    case .combination(let operation, let first, let second):
      return .combination(operation, try operand(first), try operand(second))
    case .fetch: throw ManagedPredicateError(.unsupported, "FETCH can be evaluated only by a context")
    }
  }

  private mutating func operands(_ expressions: [ManagedExpression]) throws(ManagedPredicateError) -> [PreparedOperand]
  {
    var operands: [PreparedOperand] = []
    for expression in expressions { operands.append(try operand(expression)) }
    return operands
  }

  private mutating func keyPath(
    _ path: PredicateKeyPath, of root: PreparedOperand, flattens: Bool
  ) throws(ManagedPredicateError) -> PreparedOperand {
    var steps: [PreparedStep] = []
    for name in path.keys {
      guard name.hasPrefix("@") else {
        steps.append(.key(key(name)))
        continue
      }
      guard let collection = PredicateCollectionOperator(rawValue: name) else {
        throw ManagedPredicateError(.unsupported, "\"\(name)\" is not a collection operator")
      }
      steps.append(.collection(collection))
    }
    if steps.count == 1, case .key(let key) = steps[0], case .evaluatedObject = root { return .key(key) }
    return .keyPath(steps, root, flattens: flattens)
  }

  /// Prepares a call of a method of an object. Only the methods of key-value coding are supported.
  private mutating func method(
    _ selector: String, of expression: ManagedExpression, _ arguments: [ManagedExpression]
  ) throws(ManagedPredicateError) -> PreparedOperand {
    guard let path = PredicateKeyPath(method: selector, arguments) else {
      throw ManagedPredicateError(.unsupported, "the method \"\(selector)\" of an object cannot be called")
    }
    return try keyPath(path, of: operand(expression), flattens: false)
  }
}
