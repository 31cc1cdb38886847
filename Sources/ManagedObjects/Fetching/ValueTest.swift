internal import ObjectModels
package import Predicates

/// A predicate whose objects are lists of values: for stores that look for objects by themselves, and know only parts
/// of predicates.
///
/// The values are those of the predicate's variables.
package struct ValueTest: Sendable {
  private let predicate: PreparedPredicate
  /// The comparison, if the predicate is one of the only variable with a constant.
  private let test: ConstantTest?

  /// - Parameter variables: the names of the variables that the values are for, in their order.
  package init(_ predicate: ManagedPredicate, variables: [String]) throws(ManagedPredicateError) {
    self.predicate = try PreparedPredicate(predicate, PreparationContext(parameters: variables))
    if case .test(.variable(0), .direct, let test) = self.predicate.condition, variables.count == 1 {
      self.test = test
    } else {
      test = nil
    }
  }

  /// True if the predicate holds for some values.
  package func holds(_ values: [PredicateValue<AttributeValue>]) throws(ManagedPredicateError) -> Bool {
    try predicate.evaluate(with: AttributeValue.null, parameters: values)
  }

  /// True if the predicate of one variable holds for a value.
  @inline(__always)
  package func holds(_ value: AttributeValue) throws(ManagedPredicateError) -> Bool {
    if let test { return try test.result(value) }
    return try holds([.value(value)])
  }
}
