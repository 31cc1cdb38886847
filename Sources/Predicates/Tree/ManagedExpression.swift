/// A side of a comparison: a constant, a path to a value, or a combination of other expressions.
///
/// Create it from text (``init(format:_:)``), decode it from an archived `NSExpression`, or build it by hand:
///
/// ```swift
/// if let price = PredicateKeyPath("price") {
///   print(ManagedExpression.function(.add, [.keyPath(price), .value(.integer(5))]))   // price + 5
/// }
/// ```
///
/// To compute the value of an expression for an object, use ``PreparedExpression``.
public indirect enum ManagedExpression: Hashable, Sendable {
  case constant(PredicateConstant)
  /// `SELF`: the object that the predicate is tested with.
  case evaluatedObject
  /// `$NAME`: a variable. The associated value is the name without the dollar sign.
  case variable(String)
  /// `$NAME := expression`: sets a variable, and has the value of the expression.
  case assignment(variable: String, ManagedExpression)
  /// The value at the end of a key path. The operand is ``evaluatedObject`` if the path starts at the object itself.
  case keyPath(PredicateKeyPath, of: ManagedExpression)
  /// `ANYKEY`: any one value of the object.
  case anyKey
  /// `{a, b, c}`: a list of expressions.
  case aggregate([ManagedExpression])
  /// A call of a function. Arithmetic is also a call: `a + b` calls ``PredicateFunction/add``.
  case function(PredicateFunction, [ManagedExpression])
  /// `FUNCTION(operand, 'selector', arguments …)`: a method of the operand. It is kept, but only the key-value coding
  /// methods can be evaluated.
  case method(String, of: ManagedExpression, arguments: [ManagedExpression])
  /// `collection[subscript]`: an element of an array, a value of a dictionary, or the number of elements.
  case element(PredicateSubscript, of: ManagedExpression)
  /// `SUBQUERY(collection, $variable, predicate)`: the elements of a collection for which a predicate is true.
  case subquery(ManagedExpression, variable: String, ManagedPredicate)
  /// `TERNARY(predicate, a, b)`: `a` if the predicate is true, otherwise `b`.
  case conditional(ManagedPredicate, ManagedExpression, ManagedExpression)
  /// `a UNION b`, `a INTERSECT b`, `a MINUS b`: a combination of two collections.
  case combination(PredicateSetOperation, ManagedExpression, ManagedExpression)
  /// `FETCH(request, context, countOnly)`. It is kept, but can only be evaluated by a context.
  case fetch(request: ManagedExpression, context: ManagedExpression, countOnly: Bool)

  /// Returns a key path that starts at the evaluated object.
  public static func keyPath(_ path: PredicateKeyPath) -> ManagedExpression { .keyPath(path, of: .evaluatedObject) }

  /// Returns a constant with the value of an attribute.
  public static func value(_ value: AttributeValue) -> ManagedExpression { .constant(.value(value)) }
}

/// The subscript of `collection[…]`.
public enum PredicateSubscript: Hashable, Sendable {
  /// An integer for an array, a key for a dictionary.
  case index(ManagedExpression)
  /// `FIRST`: the first element.
  case first
  /// `LAST`: the last element.
  case last
  /// `SIZE`: the number of elements.
  case size
}

/// An operation that combines two collections. The raw values are the words of the format.
public enum PredicateSetOperation: String, Hashable, Sendable, CaseIterable {
  case union = "UNION"
  case intersect = "INTERSECT"
  case minus = "MINUS"
}
