/// Reals that are no numbers, as the coerced forms of JSON have them: `inf`, `-inf`, `nan`, and with all bits of
/// another not-a-number `nan(0x7ff8000000000001)`, 16 digits for an 8-byte real and 8 for a 4-byte one.
package enum SpecialReal {
  /// - Parameter value: not finite.
  package static func text(of value: Double) -> String {
    value.bitPattern == Double.nan.bitPattern ? "nan" : text(of: value, bits: value.bitPattern, digits: 16)
  }

  /// - Parameter value: not finite.
  package static func text(of value: Float) -> String {
    value.bitPattern == Float.nan.bitPattern ? "nan" : text(of: value, bits: UInt64(value.bitPattern), digits: 8)
  }

  private static func text(of value: some BinaryFloatingPoint, bits: UInt64, digits count: Int) -> String {
    guard value.isNaN else { return value < 0 ? "-inf" : "inf" }
    let digits = String(bits, radix: 16)
    return "nan(0x\(String(repeating: "0", count: count - digits.utf8.count))\(digits))"
  }

  /// An 8-byte real; nil for any other text.
  package static func parse(_ text: RawSpan) -> Double? {
    parse(text, digits: 16) { Double(bitPattern: $0) }
  }

  /// A 4-byte real; nil for any other text.
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
