internal import Predicates
internal import PropertyLists

extension PredicateCheck {
  /// Checks the arguments of a function, and returns the kind of its result.
  mutating func kind(
    of function: PredicateFunction, _ arguments: [ManagedExpression], _ kinds: [PredicateKind],
    _ positions: PredicatePositions?
  ) throws(ManagedPredicateError) -> PredicateKind {
    guard function.argumentCounts.contains(kinds.count) else {
      throw failure(.argument, "wrong number of arguments for \(function.rawValue): \(kinds.count)", positions)
    }
    switch function {
    case .count: return .integer
    case .mode: return .collection(try collected(kinds, function, positions) { _ in true }, isOrdered: true)
    case .minimum, .maximum:
      let kind = try collected(kinds, function, positions) { $0.isOrdered }
      for other in kinds where kinds.count > 1 && !kind.hasOrder(to: other) {
        throw mismatch("\(name(kind)) cannot be compared with \(name(other))", positions)
      }
      return kind
    case .sum: return try collected(kinds, function, positions) { $0.isNumber } == .integer ? .integer : .number
    case .average, .median, .standardDeviation:
      _ = try collected(kinds, function, positions) { $0.isNumber }
      return .number
    case .add, .subtract, .multiply, .divide, .modulus, .power, .negate, .absolute, .ceiling, .floor, .truncate:
      try require(kinds, function, positions) { $0.isNumber }
      return kinds.allSatisfy { $0 == .integer } ? .integer : .number
    case .squareRoot, .logarithm, .naturalLogarithm, .exponential:
      try require(kinds, function, positions) { $0.isNumber }
      return .number
    case .bitwiseAnd, .bitwiseOr, .bitwiseExclusiveOr, .leftShift, .rightShift, .onesComplement, .randomBelow:
      try require(kinds, function, positions) { $0.isNumber && $0 != .number }
      return .integer
    case .random: return .number
    case .now: return .date
    case .uppercase, .lowercase, .canonical:
      try require(kinds, function, positions) { $0.isString }
      return .string
    case .length:
      try require(kinds, function, positions) { $0.isString }
      return .integer
    case .noIndex: return kinds[0]
    case .cast: return try kind(ofCast: arguments[0], kinds[0], to: arguments[1], positions)
    case .distance:
      for (index, kind) in kinds.enumerated() { try checkPlace(arguments[index], kind, positions?[index]) }
      return .number
    }
  }

  private func require(
    _ kinds: [PredicateKind], _ function: PredicateFunction, _ positions: PredicatePositions?,
    _ fits: (PredicateKind) -> Bool
  ) throws(ManagedPredicateError) {
    for (index, kind) in kinds.enumerated() where !fits(kind) {
      throw mismatch(
        "\(function.rawValue) cannot be applied to \(name(kind))"
          + (kind == .number ? " with a fraction" : ""), positions?[index])
    }
  }

  /// Returns the common kind of the values that a function combines. If its only argument is a collection, these are
  /// the elements of the collection; otherwise they are the arguments. Throws if `fits` returns false for the kind of
  /// such a value.
  private func collected(
    _ kinds: [PredicateKind], _ function: PredicateFunction, _ positions: PredicatePositions?,
    _ fits: (PredicateKind) -> Bool
  ) throws(ManagedPredicateError) -> PredicateKind {
    let elements = kinds.count == 1 ? [kinds[0].elements ?? kinds[0]] : kinds
    try require(elements, function, positions, fits)
    return elements.reduce(.null) { $0.joined($1, model) }
  }

  private func kind(
    ofCast operand: ManagedExpression, _ kind: PredicateKind, to target: ManagedExpression,
    _ positions: PredicatePositions?
  ) throws(ManagedPredicateError) -> PredicateKind {
    guard case .constant(.value(.string(let name))) = target, let target = PredicateCastTarget(rawValue: name) else {
      throw failure(.unsupported, "CAST needs the name of a Foundation value class, such as \"NSDate\"", positions?[1])
    }
    if kind == .null { return .null }
    let scalars: [PredicateKind]
    let result: PredicateKind
    switch target {
    case .string: (scalars, result) = ([.integer, .number, .string, .uuid, .url], .string)
    case .number: (scalars, result) = ([.integer, .number, .date, .string], .number)
    case .decimal: (scalars, result) = ([.integer, .number, .string], .number)
    case .date: (scalars, result) = ([.integer, .number, .date, .string], .date)
    case .data: (scalars, result) = ([.data, .string], .data)
    case .uuid: (scalars, result) = ([.uuid, .string], .uuid)
    case .url: (scalars, result) = ([.url, .string], .url)
    case .array, .set:
      if kind == .anything { return .collection(.anything, isOrdered: target == .array) }
      guard case .collection(let element, _) = kind else {
        throw mismatch("\(self.name(kind)) cannot be cast to \(name)", positions?[0])
      }
      return .collection(element, isOrdered: target == .array)
    case .dictionary: (scalars, result) = ([], .dictionary)
    }
    guard kind == .anything || scalars.contains(kind) else {
      throw mismatch("\(self.name(kind)) cannot be cast to \(name)", positions?[0])
    }
    if case .constant(.value(let value)) = operand {
      do { _ = try value.cast(to: target) } catch { throw mismatch(error.message, positions?[0]) }
    }
    return result
  }

  /// Checks a geographic location: a list of a latitude and a longitude, or an object with these properties.
  private mutating func checkPlace(
    _ expression: ManagedExpression, _ kind: PredicateKind, _ positions: PredicatePositions?
  ) throws(ManagedPredicateError) {
    switch (kind, expression) {
    case (.null, _), (.anything, _): return
    case (.object, _):
      for key in ["latitude", "longitude"] {
        let coordinate = try self.kind(ofKey: key, in: kind, positions)
        guard coordinate.isNumber else { throw mismatch("\(key) must be a number, not \(name(coordinate))", positions) }
      }
    case (.collection(let element, _), .aggregate(let elements)) where elements.count == 2 && element.isNumber: return
    case (.collection(let element, _), .constant(.array(let elements)))
    where elements.count == 2 && element.isNumber:
      return
    default: throw mismatch("distance needs locations with a latitude and a longitude, not \(name(kind))", positions)
    }
  }
}
