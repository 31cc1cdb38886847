internal import ManagedObjects

/// Functions that detect predicates and expressions whose evaluation can fail, for example by a division by zero or an
/// overflow.
extension QueryTranslation {
  func mayFail(_ predicate: ManagedPredicate) -> Bool {
    switch predicate {
    case .constant: false
    case .and(let parts), .or(let parts): parts.contains { mayFail($0) }
    case .not(let part): mayFail(part)
    case .comparison(let comparison): mayFail(comparison.left) || mayFail(comparison.right)
    }
  }

  func mayFail(_ expression: ManagedExpression) -> Bool {
    switch expression {
    case .constant, .evaluatedObject, .variable, .anyKey: false
    case .assignment(_, let part): mayFail(part)
    case .keyPath(let path, of: let base): path.keys.contains { Self.sums.contains($0) } || mayFail(base)
    case .aggregate(let parts): parts.contains { mayFail($0) }
    case .function(let function, let arguments): mayFail(function, arguments)
    case .element(.index, of: _): true
    case .element(_, of: let base), .method(_, of: let base, _): mayFail(base)
    case .subquery(let collection, _, let predicate): mayFail(collection) || mayFail(predicate)
    case .fetch: false
    case .conditional(let predicate, let first, let second): mayFail(predicate) || mayFail(first) || mayFail(second)
    case .combination(_, let first, let second): mayFail(first) || mayFail(second)
    }
  }

  private static let sums = [PredicateCollectionOperator.sum.rawValue, PredicateCollectionOperator.average.rawValue]

  private func mayFail(_ function: PredicateFunction, _ arguments: [ManagedExpression]) -> Bool {
    switch function {
    case .now, .uppercase, .lowercase, .canonical, .length, .noIndex, .count, .absolute, .ceiling, .floor, .truncate,
      .minimum, .maximum, .bitwiseAnd, .bitwiseOr, .bitwiseExclusiveOr, .leftShift, .rightShift, .onesComplement,
      .mode, .negate, .median, .standardDeviation, .distance:
      arguments.contains { mayFail($0) }
    // For integers, these functions cannot fail: a result that overflows becomes a decimal number.
    case .add, .subtract, .multiply: !arguments.allSatisfy { isInteger($0) }
    case .divide, .modulus: arguments.count != 2 || !isInteger(arguments[0]) || !Self.isOtherThanZero(arguments[1])
    default: true
    }
  }

  private static func isOtherThanZero(_ expression: ManagedExpression) -> Bool {
    if case .constant(.value(.integer(let number))) = expression { number != 0 } else { false }
  }

  /// True if the values of an expression are integers or Booleans: the expression is a constant, or a key path to an
  /// attribute of such a type.
  private func isInteger(_ expression: ManagedExpression) -> Bool {
    let start: Int
    let keys: [String]
    switch expression {
    case .constant(.value(.integer)), .constant(.value(.boolean)): return true
    case .keyPath(let path, of: .evaluatedObject): (start, keys) = (root.entities.lowerBound, path.keys)
    case .keyPath(let path, of: .variable(let name)):
      guard let object = variables[name] else { return false }
      (start, keys) = (object.entities.lowerBound, path.keys)
    default: return false
    }
    var entity = ManagedObjectModel.Entity(model: schema.model, index: start)
    for (index, key) in keys.enumerated() {
      switch entity.property(named: key) {
      case .relationship(let relationship) where !relationship.definition.isToMany:
        entity = entity.destination(of: relationship)
      case .attribute(let attribute) where index == keys.count - 1:
        return attribute.definition.type.columnTraits.isSummable
      default: return false
      }
    }
    return false
  }
}
