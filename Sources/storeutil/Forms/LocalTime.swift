import ArgumentParser
import FoundationEssentials
import PropertyLists
import SystemFiles

/// A time zone on the command line: `local`, a name of the system's database, or a difference to UTC.
///
/// The system's own functions are used: the zones of Foundation would be most of the size of the tool.
struct LocalTime: ExpressibleByArgument {
  private enum Zone {
    /// The zone of the process.
    case process
    /// Seconds east of UTC.
    case fixed(Int)
  }

  private let zone: Zone

  static let utc = LocalTime(.fixed(0))

  private init(_ zone: Zone) { self.zone = zone }

  /// Makes a named zone that of the process.
  init?(argument: String) {
    if let seconds = Self.seconds(argument) {
      zone = .fixed(seconds)
      return
    }
    if argument != "local" {
      let names = argument.split(separator: "/", omittingEmptySubsequences: false)
      guard !names.contains(where: { $0.isEmpty || $0.hasPrefix(".") }),
        let file = try? FileSystem.readRegularFile("/usr/share/zoneinfo/\(argument)", limit: 1 << 20),
        // The first bytes of a file of a zone (RFC 9636).
        file.data.starts(with: "TZif".utf8)
      else { return nil }
      // Sound: the tool has one thread when it reads its arguments.
      _ = unsafe setenv("TZ", ":" + argument, 1)
    }
    tzset()
    zone = .process
  }

  /// The seconds of a text such as `+02:00`, `-0330` or `UTC`; nil for another text.
  private static func seconds(_ text: String) -> Int? {
    if ["UTC", "GMT", "Z"].contains(text) { return 0 }
    guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
    let digits = text.dropFirst().filter { $0 != ":" }
    guard digits.count == 4, digits.allSatisfy(\.isNumber), let number = Int(digits), number % 100 < 60, number < 2400
    else { return nil }
    return (number / 100 * 3600 + number % 100 * 60) * (sign == "-" ? -1 : 1)
  }

  /// A date as in `2026-06-01T11:30:00+02:00`; nil for one that has no such text.
  func text(_ date: Date) -> PropertyList? {
    let moment = date.timeIntervalSince1970.rounded(.down)
    // The years 1 to 9999, and no other, have a text.
    guard moment > -1e11, moment < 1e12 else { return nil }
    var seconds: Int
    switch zone {
    case .fixed(let fixed): seconds = fixed
    case .process:
      guard let offset = Self.offset(Int(moment)) else { return nil }
      seconds = offset
    }
    // Before standard time, zones differ by seconds, which the text does not have. It is the right moment all the same.
    seconds -= seconds % 60
    let shifted = PropertyList.date(date.addingTimeInterval(TimeInterval(seconds)))
    guard let text = shifted.rawText, text.hasSuffix("Z") else { return nil }
    let sign = seconds < 0 ? "-" : "+"
    seconds = abs(seconds)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return .string("\(text.dropLast())\(sign)\(two(seconds / 3600)):\(two(seconds / 60 % 60))")
  }

  /// A text that is a date without a zone.
  enum Reading {
    case date(Date)
    /// The clocks of the zone are put forward over the time.
    case skipped
  }

  /// Reads a date without a zone, as in `2026-06-01T11:30:00`, `2026-06-01 11:30` or `2026-06-01`. Returns nil for
  /// another text.
  ///
  /// A time that the clocks of the zone show twice is the earlier moment. A day begins when the clocks first show it.
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
    // With a zone of its own there is another one after this.
    guard let seconds = DateText.parseISO8601(text + "Z") else { return nil }
    func date(east offset: Int) -> Reading { .date(Date(timeIntervalSinceReferenceDate: seconds - Double(offset))) }
    if case .fixed(let fixed) = zone { return date(east: fixed) }
    let local = Date(timeIntervalSinceReferenceDate: seconds).timeIntervalSince1970.rounded(.down)
    guard abs(local) < 1e12 else { return nil }
    let clock = Int(local)
    // The zone's difference changes at most once in the hours around a time.
    let offsets = [clock - Self.day, clock, clock + Self.day].compactMap(Self.offset)
    let valid = offsets.filter { Self.offset(clock - $0) == $0 }
    if let earliest = valid.max() { return date(east: earliest) }
    guard isDay, let start = Self.start(ofDay: clock) else { return .skipped }
    return .date(Date(timeIntervalSince1970: TimeInterval(start)))
  }

  private static let day = 86_400

  /// The difference of the process's zone to UTC at a moment, in seconds; nil if the system cannot convert the moment.
  private static func offset(_ moment: Int) -> Int? {
    var time = time_t(moment)
    // Sound: the call fills it, and its text is not used.
    var fields = unsafe tm()
    return unsafe localtime_r(&time, &fields) == nil ? nil : fields.tm_gmtoff
  }

  /// The first moment of a day whose midnight the clocks skip; nil if they skip the whole day.
  ///
  /// - Parameter midnight: the time on the clocks, in seconds since 1970.
  private static func start(ofDay midnight: Int) -> Int? {
    func clock(_ moment: Int) -> Int { moment + (offset(moment) ?? 0) }
    let first = (midnight - 2 * day..<midnight + 2 * day).partitioningIndex { clock($0) >= midnight }
    return clock(first) < midnight + day ? first : nil
  }
}
