/// Integers as the text formats write them.
enum IntegerText {
  /// Apple's rule (`CFPropertyList.c`): white space, a sign, white space, then decimal digits, or `0x` and hexadecimal
  /// digits, up to the end.
  ///
  /// - Returns: nil for anything else, and for a value below `Int64.min` or above `UInt64.max`.
  static func parse(_ bytes: RawSpan) -> PropertyList.Integer? {
    var index = 0
    let end = bytes.byteCount
    skipSpace(bytes, &index)
    guard index < end else { return nil }
    var isNegative = false
    if bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
      isNegative = bytes[index] == UInt8(ascii: "-")
      index += 1
      skipSpace(bytes, &index)
    }
    var radix: UInt64 = 10
    if index + 2 < end, bytes[index] == UInt8(ascii: "0"), bytes[index + 1] | 0x20 == UInt8(ascii: "x") {
      radix = 16
      index += 2
    }
    guard index < end else { return nil }
    var magnitude: UInt64 = 0
    while index < end {
      guard let digit = digit(bytes[index]), digit < radix else { return nil }
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: radix)
      let (sum, carry) = product.addingReportingOverflow(digit)
      guard !overflow, !carry else { return nil }
      magnitude = sum
      index += 1
    }
    if !isNegative { return PropertyList.Integer(magnitude) }
    guard magnitude <= UInt64(Int64.max) + 1 else { return nil }
    return PropertyList.Integer(Int64(bitPattern: 0 &- magnitude))
  }

  @inline(__always)
  private static func digit(_ byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  private static func skipSpace(_ bytes: RawSpan, _ index: inout Int) {
    while index < bytes.byteCount, bytes[index].isWhiteSpace { index += 1 }
  }
}
