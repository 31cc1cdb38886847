internal import ObjectModels
package import Predicates

/// A predicate on a list of values instead of an object, for stores that search themselves and evaluate only parts of
/// predicates here.
///
/// The values are assigned to the predicate's variables.
package struct ValueTest: Sendable {
  private let predicate: PreparedPredicate
  /// The comparison, if the predicate only compares its single variable with a constant.
  private let test: ConstantTest?

  /// - Parameter variables: the names of the variables, in the order of the values.
  package init(_ predicate: ManagedPredicate, variables: [String]) throws(ManagedPredicateError) {
    self.predicate = try PreparedPredicate(predicate, PreparationContext(parameters: variables))
    if case .test(.variable(0), .direct, let test) = self.predicate.condition, variables.count == 1 {
      self.test = test
    } else {
      test = nil
    }
  }

  /// True if the predicate matches some values.
  package func holds(_ values: [PredicateValue<AttributeValue>]) throws(ManagedPredicateError) -> Bool {
    try predicate.evaluate(with: AttributeValue.null, parameters: values)
  }

  /// True if the predicate, which has one variable, matches a value.
  @inline(__always)
  package func holds(_ value: AttributeValue) throws(ManagedPredicateError) -> Bool {
    if let test { return try test.result(value) }
    return try holds([.value(value)])
  }
}
