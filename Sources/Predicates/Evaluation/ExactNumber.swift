internal import FoundationEssentials

extension AttributeValue {
  /// True if the value can be used in arithmetic. Booleans are 1 and 0.
  @usableFromInline package var isNumber: Bool {
    switch self {
    case .boolean, .integer, .decimal, .double, .float: true
    case .null, .string, .date, .data, .uuid, .url, .composite: false
    }
  }

  /// The number in a form that is the same for all equal numbers, whatever their types: an integer if possible, else a
  /// double, else a decimal number. If this value is not a number, the value itself.
  @usableFromInline package var canonical: AttributeValue {
    switch self {
    case .boolean(let value): return .integer(value ? 1 : 0)
    case .float(let value): return AttributeValue.double(Double(value)).canonical
    case .double(let value): return Int64(exactly: value).map { .integer($0) } ?? self
    case .decimal(let value):
      guard let number = ExactNumber(value) else { return .double(.nan) }
      if let integer = number.integer { return .integer(integer) }
      if let double = Double(value.description), number.order(to: ExactNumber(double)) == .equal {
        return .double(double)
      }
      return self
    case .null, .integer, .string, .date, .data, .uuid, .url, .composite: return self
    }
  }
}

/// The exact value of a finite number: an integer times a power of 2 and a power of 10.
struct ExactNumber {
  let isNegative: Bool
  let magnitude: UInt128
  /// The exponent of 10.
  let decimalExponent: Int
  /// The exponent of 2.
  let binaryExponent: Int

  /// Creates the exact value of a decimal number. Returns nil for NaN.
  init?(_ value: Decimal) {
    guard !value.isNaN else { return nil }
    var digits = value.significand.description
    if digits.hasPrefix("-") { digits.removeFirst() }
    isNegative = value.sign == .minus
    magnitude = UInt128(digits) ?? 0
    decimalExponent = value.exponent
    binaryExponent = 0
  }

  /// Creates the exact value of a double.
  ///
  /// - Precondition: The value is finite.
  init(_ value: Double) {
    isNegative = value.sign == .minus
    decimalExponent = 0
    if value.isZero {
      magnitude = 0
      binaryExponent = 0
    } else {
      let isSubnormal = value.exponentBitPattern == 0
      magnitude = UInt128(value.significandBitPattern) | (isSubnormal ? 0 : 1 << 52)
      binaryExponent = Int(isSubnormal ? 1 : value.exponentBitPattern) - 1075
    }
  }

  init(_ value: Int64) {
    isNegative = value < 0
    magnitude = UInt128(value.magnitude)
    decimalExponent = 0
    binaryExponent = 0
  }

  /// The value of a decimal number as a 64-bit integer; nil if it is not a whole number of 64 bits. Ignores
  /// ``binaryExponent``, which is 0 for decimal numbers.
  var integer: Int64? {
    var magnitude = magnitude
    var exponent = decimalExponent
    if magnitude == 0 { return 0 }
    while exponent < 0 {
      let (quotient, rest) = magnitude.quotientAndRemainder(dividingBy: 10)
      if rest != 0 { return nil }
      magnitude = quotient
      exponent += 1
    }
    while exponent > 0 {
      guard magnitude <= UInt128(UInt64.max) else { return nil }
      magnitude *= 10
      exponent -= 1
    }
    guard magnitude <= UInt128(Int64.max) + 1 else { return nil }
    return Int64(exactly: isNegative ? -Int128(magnitude) : Int128(magnitude))
  }

  func order(to other: ExactNumber) -> PredicateOrder {
    if magnitude == 0 || other.magnitude == 0 {
      let signs = [self, other].map { $0.magnitude == 0 ? 0 : $0.isNegative ? -1 : 1 }
      return PredicateOrder(signs[0], signs[1])
    }
    if isNegative != other.isNegative { return isNegative ? .less : .greater }
    var (first, second) = (LongInteger(magnitude), LongInteger(other.magnitude))
    // Both sides are multiplied by the same powers, so that no exponent is negative.
    first.multiply(byPowerOf10: max(decimalExponent, 0) + max(-other.decimalExponent, 0))
    second.multiply(byPowerOf10: max(other.decimalExponent, 0) + max(-decimalExponent, 0))
    first.shiftLeft(max(binaryExponent, 0) + max(-other.binaryExponent, 0))
    second.shiftLeft(max(other.binaryExponent, 0) + max(-binaryExponent, 0))
    let order = first.order(to: second)
    return isNegative ? order.reversed : order
  }
}

/// A natural number of any size, for comparisons.
private struct LongInteger {
  /// The digits in base 2^32, least significant first.
  private var digits: [UInt32] = []

  init(_ value: UInt128) {
    var rest = value
    while rest != 0 {
      digits.append(UInt32(truncatingIfNeeded: rest))
      rest >>= 32
    }
  }

  mutating func multiply(byPowerOf10 exponent: Int) {
    var left = exponent
    while left > 0 {
      let step = min(left, 9)
      var factor: UInt64 = 1
      for _ in 0..<step { factor *= 10 }
      multiply(by: factor)
      left -= step
    }
  }

  mutating func shiftLeft(_ count: Int) {
    guard count > 0 else { return }
    multiply(by: 1 << UInt64(count % 32))
    digits.insert(contentsOf: Array(repeating: 0, count: count / 32), at: 0)
  }

  private mutating func multiply(by factor: UInt64) {
    var carry: UInt64 = 0
    for index in digits.indices {
      let product = UInt64(digits[index]) * factor + carry
      digits[index] = UInt32(truncatingIfNeeded: product)
      carry = product >> 32
    }
    if carry != 0 { digits.append(UInt32(truncatingIfNeeded: carry)) }
  }

  func order(to other: LongInteger) -> PredicateOrder {
    if digits.count != other.digits.count { return PredicateOrder(digits.count, other.digits.count) }
    for (first, second) in zip(digits.reversed(), other.digits.reversed()) where first != second {
      return PredicateOrder(first, second)
    }
    return .equal
  }
}
