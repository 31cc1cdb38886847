/// Reals as C prints them with `%f`, with six digits after the point, as long as that is all of the real.
enum FixedPoint {
  /// - Returns: `1.500000`, `nan`, `inf`; with other digits where these would be read back as another real, or be more
  ///   than people look at.
  static func text(_ value: Double) -> String {
    guard value.isFinite, value.magnitude < 1e15, let digits = millionths(value.magnitude) else {
      return value.description
    }
    let (whole, fraction) = digits.quotientAndRemainder(dividingBy: 1_000_000)
    let zeros = String(repeating: "0", count: 6 - String(fraction).utf8.count)
    let text = "\(value.sign == .minus ? "-" : "")\(whole).\(zeros)\(fraction)"
    return Double(text) == value ? text : value.description
  }

  /// A value below 1e15 in millionths, rounded as C rounds it: the nearest, of two the even one.
  private static func millionths(_ value: Double) -> UInt128? {
    guard value != 0 else { return 0 }
    // value = significand * 2^-shift, and 53 bits of it and 20 of a million are exact in 128.
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
