/// Numbers.
extension JSONScanner {
  /// The number that begins with the next byte, a digit or a minus sign.
  ///
  /// Without fraction and exponent it is an integer; but `-0` is the real -0.0, which JavaScript's heirs write so, and
  /// of which an integer would lose the sign.
  @inline(__always)
  mutating func scanNumber(_ bytes: RawSpan) throws(PropertyListError) -> FlatNode {
    let start = index
    let isNegative = bytes[index] == UInt8(ascii: "-")
    if isNegative { index += 1 }
    let firstDigit = index
    var magnitude: UInt64 = 0
    var hasOverflow = false
    while let digit = digit(bytes) {
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
      if overflow || carry { hasOverflow = true }
      magnitude = sum
      index += 1
    }
    guard index > firstDigit else { throw missingDigit(bytes) }
    if bytes[firstDigit] == UInt8(ascii: "0"), index > firstDigit + 1 {
      try report(failure("a number with a zero before its other digits", at: start))
    }
    if index < end, bytes[index] == UInt8(ascii: ".") || bytes[index] | 0x20 == UInt8(ascii: "e") {
      return try scanReal(from: start, bytes)
    }
    if !isNegative, !hasOverflow { return .integer(magnitude) }
    if magnitude == 0, !hasOverflow { return .real(-0.0) }
    guard !hasOverflow, magnitude <= UInt64(Int64.max) + 1 else {
      try report(failure("an integer outside Int64 and UInt64", at: start))
      return .null
    }
    return .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
  }

  /// A number whose integer part has been read.
  private mutating func scanReal(from start: Int, _ bytes: RawSpan) throws(PropertyListError) -> FlatNode {
    if bytes[index] == UInt8(ascii: ".") {
      index += 1
      try scanDigits(bytes)
    }
    if index < end, bytes[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      if index < end, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") { index += 1 }
      try scanDigits(bytes)
    }
    guard let value = RealText.parse(bytes.extracting(start..<index)) else {
      try report(failure("a number too large for a double", at: start))
      return .null
    }
    return .real(value)
  }

  private mutating func scanDigits(_ bytes: RawSpan) throws(PropertyListError) {
    guard digit(bytes) != nil else { throw missingDigit(bytes) }
    while digit(bytes) != nil { index += 1 }
  }

  private mutating func missingDigit(_ bytes: RawSpan) -> PropertyListError {
    mending.due = .digit
    return unexpected(bytes, due: "a digit")
  }

  @inline(__always)
  private func digit(_ bytes: RawSpan) -> UInt8? {
    guard index < end else { return nil }
    let digit = bytes[index] &- UInt8(ascii: "0")
    return digit < 10 ? digit : nil
  }
}
