internal import PropertyLists

/// A predicate that is ready to be tested with many objects.
///
/// ```swift
/// let adults = try PreparedPredicate(ManagedPredicate(format: "age >= 18 AND name BEGINSWITH[cd] 'é'"))
/// for person in people where try adults.evaluate(with: person) { … }
/// ```
///
/// Constants are folded, regular expressions read and lists hashed once. To test a comparison of a key and a constant
/// allocates nothing, but for strings that are not ASCII.
///
/// Null is equal to null only. It is never less or greater than anything, between anything, or like a string, and it
/// makes null in arithmetic and as the start of a key path. Values of unlike kinds are not equal; to order them is an
/// error, as is a text operator with what is no string.
public struct PreparedPredicate: Sendable {
  /// The predicate, with the values of its variables.
  public let predicate: ManagedPredicate
  /// The names of all keys, each once. ``PredicateKey/index`` is an index into this list.
  public let keys: [String]
  @usableFromInline package let condition: PreparedCondition
  @usableFromInline let height: Int
  @usableFromInline let variableCount: Int

  /// Prepares a predicate.
  ///
  /// - Parameters:
  ///   - predicate: the predicate.
  ///   - variables: the values of the variables, without the dollar sign.
  /// - Throws: ``ManagedPredicateError``: a variable without a value, a regular expression that cannot be read, too
  ///   many levels.
  public init(
    _ predicate: ManagedPredicate, variables: [String: any PredicateArgument] = [:]
  ) throws(ManagedPredicateError) {
    let predicate = predicate.withoutDeepRows
    _ = try predicate.height(within: ManagedPredicate.greatestDepth)
    try self.init(variables.isEmpty ? predicate : predicate.substituting(variables), PreparationContext())
  }

  package init(_ predicate: ManagedPredicate, _ context: PreparationContext) throws(ManagedPredicateError) {
    let predicate = predicate.withoutDeepRows
    self.predicate = predicate
    height = try predicate.height(within: ManagedPredicate.greatestDepth)
    var preparation = Preparation(context)
    condition = try preparation.condition(predicate)
    keys = preparation.keys
    variableCount = preparation.variableCount
  }

  /// True if the predicate holds for an object.
  ///
  /// - Throws: ``ManagedPredicateError`` for values that the predicate cannot be asked about.
  @inlinable public func evaluate<Object: PredicateSubject>(with object: Object) throws(ManagedPredicateError) -> Bool {
    try evaluate(with: object, parameters: [])
  }

  /// - Parameter parameters: the values of ``PreparationContext/parameters``.
  @inline(__always)
  @inlinable package func evaluate<Object: PredicateSubject>(
    with object: Object, parameters: [PredicateValue<Object>]
  ) throws(ManagedPredicateError) -> Bool {
    try StackNeed.check(height)
    var evaluation = Evaluation(object, variableCount: variableCount, parameters)
    return try evaluation.holds(condition)
  }
}

/// An expression that is ready to be evaluated with many objects. See ``PreparedPredicate``.
public struct PreparedExpression: Sendable {
  /// The names of all keys, each once. ``PredicateKey/index`` is an index into this list.
  public let keys: [String]
  @usableFromInline let operand: PreparedOperand
  @usableFromInline let height: Int
  @usableFromInline let variableCount: Int

  /// Prepares an expression.
  ///
  /// - Throws: as ``PreparedPredicate/init(_:variables:)``.
  public init(
    _ expression: ManagedExpression, variables: [String: any PredicateArgument] = [:]
  ) throws(ManagedPredicateError) {
    _ = try expression.height(within: ManagedPredicate.greatestDepth)
    try self.init(variables.isEmpty ? expression : expression.substituting(variables), PreparationContext())
  }

  package init(_ expression: ManagedExpression, _ context: PreparationContext) throws(ManagedPredicateError) {
    height = try expression.height(within: ManagedPredicate.greatestDepth)
    var preparation = Preparation(context)
    operand = try preparation.operand(expression)
    keys = preparation.keys
    variableCount = preparation.variableCount
  }

  /// The value of the expression for an object.
  ///
  /// - Throws: ``ManagedPredicateError`` for values that the expression cannot be asked about.
  @inlinable public func value<Object: PredicateSubject>(
    with object: Object
  ) throws(ManagedPredicateError) -> PredicateValue<Object> {
    try value(with: object, parameters: [])
  }

  /// - Parameter parameters: the values of ``PreparationContext/parameters``.
  @inline(__always)
  @inlinable package func value<Object: PredicateSubject>(
    with object: Object, parameters: [PredicateValue<Object>]
  ) throws(ManagedPredicateError) -> PredicateValue<Object> {
    try StackNeed.check(height)
    var evaluation = Evaluation(object, variableCount: variableCount, parameters)
    return try evaluation.value(operand)
  }
}

extension ManagedPredicate {
  /// True if the predicate holds for an object. For more than one object use ``PreparedPredicate``.
  ///
  /// - Throws: ``ManagedPredicateError``.
  @inlinable public func evaluate<Object: PredicateSubject>(
    with object: Object, variables: [String: any PredicateArgument] = [:]
  ) throws(ManagedPredicateError) -> Bool {
    try PreparedPredicate(self, variables: variables).evaluate(with: object)
  }
}

/// The stack that evaluation takes.
@usableFromInline
enum StackNeed {
  /// The number of levels of values, in which ``CallStack`` counts, that take as much as one of a tree.
  private static let weight = 10

  /// Throws if the thread's stack has no room for a tree. Any thread has room for 16 levels.
  @inlinable
  @inline(__always)
  static func check(_ height: Int) throws(ManagedPredicateError) {
    if height > 16 { try checkRoom(height) }
  }

  @usableFromInline
  static func checkRoom(_ height: Int) throws(ManagedPredicateError) {
    if CallStack.current.levels < weight * height {
      throw ManagedPredicateError(.nestedTooDeeply, "\(height) levels, for which the thread's stack has no room")
    }
  }
}
