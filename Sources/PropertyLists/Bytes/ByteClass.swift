/// Functions that find the bytes of one kind among eight bytes of text.
///
/// In the result, the highest bit of each byte of that kind is set. Above the first such byte, other bits may also be
/// set, so only the lowest set bit is valid (Mycroft's zero byte test).
enum ByteClass {
  @inline(__always)
  private static func splat(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

  private static let high: UInt64 = 0x8080_8080_8080_8080

  @inline(__always)
  static func equal(_ word: UInt64, _ byte: UInt8) -> UInt64 {
    let difference = word ^ splat(byte)
    return (difference &- splat(1)) & ~difference & high
  }

  @inline(__always)
  static func below(_ word: UInt64, _ bound: UInt8) -> UInt64 { (word &- splat(bound)) & ~word & high }

  @inline(__always)
  static func beyondASCII(_ word: UInt64) -> UInt64 { word & high }

  /// Finds bytes that the XML writer cannot simply copy: `&`, `<`, `>`, control characters, and 0xEF, which begins
  /// U+FFFE.
  @inline(__always)
  static func needsLook(_ word: UInt64) -> UInt64 {
    equal(word, UInt8(ascii: "&")) | equal(word | splat(2), UInt8(ascii: ">")) | below(word, 0x20) | equal(word, 0xEF)
  }

  /// Finds bytes that the XML lexer must examine in text: `<`, `>`, `&`, control characters, and optionally all bytes
  /// from 0x80.
  @inline(__always)
  static func stopsText(_ word: UInt64, stopsAtHigh: Bool) -> UInt64 {
    let mark = equal(word, UInt8(ascii: "&")) | equal(word | splat(2), UInt8(ascii: ">")) | below(word, 0x20)
    return stopsAtHigh ? mark | beyondASCII(word) : mark
  }
}

extension UInt8 {
  /// True for a space, a tab, CR or LF: the white space of XML and JSON.
  @inlinable @inline(__always)
  package var isWhiteSpace: Bool { self == 0x20 || self == 0x0A || self == 0x09 || self == 0x0D }

  /// The value of a hexadecimal digit in either case, or nil for any other character.
  @inline(__always)
  var hexadecimalValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension RawSpan {
  /// The number written in hexadecimal digits, modulo 2^64, or nil if a byte is not a digit.
  @inline(__always)
  var hexadecimalNumber: UInt64? {
    var number: UInt64 = 0
    for index in 0..<byteCount {
      guard let digit = self[index].hexadecimalValue else { return nil }
      number = number << 4 | UInt64(digit)
    }
    return number
  }
}
