import Foundation
import KeyedArchiving
import OrderedCollections
import Testing

extension Pair {
  static let times: [Pair] = [
    Pair("locale", NSLocale(localeIdentifier: "de_DE"), Locale(identifier: "de_DE")),
    Pair("what a locale is called", NSLocale(localeIdentifier: "de_DE"), Archived.Locale(identifier: "de_DE")),
    Pair(
      "time zone", try #require(NSTimeZone(name: "Europe/Berlin")), try #require(TimeZone(identifier: "Europe/Berlin"))),
    Pair("Greenwich", NSTimeZone(forSecondsFromGMT: 0), TimeZone.gmt),
    Pair("fixed time zone", NSTimeZone(forSecondsFromGMT: -27_000), try #require(TimeZone(secondsFromGMT: -27_000))),
    Pair(
      "calendar", calendar(.gregorian) as NSCalendar, calendar(.gregorian),
      with: [NSTimeZone.self, NSLocale.self, NSDate.self]),
    Pair(
      "Japanese calendar", calendar(.japanese) as NSCalendar, calendar(.japanese),
      with: [NSTimeZone.self, NSLocale.self, NSDate.self]),
    Pair(
      "all components", allComponents as NSDateComponents, allComponents,
      with: [NSCalendar.self, NSTimeZone.self, NSLocale.self, NSDate.self]),
  ]

  static let structures: [Pair] = [
    Pair("query item", NSURLQueryItem(name: "a", value: "b"), Archived.URLQueryItem(name: "a", value: "b")),
    Pair(
      "name", fullName as NSPersonNameComponents,
      Archived.PersonNameComponents(
        namePrefix: "Dr.", givenName: "Ada", middleName: "King", familyName: "Lovelace", nameSuffix: "FRS",
        nickname: "A")),
    Pair("part of a name", givenName as NSPersonNameComponents, Archived.PersonNameComponents(givenName: "Ada")),
    Pair(
      "query item without value", NSURLQueryItem(name: "a", value: nil), Archived.URLQueryItem(name: "a", value: nil)),
    Pair(
      "mutable characters", NSMutableCharacterSet(charactersIn: "abc"),
      Archived.Mutable(Archived.CharacterSet(charactersIn: "abc"))),
    Pair("unit", Unit(symbol: "x"), Archived.Unit(symbol: "x")),
    Pair(
      "measurement", NSMeasurement(doubleValue: 45, unit: Unit(symbol: "x")),
      Archived.Measurement(value: 45, unit: .init(symbol: "x")), with: [Unit.self]),
    Pair("no text", NSAttributedString(string: ""), Archived.AttributedString("")),
    Pair("text in runs", NSAttributedString(attributedString: text), try archivedText()),
    Pair("mutable text", text, Archived.Mutable(try archivedText())),
    Pair(
      "regular expression", try NSRegularExpression(pattern: "a(b)?", options: [.caseInsensitive, .anchorsMatchLines]),
      Archived.RegularExpression(pattern: "a(b)?", options: 17)),
    Pair("built-in characters", NSCharacterSet.alphanumerics as NSCharacterSet, Archived.CharacterSet(.builtIn(10))),
    Pair("characters", NSCharacterSet(charactersIn: "abcx"), Archived.CharacterSet(charactersIn: "abcx")),
    Pair(
      "range of characters", NSCharacterSet(range: NSRange(location: 65, length: 26)),
      Archived.CharacterSet(.range(first: 65, count: 26))),
  ]

  static let formatters: [Pair] = [
    Pair("byte counts", ByteCountFormatter(), Archived.ByteCountFormatter(), isSecure: false, isSame: areSame),
    Pair("byte counts without units", byteCountFormatter, archivedByteCountFormatter, isSecure: false, isSame: areSame),
    Pair(
      "ISO 8601", ISO8601DateFormatter(), Archived.ISO8601DateFormatter(timeZone: zone(0)), isSecure: false,
      isSame: areSame),
    Pair("years", dateFormatter, archivedDateFormatter, isSecure: false, isSame: areSame),
  ]

  static let matches = ["a", "(a)(b)?", "(a)()()()()()", "()()()()()()()()()(a)"].map(matchPair)

  private static func matchPair(_ pattern: String) -> Pair {
    Pair(
      "match of \(pattern)", try match(pattern), try archivedMatch(pattern), with: [NSRegularExpression.self],
      isSame: areSame)
  }

  @Sendable
  private static func areSame(_ first: NSTextCheckingResult, _ second: NSTextCheckingResult) -> Bool {
    first.numberOfRanges == second.numberOfRanges && first.regularExpression == second.regularExpression
      && (0..<first.numberOfRanges).allSatisfy { first.range(at: $0) == second.range(at: $0) }
  }

  @Sendable
  private static func areSame(_ first: ByteCountFormatter, _ second: ByteCountFormatter) -> Bool {
    first.includesUnit == second.includesUnit && first.countStyle == second.countStyle
      && first.isAdaptive == second.isAdaptive && first.zeroPadsFractionDigits == second.zeroPadsFractionDigits
      && first.allowsNonnumericFormatting == second.allowsNonnumericFormatting
      && first.includesCount == second.includesCount && first.allowedUnits == second.allowedUnits
      && first.includesActualByteCount == second.includesActualByteCount
  }

  @Sendable
  private static func areSame(_ first: ISO8601DateFormatter, _ second: ISO8601DateFormatter) -> Bool {
    first.formatOptions == second.formatOptions && first.timeZone == second.timeZone
  }

  private static func match(_ pattern: String) throws -> NSTextCheckingResult {
    try #require(NSRegularExpression(pattern: pattern).firstMatch(in: "xa", range: NSRange(location: 0, length: 2)))
  }

  private static func archivedMatch(_ pattern: String) throws -> Archived.TextCheckingResult {
    let match = try match(pattern)
    return Archived.TextCheckingResult(
      ranges: (0..<match.numberOfRanges).map {
        .init(location: match.range(at: $0).location, length: match.range(at: $0).length)
      },
      regularExpression: .init(pattern: pattern))
  }

  private static func calendar(_ identifier: Calendar.Identifier) -> Calendar {
    var calendar = Calendar(identifier: identifier)
    calendar.locale = Locale(identifier: "de_DE")
    calendar.timeZone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
    calendar.firstWeekday = 3
    calendar.minimumDaysInFirstWeek = 5
    return calendar
  }

  private static var allComponents: DateComponents {
    var components = DateComponents(
      calendar: calendar(.gregorian), timeZone: TimeZone(identifier: "Europe/Berlin"), era: 1, year: 2, month: 3,
      day: 4,
      hour: 5, minute: 6, second: 7, nanosecond: 8, weekday: 9, weekdayOrdinal: 10, quarter: 11, weekOfMonth: 12,
      weekOfYear: 13, yearForWeekOfYear: 14)
    components.isLeapMonth = true
    return components
  }

  private static var text: NSMutableAttributedString {
    let text = NSMutableAttributedString(string: "0123456789", attributes: [.init("Size"): 1])
    text.setAttributes([.init("Font"): "Times"], range: NSRange(location: 3, length: 4))
    return text
  }

  private static func archivedText() throws -> Archived.AttributedString {
    let plain: Archived.AttributedString.Attributes = ["Size": .integer(1)]
    return try Archived.AttributedString(
      "0123456789",
      runs: [
        .init(length: 3, attributes: plain), .init(length: 4, attributes: ["Font": .string("Times")]),
        .init(length: 3, attributes: plain),
      ])
  }

  private static var givenName: PersonNameComponents {
    var name = PersonNameComponents()
    name.givenName = "Ada"
    return name
  }

  private static var fullName: PersonNameComponents {
    var name = PersonNameComponents()
    name.namePrefix = "Dr."
    name.givenName = "Ada"
    name.middleName = "King"
    name.familyName = "Lovelace"
    name.nameSuffix = "FRS"
    name.nickname = "A"
    return name
  }

  private static var byteCountFormatter: ByteCountFormatter {
    let formatter = ByteCountFormatter()
    formatter.includesUnit = false
    formatter.countStyle = .binary
    formatter.isAdaptive = false
    formatter.zeroPadsFractionDigits = true
    formatter.allowsNonnumericFormatting = false
    return formatter
  }

  private static var archivedByteCountFormatter: Archived.ByteCountFormatter {
    var formatter = Archived.ByteCountFormatter()
    formatter.includesUnit = false
    formatter.countStyle = 3
    formatter.isAdaptive = false
    formatter.zeroPadsFractionDigits = true
    formatter.allowsNonnumericFormatting = false
    return formatter
  }

  private static var dateFormatter: ISO8601DateFormatter {
    let formatter = ISO8601DateFormatter()
    formatter.timeZone = TimeZone(secondsFromGMT: 3600)
    formatter.formatOptions = .withYear
    return formatter
  }

  private static var archivedDateFormatter: Archived.ISO8601DateFormatter {
    Archived.ISO8601DateFormatter(formatOptions: 1, timeZone: zone(3600))
  }

  private static func zone(_ seconds: Int) -> Archived.TimeZone {
    let zone = NSTimeZone(forSecondsFromGMT: seconds)
    return Archived.TimeZone(name: zone.name, data: zone.data)
  }
}
