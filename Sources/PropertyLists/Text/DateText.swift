/// Dates in the form of the text formats: `2001-01-01T00:00:00Z`, in UTC and whole seconds, in the Gregorian calendar
/// extended to all years. Seconds are relative to 2001-01-01T00:00:00Z, as in the binary format.
package enum DateText {
  /// The number of days from the first day of the year 0 to 2001-01-01.
  private static let daysToReferenceDate = 730_851

  /// The last supported year; the first one is −99 999 999. For all dates in these years, a double is exact to the
  /// second.
  static let greatestYear = 99_999_999

  /// Parses Apple's form, exactly `[-]Y…-MM-DDThh:mm:ssZ`. Returns nil for other text, and for days and hours that do
  /// not exist. `24:00:00` and the leap second `23:59:60` are the first second of the next day.
  static func parse(_ bytes: RawSpan) -> Double? {
    var index = 0
    let end = bytes.byteCount
    let isNegative = end > 0 && bytes[0] == UInt8(ascii: "-")
    if isNegative { index = 1 }
    var year = 0
    let yearStart = index
    while index < end, bytes[index] &- UInt8(ascii: "0") < 10 {
      year = year * 10 + Int(bytes[index] &- UInt8(ascii: "0"))
      index += 1
      guard year <= greatestYear else { return nil }
    }
    guard index > yearStart, end - index == 16 else { return nil }
    if isNegative { year = -year }
    guard
      let month = twoDigits(bytes, index + 1, after: "-"), let day = twoDigits(bytes, index + 4, after: "-"),
      let hour = twoDigits(bytes, index + 7, after: "T"), let minute = twoDigits(bytes, index + 10, after: ":"),
      let second = twoDigits(bytes, index + 13, after: ":"), bytes[index + 15] == UInt8(ascii: "Z"),
      (1...12).contains(month), day >= 1, day <= days(in: month, of: year),
      hour < 24 && minute < 60 && second < 60 || endsDay(hour, minute, second) && year < greatestYear
    else { return nil }
    let days = days(before: year) + daysBeforeMonth[month - 1] + (month > 2 && isLeap(year) ? 1 : 0) + day - 1
    return Double(((days - daysToReferenceDate) * 24 + hour) * 3600 + minute * 60 + second)
  }

  private static func endsDay(_ hour: Int, _ minute: Int, _ second: Int) -> Bool {
    hour == 24 && minute == 0 && second == 0 || hour == 23 && minute == 59 && second == 60
  }

  private static func twoDigits(_ bytes: RawSpan, _ index: Int, after separator: Unicode.Scalar) -> Int? {
    let tens = bytes[index] &- UInt8(ascii: "0")
    let ones = bytes[index + 1] &- UInt8(ascii: "0")
    guard bytes[index - 1] == UInt8(ascii: separator), tens < 10, ones < 10 else { return nil }
    return Int(tens) * 10 + Int(ones)
  }

  /// Appends a date without the fraction of its second, as Apple's writer does. Returns false if the date is not
  /// finite, or if ``parse(_:)`` does not accept its year.
  static func append(_ seconds: Double, to buffer: inout ByteBuffer) -> Bool {
    let whole = seconds.rounded(.down)
    guard whole.magnitude < 3.2e15 else { return false }
    let total = Int(whole)
    let (dayCount, secondOfDay) = floorDivision(total, 86400)
    let (year, month, day) = civil(daysSinceYearZero: dayCount + daysToReferenceDate)
    guard year.magnitude <= UInt(greatestYear) else { return false }
    if year < 0 { buffer.append(byte: UInt8(ascii: "-")) }
    buffer.append(decimal: year.magnitude, width: 4)
    buffer.append(byte: UInt8(ascii: "-"))
    buffer.append(twoDigits: month)
    buffer.append(byte: UInt8(ascii: "-"))
    buffer.append(twoDigits: day)
    buffer.append(byte: UInt8(ascii: "T"))
    buffer.append(twoDigits: secondOfDay / 3600)
    buffer.append(byte: UInt8(ascii: ":"))
    buffer.append(twoDigits: secondOfDay / 60 % 60)
    buffer.append(byte: UInt8(ascii: ":"))
    buffer.append(twoDigits: secondOfDay % 60)
    buffer.append(byte: UInt8(ascii: "Z"))
    return true
  }

  /// Appends the fraction of a date's second: a point and up to nine digits, without trailing zeros. Appends nothing if
  /// the fraction is zero.
  static func appendFraction(of seconds: Double, to buffer: inout ByteBuffer) {
    let billionths = min(((seconds - seconds.rounded(.down)) * 1e9).rounded(), 999_999_999)
    guard billionths > 0 else { return }
    var (digits, width) = (UInt64(billionths), 9)
    while digits % 10 == 0 { (digits, width) = (digits / 10, width - 1) }
    buffer.append(".")
    buffer.append(decimal: digits, width: width)
  }

  /// Returns a date with the fraction of its second in ISO 8601 form: `2001-01-01T00:00:00.5Z`. Returns nil if
  /// ``append(_:to:)`` would return false.
  package static func text(_ seconds: Double) -> String? {
    var buffer = ByteBuffer()
    guard append(seconds, to: &buffer) else { return nil }
    buffer.truncate(to: buffer.count - 1)
    appendFraction(of: seconds, to: &buffer)
    buffer.append("Z")
    return String(knownUTF8: buffer.bytes, isASCII: true)
  }

  private static let daysBeforeMonth = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365]

  private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  private static func days(in month: Int, of year: Int) -> Int {
    daysBeforeMonth[month] - daysBeforeMonth[month - 1] + (month == 2 && isLeap(year) ? 1 : 0)
  }

  /// Returns the number of days from the first day of the year 0 to the first day of `year`. The year 0 is a leap year.
  private static func days(before year: Int) -> Int {
    let last = year - 1
    return 365 * year + floorDivision(last, 4).quotient - floorDivision(last, 100).quotient
      + floorDivision(last, 400).quotient + 1
  }

  /// Returns the date that is a number of days after the first day of the year 0. Computes with years that begin in
  /// March, so that a leap day is the last day of its year, century and 400-year era.
  private static func civil(daysSinceYearZero days: Int) -> (year: Int, month: Int, day: Int) {
    let (era, dayOfEra) = floorDivision(days - 60, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    // From March, each group of five months has 153 days.
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let year = 400 * era + yearOfEra
    return month < 10 ? (year, month + 3, day) : (year + 1, month - 9, day)
  }

  private static func floorDivision(_ value: Int, _ divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  /// Parses the form that the description of Foundation's `Date` has, and that GNUstep's property lists contain:
  /// exactly `[-]Y…-MM-DD hh:mm:ss ±hhmm`. Returns nil for other text. The date is in local time, and the last part is
  /// the difference between local time and UTC.
  static func parseWithZone(_ bytes: RawSpan) -> Double? {
    // Parses from the end, because only the year has a variable number of digits.
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

  /// Returns the difference between local time and UTC that `±hhmm` means, in seconds, or nil for other text.
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

  /// Parses ISO 8601 with a four-digit year: a day, which means its first second in UTC, or a time with a zone,
  /// optionally with a fraction: `2027-01-31`, `2027-01-31T12:00:00Z`, `2027-01-31T12:00:00.5+01:00`.
  ///
  /// A time without a zone is rejected, because it is ambiguous.
  package static func parseISO8601(_ text: String) -> Double? {
    var moment = Array(text.utf8)
    if moment.count == 10 { moment += "T00:00:00Z".utf8 }
    guard moment.count > 19, let zoneStart = moment[19...].firstIndex(where: isZoneStart) else { return nil }
    var zone = Array(moment[zoneStart...])
    moment.replaceSubrange(zoneStart..., with: [UInt8(ascii: "Z")])
    var secondsAhead: Int? = 0
    if zone != [UInt8(ascii: "Z")] {
      if zone.count == 6, zone[3] == UInt8(ascii: ":") { zone.remove(at: 3) }
      if zone.count == 3 { zone += "00".utf8 }
      secondsAhead = zone.count == 5 ? self.secondsAhead(zone.rawBytes) : nil
    }
    guard let secondsAhead, let seconds = parseExact(moment.rawBytes) else { return nil }
    return seconds - Double(secondsAhead)
  }

  private static func isZoneStart(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "Z") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
  }

  // Dates with enough digits to read back the same bits: `2001-01-01T00:00:00.5Z`.

  /// The seconds from 0001-01-01T00:00:00Z up to, but not including, 10000-01-01T00:00:00Z: the years that every ISO
  /// 8601 parser supports.
  private static let commonYears = -63_113_904_000.0..<252_423_993_600.0

  /// The maximum number of digits after the point. Only dates within one second of 2001-01-01T00:00:00Z can need more.
  private static let mostDigits = 18

  /// Appends a date with as many digits as are needed to read back the same bits. Returns false, without appending, if
  /// that is not possible: if the year is not from 1 to 9999, if more than 18 digits after the point are needed, or if
  /// the number is -0.0, which would be read back as 0.
  static func appendExact(_ seconds: Double, to buffer: inout ByteBuffer) -> Bool {
    guard commonYears.contains(seconds), seconds != 0 || seconds.sign == .plus else { return false }
    let whole = seconds.rounded(.down)
    var (fraction, width) = (UInt64(0), 0)
    if whole != seconds {
      // The digits that distinguish the number from all others. Before 2001, the fraction counts up from the previous
      // second.
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

  /// Returns the shortest sequence of digits after the point that distinguishes a positive number from all others, and
  /// the number of these digits. Returns nil if there are too many.
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
    // Swift writes an exponent only for small numbers, which have all digits after the point, and for large numbers,
    // which have none there.
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

  /// Parses `YYYY-MM-DDThh:mm:ss.f…Z`, with any number of digits after the point or without a fraction. Returns nil for
  /// other text. The number of seconds is rounded only once, so that it is the nearest double.
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
    // For a date before 2001, uses the complement of the fraction: each digit subtracted from nine, the last one from
    // ten.
    var digits = Array((whole < 0 ? "-\(Int(-whole) - 1)." : "\(Int(whole)).").utf8)
    for index in point + 1...last {
      let digit = bytes[index] - UInt8(ascii: "0")
      digits.append(UInt8(ascii: "0") + (whole < 0 ? (index == last ? 10 : 9) - digit : digit))
    }
    return RealText.parse(digits.rawBytes)
  }
}
