internal import FoundationEssentials
internal import Predicates

/// A conversion of the expression tree of a `#Predicate` to a ``ManagedPredicate``.
struct PredicateTranslation {
  /// The translation of a node.
  enum Term {
    case expression(ManagedExpression)
    case condition(ManagedPredicate)
    /// A condition on an optional value. It is neither true nor false if the value is missing.
    case optionalCondition(ManagedPredicate, on: ManagedExpression)
    /// A range of values. A bound that is nil means that the range has no limit on this side.
    case range(lower: ManagedExpression?, upper: ManagedExpression?, includesUpper: Bool)
    /// A regular expression.
    case pattern(String)
  }

  private var variables: [PredicateExpressions.VariableID: ManagedExpression] = [:]
  private var variableCount = 0
  private var depth = 0

  mutating func bind<Value>(_ variable: PredicateExpressions.Variable<Value>, to expression: ManagedExpression) {
    variables[variable.key] = expression
  }

  func value<Value>(
    of variable: PredicateExpressions.Variable<Value>
  ) throws(ManagedPredicateError) -> ManagedExpression {
    guard let expression = variables[variable.key] else {
      throw ManagedPredicateError(.unboundVariable, "a variable belongs to another predicate")
    }
    return expression
  }

  /// Returns a new name for the variable of a subquery.
  mutating func newVariable() -> String {
    variableCount += 1
    return variableCount == 1 ? "x" : "x\(variableCount)"
  }

  static func unsupported(_ what: String) -> ManagedPredicateError {
    ManagedPredicateError(.unsupported, "\(what) cannot be used in a predicate for managed objects")
  }

  /// Translates a node.
  mutating func term(_ node: any PredicateExpression) throws(ManagedPredicateError) -> Term {
    guard let node = node as? any TranslatableExpression else {
      throw Self.unsupported("PredicateExpressions.\(Self.name(of: node))")
    }
    guard depth < ManagedPredicate.greatestDepth else { throw .nestedTooDeeply }
    depth += 1
    defer { depth -= 1 }
    return try node.translated(by: &self)
  }

  /// Returns the name of the node's type, without generic arguments.
  private static func name(of node: any PredicateExpression) -> String {
    let name = String(describing: type(of: node))
    return String(name.prefix { $0 != "<" })
  }

  /// Translates a node to an expression.
  mutating func expression(_ node: any PredicateExpression) throws(ManagedPredicateError) -> ManagedExpression {
    try Self.expression(term(node))
  }

  static func expression(_ term: Term) throws(ManagedPredicateError) -> ManagedExpression {
    switch term {
    case .expression(let expression): return expression
    case .condition(.constant(let truth)): return .value(.boolean(truth))
    case .condition(let condition): return .conditional(condition, .value(.boolean(true)), .value(.boolean(false)))
    case .optionalCondition(let condition, let operand):
      return .conditional(
        isPresent(operand),
        .conditional(condition, .value(.boolean(true)), .value(.boolean(false))), .constant(.null))
    case .range: throw unsupported("a range without contains(_:)")
    case .pattern: throw unsupported("a regular expression without contains(_:)")
    }
  }

  /// Translates a node to a condition.
  mutating func condition(_ node: any PredicateExpression) throws(ManagedPredicateError) -> ManagedPredicate {
    try Self.condition(term(node))
  }

  static func condition(_ term: Term) throws(ManagedPredicateError) -> ManagedPredicate {
    switch term {
    case .condition(let condition): return condition
    case .expression(.constant(.value(.boolean(let truth)))): return .constant(truth)
    case .expression(let expression): return .comparing(expression, .equal, .value(.boolean(true)))
    case .optionalCondition(let condition, let operand): return conjunction(isPresent(operand), condition)
    case .range, .pattern: return try condition(.expression(expression(term)))
    }
  }

  static func isPresent(_ expression: ManagedExpression) -> ManagedPredicate {
    guard let (condition, value) = optional(expression) else {
      return .comparing(expression, .notEqual, .constant(.null))
    }
    return tests(condition, value) ? condition : conjunction(condition, isPresent(value))
  }

  static func isMissing(_ expression: ManagedExpression) -> ManagedPredicate {
    optional(expression) != nil ? .not(isPresent(expression)) : .comparing(expression, .equal, .constant(.null))
  }

  /// Returns the conjunction of two conditions. Nested conjunctions become one list, as they do in the parser.
  static func conjunction(_ first: ManagedPredicate, _ second: ManagedPredicate) -> ManagedPredicate {
    var parts: [ManagedPredicate] = []
    for side in [first, second] { if case .and(let inner) = side { parts += inner } else { parts.append(side) } }
    return .and(parts)
  }

  static func disjunction(_ first: ManagedPredicate, _ second: ManagedPredicate) -> ManagedPredicate {
    var parts: [ManagedPredicate] = []
    for side in [first, second] { if case .or(let inner) = side { parts += inner } else { parts.append(side) } }
    return .or(parts)
  }

  /// Returns the expression for the value at a key path that starts at the value of `base`.
  static func keyPath(_ keys: [String], of base: ManagedExpression) throws(ManagedPredicateError) -> ManagedExpression {
    if let (condition, inner) = optional(base) {
      return value(try keyPath(keys, of: inner), if: condition)
    }
    var (all, root) = (keys, base)
    if case .keyPath(let path, let inner) = base { (all, root) = (path.keys + keys, inner) }
    guard let path = PredicateKeyPath(keys: all) else {
      throw ManagedPredicateError(.unknownKey, "the property names are not a key path")
    }
    return .keyPath(path, of: root)
  }
}

/// A node of a `#Predicate` that can be translated.
protocol TranslatableExpression {
  typealias Term = PredicateTranslation.Term

  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term
}
