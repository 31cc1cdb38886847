internal import FoundationEssentials
internal import SystemFiles

/// Arithmetic on attribute values.
///
/// Integers stay integers. Division of integers drops the fraction, as in Core Data. An integer result that does not
/// fit in 64 bits becomes a decimal number; a power that does not fit in 128 bits becomes a double. If one operand is a
/// double or a float, the result is a double. Otherwise, if one is a decimal number, the result is a decimal number of
/// up to 38 digits. If one is null, the result is null.
@usableFromInline
package enum PredicateArithmetic {
  static func failure(_ message: String) -> ManagedPredicateError { ManagedPredicateError(.arithmetic, message) }

  /// Two numbers, converted to the same type.
  private enum Pair {
    case integers(Int64, Int64)
    case decimals(Decimal, Decimal)
    case doubles(Double, Double)
  }

  private static func pair(_ first: AttributeValue, _ second: AttributeValue) -> Pair? {
    if let first = integer(first), let second = integer(second) { return .integers(first, second) }
    if let first = decimal(first), let second = decimal(second) { return .decimals(first, second) }
    if let first = double(first), let second = double(second) { return .doubles(first, second) }
    return nil
  }

  /// Returns the value of an integer or a Boolean. Nil for other values.
  @usableFromInline package static func integer(_ value: AttributeValue) -> Int64? {
    switch value {
    case .integer(let value): value
    case .boolean(let value): value ? 1 : 0
    default: nil
    }
  }

  private static func decimal(_ value: AttributeValue) -> Decimal? {
    if case .decimal(let value) = value { return value }
    return integer(value).map { decimal(Int128($0)) }
  }

  static func decimal(_ value: Int128) -> Decimal { Decimal(string: value.description) ?? .nan }

  @usableFromInline package static func double(_ value: AttributeValue) -> Double? {
    switch value {
    case .double(let value): value
    case .float(let value): Double(value)
    case .decimal(let value): Double(value.description) ?? .nan
    default: integer(value).map { Double($0) }
    }
  }

  @usableFromInline static func apply(
    _ function: PredicateFunction, _ first: AttributeValue, _ second: AttributeValue
  ) throws(ManagedPredicateError) -> AttributeValue {
    if case .null = first { return .null }
    if case .null = second { return .null }
    guard let pair = pair(first, second) else {
      let kinds = [first, second].map { PredicateValue<AttributeValue>.value($0).kindName }
      throw ManagedPredicateError(
        .typeMismatch, "\(function.rawValue) cannot be applied to \(kinds[0]) and \(kinds[1])")
    }
    switch pair {
    case .integers(let first, let second): return try apply(function, first, second)
    case .decimals(let first, let second): return try apply(function, first, second)
    case .doubles(let first, let second): return try apply(function, first, second)
    }
  }

  private static func apply(
    _ function: PredicateFunction, _ first: Int64, _ second: Int64
  ) throws(ManagedPredicateError) -> AttributeValue {
    switch function {
    case .add: return integer(Int128(first) + Int128(second))
    case .subtract: return integer(Int128(first) - Int128(second))
    case .multiply: return integer(Int128(first) * Int128(second))
    case .divide:
      guard second != 0 else { throw failure("\(first) is divided by zero") }
      return integer(Int128(first) / Int128(second))
    case .modulus:
      guard second != 0 else { throw failure("\(first) is divided by zero") }
      return integer(Int128(first) % Int128(second))
    case .power where second >= 0:
      if let value = try power(first, second) { return value }
      return try apply(function, Double(first), Double(second))
    case .bitwiseAnd: return .integer(first & second)
    case .bitwiseOr: return .integer(first | second)
    case .bitwiseExclusiveOr: return .integer(first ^ second)
    case .leftShift: return .integer(first << second)
    case .rightShift: return .integer(first >> second)
    default: return try apply(function, Double(first), Double(second))
    }
  }

  /// Returns a power of an integer. Returns nil if an intermediate result does not fit in 128 bits.
  private static func power(_ base: Int64, _ exponent: Int64) throws(ManagedPredicateError) -> AttributeValue? {
    if base == 0 || base == 1 || exponent == 0 { return .integer(exponent == 0 ? 1 : base) }
    if base == -1 { return .integer(exponent % 2 == 0 ? 1 : -1) }
    var result: Int128 = 1
    for _ in 0..<min(exponent, 128) {
      let (product, overflow) = result.multipliedReportingOverflow(by: Int128(base))
      if overflow { return nil }
      result = product
    }
    return exponent > 128 ? nil : integer(result)
  }

  /// Returns an integer, or a decimal number if the value does not fit in 64 bits.
  static func integer(_ value: Int128) -> AttributeValue {
    Int64(exactly: value).map { .integer($0) } ?? .decimal(decimal(value))
  }

  private static func apply(
    _ function: PredicateFunction, _ first: Decimal, _ second: Decimal
  ) throws(ManagedPredicateError) -> AttributeValue {
    let result: Decimal
    switch function {
    case .add: result = first + second
    case .subtract: result = first - second
    case .multiply: result = first * second
    case .divide:
      guard second != 0 else { throw failure("\(first) is divided by zero") }
      result = first / second
    default: return try apply(function, Double(first.description) ?? .nan, Double(second.description) ?? .nan)
    }
    if result.isNaN, !first.isNaN, !second.isNaN { throw failure("the result does not fit in a decimal number") }
    return .decimal(result)
  }

  private static func apply(
    _ function: PredicateFunction, _ first: Double, _ second: Double
  ) throws(ManagedPredicateError) -> AttributeValue {
    let result: Double
    switch function {
    case .add: result = first + second
    case .subtract: result = first - second
    case .multiply: result = first * second
    case .divide, .modulus:
      guard second != 0 else { throw failure("\(first) is divided by zero") }
      result = function == .divide ? first / second : first.truncatingRemainder(dividingBy: second)
    case .power: result = pow(first, second)
    default: throw ManagedPredicateError(.typeMismatch, "\(function.rawValue) needs integers")
    }
    return try .double(checked(result, first, second))
  }

  /// Returns the result of an operation. Throws if the result is not finite although all operands are.
  private static func checked(_ result: Double, _ operands: Double...) throws(ManagedPredicateError) -> Double {
    guard result.isFinite || operands.contains(where: { !$0.isFinite }) else {
      throw failure("the result is not a finite number")
    }
    return result
  }

  /// Returns the result of a function that has one argument.
  @usableFromInline static func apply(
    _ function: PredicateFunction, _ argument: AttributeValue
  ) throws(ManagedPredicateError) -> AttributeValue {
    if case .null = argument { return .null }
    guard argument.isNumber, let double = double(argument) else {
      throw ManagedPredicateError(
        .typeMismatch,
        "\(function.rawValue) cannot be applied to \(PredicateValue<AttributeValue>.value(argument).kindName)")
    }
    switch function {
    case .negate: return try apply(.subtract, .integer(0), argument)
    case .absolute:
      if argument.order(to: .integer(0)) == .less { return try apply(.subtract, .integer(0), argument) }
      return argument
    case .squareRoot: return try .double(checked(double.squareRoot(), double))
    case .logarithm: return try .double(checked(log10(double), double))
    case .naturalLogarithm: return try .double(checked(log(double), double))
    case .exponential: return try .double(checked(exp(double), double))
    case .ceiling: return rounded(argument, .up)
    case .floor: return rounded(argument, .down)
    case .truncate: return rounded(argument, .towardZero)
    case .onesComplement:
      guard let value = integer(argument) else {
        throw ManagedPredicateError(.typeMismatch, "\(function.rawValue) needs integers")
      }
      return .integer(~value)
    default: throw ManagedPredicateError(.unsupported, "\(function.rawValue) is not a function of a number")
    }
  }

  /// Rounds a number. Decimal numbers are rounded exactly, integers are returned unchanged.
  private static func rounded(_ value: AttributeValue, _ rule: FloatingPointRoundingRule) -> AttributeValue {
    switch value {
    case .double(let value): return .double(value.rounded(rule))
    case .float(let value): return .double(Double(value).rounded(rule))
    case .decimal(let value):
      guard let number = ExactNumber(value), number.decimalExponent < 0 else { return .decimal(value) }
      var divisor: UInt128 = 1
      for _ in 0..<min(-number.decimalExponent, 38) { divisor *= 10 }
      var (whole, rest) = number.magnitude.quotientAndRemainder(dividingBy: divisor)
      if number.decimalExponent < -38 { (whole, rest) = (0, number.magnitude) }
      let goesOutward = rest != 0 && (rule == .up && !number.isNegative || rule == .down && number.isNegative)
      if goesOutward { whole += 1 }
      return .decimal(Decimal(string: (number.isNegative ? "-" : "") + whole.description) ?? value)
    default: return value
    }
  }
}
