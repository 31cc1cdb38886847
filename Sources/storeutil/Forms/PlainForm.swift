import ArgumentParser
import FoundationEssentials
import PropertyLists
import SystemFiles

/// The option to print JSON for programs that do not know tagged forms.
struct PlainArgument: ParsableArguments {
  @Flag(
    name: .customLong("plain"),
    help: """
      With JSON, print dates, data and numbers as plain texts and numbers, for jq. Their kinds cannot be told any more.
      """)
  var isGiven = false

  /// The plain form; nil for the form that can be read back.
  var form: PlainForm? { isGiven ? PlainForm() : nil }
}

/// JSON without tagged forms: a date is a text in ISO 8601, data are base64, a number that is not finite is `"nan"`,
/// `"inf"` or `"-inf"`.
struct PlainForm {
  /// The time zone of dates; nil for UTC.
  var timeZone: LocalTime?

  /// A value whose dates are texts with all digits of the second.
  func value(_ value: PropertyList) -> PropertyList {
    switch value {
    case .date(let date): timeZone?.text(date) ?? value.rawText.map { .string($0) } ?? value
    case .array(let elements): .array(elements.map(self.value))
    case .dictionary(let entries): .dictionary(entries.mapValues(self.value))
    default: value
    }
  }
}

extension PropertyList {
  /// JSON on one line, without a line end.
  func compactJSON(_ plain: PlainForm?) throws(PropertyListError) -> Data {
    var data = try json(plain, isCompact: true)
    if data.last == UInt8(ascii: "\n") { data.removeLast() }
    return data
  }

  /// JSON; with the forms of `plistutil --coerce` where nil is passed.
  func json(_ plain: PlainForm?, isCompact: Bool = false) throws(PropertyListError) -> Data {
    let options = PropertyListWritingOptions(
      depth: ParsingLimits.greatestDepth, coercion: plain == nil ? .reversible : .plain, isCompact: isCompact)
    return try (plain?.value(self) ?? self).data(format: .json, options: options)
  }
}

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
        FileSystem.sizeOfRegularFile("/usr/share/zoneinfo/\(argument)") != nil
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
      var time = time_t(moment)
      // Sound: the call fills it, and its text is not used.
      var fields = unsafe tm()
      guard unsafe localtime_r(&time, &fields) != nil else { return nil }
      seconds = unsafe fields.tm_gmtoff
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

  /// The date of a text without a zone, as in `2026-06-01T11:30:00`, `2026-06-01 11:30` or `2026-06-01`; nil for
  /// another text, and for a time that clocks of the zone skip.
  func date(_ text: String) -> Date? {
    var text = text
    if text.utf8.count == 10 { text += "T00:00:00" }
    if text.utf8.count > 10, let space = text.utf8.index(text.startIndex, offsetBy: 10, limitedBy: text.endIndex),
      text[space] == " "
    {
      text.replaceSubrange(space...space, with: "T")
    }
    if text.utf8.count == 16 { text += ":00" }
    // With a zone of its own there is another one after this.
    guard let seconds = DateText.parseISO8601(text + "Z") else { return nil }
    switch zone {
    case .fixed(let fixed): return Date(timeIntervalSinceReferenceDate: seconds - Double(fixed))
    case .process:
      let local = Date(timeIntervalSinceReferenceDate: seconds).timeIntervalSince1970
      let whole = local.rounded(.down)
      guard abs(whole) < 1e12 else { return nil }
      var time = time_t(whole)
      // Sound: the calls read and fill it, and its text is not used.
      var fields = unsafe tm()
      guard unsafe gmtime_r(&time, &fields) != nil else { return nil }
      let (hour, minute) = unsafe (fields.tm_hour, fields.tm_min)
      unsafe fields.tm_isdst = -1
      let moment = unsafe mktime(&fields)
      guard unsafe fields.tm_hour == hour, unsafe fields.tm_min == minute else { return nil }
      return Date(timeIntervalSince1970: TimeInterval(moment) + local - whole)
    }
  }
}
