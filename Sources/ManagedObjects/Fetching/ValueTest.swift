internal import ObjectModels
package import Predicates

/// A predicate that is evaluated with a list of values instead of an object. A store with a query language uses it for
/// those parts of a request's predicate that the language cannot express.
///
/// The values are assigned to the predicate's variables.
package struct ValueTest: Sendable {
  private let predicate: PreparedPredicate
  /// A fast form of the predicate if it only compares its single variable with a constant; otherwise nil.
  private let test: ConstantTest?

  /// Prepares a predicate.
  ///
  /// - Parameter variables: the names of the variables, in the order of the values.
  package init(_ predicate: ManagedPredicate, variables: [String]) throws(ManagedPredicateError) {
    self.predicate = try PreparedPredicate(predicate, PreparationContext(parameters: variables))
    if case .test(.variable(0), .direct, let test) = self.predicate.condition, variables.count == 1 {
      self.test = test
    } else {
      test = nil
    }
  }

  /// True if the predicate matches a list of values.
  package func holds(_ values: [PredicateValue<AttributeValue>]) throws(ManagedPredicateError) -> Bool {
    try predicate.evaluate(with: AttributeValue.null, parameters: values)
  }

  /// True if the predicate matches a value. The predicate must have exactly one variable.
  @inline(__always)
  package func holds(_ value: AttributeValue) throws(ManagedPredicateError) -> Bool {
    if let test { return try test.result(value) }
    return try holds([.value(value)])
  }
}
