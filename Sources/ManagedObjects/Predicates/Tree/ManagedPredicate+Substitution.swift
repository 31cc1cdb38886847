extension ManagedPredicate {
  /// The predicate with values for variables. Variables without a value stay, and so do those of subqueries.
  public func substituting(_ variables: [String: any PredicateArgument]) -> ManagedPredicate {
    replacingVariables(variables.mapValues(\.predicateExpression))
  }

  func replacingVariables(_ values: [String: ManagedExpression]) -> ManagedPredicate {
    switch self {
    case .constant: return self
    case .comparison(var comparison):
      comparison.left = comparison.left.replacingVariables(values)
      comparison.right = comparison.right.replacingVariables(values)
      return .comparison(comparison)
    case .and(let parts): return .and(parts.map { $0.replacingVariables(values) })
    case .or(let parts): return .or(parts.map { $0.replacingVariables(values) })
    case .not(let part): return .not(part.replacingVariables(values))
    }
  }
}

extension ManagedExpression {
  /// The expression with values for variables. Variables without a value stay, and so do those of subqueries.
  public func substituting(_ variables: [String: any PredicateArgument]) -> ManagedExpression {
    replacingVariables(variables.mapValues(\.predicateExpression))
  }

  func replacingVariables(_ values: [String: ManagedExpression]) -> ManagedExpression {
    func replaced(_ expression: ManagedExpression) -> ManagedExpression { expression.replacingVariables(values) }
    switch self {
    case .constant, .evaluatedObject, .anyKey: return self
    case .variable(let name): return values[name] ?? self
    case .assignment(let name, let value): return .assignment(variable: name, replaced(value))
    case .keyPath(_, of: .evaluatedObject): return self
    case .keyPath(let path, of: let operand): return .keyPath(path, of: replaced(operand))
    case .aggregate(let elements): return .aggregate(elements.map(replaced))
    case .function(let function, let arguments): return .function(function, arguments.map(replaced))
    case .method(let selector, of: let operand, let arguments):
      return .method(selector, of: replaced(operand), arguments: arguments.map(replaced))
    case .element(let place, of: let base):
      if case .index(let index) = place { return .element(.index(replaced(index)), of: replaced(base)) }
      return .element(place, of: replaced(base))
    case .subquery(let collection, let variable, let predicate):
      var inner = values
      inner[variable] = nil
      return .subquery(replaced(collection), variable: variable, predicate.replacingVariables(inner))
    case .conditional(let predicate, let first, let second):
      return .conditional(predicate.replacingVariables(values), replaced(first), replaced(second))
    case .combination(let operation, let first, let second):
      return .combination(operation, replaced(first), replaced(second))
    case .fetch(let request, let context, let countOnly):
      return .fetch(request: replaced(request), context: replaced(context), countOnly: countOnly)
    }
  }
}
