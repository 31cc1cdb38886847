/// Dates with as many digits of the second as it takes to read back the same bits: `2001-01-01T00:00:00.5Z`.
extension DateText {
  /// 0001-01-01T00:00:00Z and 10000-01-01T00:00:00Z: the years that every reader of ISO 8601 knows.
  private static let commonYears = -63_113_904_000.0..<252_423_993_600.0

  /// More digits than this have only moments so near to 2001 that nobody reads them as dates.
  private static let mostDigits = 18

  /// Appends a date. Returns false for one that has no such form: outside the years 1 to 9999, with more than 18 digits
  /// after the point, or -0.0, which reads back as 0.
  static func appendExact(_ seconds: Double, to buffer: inout ByteBuffer) -> Bool {
    guard commonYears.contains(seconds), seconds != 0 || seconds.sign == .plus else { return false }
    let whole = seconds.rounded(.down)
    var (fraction, width) = (UInt64(0), 0)
    if whole != seconds {
      // The digits that tell the number from all others; a date before 2001 counts them up from the second below.
      guard let (digits, count) = fractionDigits(seconds.magnitude), count <= mostDigits else { return false }
      var unit: UInt64 = 1
      for _ in 0..<count { unit *= 10 }
      (fraction, width) = (seconds < 0 ? unit - digits : digits, count)
    }
    guard append(whole, to: &buffer) else { return false }
    if width > 0 {
      buffer.truncate(to: buffer.count - 1)
      buffer.append(".")
      buffer.append(decimal: fraction, width: width)
      buffer.append("Z")
    }
    return true
  }

  /// The fewest digits after the point of a positive number that tell it from all others; nil if they are too many.
  private static func fractionDigits(_ value: Double) -> (digits: UInt64, count: Int)? {
    var digits: UInt64 = 0
    var count = 0
    var isFraction = false
    var text = value.description.utf8[...]
    var exponent = 0
    if let mark = text.firstIndex(of: UInt8(ascii: "e")) {
      guard let number = Int(Substring(text[text.index(after: mark)...])) else { return nil }
      exponent = number
      text = text[..<mark]
    }
    // With an exponent, every digit of a number below 1 stands behind the point; larger ones have none there.
    for byte in text {
      if byte == UInt8(ascii: ".") {
        isFraction = true
        continue
      }
      if isFraction || exponent < 0 {
        guard count < 19 else { return nil }
        digits = digits * 10 + UInt64(byte - UInt8(ascii: "0"))
        if isFraction { count += 1 }
      }
    }
    return (digits, count - exponent)
  }

  /// `YYYY-MM-DDThh:mm:ss.f…Z` with any number of digits behind the point, or without it, rounded once.
  static func parseExact(_ bytes: RawSpan) -> Double? {
    let point = 19
    let end = bytes.byteCount - 1
    guard end >= point, bytes[0] != UInt8(ascii: "-"), bytes[end] == UInt8(ascii: "Z") else { return nil }
    var text: [UInt8] = []
    text.append(bytes: bytes.extracting(0..<point))
    text.append(UInt8(ascii: "Z"))
    guard let whole = parse(text.rawBytes) else { return nil }
    if end == point { return whole }
    guard bytes[point] == UInt8(ascii: "."), end > point + 1 else { return nil }
    var last = end - 1
    for index in point + 1...last where bytes[index] &- UInt8(ascii: "0") > 9 { return nil }
    while last > point, bytes[last] == UInt8(ascii: "0") { last -= 1 }
    if last == point { return whole }
    // Of a date before 2001, what the fraction lacks to the next second; nines and at last a ten.
    var digits = Array((whole < 0 ? "-\(Int(-whole) - 1)." : "\(Int(whole)).").utf8)
    for index in point + 1...last {
      let digit = bytes[index] - UInt8(ascii: "0")
      digits.append(UInt8(ascii: "0") + (whole < 0 ? (index == last ? 10 : 9) - digit : digit))
    }
    return RealText.parse(digits.rawBytes)
  }
}
