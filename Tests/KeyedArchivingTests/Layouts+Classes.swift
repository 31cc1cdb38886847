import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Testing

/// Layouts of single classes.
extension Layout {
  /// The calendar of `DateIntervalFormatter`, at UIDs from `first` to `first + 7`.
  private static func calendar(at first: UInt32) -> [PropertyList] {
    let (name, zone, zoneName, zoneClass) = (first + 1, first + 2, first + 3, first + 4)
    let (start, dateClass, calendarClass) = (first + 5, first + 6, first + 7)
    return [
      [
        "NS.identifier": .uid(name), "NS.timezone": .uid(zone), "NS.locale": .uid(2), "NS.firstwkdy": 1,
        "NS.mindays": 1, "NS.gstartdate": .uid(start), "$class": .uid(calendarClass),
      ],
      "gregorian", ["NS.name": .uid(zoneName), "NS.data": .uid(0), "$class": .uid(zoneClass)], "GMT",
      Description.timeZone,
      ["NS.time": -13_197_600_000.0, "$class": .uid(dateClass)], Description.date,
      classDescription(["NSCalendar", "NSObject"]),
    ]
  }

  static let times = [
    Layout(
      "a locale", Locale(identifier: "ja-JP"),
      [["NS.identifier": .uid(2), "$class": .uid(3)], "ja-JP", Description.locale]),
    Layout(
      "a time zone", TimeZone(secondsFromGMT: 3600),
      [["NS.name": .uid(2), "NS.data": .uid(0), "$class": .uid(3)], "GMT+0100", Description.timeZone]),
    Layout(
      "a time zone with rules", Archived.TimeZone(name: "Europe/Berlin", data: Data([1])),
      [
        ["NS.name": .uid(2), "NS.data": .uid(3), "$class": .uid(5)], "Europe/Berlin",
        ["NS.data": .bytes([1]), "$class": .uid(4)], Description.mutableData, Description.timeZone,
      ]),
    Layout(
      "an interval",
      DateInterval(start: Date(timeIntervalSinceReferenceDate: 10), end: Date(timeIntervalSinceReferenceDate: 20)),
      [
        ["NS.startDate": .uid(2), "NS.endDate": .uid(4), "$class": .uid(5)], ["NS.time": 10.0, "$class": .uid(3)],
        Description.date,
        ["NS.time": 20.0, "$class": .uid(3)], classDescription(["NSDateInterval", "NSObject"]),
      ]),
    Layout(
      "date components", DateComponents(year: 2001, hour: 0, nanosecond: 1, yearForWeekOfYear: 7),
      ["NS.year": 2001, "NS.hour": 0, "NS.nanosec": 1, "NS.yearForWOY": 7], classes: ["NSDateComponents", "NSObject"]),
    Layout(
      "an ISO 8601 formatter", Archived.ISO8601DateFormatter(timeZone: nil),
      ["NS.formatOptions": 1907, "NS.timeZone": .uid(0)],
      classes: ["NSISO8601DateFormatter", "NSFormatter", "NSObject"]),
    Layout(
      "a formatter of intervals with a calendar",
      Archived.DateIntervalFormatter(
        dateTemplate: nil, dateTemplateFromStyles: nil, locale: .init(identifier: ""),
        calendar: .init(
          identifier: "gregorian", timeZone: .init(name: "GMT"), locale: .init(identifier: ""), firstWeekday: 1,
          minimumDaysInFirstWeek: 1, gregorianStartDate: Archived.Calendar.gregorianStartDate)),
      [
        [
          "NS.dateStyle": 2, "NS.timeStyle": 2, "NS.dateTemplate": .uid(0), "NS.dateTemplateFromStyles": .uid(0),
          "NS.modified": false, "NS.useTemplate": false, "NS.locale": .uid(2), "NS.calendar": .uid(5),
          "$class": .uid(13),
        ],
        ["NS.identifier": .uid(3), "$class": .uid(4)], "", Description.locale,
      ] + calendar(at: 5) + [classDescription(["NSDateIntervalFormatter", "NSFormatter", "NSObject"])]),
  ]

  private static func measurement(
    _ number: Double, _ name: PropertyList, _ symbol: PropertyList, _ coefficient: Double, _ specifier: PropertyList
  ) -> [PropertyList] {
    [
      ["NS.value": .real(number), "NS.unit": .uid(2), "$class": .uid(7)],
      ["NS.symbol": .uid(3), "NS.converter": .uid(4), "NS.specifier": specifier, "$class": .uid(6)], symbol,
      ["NS.coefficient": .real(coefficient), "NS.constant": 0.0, "$class": .uid(5)],
      classDescription(["NSUnitConverterLinear", "NSUnitConverter", "NSObject"]),
      classDescription([name, "NSDimension", "NSUnit", "NSObject"]), classDescription(["NSMeasurement", "NSObject"]),
    ]
  }

  static let units = [
    Layout(
      "an angle",
      Archived.Measurement(
        value: 90,
        unit: .init(dimension: "NSUnitAngle", symbol: "°", converter: .linear(coefficient: 1), specifier: 256)),
      measurement(90, "NSUnitAngle", "°", 1, 256)),
    Layout(
      "a frequency",
      Archived.Measurement(
        value: 1400,
        unit: .init(
          dimension: "NSUnitFrequency", symbol: "MHz", converter: .linear(coefficient: 1_000_000), specifier: 4098)),
      measurement(1400, "NSUnitFrequency", "MHz", 1_000_000, 4098)),
    Layout(
      "zero of nothing", Archived.Measurement(value: 0, unit: .init(symbol: "")),
      [
        ["NS.value": 0.0, "NS.unit": .uid(2), "$class": .uid(5)], ["NS.symbol": .uid(3), "$class": .uid(4)], "",
        classDescription(["NSUnit", "NSObject"]), classDescription(["NSMeasurement", "NSObject"]),
      ]),
    Layout(
      "a unit that is divided by",
      Archived.Unit(dimension: "NSUnitFuelEfficiency", symbol: "mpg", converter: .reciprocal(235.215), specifier: 1),
      [
        ["NS.symbol": .uid(2), "NS.converter": .uid(3), "NS.specifier": 1, "$class": .uid(5)], "mpg",
        ["NS.reciprocal": 235.215, "$class": .uid(4)],
        classDescription(["NSUnitConverterReciprocal", "NSUnitConverter", "NSObject"]),
        classDescription(["NSUnitFuelEfficiency", "NSDimension", "NSUnit", "NSObject"]),
      ]),
  ]

  /// A match of `count` ranges, as macOS 10.14 archives it: every number once.
  private static func match(_ count: Int, _ name: PropertyList) -> [PropertyList] {
    let ranges = (0..<count).map { Archived.Range(location: $0, length: count - $0) }
    var objects: [PropertyList] = [
      [:], ["NSPattern": .uid(3), "NSOptions": 0, "$class": .uid(4)], "a(a)",
      classDescription(["NSRegularExpression", "NSObject"]), [:],
    ]
    var numbers: [Int: UInt32] = [:]
    func uid(of number: Int) -> PropertyList {
      if numbers[number] == nil {
        objects.append(.integer(.init(number)))
        numbers[number] = UInt32(objects.count)
      }
      return .uid(numbers[number] ?? 0)
    }
    var uids: [PropertyList] = []
    var valueClass: PropertyList?
    for range in ranges {
      let index = objects.count
      objects.append([:])
      uids.append(.uid(UInt32(index + 1)))
      let (length, location) = (uid(of: range.length), uid(of: range.location))
      if valueClass == nil {
        objects.append(Description.value)
        valueClass = .uid(UInt32(objects.count))
      }
      objects[index] = [
        "NS.special": 4, "NS.rangeval.length": length, "NS.rangeval.location": location, "$class": valueClass ?? .null,
      ]
    }
    objects.append(count > 7 ? Description.array : Description.mutableArray)
    objects[4] = ["NS.objects": .array(uids), "$class": .uid(UInt32(objects.count))]
    objects.append(classDescription([name, "NSRegularExpressionCheckingResult", "NSTextCheckingResult", "NSObject"]))
    objects[0] = [
      "NSRangeLocation": 0, "NSRangeLength": .integer(.init(count)), "NSRegularExpression": .uid(2),
      "NSRangeArray": .uid(5), "$class": .uid(UInt32(objects.count)),
    ]
    return objects
  }

  private static func matchValue(_ count: Int) -> Archived.TextCheckingResult {
    Archived.TextCheckingResult(
      ranges: (0..<count).map { .init(location: $0, length: count - $0) },
      regularExpression: .init(pattern: "a(a)"))
  }

  static let text = [
    Layout("a match", matchValue(1), match(1, "NSSimpleRegularExpressionCheckingResult")),
    Layout("a match with groups", matchValue(6), match(6, "NSExtendedRegularExpressionCheckingResult")),
    Layout("a match with many groups", matchValue(9), match(9, "NSComplexRegularExpressionCheckingResult")),
    Layout(
      "text of one run", Archived.AttributedString("text", attributes: ["Size": .integer(3)]),
      [
        ["NSString": .uid(2), "NSAttributes": .uid(3), "$class": .uid(7)], "text",
        ["NS.keys": [.uid(4)], "NS.objects": [.uid(5)], "$class": .uid(6)], "Size", 3, Description.dictionary,
        classDescription(["NSAttributedString", "NSObject"]),
      ]),
    Layout(
      "mutable text of two runs",
      Archived.Mutable(
        try Archived.AttributedString(
          "text", runs: [.init(length: 1), .init(length: 3, attributes: ["Font": .string("text")])])),
      [
        ["NSString": .uid(2), "NSAttributes": .uid(4), "NSAttributeInfo": .uid(11), "$class": .uid(13)],
        ["NS.string": "text", "$class": .uid(3)], classDescription(["NSMutableString", "NSString", "NSObject"]),
        ["NS.objects": [.uid(5), .uid(7)], "$class": .uid(10)],
        ["NS.keys": [], "NS.objects": [], "$class": .uid(6)], Description.dictionary,
        ["NS.keys": [.uid(8)], "NS.objects": [.uid(9)], "$class": .uid(6)], "Font", "text", Description.mutableArray,
        ["NS.data": .bytes([1, 0, 3, 1]), "$class": .uid(12)], Description.mutableData,
        classDescription(["NSMutableAttributedString", "NSAttributedString", "NSObject"]),
      ]),
    Layout(
      "characters", Archived.CharacterSet(charactersIn: "abc"),
      ["NSString": "abc"], classes: ["NSCharacterSet", "NSObject"]),
    Layout(
      "built-in characters", Archived.CharacterSet(.builtIn(10), isInverted: true),
      ["NSBuiltinID": 10, "NSIsInverted": true], classes: ["NSCharacterSet", "NSObject"]),
    Layout(
      "a range of characters", Archived.CharacterSet(.range(first: 1, count: 255)),
      ["NSRange": 4_294_967_551], classes: ["NSCharacterSet", "NSObject"]),
    Layout(
      "mutable characters", Archived.Mutable(Archived.CharacterSet(.bitmap(Data([7])))),
      ["NSBitmap": .bytes([7])], classes: ["NSMutableCharacterSet", "NSCharacterSet", "NSObject"]),
  ]

  static let others = [
    Layout(
      "a formatter of byte counts", Sample.bytes,
      [
        "NSUnits": 3, "NSKBSize": 2, "NSFormattingContext": 4, "NSZeroPad": true, "NSActual": true,
        "NSNoNonnumeric": true, "NSNoUnit": true, "NSNoCount": true, "NSNoAdaptive": true,
      ], classes: ["NSByteCountFormatter", "NSFormatter", "NSObject"]),
    Layout(
      "a notification",
      Archived.Notification(name: "name", object: .string("object"), userInfo: [.string("key"): .string("value")]),
      [
        ["NS.name": .uid(2), "NS.object": .uid(3), "NS.userinfo": .uid(4), "$class": .uid(8)], "name", "object",
        ["NS.keys": [.uid(5)], "NS.objects": [.uid(6)], "$class": .uid(7)], "key", "value", Description.dictionary,
        classDescription(["NSNotification", "NSObject"]),
      ]),
    Layout(
      "an error", Archived.Error(domain: "NSPOSIXErrorDomain", code: 2),
      [
        ["NSDomain": .uid(2), "NSCode": 2, "NSUserInfo": .uid(0), "$class": .uid(3)], "NSPOSIXErrorDomain",
        classDescription(["NSError", "NSObject"]),
      ]),
    Layout(
      "an exception", Archived.Exception(name: "name", reason: "reason", userInfo: [:]),
      [
        ["NS.name": .uid(2), "NS.reason": .uid(3), "NS.userinfo": .uid(4), "$class": .uid(6)], "name", "reason",
        ["NS.keys": [], "NS.objects": [], "$class": .uid(5)], Description.dictionary,
        classDescription(["NSException", "NSObject"]),
      ]),
    Layout(
      "a person's name", Archived.PersonNameComponents(givenName: "Ada", familyName: "Lovelace"),
      [
        [
          "NS.namePrefix": .uid(0), "NS.givenName": .uid(2), "NS.middleName": .uid(0), "NS.familyName": .uid(3),
          "NS.nameSuffix": .uid(0), "NS.nickname": .uid(0), "$class": .uid(4),
        ],
        "Ada", "Lovelace", classDescription(["NSPersonNameComponents", "NSObject"]),
      ]),
    Layout(
      "a sort descriptor", Archived.SortDescriptor(key: "name"),
      [
        ["NSKey": .uid(2), "NSAscending": true, "NSSelector": .uid(3), "NSReverseNullOrder": false, "$class": .uid(4)],
        "name", "compare:", classDescription(["NSSortDescriptor", "NSObject"]),
      ]),
    Layout(
      "an item of a query", Archived.URLQueryItem(name: "q", value: nil),
      [
        ["NS.name": .uid(2), "NS.value": .uid(0), "$class": .uid(3)], "q",
        classDescription(["NSURLQueryItem", "NSObject"]),
      ]),
    Layout(
      "a color of AppKit",
      Archived.Color(fields: ["NSColorSpace": .inline(3), "NSWhite": .inline(.data(Data("1\0".utf8)))]),
      ["NSColorSpace": 3, "NSWhite": .data(Data("1\0".utf8))], classes: ["NSColor", "NSObject"]),
    Layout(
      "a color of UIKit",
      Archived.Color(
        colorClass: Archived.Color.uiKitClass,
        fields: [
          "UIColorComponentCount": .inline(4), "UIAlpha-Double": .inline(1.0), "UISystemColorName": .string("red"),
        ]),
      [
        ["UIColorComponentCount": 4, "UIAlpha-Double": 1.0, "UISystemColorName": .uid(2), "$class": .uid(3)], "red",
        ["$classname": "UIColor", "$classes": ["UIColor", "NSObject"], "$classhints": ["NSColor"]],
      ]),
  ]
}
