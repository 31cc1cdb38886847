extension DateText {
  /// The form of descriptions, which GNUstep's property lists use: `[-]Y…-MM-DD hh:mm:ss ±hhmm` and nothing else. The
  /// last part says how far local time, in which the date is given, is ahead of UTC.
  static func parseWithZone(_ bytes: RawSpan) -> Double? {
    // From the end, because only the year can have any number of digits.
    let zone = bytes.byteCount - 5
    let time = zone - 9
    guard time > 0, bytes[time - 1] == UInt8(ascii: " "), bytes[zone - 1] == UInt8(ascii: " "),
      let offset = secondsAhead(bytes.extracting(zone...))
    else { return nil }
    var text: [UInt8] = []
    text.append(bytes: bytes.extracting(0..<zone))
    text[time - 1] = UInt8(ascii: "T")
    text[zone - 1] = UInt8(ascii: "Z")
    return parse(text.rawBytes).map { $0 - Double(offset) }
  }

  /// `±hhmm`, in seconds.
  static func secondsAhead(_ zone: RawSpan) -> Int? {
    guard zone[0] == UInt8(ascii: "+") || zone[0] == UInt8(ascii: "-") else { return nil }
    var digits = 0
    for index in 1..<5 {
      let digit = zone[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      digits = digits * 10 + Int(digit)
    }
    guard digits < 2400, digits % 100 < 60 else { return nil }
    let seconds = (digits / 100 * 60 + digits % 100) * 60
    return zone[0] == UInt8(ascii: "-") ? -seconds : seconds
  }
}
