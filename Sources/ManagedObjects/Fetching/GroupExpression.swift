internal import ObjectModels
internal import Predicates

/// An aggregate over the objects of a group: `sum(pages)`.
private struct GroupAggregate: Sendable {
  let function: PredicateFunction
  let argument: PreparedExpression

  func value<Subject: PredicateSubject>(of group: [Subject]) throws(ManagedPredicateError) -> PredicateValue<Subject> {
    var values: [PredicateValue<Subject>] = []
    values.reserveCapacity(group.count)
    for subject in group {
      let value = try argument.value(with: subject)
      if !value.isNull { values.append(value) }
    }
    if function == .average, values.isEmpty { return .null }
    return try Evaluation.apply(function, [.array(values)])
  }
}

extension [GroupAggregate] {
  fileprivate func values<Subject: PredicateSubject, Representative: PredicateSubject>(
    of group: [Subject], for representative: Representative.Type
  ) throws(ManagedPredicateError) -> [PredicateValue<Representative>] {
    var values: [PredicateValue<Representative>] = []
    for aggregate in self {
      let value = try aggregate.value(of: group)
      switch value {
      case .value(let value): values.append(.value(value))
      case .constant(let constant): values.append(.constant(constant))
      case .object(let object): values.append(object.predicateConstant.map { PredicateValue($0) } ?? .null)
      case .array, .set:
        throw ManagedPredicateError(
          .typeMismatch, "\(aggregate.function.rawValue) of a group must be a single value, not \(value.kindName)")
      }
    }
    return values
  }
}

/// An expression that is evaluated for a group of objects. It can contain aggregates, and properties that have the same
/// value in all objects of the group.
struct GroupExpression: Sendable {
  private let aggregates: [GroupAggregate]
  /// The expression, in which a variable replaces each aggregate.
  private let expression: PreparedExpression

  init(_ expression: ManagedExpression, _ plan: FetchPlan, _ model: ManagedObjectModel) throws(ManagedPredicateError) {
    var extraction = AggregateExtraction(plan)
    let rest = extraction.replacing(expression)
    aggregates = try extraction.prepared(model)
    self.expression = try PreparedExpression(rest, PreparationContext(model, parameters: extraction.parameters))
  }

  /// Returns the value for a single object. The expression must not have aggregates.
  func value<Subject: PredicateSubject>(with subject: Subject) throws(ManagedPredicateError) -> PredicateValue<Subject>
  {
    try expression.value(with: subject)
  }

  /// Returns the value for a group.
  ///
  /// - Parameter representative: an object with the values that all objects of the group share.
  func value<Subject: PredicateSubject, Representative: PredicateSubject>(
    of group: [Subject], with representative: Representative
  ) throws(ManagedPredicateError) -> PredicateValue<Representative> {
    try expression.value(with: representative, parameters: aggregates.values(of: group, for: Representative.self))
  }
}

/// A condition on groups: `havingPredicate`.
struct GroupCondition: Sendable {
  private let aggregates: [GroupAggregate]
  private let condition: PreparedPredicate

  init(_ predicate: ManagedPredicate, _ plan: FetchPlan, _ model: ManagedObjectModel) throws(ManagedPredicateError) {
    var extraction = AggregateExtraction(plan)
    let rest = extraction.replacing(predicate)
    aggregates = try extraction.prepared(model)
    condition = try PreparedPredicate(rest, PreparationContext(model, parameters: extraction.parameters))
  }

  func holds<Subject: PredicateSubject>(
    for group: [Subject], with representative: Subject
  ) throws(ManagedPredicateError) -> Bool {
    try condition.evaluate(with: representative, parameters: aggregates.values(of: group, for: Subject.self))
  }
}

/// A conversion of expressions and predicates, in which a variable replaces each aggregate. The result can then be
/// evaluated with a single object of a group.
struct AggregateExtraction {
  private let plan: FetchPlan
  private(set) var parameters: [String] = []
  private var found: [(function: PredicateFunction, argument: ManagedExpression)] = []

  init(_ plan: FetchPlan) { self.plan = plan }

  mutating func replacing(_ expression: ManagedExpression) -> ManagedExpression {
    guard case .function(let function, let arguments) = expression else { return expression }
    if plan.isAggregate(expression) {
      found.append((function, arguments[0]))
      // The space makes the name different from all variables in predicate text.
      parameters.append("aggregate \(found.count)")
      return .variable("aggregate \(found.count)")
    }
    var replaced: [ManagedExpression] = []
    for argument in arguments { replaced.append(replacing(argument)) }
    return .function(function, replaced)
  }

  mutating func replacing(_ predicate: ManagedPredicate) -> ManagedPredicate {
    switch predicate {
    case .constant: return predicate
    case .comparison(var comparison):
      comparison.left = replacing(comparison.left)
      comparison.right = replacing(comparison.right)
      return .comparison(comparison)
    case .and(let parts): return .and(replacing(parts))
    case .or(let parts): return .or(replacing(parts))
    case .not(let part): return .not(replacing(part))
    }
  }

  private mutating func replacing(_ parts: [ManagedPredicate]) -> [ManagedPredicate] {
    var replaced: [ManagedPredicate] = []
    for part in parts { replaced.append(replacing(part)) }
    return replaced
  }

  fileprivate func prepared(_ model: ManagedObjectModel) throws(ManagedPredicateError) -> [GroupAggregate] {
    var aggregates: [GroupAggregate] = []
    for (function, argument) in found {
      aggregates.append(
        GroupAggregate(function: function, argument: try PreparedExpression(argument, PreparationContext(model))))
    }
    return aggregates
  }
}
