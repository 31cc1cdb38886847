internal import FoundationEssentials
internal import ObjectModels
internal import Predicates

extension PredicateExpressions.TypeCheck: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    .condition(try PredicateTranslation.isKind(translation.expression(input), Desired.self))
  }
}

extension PredicateExpressions.ConditionalCast: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    .expression(try PredicateTranslation.cast(translation.expression(input), Desired.self))
  }
}

extension PredicateExpressions.ForceCast: TranslatableExpression {
  /// An object of another class does not cause an error. Its properties are null, like those of a missing object that
  /// is unwrapped.
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    .expression(try PredicateTranslation.cast(translation.expression(input), Desired.self))
  }
}

extension PredicateTranslation {
  /// Returns a condition such as `"Employee" IN entity.kinds`. It is true if an object has a class or one of its
  /// subclasses, and false if the object is missing.
  fileprivate static func isKind(
    _ object: ManagedExpression, _ type: Any.Type
  ) throws(ManagedPredicateError) -> ManagedPredicate {
    guard let type = type as? ManagedObject.Type else { throw unsupported("a cast to the type \(type)") }
    if let (condition, object) = optional(object) { return conjunction(condition, try isKind(object, type)) }
    return .comparing(.value(.string(type.entityName)), .in, try kinds(of: object))
  }

  private static func kinds(of object: ManagedExpression) throws(ManagedPredicateError) -> ManagedExpression {
    try keyPath([EntityKey.entity, EntityPredicateKey.kinds.rawValue], of: object)
  }

  /// Returns an expression whose value is the object, or null if the object does not have the class.
  fileprivate static func cast(
    _ object: ManagedExpression, _ type: Any.Type
  ) throws(ManagedPredicateError) -> ManagedExpression {
    .conditional(try isKind(object, type), optional(object)?.value ?? object, .constant(.null))
  }

  /// Returns the condition and the value of `TERNARY(condition, value, nil)`; nil for any other expression.
  static func optional(_ expression: ManagedExpression) -> (condition: ManagedPredicate, value: ManagedExpression)? {
    if case .conditional(let condition, let value, .constant(.null)) = expression { (condition, value) } else { nil }
  }

  /// Returns an expression with the value of `expression` if a condition is true. Otherwise, its value is null.
  static func value(_ expression: ManagedExpression, if condition: ManagedPredicate) -> ManagedExpression {
    guard let (inner, value) = optional(expression) else {
      return .conditional(condition, expression, .constant(.null))
    }
    return .conditional(conjunction(condition, inner), value, .constant(.null))
  }

  /// Returns true if a condition tests the entity of an object. Such a condition is false if the object is missing.
  static func tests(_ condition: ManagedPredicate, _ object: ManagedExpression) -> Bool {
    switch condition {
    case .and(let parts): parts.contains { tests($0, object) }
    case .comparison(let comparison): comparison.comparator == .in && comparison.right == (try? kinds(of: object))
    case .constant, .or, .not: false
    }
  }

  /// Returns a comparison of two expressions. If one of them is `TERNARY(condition, value, nil)`, the result is, if
  /// possible, a conjunction of the condition and a comparison of the value, so that stores can search for the value.
  static func comparing(
    _ first: ManagedExpression, _ comparator: PredicateComparator, _ second: ManagedExpression
  ) -> ManagedPredicate {
    switch comparator {
    case .equal:
      if second == .constant(.null), optional(first) != nil { return isMissing(first) }
      if first == .constant(.null), optional(second) != nil { return isMissing(second) }
      if case .constant = second, let (condition, value) = optional(first) {
        return conjunction(condition, .comparing(value, .equal, second))
      }
      if case .constant = first, let (condition, value) = optional(second) {
        return conjunction(condition, .comparing(first, .equal, value))
      }
    case .notEqual where optional(first) != nil || optional(second) != nil:
      let isEqual = comparing(first, .equal, second)
      if isEqual != .comparing(first, .equal, second) { return negation(isEqual) }
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      // Comparisons with null are false.
      if let (condition, value) = optional(first) {
        return conjunction(condition, comparing(value, comparator, second))
      }
      if let (condition, value) = optional(second) {
        return conjunction(condition, .comparing(first, comparator, value))
      }
    default: break
    }
    return .comparing(first, comparator, second)
  }

  private static func negation(_ condition: ManagedPredicate) -> ManagedPredicate {
    if case .not(let inner) = condition { inner } else { .not(condition) }
  }
}
