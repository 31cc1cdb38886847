/// Reals in the form of C's `%f`, with six digits after the point, if no digits are lost.
enum FixedPoint {
  /// Returns text such as `1.500000`, `nan` or `inf`. Returns the shortest exact form instead if six digits would be
  /// read back as a different real, or if the number is 1e15 or more.
  static func text(_ value: Double) -> String {
    guard value.isFinite, value.magnitude < 1e15, let digits = millionths(value.magnitude) else {
      return value.description
    }
    let (whole, fraction) = digits.quotientAndRemainder(dividingBy: 1_000_000)
    let zeros = String(repeating: "0", count: 6 - String(fraction).utf8.count)
    let text = "\(value.sign == .minus ? "-" : "")\(whole).\(zeros)\(fraction)"
    return Double(text) == value ? text : value.description
  }

  /// Returns a value below 1e15 in millionths, rounded like C does: to nearest, ties to even. Returns nil for a
  /// subnormal number.
  private static func millionths(_ value: Double) -> UInt128? {
    guard value != 0 else { return 0 }
    // value = significand * 2^-shift. The 53 bits of the significand and the 20 bits of a million fit into 128 bits.
    let shift = 52 - Int(value.exponent)
    guard value.isNormal, shift >= 0 else { return nil }
    let product = UInt128(value.significandBitPattern | 1 << 52) * 1_000_000
    guard shift < 128 else { return 0 }
    var digits = product >> UInt128(shift)
    let rest = product - digits << UInt128(shift)
    let half: UInt128 = shift > 0 ? 1 << UInt128(shift - 1) : 1
    if rest > half || (rest == half && shift > 0 && digits & 1 == 1) { digits += 1 }
    return digits
  }
}
