extension ManagedPredicate {
  /// Returns the number of levels of conditions, expressions and constants.
  ///
  /// - Throws: ``ManagedPredicateError/Kind/nestedTooDeeply`` if there are more than `limit` levels. Deeper levels are
  ///   not visited.
  package func height(within limit: Int) throws(ManagedPredicateError) -> Int {
    guard limit > 0 else { throw .nestedTooDeeply }
    switch self {
    case .constant: return 1
    case .comparison(let comparison):
      return try max(comparison.left.height(within: limit - 1), comparison.right.height(within: limit - 1)) + 1
    case .and(let parts), .or(let parts):
      var height = 0
      for part in parts { height = try max(height, part.height(within: limit - 1)) }
      return height + 1
    case .not(let part): return try part.height(within: limit - 1) + 1
    }
  }
}

extension ManagedExpression {
  /// Returns the number of levels, as ``ManagedPredicate/height(within:)`` does.
  package func height(within limit: Int) throws(ManagedPredicateError) -> Int {
    guard limit > 0 else { throw .nestedTooDeeply }
    let below = limit - 1
    switch self {
    case .evaluatedObject, .variable, .anyKey: return 1
    case .constant(let constant): return try constant.height(within: limit)
    case .keyPath(_, of: .evaluatedObject): return 1
    case .assignment(_, let value), .keyPath(_, of: let value): return try value.height(within: below) + 1
    case .aggregate(let parts), .function(_, let parts): return try Self.height(parts, within: below) + 1
    case .method(_, of: let operand, let arguments):
      return try max(operand.height(within: below), Self.height(arguments, within: below)) + 1
    case .element(let elementSubscript, of: let base):
      var height = try base.height(within: below)
      if case .index(let index) = elementSubscript { height = try max(height, index.height(within: below)) }
      return height + 1
    case .subquery(let collection, _, let predicate):
      return try max(collection.height(within: below), predicate.height(within: below)) + 1
    case .conditional(let predicate, let first, let second):
      return try max(predicate.height(within: below), Self.height([first, second], within: below)) + 1
    case .combination(_, let first, let second), .fetch(let first, let second, _):
      return try Self.height([first, second], within: below) + 1
    }
  }

  private static func height(_ parts: [ManagedExpression], within limit: Int) throws(ManagedPredicateError) -> Int {
    var height = 0
    for part in parts { height = try max(height, part.height(within: limit)) }
    return height
  }
}

extension PredicateConstant {
  /// Returns the number of levels, as ``ManagedPredicate/height(within:)`` does.
  package func height(within limit: Int) throws(ManagedPredicateError) -> Int {
    guard limit > 0 else { throw .nestedTooDeeply }
    var height = 0
    switch self {
    case .value, .object, .opaque: return 1
    case .array(let elements): for element in elements { height = try max(height, element.height(within: limit - 1)) }
    case .set(let elements): for element in elements { height = try max(height, element.height(within: limit - 1)) }
    case .dictionary(let entries):
      for value in entries.values { height = try max(height, value.height(within: limit - 1)) }
    }
    return height + 1
  }
}
