internal import PropertyLists

/// A predicate that is prepared for testing many objects.
///
/// ```swift
/// let adults = try PreparedPredicate(ManagedPredicate(format: "age >= 18 AND name BEGINSWITH[cd] 'é'"))
/// for person in people where try adults.evaluate(with: person) { … }
/// ```
///
/// Constants are folded, regular expressions are parsed, and lists are hashed once. Testing a key against a constant
/// allocates no memory, except for strings that are not ASCII.
///
/// Null equals only null. Ordering, range and string operators are false for null. Arithmetic with null, and a key path
/// that starts at null, result in null. Values of different kinds are not equal. Ordering them throws an error, and so
/// does a string operator applied to a value that is not a string.
public struct PreparedPredicate: Sendable {
  /// The predicate, with variables replaced by their values.
  public let predicate: ManagedPredicate
  /// The names of all keys, without duplicates. ``PredicateKey/index`` is an index into this list.
  public let keys: [String]
  @usableFromInline package let condition: PreparedCondition
  @usableFromInline let height: Int
  @usableFromInline let variableCount: Int

  /// Prepares a predicate.
  ///
  /// ```swift
  /// let template = try ManagedPredicate(format: "total > $limit")
  /// let isLarge = try PreparedPredicate(template, variables: ["limit": 1000])
  /// ```
  ///
  /// - Parameters:
  ///   - predicate: The predicate.
  ///   - variables: The values of the variables. Names are without the dollar sign.
  /// - Throws: ``ManagedPredicateError/Kind/unboundVariable`` if a variable has no value,
  ///   ``ManagedPredicateError/Kind/pattern`` or ``ManagedPredicateError/Kind/tooMuchWork`` for a regular expression
  ///   that is invalid or too large, ``ManagedPredicateError/Kind/argument`` for a wrong number of arguments of a
  ///   function, ``ManagedPredicateError/Kind/unsupported`` for a part that cannot be evaluated,
  ///   ``ManagedPredicateError/Kind/nestedTooDeeply`` for more than ``ManagedPredicate/greatestDepth`` levels.
  /// - Complexity: O(*n*) in the size of the predicate.
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

  /// Returns true if the predicate is true for an object.
  ///
  /// - Throws: ``ManagedPredicateError`` if the object has values that the predicate cannot use, for example
  ///   ``ManagedPredicateError/Kind/typeMismatch``, ``ManagedPredicateError/Kind/unknownKey`` or
  ///   ``ManagedPredicateError/Kind/arithmetic``; ``ManagedPredicateError/Kind/tooMuchWork`` if matching a pattern
  ///   takes too many steps; ``ManagedPredicateError/Kind/nestedTooDeeply`` if the thread's stack is too small.
  @inlinable public func evaluate<Object: PredicateSubject>(with object: Object) throws(ManagedPredicateError) -> Bool {
    try evaluate(with: object, parameters: [])
  }

  /// Returns true if the predicate is true for an object.
  ///
  /// - Parameter parameters: The values of the variables in ``PreparationContext/parameters``.
  @inline(__always)
  @inlinable package func evaluate<Object: PredicateSubject>(
    with object: Object, parameters: [PredicateValue<Object>]
  ) throws(ManagedPredicateError) -> Bool {
    try StackNeed.check(height)
    var evaluation = Evaluation(object, variableCount: variableCount, parameters)
    return try evaluation.holds(condition)
  }
}

/// An expression that is prepared for evaluation with many objects. See ``PreparedPredicate``.
///
/// ```swift
/// let price = try PreparedExpression(ManagedExpression(format: "price * 2"))
/// let line: [String: AttributeValue] = ["price": .integer(40)]
/// if case .value(let value) = try price.value(with: line) { print(value) }   // 80
/// ```
public struct PreparedExpression: Sendable {
  /// The names of all keys, without duplicates. ``PredicateKey/index`` is an index into this list.
  public let keys: [String]
  @usableFromInline let operand: PreparedOperand
  @usableFromInline let height: Int
  @usableFromInline let variableCount: Int

  /// Prepares an expression.
  ///
  /// - Throws: The errors of ``PreparedPredicate/init(_:variables:)``.
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

  /// Returns the value of the expression for an object.
  ///
  /// - Throws: The errors of ``PreparedPredicate/evaluate(with:)``.
  @inlinable public func value<Object: PredicateSubject>(
    with object: Object
  ) throws(ManagedPredicateError) -> PredicateValue<Object> {
    try value(with: object, parameters: [])
  }

  /// Returns the value of the expression for an object.
  ///
  /// - Parameter parameters: The values of the variables in ``PreparationContext/parameters``.
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
  /// Returns true if the predicate is true for an object. To test more than one object, use ``PreparedPredicate``.
  ///
  /// ```swift
  /// let note: [String: AttributeValue] = ["title": .string("Groceries"), "pages": .integer(3)]
  /// let isLong = try ManagedPredicate(format: "pages > $limit")
  /// print(try isLong.evaluate(with: note, variables: ["limit": 2]))   // true
  /// ```
  ///
  /// - Throws: ``ManagedPredicateError`` as in ``PreparedPredicate/init(_:variables:)`` and
  ///   ``PreparedPredicate/evaluate(with:)``.
  @inlinable public func evaluate<Object: PredicateSubject>(
    with object: Object, variables: [String: any PredicateArgument] = [:]
  ) throws(ManagedPredicateError) -> Bool {
    try PreparedPredicate(self, variables: variables).evaluate(with: object)
  }
}

/// A check that a thread's stack is large enough for an evaluation, because evaluation is recursive.
@usableFromInline
enum StackNeed {
  /// The stack space that one level of a predicate takes, in the unit of `CallStack.levels`.
  private static let weight = 10

  /// Throws if the thread's stack is too small to evaluate a predicate with this number of levels. Any thread has room
  /// for 16 levels.
  @inlinable
  @inline(__always)
  static func check(_ height: Int) throws(ManagedPredicateError) {
    if height > 16 { try checkRoom(height) }
  }

  @usableFromInline
  static func checkRoom(_ height: Int) throws(ManagedPredicateError) {
    if CallStack.current.levels < weight * height {
      throw ManagedPredicateError(.nestedTooDeeply, "nested \(height) levels deep, too deep for the thread's stack")
    }
  }
}
