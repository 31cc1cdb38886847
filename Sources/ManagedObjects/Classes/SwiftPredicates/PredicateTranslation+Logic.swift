internal import FoundationEssentials
internal import Predicates

extension PredicateExpressions.Variable: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    .expression(try translation.value(of: self))
  }
}

extension PredicateExpressions.Conjunction: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    .condition(PredicateTranslation.conjunction(try translation.condition(lhs), try translation.condition(rhs)))
  }
}

extension PredicateExpressions.Disjunction: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    .condition(PredicateTranslation.disjunction(try translation.condition(lhs), try translation.condition(rhs)))
  }
}

extension PredicateExpressions.Negation: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    switch try translation.condition(wrapped) {
    case .constant(let truth): .condition(.constant(!truth))
    case let condition: .condition(.not(condition))
    }
  }
}

extension PredicateExpressions.Conditional: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    let test = try translation.condition(test)
    if If.Output.self == Bool.self {
      let first = PredicateTranslation.conjunction(test, try translation.condition(trueBranch))
      let second = PredicateTranslation.conjunction(.not(test), try translation.condition(falseBranch))
      return .condition(PredicateTranslation.disjunction(first, second))
    }
    return .expression(
      .conditional(test, try translation.expression(trueBranch), try translation.expression(falseBranch)))
  }
}

extension PredicateExpressions.Equal: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    .condition(try translation.equality(lhs, rhs, isEqual: true))
  }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    .condition(try translation.equality(lhs, rhs, isEqual: false))
  }
}

extension PredicateTranslation {
  fileprivate mutating func equality(
    _ first: any PredicateExpression, _ second: any PredicateExpression, isEqual: Bool
  ) throws(ManagedPredicateError) -> ManagedPredicate {
    let (first, second) = (try term(first), try term(second))
    let truths =
      if let truth = Self.truth(second) { Self.comparison(first, truth) } else if let truth = Self.truth(first) {
        Self.comparison(second, truth)
      } else { ManagedPredicate?.none }
    if let truths { return isEqual ? truths : .not(truths) }
    return Self.comparing(try Self.expression(first), isEqual ? .equal : .notEqual, try Self.expression(second))
  }

  /// Returns the value of a Boolean constant; nil for other terms.
  private static func truth(_ term: Term) -> Bool? {
    switch term {
    case .expression(.constant(.value(.boolean(let truth)))), .condition(.constant(let truth)): truth
    default: nil
    }
  }

  /// Returns the translation of `term == truth`; nil if the term is not a condition. A condition on an optional value
  /// equals neither true nor false if the value is missing.
  private static func comparison(_ term: Term, _ truth: Bool) -> ManagedPredicate? {
    switch term {
    case .condition(let condition): truth ? condition : .not(condition)
    case .optionalCondition(let condition, let operand):
      conjunction(isPresent(operand), truth ? condition : .not(condition))
    case .expression, .range, .pattern: nil
    }
  }
}

extension PredicateExpressions.Comparison: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    let comparator: PredicateComparator? =
      switch op {
      case .lessThan: .lessThan
      case .lessThanOrEqual: .lessThanOrEqual
      case .greaterThan: .greaterThan
      case .greaterThanOrEqual: .greaterThanOrEqual
      @unknown default: nil
      }
    guard let comparator else { throw PredicateTranslation.unsupported("an unknown comparison") }
    return .condition(
      PredicateTranslation.comparing(try translation.expression(lhs), comparator, try translation.expression(rhs)))
  }
}

// Optional values.

extension PredicateExpressions.NilLiteral: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    .expression(.constant(.null))
  }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    let term = try translation.term(inner)
    if case .optionalCondition(let condition, let operand) = term {
      return .condition(PredicateTranslation.conjunction(PredicateTranslation.isPresent(operand), condition))
    }
    return term
  }
}

extension PredicateExpressions.NilCoalesce: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    let first = try translation.term(lhs)
    guard case .optionalCondition(let condition, let operand) = first else {
      let value = try PredicateTranslation.expression(first)
      return .expression(
        .conditional(
          PredicateTranslation.isPresent(value), PredicateTranslation.optional(value)?.value ?? value,
          try translation.expression(rhs)))
    }
    let present = PredicateTranslation.conjunction(PredicateTranslation.isPresent(operand), condition)
    let missing = PredicateTranslation.isMissing(operand)
    switch try translation.condition(rhs) {
    case .constant(false): return .condition(present)
    case .constant(true): return .condition(PredicateTranslation.disjunction(missing, condition))
    case let other:
      return .condition(PredicateTranslation.disjunction(present, PredicateTranslation.conjunction(missing, other)))
    }
  }
}

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    let operand = try translation.expression(wrapped)
    // The transformation is evaluated only if the operand is not null. If the operand is a cast, its condition is true
    // then, so only its value is needed.
    translation.bind(variable, to: PredicateTranslation.optional(operand)?.value ?? operand)
    switch try translation.term(transform) {
    case .condition(let condition): return .optionalCondition(condition, on: operand)
    case .optionalCondition(let condition, let inner):
      return .optionalCondition(condition, on: Self.ifPresent(operand, inner))
    case .expression(let value): return .expression(Self.ifPresent(operand, value))
    case let term: return .expression(try PredicateTranslation.expression(term))
    }
  }

  private static func ifPresent(_ operand: ManagedExpression, _ value: ManagedExpression) -> ManagedExpression {
    if let (condition, operand) = PredicateTranslation.optional(operand) {
      let isTested = PredicateTranslation.tests(condition, operand)
      return PredicateTranslation.value(isTested ? value : ifPresent(operand, value), if: condition)
    }
    return isMissing(value, without: operand)
      ? value : .conditional(PredicateTranslation.isPresent(operand), value, .constant(.null))
  }

  /// Returns true if `value` is null whenever `operand` is null. `value` then needs no test for null.
  private static func isMissing(_ value: ManagedExpression, without operand: ManagedExpression) -> Bool {
    if value == operand { return true }
    switch value {
    case .keyPath(let path, of: let root):
      if case .keyPath(let start, of: root) = operand { return path.keys.starts(with: start.keys) }
      return isMissing(root, without: operand)
    case .function(.add, let sides), .function(.subtract, let sides), .function(.multiply, let sides),
      .function(.divide, let sides), .function(.modulus, let sides), .function(.negate, let sides):
      return sides.contains { isMissing($0, without: operand) }
    default: return false
    }
  }
}
