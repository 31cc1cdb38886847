import FoundationEssentials
import PropertyLists

/// Dates in the form that Apple's tool prints and reads, in the local time zone: `Mon Jan 01 00:00:00 UTC 2024`.
enum BuddyDate {
  private static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]

  /// Returns a date as text in the form of the `strftime` format `%a %b %d %H:%M:%S %Z %Y`, with English names. A
  /// fraction of a second is dropped.
  static func text(of date: Date) -> String {
    guard let moment = Int(exactly: date.timeIntervalSince1970.rounded(.down)), let time = LocalTime(moment) else {
      // The date is outside the range of the system's calendar.
      return BareValue.text(of: date)
    }
    let clock = [time.hour, time.minute, time.second].map(twoDigits).joined(separator: ":")
    return "\(weekdays[time.weekday].prefix(3)) \(months[time.month - 1].prefix(3)) \(twoDigits(time.day)) \(clock) "
      + "\(time.zone) \(time.year)"
  }

  /// Parses a date in one of the forms that Apple's tool reads: the printed form with a zone, the same without a zone
  /// (C's `%c`), or a day such as `12/31/24` (C's `%D`), which means the start of the day. A zone is `UTC`, `GMT`, a
  /// name of the local zone, or `+hhmm`. Also reads the forms `2001-01-01T00:00:00Z` and `2001-01-01 00:00:00 +0000`.
  static func date(_ text: String) -> Date? {
    let words = text.split { $0.isWhitespace }.map(String.init)
    switch words.count {
    case 1:
      if let date = day(words[0]) { return date }
    case 5 where isWeekday(words[0]):
      return moment(month: words[1], day: words[2], time: words[3], zone: nil, year: words[4])
    case 6 where isWeekday(words[0]):
      return moment(month: words[1], day: words[2], time: words[3], zone: words[4], year: words[5])
    default: break
    }
    guard case .date(let date)? = try? PropertyList(rawText: words.joined(separator: " "), as: .date) else {
      return nil
    }
    return date
  }

  private static func isWeekday(_ text: String) -> Bool { index(of: text, in: weekdays) != nil }

  /// Returns the index of a name in a list. `text` is the name or its first three letters. Case is ignored.
  private static func index(of text: String, in names: [String]) -> Int? {
    let text = text.lowercased()
    return names.firstIndex { $0.lowercased() == text || $0.prefix(3).lowercased() == text }
  }

  private static func day(_ text: String) -> Date? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, let month = number(parts[0], upTo: 2), let day = number(parts[1], upTo: 2),
      let year = number(parts[2], upTo: 8)
    else { return nil }
    // Two digits mean a year from 1969 to 2068, as in POSIX.
    let century = parts[2].utf8.count > 2 ? 0 : year < 69 ? 2000 : 1900
    return date(LocalTime(year: century + year, month: month, day: day), zone: nil)
  }

  private static func moment(month: String, day: String, time: String, zone: String?, year: String) -> Date? {
    let isNegative = year.hasPrefix("-")
    let times = time.split(separator: ":", omittingEmptySubsequences: false)
    guard let month = index(of: month, in: months), let day = number(day[...], upTo: 2), times.count == 3,
      let hour = number(times[0], upTo: 2), let minute = number(times[1], upTo: 2),
      let second = number(times[2], upTo: 2), let year = number(year.dropFirst(isNegative ? 1 : 0), upTo: 8)
    else { return nil }
    return date(
      LocalTime(
        year: isNegative ? -year : year, month: month + 1, day: day, hour: hour, minute: minute, second: second),
      zone: zone)
  }

  private static func number(_ digits: Substring, upTo count: Int) -> Int? {
    guard (1...count).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int(digits)
  }

  /// Returns the date for a time in a time zone; nil if the time or the zone does not exist.
  ///
  /// - Parameter zone: the time zone; nil for local time.
  private static func date(_ time: LocalTime, zone: String?) -> Date? {
    // Returns nil for a day or an hour that does not exist.
    guard let inUTC = date(time, "Z") else { return nil }
    switch zone?.uppercased() {
    case "UTC", "GMT", "Z": return inUTC
    case let zone?:
      if let date = localDate(time, zone: zone) { return date }
      guard zone.hasPrefix("+") || zone.hasPrefix("-") else { return nil }
      return date(time, zone.utf8.count == 3 ? zone + "00" : zone)
    case nil: return localDate(time, zone: nil)
    }
  }

  /// Returns the date for a time at an offset from UTC; nil if the day or the hour does not exist.
  ///
  /// - Parameter zone: `Z`, or the offset from UTC in hours and minutes.
  private static func date(_ time: LocalTime, _ zone: String) -> Date? {
    let year = String(time.year.magnitude)
    let zeros = String(repeating: "0", count: max(0, 4 - year.utf8.count))
    let day = "\(time.year < 0 ? "-" : "")\(zeros)\(year)-\(twoDigits(time.month))-\(twoDigits(time.day))"
    let clock = "\(twoDigits(time.hour)):\(twoDigits(time.minute)):\(twoDigits(time.second))"
    let text = zone == "Z" ? "\(day)T\(clock)Z" : "\(day) \(clock) \(zone)"
    guard case .date(let date)? = try? PropertyList(rawText: text, as: .date) else { return nil }
    return date
  }

  /// Returns the date for a time in the local zone.
  ///
  /// - Parameter zone: a name of the local zone, such as `CET` or `CEST`; nil for the zone that is in effect at that
  ///   time.
  private static func localDate(_ time: LocalTime, zone: String?) -> Date? {
    guard let zone else { return time.moment(isSummer: nil).map { Date(timeIntervalSince1970: Double($0.moment)) } }
    // First lets the system decide if it is summer time. If the system's choice does not match the zone, tries both.
    for isSummer in [nil, false, true] {
      guard let (moment, found) = time.moment(isSummer: isSummer) else { return nil }
      if found.zone.uppercased() == zone, found.hour == time.hour { return Date(timeIntervalSince1970: Double(moment)) }
    }
    return nil
  }

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
