/// Reals in the form of the text formats.
package enum RealText {
  /// Parses by Apple's rule (`CFPropertyList.c`): `nan`, `inf` and `infinity` in any case with an optional sign, or a
  /// decimal number that is the whole text. Returns nil for other text, and for a number too large for a double.
  package static func parse(_ bytes: RawSpan) -> Double? {
    if let value = parseExact(bytes) { return value }
    return parseGeneral(bytes)
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]

  /// Parses a decimal number with at most 19 digits after leading zeros, and at most 27 digits after the point. It is
  /// the quotient of two integers of 64 bits and a power of two. Returns nil for other text.
  @inline(__always)
  private static func parseExact(_ bytes: RawSpan) -> Double? {
    var index = 0
    let end = bytes.byteCount
    guard end > 0, end <= 30 else { return nil }
    let isNegative = bytes[0] == UInt8(ascii: "-")
    if isNegative { index = 1 }
    var digits: UInt64 = 0
    var hasDigit = false
    // The number of digits without leading zeros.
    var digitCount = 0
    var scale = 0
    var seenPoint = false
    while index < end {
      let byte = bytes[index]
      if byte &- UInt8(ascii: "0") < 10 {
        digits = digits &* 10 &+ UInt64(byte &- UInt8(ascii: "0"))
        hasDigit = true
        // The product of too many digits can be 0 again.
        if digits > 0 || digitCount > 0 { digitCount += 1 }
        if seenPoint { scale += 1 }
      } else if byte == UInt8(ascii: "."), !seenPoint {
        seenPoint = true
      } else {
        return nil
      }
      index += 1
    }
    guard hasDigit, digitCount <= 19, scale <= 27 else { return nil }
    // A quotient of exact doubles is rounded correctly (Clinger 1990).
    let isExact = digits <= 1 << 53 && scale <= 22
    let value = isExact ? Double(digits) / powersOfTen[scale] : quotient(digits, scale)
    return isNegative ? -value : value
  }

  private static let powersOfFive: [UInt64] = {
    var powers: [UInt64] = [1]
    for _ in 0..<27 { powers.append(powers[powers.count - 1] * 5) }
    return powers
  }()

  /// Returns a nonzero integer divided by a power of ten up to 10^27, correctly rounded.
  private static func quotient(_ digits: UInt64, _ scale: Int) -> Double {
    let power = powersOfFive[scale]
    let (shift, powerShift) = (digits.leadingZeroBitCount, power.leadingZeroBitCount)
    let (dividend, divisor) = (digits << UInt64(shift), power << UInt64(powerShift))
    let (quotient, rest) = divisor.dividingFullWidth((dividend >> 1, dividend << 63))
    // The quotient has at least 63 bits, and a double 53. So the last bit matters only for rounding, where it says that
    // the quotient is not exact. The power of two does not round the result again.
    let rounded = Double(rest == 0 ? quotient : quotient | 1)
    return rounded * Double(sign: .plus, exponent: powerShift - shift - scale - 63, significand: 1)
  }

  private static func parseGeneral(_ bytes: RawSpan) -> Double? {
    guard bytes.byteCount > 0, bytes.isASCII else { return nil }
    var hasDigit = false
    for index in 0..<bytes.byteCount {
      switch bytes[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): hasDigit = true
      case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): break
      default: return parseWord(String(knownUTF8: bytes, isASCII: true))
      }
    }
    let text = String(knownUTF8: bytes, isASCII: true)
    guard hasDigit, let value = Double(text), value.isFinite else { return nil }
    return value
  }

  /// Parses a 4-byte real by the rule of ``parse(_:)``. The number is not rounded to a double first, because rounding
  /// twice could be wrong.
  package static func parseFloat(_ bytes: RawSpan) -> Float? {
    guard let value = parse(bytes) else { return nil }
    guard value.isFinite else { return Float(value) }
    return Float(String(knownUTF8: bytes, isASCII: true)).flatMap { $0.isFinite ? $0 : nil }
  }

  private static func parseWord(_ text: String) -> Double? {
    switch text.lowercased() {
    case "nan", "+nan", "-nan": .nan
    case "inf", "+inf", "infinity", "+infinity": .infinity
    case "-inf", "-infinity": -.infinity
    default: nil
    }
  }

  /// Appends a real as Apple's XML writer prints it (`CFPropertyList.c`): `%.17g`; `nan`, `+infinity`, `-infinity`.
  static func append(_ value: Double, to buffer: inout ByteBuffer) {
    if value == 0 {
      // The sign of zero is kept, although Apple's writer drops it, so that the value is read back unchanged.
      buffer.append(value.sign == .minus ? "-0.0" : "0.0")
      return
    }
    guard value.isFinite else {
      buffer.append(value.isNaN ? "nan" : value < 0 ? "-infinity" : "+infinity")
      return
    }
    if value.sign == .minus { buffer.append(byte: UInt8(ascii: "-")) }
    var (digits, exponent) = exactDigits(value.magnitude) ?? printedDigits(value.magnitude)
    var digitCount = 17
    while digits % 10 == 0 {
      digits /= 10
      digitCount -= 1
    }
    // `%g` uses positional notation for exponents from -4 up to the precision minus one.
    if exponent >= -4, exponent < 17 {
      if exponent < 0 {
        buffer.append("0.")
        buffer.append(repeating: UInt8(ascii: "0"), count: -exponent - 1)
        buffer.append(decimal: digits)
      } else if digitCount <= exponent + 1 {
        buffer.append(decimal: digits)
        buffer.append(repeating: UInt8(ascii: "0"), count: exponent + 1 - digitCount)
      } else {
        append(digits, decimals: digitCount - exponent - 1, to: &buffer)
      }
      return
    }
    append(digits, decimals: digitCount - 1, to: &buffer)
    buffer.append(exponent < 0 ? "e-" : "e+")
    buffer.append(decimal: exponent.magnitude, width: 2)
  }

  /// Appends digits as a decimal number. The last `decimals` digits are after the point.
  private static func append(_ digits: UInt64, decimals: Int, to buffer: inout ByteBuffer) {
    let divisor = UInt64(powersOfTen[decimals])
    buffer.append(decimal: digits / divisor)
    guard decimals > 0 else { return }
    buffer.append(byte: UInt8(ascii: "."))
    buffer.append(decimal: digits % divisor, width: decimals)
  }

  /// Returns the first 17 significant digits, correctly rounded, and the exponent of the first, for values from 1e-5 to
  /// 1e17. Returns nil for other values. The product of such a value and a power of ten up to 10^22 is exact in 128
  /// bits: the value has 53 bits, and the power at most 74.
  private static func exactDigits(_ value: Double) -> (digits: UInt64, exponent: Int)? {
    guard value >= 1e-5, value < 1e17 else { return nil }
    // value = significand * 2^shift
    let significand = UInt128(value.significandBitPattern | 1 << 52)
    let shift = Int(value.exponent) - 52
    // An estimate of the exponent, corrected below: 10^exponent <= value.
    var exponent = Int((Double(value.exponent) * 0.301_029_995_663_981_2).rounded(.down))
    while true {
      let scale = 16 - exponent
      guard scale >= 0, scale <= 22 else { return nil }
      let product = significand * UInt128(powersOfTenInteger[scale])
      var digits: UInt128
      if shift >= 0 {
        digits = product << UInt128(shift)
      } else if -shift >= 128 {
        return nil
      } else {
        digits = product >> UInt128(-shift)
        let rest = product & ((1 << UInt128(-shift)) - 1)
        let half: UInt128 = 1 << UInt128(-shift - 1)
        if rest > half || (rest == half && digits & 1 == 1) { digits += 1 }
      }
      if digits >= 100_000_000_000_000_000 {
        // The estimate was one too low, or rounding reached the next power of ten, which prints the same.
        exponent += 1
        continue
      }
      return digits < 10_000_000_000_000_000 ? nil : (UInt64(digits), exponent)
    }
  }

  private static let powersOfTenInteger: [UInt128] = {
    var powers: [UInt128] = [1]
    for _ in 0..<22 { powers.append(powers[powers.count - 1] * 10) }
    return powers
  }()

  /// Returns the first 17 significant digits of any finite value, and the exponent of the first. The C library prints
  /// these digits. The character that it prints as the decimal point depends on the locale, and is ignored.
  private static func printedDigits(_ value: Double) -> (digits: UInt64, exponent: Int) {
    var digits: UInt64 = 0
    var exponent = 0
    var isInExponent = false
    var isNegative = false
    for byte in CLibrary.printed(value) {
      if byte | 0x20 == UInt8(ascii: "e") {
        isInExponent = true
      } else if byte == UInt8(ascii: "-") {
        isNegative = true
      } else if byte &- UInt8(ascii: "0") < 10 {
        let digit = byte &- UInt8(ascii: "0")
        if isInExponent { exponent = exponent * 10 + Int(digit) } else { digits = digits * 10 + UInt64(digit) }
      }
    }
    return (digits, isNegative ? -exponent : exponent)
  }
}

/// The text that the JSON forms of ``CoercedForm`` have for reals that are not finite: `inf`, `-inf`, `nan`, and for
/// another NaN all its bits: `nan(0x7ff8000000000001)`, with 16 digits for an 8-byte real and 8 for a 4-byte one.
package enum SpecialReal {
  /// Returns the text of a value.
  ///
  /// - Parameter value: A value that is not finite.
  package static func text(of value: Double) -> String {
    value.bitPattern == Double.nan.bitPattern ? "nan" : text(of: value, bits: value.bitPattern, digits: 16)
  }

  /// Returns the text of a value.
  ///
  /// - Parameter value: A value that is not finite.
  package static func text(of value: Float) -> String {
    value.bitPattern == Float.nan.bitPattern ? "nan" : text(of: value, bits: UInt64(value.bitPattern), digits: 8)
  }

  private static func text(of value: some BinaryFloatingPoint, bits: UInt64, digits count: Int) -> String {
    guard value.isNaN else { return value < 0 ? "-inf" : "inf" }
    let digits = String(bits, radix: 16)
    return "nan(0x\(String(repeating: "0", count: count - digits.utf8.count))\(digits))"
  }

  /// Parses the text of an 8-byte real that is not finite, or returns nil for other text.
  package static func parse(_ text: RawSpan) -> Double? { parse(text, digits: 16) { Double(bitPattern: $0) } }

  /// Parses the text of a 4-byte real that is not finite, or returns nil for other text.
  package static func parseFloat(_ text: RawSpan) -> Float? {
    parse(text, digits: 8) { Float(bitPattern: UInt32(truncatingIfNeeded: $0)) }
  }

  private static func parse<Real: BinaryFloatingPoint>(
    _ text: RawSpan, digits count: Int, _ real: (UInt64) -> Real
  ) -> Real? {
    switch text.byteCount <= 4 ? String(knownUTF8: text, isASCII: false) : "" {
    case "nan": return .nan
    case "inf": return .infinity
    case "-inf": return -.infinity
    default: break
    }
    guard text.byteCount == count + 7, text.starts(with: "nan(0x"), text[count + 6] == UInt8(ascii: ")"),
      let bits = text.extracting(6..<count + 6).hexadecimalNumber
    else { return nil }
    return real(bits).isNaN ? real(bits) : nil
  }
}
