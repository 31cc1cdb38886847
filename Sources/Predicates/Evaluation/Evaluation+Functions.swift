public import FoundationEssentials
internal import SystemFiles

extension Evaluation {
  @inlinable package static func apply(_ function: PredicateFunction, _ arguments: [Value])
    throws(ManagedPredicateError) -> Value
  {
    switch function {
    case .sum: return try Aggregate.sum(collected(arguments))
    case .count:
      if arguments.count == 1, let elements = arguments[0].elements { return .value(.integer(Int64(elements.count))) }
      if arguments.count == 1, arguments[0].isNull { return .value(.integer(0)) }
      return .value(.integer(Int64(arguments.count)))
    case .minimum: return try Aggregate.extreme(collected(arguments), .less)
    case .maximum: return try Aggregate.extreme(collected(arguments), .greater)
    case .average: return try Aggregate.average(collected(arguments))
    case .median: return try Aggregate.median(collected(arguments))
    case .mode: return Aggregate.mode(collected(arguments))
    case .standardDeviation: return try Aggregate.standardDeviation(collected(arguments))
    case .add, .subtract, .multiply, .divide, .modulus, .power, .bitwiseAnd, .bitwiseOr, .bitwiseExclusiveOr,
      .leftShift, .rightShift:
      return .value(
        try PredicateArithmetic.apply(function, scalar(arguments[0], function), scalar(arguments[1], function)))
    case .negate, .absolute, .squareRoot, .logarithm, .naturalLogarithm, .exponential, .ceiling, .floor, .truncate,
      .onesComplement:
      return .value(try PredicateArithmetic.apply(function, scalar(arguments[0], function)))
    case .random: return .value(.double(.random(in: 0..<1)))
    case .randomBelow:
      guard case .integer(let limit) = try scalar(arguments[0], function), limit > 0 else {
        throw ManagedPredicateError(.typeMismatch, "random needs an integer greater than 0")
      }
      return .value(.integer(.random(in: 0..<limit)))
    case .now: return .value(.date(Date()))
    case .uppercase: return try text(arguments[0], function) { .string($0.uppercased()) }
    case .lowercase: return try text(arguments[0], function) { .string($0.lowercased()) }
    case .canonical: return try text(arguments[0], function) { .string(TextRules.canonical($0)) }
    case .length: return try text(arguments[0], function) { .integer(Int64($0.utf16.count)) }
    case .noIndex: return arguments[0]
    case .cast: return try PredicateCast.cast(arguments[0], to: arguments[1])
    case .distance: return try distance(arguments[0], arguments[1])
    }
  }

  /// Returns the elements of a collection if it is the only argument, otherwise the arguments. Null values are removed.
  @inlinable static func collected(_ arguments: [Value]) -> [Value] {
    let elements = arguments.count == 1 ? arguments[0].elements ?? arguments : arguments
    return elements.filter { !$0.isNull }
  }

  @inlinable static func scalar(_ value: Value, _ function: PredicateFunction) throws(ManagedPredicateError)
    -> AttributeValue
  {
    guard case .value(let scalar) = value else {
      throw ManagedPredicateError(.typeMismatch, "\(function.rawValue) cannot be applied to \(value.kindName)")
    }
    return scalar
  }

  @inlinable static func text(
    _ value: Value, _ function: PredicateFunction, _ change: (String) -> AttributeValue
  ) throws(ManagedPredicateError) -> Value {
    if value.isNull { return .null }
    guard case .value(.string(let text)) = value else {
      throw ManagedPredicateError(.typeMismatch, "\(function.rawValue) cannot be applied to \(value.kindName)")
    }
    return .value(change(text))
  }

  /// Returns the distance between two locations in meters, on a sphere with the mean radius of the Earth. Null if a
  /// location or one of its coordinates is null.
  ///
  /// A location is a collection of latitude and longitude, in degrees, or an object with the keys `latitude` and
  /// `longitude`.
  @usableFromInline static func distance(_ first: Value, _ second: Value) throws(ManagedPredicateError) -> Value {
    if first.isNull || second.isNull { return .null }
    guard let from = try place(first), let to = try place(second) else { return .null }
    let radians = Double.pi / 180
    let height = sin((to.latitude - from.latitude) * radians / 2)
    let width = sin((to.longitude - from.longitude) * radians / 2)
    let chord = height * height + cos(from.latitude * radians) * cos(to.latitude * radians) * width * width
    return .value(.double(2 * 6_371_008.8 * asin(min(1, chord.squareRoot()))))
  }

  /// Returns the coordinates of a location, in degrees. Nil if a coordinate is null.
  @usableFromInline static func place(_ value: Value) throws(ManagedPredicateError) -> (
    latitude: Double, longitude: Double
  )? {
    var coordinates = value.elements ?? []
    if case .object(let object) = value {
      for name in ["latitude", "longitude"] {
        coordinates.append(try object.predicateValue(forKey: PredicateKey(name: name, index: -1)))
      }
    }
    if coordinates.count == 2, coordinates.contains(where: \.isNull) { return nil }
    guard coordinates.count == 2, case .value(let first) = coordinates[0], case .value(let second) = coordinates[1],
      let latitude = PredicateArithmetic.double(first), let longitude = PredicateArithmetic.double(second)
    else { throw ManagedPredicateError(.typeMismatch, "distance needs locations with a latitude and a longitude") }
    return (latitude, longitude)
  }
}
