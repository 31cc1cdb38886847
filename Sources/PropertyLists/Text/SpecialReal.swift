/// Reals that are no numbers, as the coerced forms of JSON have them: `inf`, `-inf`, `nan`, and
/// `nan(0x7ff8000000000001)` with all bits of another not-a-number, 16 digits for an 8-byte real and 8 for a 4-byte
/// one.
enum SpecialReal {
  /// - Parameter value: not finite.
  static func text(of value: Double) -> String {
    if !value.isNaN { return value < 0 ? "-inf" : "inf" }
    return value.bitPattern == Double.nan.bitPattern ? "nan" : text(ofBits: value.bitPattern, digits: 16)
  }

  /// - Parameter value: not finite.
  static func text(of value: Float) -> String {
    if !value.isNaN { return value < 0 ? "-inf" : "inf" }
    return value.bitPattern == Float.nan.bitPattern ? "nan" : text(ofBits: UInt64(value.bitPattern), digits: 8)
  }

  private static func text(ofBits bits: UInt64, digits count: Int) -> String {
    let digits = String(bits, radix: 16)
    return "nan(0x\(String(repeating: "0", count: count - digits.utf8.count))\(digits))"
  }

  /// An 8-byte real; nil for any other text.
  static func parse(_ text: RawSpan) -> Double? {
    switch word(text) {
    case "nan": return .nan
    case "inf": return .infinity
    case "-inf": return -.infinity
    default: break
    }
    guard let bits = bits(text, digits: 16) else { return nil }
    let value = Double(bitPattern: bits)
    return value.isNaN ? value : nil
  }

  /// A 4-byte real; nil for any other text.
  static func parseFloat(_ text: RawSpan) -> Float? {
    switch word(text) {
    case "nan": return .nan
    case "inf": return .infinity
    case "-inf": return -.infinity
    default: break
    }
    guard let bits = bits(text, digits: 8) else { return nil }
    let value = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
    return value.isNaN ? value : nil
  }

  private static func word(_ text: RawSpan) -> String {
    text.byteCount <= 4 ? String(knownUTF8: text, isASCII: false) : ""
  }

  private static func bits(_ text: RawSpan, digits count: Int) -> UInt64? {
    guard text.byteCount == count + 7, text.starts(with: "nan(0x"), text.isASCII,
      text[count + 6] == UInt8(ascii: ")")
    else { return nil }
    let digits = text.extracting(6..<count + 6)
    guard digits[0] != UInt8(ascii: "+"), digits[0] != UInt8(ascii: "-") else { return nil }
    return UInt64(String(knownUTF8: digits, isASCII: true), radix: 16)
  }
}
