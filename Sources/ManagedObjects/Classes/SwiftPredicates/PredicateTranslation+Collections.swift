internal import FoundationEssentials
internal import Predicates

extension PredicateExpressions.SequenceContains: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    let element = try translation.expression(element)
    let whole = try translation.expression(sequence)
    if LHS.Output.self is any StringProtocol.Type { return .condition(.comparing(whole, .contains, element)) }
    try PredicateTranslation.checkElements(of: whole, LHS.Output.self)
    return .condition(.comparing(element, .in, whole))
  }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    let (collection, name, test) = try translation.test(of: sequence, LHS.Output.self, variable, test)
    return .condition(
      PredicateTranslation.quantified(collection, name, test, .any)
        ?? .comparing(
          try PredicateTranslation.keyPath(["@count"], of: .subquery(collection, variable: name, test)), .greaterThan,
          .value(.integer(0))))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    let (collection, name, test) = try translation.test(of: sequence, LHS.Output.self, variable, test)
    return .condition(
      PredicateTranslation.quantified(collection, name, test, .all)
        ?? .comparing(
          try PredicateTranslation.keyPath(["@count"], of: .subquery(collection, variable: name, .not(test))), .equal,
          .value(.integer(0))))
  }
}

extension PredicateExpressions.Filter: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    let (collection, name, test) = try translation.test(of: sequence, LHS.Output.self, variable, filter)
    return .expression(.subquery(collection, variable: name, test))
  }
}

extension PredicateTranslation {
  /// Translates a closure that tests the elements of a collection.
  ///
  /// - Returns: the collection, the name of the variable for an element, and the condition on the element.
  fileprivate mutating func test<Element>(
    of sequence: any PredicateExpression, _ type: Any.Type, _ variable: PredicateExpressions.Variable<Element>,
    _ test: any PredicateExpression
  ) throws(ManagedPredicateError) -> (ManagedExpression, String, ManagedPredicate) {
    let collection = try expression(sequence)
    try Self.checkElements(of: collection, type)
    let name = newVariable()
    bind(variable, to: .variable(name))
    return (collection, name, try condition(test))
  }

  /// Converts a test of a collection's elements to a comparison with ANY or ALL. For example, the collection `notes`,
  /// the variable `x` and the test `$x.pages > 3` become `ANY notes.pages > 3`. Returns nil if the test needs a
  /// subquery.
  fileprivate static func quantified(
    _ collection: ManagedExpression, _ variable: String, _ test: ManagedPredicate, _ modifier: PredicateModifier
  ) -> ManagedPredicate? {
    guard case .comparison(var comparison) = test, comparison.modifier == .direct,
      case .keyPath(let path, of: .variable(variable)) = comparison.left,
      !path.keys.contains(where: { $0.hasPrefix("@") }),
      case .keyPath(let start, of: let root) = collection, !start.keys.contains(where: { $0.hasPrefix("@") }),
      comparison.right.replacingVariables([variable: .constant(.null)]) == comparison.right,
      let whole = PredicateKeyPath(keys: start.keys + path.keys)
    else { return nil }
    comparison.left = .keyPath(whole, of: root)
    comparison.modifier = modifier
    return .comparison(comparison)
  }

  /// Throws if a collection is an attribute that is stored as an archive, because predicates cannot read its elements.
  ///
  /// - Parameter type: the Swift type of the collection.
  fileprivate static func checkElements(of collection: ManagedExpression, _ type: Any.Type)
    throws(ManagedPredicateError)
  {
    switch collection {
    case .aggregate, .subquery: return
    default:
      guard type is any RelationshipValue.Type else {
        throw unsupported("the elements of a \(type), which is stored as an archive,")
      }
    }
  }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    guard Base.Output.self is any StringProtocol.Type, Prefix.Output.self is any StringProtocol.Type else {
      throw PredicateTranslation.unsupported("the start of a \(Base.Output.self)")
    }
    return .condition(.comparing(try translation.expression(base), .beginsWith, try translation.expression(prefix)))
  }
}

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    guard Base.Output.self is any StringProtocol.Type, Other.Output.self is any StringProtocol.Type else {
      throw PredicateTranslation.unsupported("a search for a collection in another collection")
    }
    return .condition(.comparing(try translation.expression(base), .contains, try translation.expression(other)))
  }
}

extension PredicateExpressions.StringContainsRegex: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    guard case .pattern(let pattern) = try translation.term(regex) else {
      throw PredicateTranslation.unsupported("a regular expression that is not a constant")
    }
    // MATCHES compares the whole string, so the pattern is surrounded by wildcards.
    return .condition(
      .comparing(try translation.expression(subject), .matches, .value(.string("(?s:.*)(?:\(pattern))(?s:.*)"))))
  }
}

extension PredicateExpressions.SequenceMaximum: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    let collection = try translation.expression(elements)
    try PredicateTranslation.checkElements(of: collection, Elements.Output.self)
    return .expression(.function(.maximum, [collection]))
  }
}

extension PredicateExpressions.SequenceMinimum: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    let collection = try translation.expression(elements)
    try PredicateTranslation.checkElements(of: collection, Elements.Output.self)
    return .expression(.function(.minimum, [collection]))
  }
}

// Ranges.

extension PredicateExpressions.Range: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    .range(lower: try translation.expression(lower), upper: try translation.expression(upper), includesUpper: false)
  }
}

extension PredicateExpressions.ClosedRange: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    .range(lower: try translation.expression(lower), upper: try translation.expression(upper), includesUpper: true)
  }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    let element = try translation.expression(element)
    guard case .range(let lower, let upper, let includesUpper) = try translation.term(range) else {
      throw PredicateTranslation.unsupported("a \(RangeExpression.Output.self) as a range")
    }
    if let lower, let upper, includesUpper {
      return .condition(.comparing(element, .between, .aggregate([lower, upper])))
    }
    let above = lower.map { ManagedPredicate.comparing(element, .greaterThanOrEqual, $0) }
    let below = upper.map { ManagedPredicate.comparing(element, includesUpper ? .lessThanOrEqual : .lessThan, $0) }
    let parts = [above, below].compactMap(\.self)
    return .condition(parts.count == 1 ? parts[0] : .and(parts))
  }
}

/// A range that a predicate captures.
protocol RangeConstant {
  typealias Term = PredicateTranslation.Term

  func rangeTerm() throws(ManagedPredicateError) -> Term
}

extension ClosedRange: RangeConstant {
  func rangeTerm() throws(ManagedPredicateError) -> Term {
    .range(
      lower: try PredicateTranslation.constant(lowerBound), upper: try PredicateTranslation.constant(upperBound),
      includesUpper: true)
  }
}

extension Range: RangeConstant {
  func rangeTerm() throws(ManagedPredicateError) -> Term {
    .range(
      lower: try PredicateTranslation.constant(lowerBound), upper: try PredicateTranslation.constant(upperBound),
      includesUpper: false)
  }
}

extension PartialRangeFrom: RangeConstant {
  func rangeTerm() throws(ManagedPredicateError) -> Term {
    .range(lower: try PredicateTranslation.constant(lowerBound), upper: nil, includesUpper: false)
  }
}

extension PartialRangeUpTo: RangeConstant {
  func rangeTerm() throws(ManagedPredicateError) -> Term {
    .range(lower: nil, upper: try PredicateTranslation.constant(upperBound), includesUpper: false)
  }
}

extension PartialRangeThrough: RangeConstant {
  func rangeTerm() throws(ManagedPredicateError) -> Term {
    .range(lower: nil, upper: try PredicateTranslation.constant(upperBound), includesUpper: true)
  }
}
