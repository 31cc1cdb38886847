import ArgumentParser
import FoundationEssentials
import PropertyLists
import SystemFiles

/// A time zone on the command line: `local`, a name in the system's database, or an offset from UTC.
///
/// Uses functions of the C library, because Foundation's time zones would make up most of the size of the tool.
struct LocalTime: ExpressibleByArgument {
  private enum Zone {
    /// The time zone of the process.
    case process
    /// An offset in seconds east of UTC.
    case fixed(Int)
  }

  private let zone: Zone

  static let utc = LocalTime(.fixed(0))

  private init(_ zone: Zone) { self.zone = zone }

  /// Parses a time zone. If the text is the name of a zone, sets the time zone of the process to this zone.
  init?(argument: String) {
    if let seconds = Self.seconds(argument) {
      zone = .fixed(seconds)
      return
    }
    if argument != "local" {
      let names = argument.split(separator: "/", omittingEmptySubsequences: false)
      guard !names.contains(where: { $0.isEmpty || $0.hasPrefix(".") }),
        let file = try? FileSystem.readRegularFile("/usr/share/zoneinfo/\(argument)", limit: 1 << 20),
        // The first bytes of a time zone file (RFC 9636).
        file.data.starts(with: "TZif".utf8)
      else { return nil }
      // Memory-safe: the tool has one thread when it reads its arguments.
      _ = unsafe setenv("TZ", ":" + argument, 1)
    }
    tzset()
    zone = .process
  }

  /// Returns the offset from UTC, in seconds, for a text such as `+02:00`, `-0330` or `UTC`; nil for another text.
  private static func seconds(_ text: String) -> Int? {
    if ["UTC", "GMT", "Z"].contains(text) { return 0 }
    guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
    let digits = text.dropFirst().filter { $0 != ":" }
    guard digits.count == 4, digits.allSatisfy(\.isNumber), let number = Int(digits), number % 100 < 60, number < 2400
    else { return nil }
    return (number / 100 * 3600 + number % 100 * 60) * (sign == "-" ? -1 : 1)
  }

  /// Returns a date as text, such as `2026-06-01T11:30:00+02:00`; nil if the date has no such text.
  func text(_ date: Date) -> PropertyList? {
    let moment = date.timeIntervalSince1970.rounded(.down)
    // Only years from 1 to 9999 have a text form.
    guard moment > -1e11, moment < 1e12 else { return nil }
    var seconds: Int
    switch zone {
    case .fixed(let fixed): seconds = fixed
    case .process:
      guard let offset = Self.offset(Int(moment)) else { return nil }
      seconds = offset
    }
    // Before standard time was introduced, offsets had seconds. The text cannot show these, so they are left out of the
    // time too, and the text still means the right moment.
    seconds -= seconds % 60
    let shifted = PropertyList.date(date.addingTimeInterval(TimeInterval(seconds)))
    guard let text = shifted.rawText, text.hasSuffix("Z") else { return nil }
    let sign = seconds < 0 ? "-" : "+"
    seconds = abs(seconds)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return .string("\(text.dropLast())\(sign)\(two(seconds / 3600)):\(two(seconds / 60 % 60))")
  }

  /// The result of reading a date without a zone in this time zone.
  enum Reading {
    case date(Date)
    /// The time does not exist in the zone, because its clocks were put forward.
    case skipped
  }

  /// Reads a date without a zone, such as `2026-06-01T11:30:00`, `2026-06-01 11:30` or `2026-06-01`. Returns nil for
  /// another text.
  ///
  /// If a time occurs twice because clocks were put back, the earlier moment is returned. A day begins at its first
  /// moment that exists.
  func read(_ text: String) -> Reading? {
    var text = text
    let isDay = text.utf8.count == 10
    if isDay { text += "T00:00:00" }
    if text.utf8.count > 10, let space = text.utf8.index(text.startIndex, offsetBy: 10, limitedBy: text.endIndex),
      text[space] == " "
    {
      text.replaceSubrange(space...space, with: "T")
    }
    if text.utf8.count == 16 { text += ":00" }
    // A text that has a zone fails here, because it then has two.
    guard let seconds = DateText.parseISO8601(text + "Z") else { return nil }
    func date(east offset: Int) -> Reading { .date(Date(timeIntervalSinceReferenceDate: seconds - Double(offset))) }
    if case .fixed(let fixed) = zone { return date(east: fixed) }
    let local = Date(timeIntervalSinceReferenceDate: seconds).timeIntervalSince1970.rounded(.down)
    guard abs(local) < 1e12 else { return nil }
    let clock = Int(local)
    // A zone changes its offset at most once in the two days around a time.
    let offsets = [clock - Self.day, clock, clock + Self.day].compactMap(Self.offset)
    let valid = offsets.filter { Self.offset(clock - $0) == $0 }
    if let earliest = valid.max() { return date(east: earliest) }
    guard isDay, let start = Self.start(ofDay: clock) else { return .skipped }
    return .date(Date(timeIntervalSince1970: TimeInterval(start)))
  }

  private static let day = 86_400

  /// Returns the difference between the local time of the process and UTC at a moment, in seconds. Returns nil if the
  /// system cannot convert the moment.
  private static func offset(_ moment: Int) -> Int? {
    var time = time_t(moment)
    // Memory-safe: the call fills the structure, and the pointer to the zone's name is not used.
    var fields = unsafe tm()
    return unsafe localtime_r(&time, &fields) == nil ? nil : fields.tm_gmtoff
  }

  /// Returns the first moment of a day that does not begin at midnight, because clocks were put forward then. Returns
  /// nil if the whole day was skipped.
  ///
  /// - Parameter midnight: the midnight at the beginning of the day, as local time in seconds since 1970.
  private static func start(ofDay midnight: Int) -> Int? {
    func clock(_ moment: Int) -> Int { moment + (offset(moment) ?? 0) }
    let first = (midnight - 2 * day..<midnight + 2 * day).partitioningIndex { clock($0) >= midnight }
    return clock(first) < midnight + day ? first : nil
  }
}
