/// The variables and keys of objects to replace in a predicate.
package struct PredicateReplacement {
  /// The values of variables. Variables without a value stay as they are, and so do the variables that a `SUBQUERY`
  /// declares.
  var variables: [String: ManagedExpression] = [:]
  /// A function that returns the value of a key path that starts at a variable. If it returns nil, or if this property
  /// is nil, only the variable is replaced, and the key path is kept.
  var keyPath: ((_ variable: String, PredicateKeyPath) -> ManagedExpression?)?
  /// A function that returns the new key of an object in a constant, given its old key. Nil to keep all keys.
  var object: ((RowKey) -> RowKey)?

  package init(
    variables: [String: ManagedExpression] = [:],
    keyPath: ((_ variable: String, PredicateKeyPath) -> ManagedExpression?)? = nil, object: ((RowKey) -> RowKey)? = nil
  ) {
    self.variables = variables
    self.keyPath = keyPath
    self.object = object
  }
}

extension ManagedPredicate {
  /// Returns the predicate with variables replaced by values. Variables without a value stay as they are, and so do the
  /// variables that a `SUBQUERY` declares.
  ///
  /// ```swift
  /// let template = try ManagedPredicate(format: "author.name == $name AND pages >= $least")
  /// print(template.substituting(["name": "Ada", "least": 10]))   // author.name == "Ada" AND pages >= 10
  /// ```
  ///
  /// - Parameter variables: The values of the variables. Names are without the dollar sign.
  /// - Complexity: O(*n*) in the size of the tree.
  public func substituting(_ variables: [String: any PredicateArgument]) -> ManagedPredicate {
    withoutDeepRows.replacingVariables(variables.mapValues(\.predicateExpression))
  }

  package func replacingVariables(_ values: [String: ManagedExpression]) -> ManagedPredicate {
    replacing(PredicateReplacement(variables: values))
  }

  package func replacing(_ replacement: PredicateReplacement) -> ManagedPredicate {
    switch self {
    case .constant: return self
    case .comparison(var comparison):
      comparison.left = comparison.left.replacing(replacement)
      comparison.right = comparison.right.replacing(replacement)
      return .comparison(comparison)
    case .and(let parts): return .and(parts.map { $0.replacing(replacement) })
    case .or(let parts): return .or(parts.map { $0.replacing(replacement) })
    case .not(let part): return .not(part.replacing(replacement))
    }
  }
}

extension ManagedExpression {
  /// Returns the expression with variables replaced by values. Variables without a value stay as they are, and so do
  /// the variables that a `SUBQUERY` declares.
  ///
  /// - Parameter variables: The values of the variables. Names are without the dollar sign.
  /// - Complexity: O(*n*) in the size of the tree.
  public func substituting(_ variables: [String: any PredicateArgument]) -> ManagedExpression {
    replacingVariables(variables.mapValues(\.predicateExpression))
  }

  package func replacingVariables(_ values: [String: ManagedExpression]) -> ManagedExpression {
    replacing(PredicateReplacement(variables: values))
  }

  package func replacing(_ replacement: PredicateReplacement) -> ManagedExpression {
    func replaced(_ expression: ManagedExpression) -> ManagedExpression { expression.replacing(replacement) }
    switch self {
    case .constant(let constant): return replacement.object.map { .constant(constant.replacing($0)) } ?? self
    case .evaluatedObject, .anyKey: return self
    case .variable(let name): return replacement.variables[name] ?? self
    case .assignment(let name, let value): return .assignment(variable: name, replaced(value))
    case .keyPath(_, of: .evaluatedObject): return self
    case .keyPath(let path, of: let operand):
      if case .variable(let name) = operand, replacement.variables[name] != nil,
        let value = replacement.keyPath?(name, path)
      {
        return value
      }
      return .keyPath(path, of: replaced(operand))
    case .aggregate(let elements): return .aggregate(elements.map(replaced))
    case .function(let function, let arguments): return .function(function, arguments.map(replaced))
    case .method(let selector, of: let operand, let arguments):
      return .method(selector, of: replaced(operand), arguments: arguments.map(replaced))
    case .element(let elementSubscript, of: let base):
      if case .index(let index) = elementSubscript { return .element(.index(replaced(index)), of: replaced(base)) }
      return .element(elementSubscript, of: replaced(base))
    case .subquery(let collection, let variable, let predicate):
      var inner = replacement
      inner.variables[variable] = nil
      return .subquery(replaced(collection), variable: variable, predicate.replacing(inner))
    case .conditional(let predicate, let first, let second):
      return .conditional(predicate.replacing(replacement), replaced(first), replaced(second))
    case .combination(let operation, let first, let second):
      return .combination(operation, replaced(first), replaced(second))
    case .fetch(let request, let context, let countOnly):
      return .fetch(request: replaced(request), context: replaced(context), countOnly: countOnly)
    }
  }
}

extension PredicateConstant {
  fileprivate func replacing(_ object: (RowKey) -> RowKey) -> PredicateConstant {
    switch self {
    case .object(let key): .object(object(key))
    case .array(let elements): .array(elements.map { $0.replacing(object) })
    case .set(let elements): .set(Set(elements.map { $0.replacing(object) }))
    case .dictionary(let entries): .dictionary(entries.mapValues { $0.replacing(object) })
    case .value, .opaque: self
    }
  }
}
