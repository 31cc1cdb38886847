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
    let shifted = PropertyList.date(date.addingTimeInterval(TimeInterval(seconds)))
    guard let text = shifted.rawText, text.hasSuffix("Z") else { return nil }
    let sign = seconds < 0 ? "-" : "+"
    seconds = abs(seconds)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return .string("\(text.dropLast())\(sign)\(two(seconds / 3600)):\(two(seconds / 60 % 60))")
  }
}
