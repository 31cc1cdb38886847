/// Integers in the form of the text formats.
enum IntegerText {
  /// Parses by Apple's rule (`CFPropertyList.c`): white space, a sign, white space, then decimal digits, or `0x` and
  /// hexadecimal digits, up to the end. Returns nil for other text, and for values below `Int64.min` or above
  /// `UInt64.max`.
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
      guard let digit = bytes[index].hexadecimalValue, digit < radix else { return nil }
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: radix)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
      guard !overflow, !carry else { return nil }
      magnitude = sum
      index += 1
    }
    if !isNegative { return PropertyList.Integer(magnitude) }
    guard magnitude <= UInt64(Int64.max) + 1 else { return nil }
    return PropertyList.Integer(Int64(bitPattern: 0 &- magnitude))
  }

  private static func skipSpace(_ bytes: RawSpan, _ index: inout Int) {
    while index < bytes.byteCount, bytes[index].isWhiteSpace { index += 1 }
  }
}
