import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import TestSupport

/// The values that are archived and decoded again.
extension Sample {
  static let basics: [Sample] = [
    Sample("empty text", ""), Sample("text that means nil", "$null"), Sample("text", "祈求者 é\n"),
    Sample("long text", String(repeating: "ä", count: 100_000)),
    Sample("no bytes", Data()), Sample("bytes", Data([0, 1, 255])),
    Sample("the least Int", Int.min), Sample("the largest UInt64", UInt64.max), Sample("Int8", Int8(-128)),
    Sample("true", true), Sample("false", false), Sample("a fraction", 0.1), Sample("infinity", Double.infinity),
    Sample("minus zero", -0.0), Sample("Float", Float(0.5)),
    Sample("nil", Int?.none), Sample("not nil", Int?.some(1)), Sample("NSNull", Archived.Null()),
    Sample("UUID", UUID(uuidString: "0AD863BA-7584-40CF-8896-BD87B3280C34")),
    Sample("URL", URL(string: "https://example.com/a?b#c")),
    Sample("relative URL", URL(string: "../x.html", relativeTo: URL(string: "https://example.com/a/b"))),
  ]

  static let decimals: [Decimal] = [
    0, 1, -1, 12.5, -12.5, .nan, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, .pi,
    Decimal(sign: .plus, exponent: 127, significand: 1), Decimal(sign: .minus, exponent: -127, significand: 3),
    Decimal(string: "340282366920938463463374607431768211455") ?? 0, Decimal(string: "65535.65536") ?? 0,
    Decimal(string: "100e127") ?? 0,
  ]

  static let collections: [Sample] = [
    Sample("empty array", [Int]()), Sample("array of arrays", [[1], [], [1, 2]]), Sample("array with nil", [1, nil]),
    Sample("empty set", Set<String>()), Sample("set", Set(["a", "b", "c"])), Sample("ordered set", OrderedSet([3, 1])),
    Sample("empty ordered set", OrderedSet<Int>()),
    Sample("ordered set of 100", OrderedSet((0..<100).map { $0 * 7 % 101 })),
    Sample("empty dictionary", [String: Int]()), Sample("dictionary", ["a": 1, "b": 2]),
    Sample("ordered dictionary", ["b": 1, "a": 2] as OrderedDictionary<String, Int>),
    Sample("mutable string", Archived.Mutable("text")), Sample("mutable data", Archived.Mutable(Data([1]))),
    Sample("mutable array", Archived.Mutable([1, 2])), Sample("mutable set", Archived.Mutable(Set([1, 2]))),
    Sample("mutable ordered set", Archived.Mutable(OrderedSet([1, 2]))),
    Sample("mutable dictionary", Archived.Mutable(["a": 1])),
    Sample("no indices", Archived.IndexSet()), Sample("one index", Archived.IndexSet([0])),
    Sample("one range", Archived.IndexSet(ranges: [5..<50])),
    Sample("many ranges", Archived.IndexSet(stride(from: 0, to: 100_000, by: LongForm.size(7, or: 700)))),
    Sample("the highest index", Archived.IndexSet([1, Int.max - 1])),
    Sample("all indices", Archived.IndexSet(ranges: [0..<Int.max])),
    Sample("mutable index set", Archived.IndexSet([1, 3]).map { Archived.Mutable($0) }),
    Sample("empty counted set", Archived.CountedSet<Int>()),
    Sample("counted set", Archived.CountedSet(["b", "a", "b"])),
    Sample("counted set of 50", Archived.CountedSet((0..<200).map { $0 % 50 })),
    Sample("empty index path", IndexPath()), Sample("index path of one", IndexPath(index: 52)),
    Sample("index path", IndexPath(indexes: [0, 127, 128, 16383, 16384, Int.max])),
    Sample("negative indices", IndexPath(indexes: [-1, Int.min])), Sample("a negative index", IndexPath(index: -1)),
    Sample("array of index paths", [IndexPath(), IndexPath(indexes: [1, 2]), IndexPath(indexes: [1, 2])]),
  ]

  static let berlin = Archived.TimeZone(name: "Europe/Berlin", data: Data("TZif2".utf8))

  static let times: [Sample] = [
    Sample("date", Date(timeIntervalSinceReferenceDate: 0.1)), Sample("the distant past", Date.distantPast),
    Sample("locale", Locale(identifier: "de_DE")), Sample("empty locale", Locale(identifier: "")),
    Sample("locale with keywords", Locale(identifier: "de_DE@calendar=japanese")),
    Sample("plain locale", Archived.Locale(identifier: "nowhere at all")),
    Sample("time zone", TimeZone(identifier: "Europe/Berlin")), Sample("Greenwich", TimeZone(identifier: "GMT")),
    Sample("fixed time zone", TimeZone(secondsFromGMT: -27_000)),
    Sample("the farthest time zone", TimeZone(secondsFromGMT: 64_800)),
    Sample("plain time zone", berlin), Sample("plain time zone without rules", Archived.TimeZone(name: "Mars/Olympus")),
    Sample("interval", DateInterval(start: Date(timeIntervalSinceReferenceDate: -10), duration: 20)),
    Sample("interval of no length", DateInterval(start: Date(timeIntervalSinceReferenceDate: 1), duration: 0)),
    Sample("plain calendar", Archived.Calendar(identifier: "lunar")),
    Sample(
      "full plain calendar",
      Archived.Calendar(
        identifier: "gregorian", timeZone: berlin, locale: .init(identifier: "de_DE"), firstWeekday: 2,
        minimumDaysInFirstWeek: 4, gregorianStartDate: .distantPast)),
    Sample("no components", DateComponents()),
    Sample("components", DateComponents(year: 2001, month: 1, day: 0, nanosecond: -1)),
    Sample("leap month", leapMonth(true)), Sample("no leap month", leapMonth(false)),
    Sample(
      "all components",
      DateComponents(
        calendar: calendar(.gregorian), timeZone: TimeZone(identifier: "Europe/Berlin"), era: 1, year: 2, month: 3,
        day: 4, hour: 5, minute: 6, second: 7, nanosecond: 8, weekday: 9, weekdayOrdinal: 10, quarter: 11,
        weekOfMonth: 12, weekOfYear: 13, yearForWeekOfYear: 14)),
  ]

  static func leapMonth(_ isLeapMonth: Bool) -> DateComponents {
    var components = DateComponents(month: 2)
    components.isLeapMonth = isLeapMonth
    return components
  }

  static func calendar(_ identifier: Calendar.Identifier) -> Calendar {
    var calendar = Calendar(identifier: identifier)
    calendar.locale = Locale(identifier: "de_DE")
    calendar.timeZone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
    calendar.firstWeekday = 3
    calendar.minimumDaysInFirstWeek = 5
    return calendar
  }

  static let calendars: [Calendar.Identifier] = [
    .gregorian, .buddhist, .chinese, .coptic, .ethiopicAmeteMihret, .ethiopicAmeteAlem, .hebrew, .iso8601, .indian,
    .islamic, .islamicCivil, .islamicTabular, .islamicUmmAlQura, .japanese, .persian, .republicOfChina,
  ]

  static let values: [Sample] = [
    Sample("point", Archived.Point(x: 0, y: -1.5)), Sample("size", Archived.Size(width: 1e-300, height: 1e300)),
    Sample("rectangle", Archived.Rect(x: 0.1, y: 1 / 3, width: .infinity, height: -.infinity)),
    Sample("range", Archived.Range(location: 97345, length: 98345)), Sample("no range", Archived.Range.notFound),
    Sample("empty range", Archived.Range(location: 0, length: 0)),
    Sample("edge insets", Archived.EdgeInsets(top: 1, left: 2, bottom: 3, right: 4)),
    Sample("a point as a value", Archived.Value.point(.init(x: 1, y: 2))),
    Sample("text as a value", Archived.Value.cString("text")), Sample("a class", Archived.Value.className("NSString")),
    Sample("a selector", Archived.Value.selector("compare:")),
    Sample("no numbers", Archived.CArray(.double, []).map { Archived.Value.array($0) }),
    Sample("an array without a value around it", Archived.CArray(.float, [.float(1.5), .float(.infinity)])),
  ]

  static let numbers: [Archived.CNumber] = [
    .bool(true), .char(-128), .unsignedChar(255), .short(-32768), .unsignedShort(65535), .int(.min), .unsignedInt(.max),
    .long(.min), .unsignedLong(.max), .longLong(.min), .unsignedLongLong(.max), .float(0.1), .double(0.1),
  ]

  static let structures: [Sample] = [
    Sample("no name", Archived.PersonNameComponents()),
    Sample(
      "name",
      Archived.PersonNameComponents(
        namePrefix: "Dr.", givenName: "Ada", middleName: "King", familyName: "Lovelace", nameSuffix: "FRS",
        nickname: "A")),
    Sample("measurement", Archived.Measurement(value: 0, unit: .init(symbol: ""))),
    Sample(
      "angle",
      Archived.Measurement(
        value: 90,
        unit: .init(dimension: "NSUnitAngle", symbol: "°", converter: .linear(coefficient: 1), specifier: 256))),
    Sample(
      "fuel efficiency",
      Archived.Unit(dimension: "NSUnitFuelEfficiency", symbol: "mpg", converter: .reciprocal(235.215))),
    Sample("unit of no conversion", Archived.Unit(dimension: "NSDimension", symbol: "x", converter: .identity)),
    Sample("error", Archived.Error(domain: "NSCocoaErrorDomain", code: -4)),
    Sample(
      "error with a cause",
      Archived.Error(
        domain: "a", code: 1,
        userInfo: [
          "NSUnderlyingError": .object(Archived.Error(domain: "b", code: 2, userInfo: [:])),
          "NSStringEncoding": .integer(4), "range": .value(.range(.init(location: 1, length: 2))),
        ])),
    Sample("exception", Archived.Exception(name: "NSRangeException")),
    Sample("exception with all", Archived.Exception(name: "n", reason: "r", userInfo: [.integer(1): .array([.null])])),
    Sample("notification", Archived.Notification(name: "n")),
    Sample(
      "notification with all",
      Archived.Notification(name: "n", object: .set([.string("sender")]), userInfo: [.string("k"): .boolean(true)])),
    Sample("regular expression", Archived.RegularExpression(pattern: "(a", options: .max)),
    Sample("match", match(1)), Sample("match with 2 groups", match(3)), Sample("match with 3 groups", match(4)),
    Sample("match with 6 groups", match(7)), Sample("match with 7 groups", match(8)),
    Sample("match without expression", Archived.TextCheckingResult(ranges: [.notFound], regularExpression: nil)),
    Sample("no text", Archived.AttributedString("")),
    Sample("no text, with attributes", Archived.AttributedString("", attributes: ["a": .integer(1)])),
    Sample("text without attributes", Archived.AttributedString("text")),
    Sample(
      "text with attributes",
      Archived.AttributedString("🙂", attributes: ["NSLink": .url(URL(filePath: "/")), "NSColor": .object(color)])),
    Sample("text in runs", try text(["🙂": 1, "a": 2, "": 3])),
    Sample("mutable text in runs", Archived.Mutable(try text(["🙂": 1, "a": 2]))),
    Sample("transformation", Archived.AffineTransform()),
    Sample(
      "another transformation",
      Archived.AffineTransform(m11: 0.1, m12: -2, m21: .infinity, m22: -0.0, tX: .leastNonzeroMagnitude, tY: 6)),
    Sample("no characters", Archived.CharacterSet()),
    Sample("characters", Archived.CharacterSet(.characters("$null"), isInverted: true)),
    Sample("range of characters", Archived.CharacterSet(.range(first: 0, count: 0x110000))),
    Sample("no range of characters", Archived.CharacterSet(.range(first: 0, count: 0))),
    Sample("letters", Archived.CharacterSet(.builtIn(5))), Sample("bitmap", Archived.CharacterSet(.bitmap(Data([1])))),
    Sample("letters and bitmap", Archived.CharacterSet(.builtInWithBitmap(5, isInverted: true, Data()))),
    Sample("mutable characters", Archived.Mutable(Archived.CharacterSet(charactersIn: "abc"))),
    Sample("sort descriptor", Archived.SortDescriptor(key: "name")),
    Sample(
      "another sort descriptor",
      Archived.SortDescriptor(key: nil, isAscending: false, selector: nil, reversesNullOrder: true)),
    Sample("byte counts", bytes),
    Sample("ISO 8601", Archived.ISO8601DateFormatter()),
    Sample("ISO 8601 without time zone", Archived.ISO8601DateFormatter(formatOptions: 0, timeZone: nil)),
    Sample("intervals", Archived.DateIntervalFormatter()),
    Sample(
      "intervals with all",
      Archived.DateIntervalFormatter(
        dateStyle: 3, timeStyle: 0, dateTemplate: "dd mm", dateTemplateFromStyles: "d", isModified: true,
        usesTemplate: true, locale: .init(identifier: "ja-JP"), calendar: .init(identifier: "gregorian"),
        timeZone: berlin)),
    Sample("query item", Archived.URLQueryItem(name: "a", value: "b")),
    Sample("query item without value", Archived.URLQueryItem(name: "", value: nil)),
    Sample("color", color),
    Sample("color of a catalog", catalogColor),
    Sample("color of UIKit", Archived.Color(colorClass: Archived.Color.uiKitClass, fields: ["UIWhite": .inline(0.5)])),
  ]

  static func match(_ count: Int) -> Archived.TextCheckingResult {
    Archived.TextCheckingResult(
      ranges: [.init(location: 3, length: 5)] + Array(repeating: .notFound, count: count - 1),
      regularExpression: .init(pattern: "a"))
  }

  /// A string with as many runs as there are parts, each with a number as its attribute; no runs for an empty string.
  static func text(_ parts: OrderedDictionary<String, Int>) throws -> Archived.AttributedString {
    let parts = parts.filter { !$0.key.isEmpty }
    return try Archived.AttributedString(
      parts.keys.joined(),
      runs: parts.map { .init(length: $0.key.utf16.count, attributes: ["number": .integer(.init($0.value))]) })
  }

  static let color = Archived.Color(fields: [
    "NSColorSpace": .inline(1), "NSRGB": .inline(.data(Data("0.5 0.25 1\0".utf8))),
    "NSCustomColorSpace": .colorSpace(.init(id: 7, profile: Data([1, 2]), model: 1)),
  ])

  static let catalogColor = Archived.Color(fields: [
    "NSColorSpace": .inline(6), "NSCatalogName": .string("System"), "NSColorName": .string("textColor"),
    "NSColor": .color(
      Archived.Color(fields: ["NSColorSpace": .inline(3), "NSWhite": .inline(.data(Data("0\0".utf8)))])),
    "NSNothing": .null, "NSData": .data(Data([0])),
  ])

  static var bytes: Archived.ByteCountFormatter {
    var formatter = Archived.ByteCountFormatter()
    formatter.allowedUnits = 3
    formatter.countStyle = 2
    formatter.formattingContext = 4
    formatter.zeroPadsFractionDigits = true
    formatter.includesActualByteCount = true
    formatter.allowsNonnumericFormatting = false
    formatter.includesUnit = false
    formatter.includesCount = false
    formatter.isAdaptive = false
    return formatter
  }
}
