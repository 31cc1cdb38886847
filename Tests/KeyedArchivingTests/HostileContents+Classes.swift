import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Testing

/// Hostile objects of other classes.
extension Hostile {
  private static let timeZone = HostileClass(TimeZone.self, "NSTimeZone", "time zone")
  private static let calendar = HostileClass(
    Calendar.self, "NSCalendar", "calendar", [["NS.time": 0.0, "$class": .uid(4)], Description.date])
  private static let expression = HostileClass(Archived.RegularExpression.self, "NSRegularExpression", "expression")
  private static let notification = HostileClass(Archived.Notification.self, "NSNotification", "notification")
  private static let characters = HostileClass(Archived.CharacterSet.self, "NSCharacterSet", "characters")
  /// A match of the complete string "aaa".
  private static let match = HostileClass(
    Archived.TextCheckingResult.self, "NSSimpleRegularExpressionCheckingResult", "match",
    [
      ["NS.objects": [.uid(4)], "$class": .uid(6)],
      ["NS.special": 4, "NS.rangeval.length": 3, "NS.rangeval.location": 0, "$class": .uid(5)], Description.value,
      Description.array, ["NS.objects": [], "$class": .uid(6)],
    ])

  private static func interval(_ name: String, _ kind: KeyedArchiveError.Kind, _ start: Double, _ end: Double)
    -> Hostile
  {
    Hostile(
      "interval \(name)", DateInterval.self, "NSDateInterval", kind, ["NS.startDate": .uid(3), "NS.endDate": .uid(4)],
      [["NS.time": .real(start), "$class": .uid(5)], ["NS.time": .real(end), "$class": .uid(5)], Description.date])
  }

  static let times = [
    interval("that ends before it starts", .invalidContents, 1, 0.5),
    interval("with a start of NaN", .invalidContents, .nan, 1),
    interval("that never ends", .invalidContents, 1, .infinity),
    interval("with an infinite length", .invalidContents, -.greatestFiniteMagnitude, .greatestFiniteMagnitude),
    Hostile(
      "interval without end", DateInterval.self, "NSDateInterval", .valueNotFound, ["NS.startDate": .uid(3)],
      [["NS.time": 0.0, "$class": .uid(4)], Description.date]),
    Hostile("date that is text", Date.self, "NSDate", .typeMismatch, ["NS.time": "now"]),
    Hostile("locale without identifier", Locale.self, "NSLocale", .valueNotFound, [:]),
    Hostile("locale whose identifier is a number", Locale.self, "NSLocale", .typeMismatch, ["NS.identifier": 1]),
    timeZone("with an unknown name", .invalidContents, ["NS.name": "Mars/Olympus"]),
    timeZone("with a path for a name", .invalidContents, ["NS.name": "../../../etc/passwd"]),
    timeZone("with a too large offset from Greenwich", .invalidContents, ["NS.name": "GMT+9900"]),
    timeZone("without name", .valueNotFound, ["NS.data": .bytes([])]),
    timeZone("whose rules are text", .typeMismatch, ["NS.name": "GMT", "NS.data": "x"]),
    calendar("without identifier", .valueNotFound, [:]),
    calendar("with an unknown identifier", .invalidContents, ["NS.identifier": "lunar"]),
    calendar("with an eighth weekday", .invalidContents, ["NS.identifier": "gregorian", "NS.firstwkdy": 8]),
    calendar("with a negative weekday", .invalidContents, ["NS.identifier": "gregorian", "NS.firstwkdy": -1]),
    calendar("with a week of eight days", .invalidContents, ["NS.identifier": "gregorian", "NS.mindays": 8]),
    calendar("that begins on another day", .invalidContents, ["NS.identifier": "gregorian", "NS.gstartdate": .uid(3)]),
    calendar("with text for a time zone", .typeMismatch, ["NS.identifier": "gregorian", "NS.timezone": "GMT"]),
    Hostile(
      "component that is a fraction", DateComponents.self, "NSDateComponents", .numberOutOfRange, ["NS.year": 2001.5]),
    Hostile("component that is text", DateComponents.self, "NSDateComponents", .typeMismatch, ["NS.year": "2001"]),
    Hostile(
      "leap month that is text", DateComponents.self, "NSDateComponents", .typeMismatch, ["NS.isLeapMonth": "yes"]),
    Hostile(
      "unknown calendar in components", DateComponents.self, "NSDateComponents", .invalidContents,
      ["NS.calendar": .uid(3)], [["NS.identifier": "lunar", "$class": .uid(4)], classDescription("NSCalendar")]),
  ]

  /// An attributed string "text".
  private static func runs(_ name: String, _ kind: KeyedArchiveError.Kind, _ bytes: [UInt8]) -> Hostile {
    Hostile(
      "runs \(name)", Archived.AttributedString.self, "NSAttributedString", kind,
      ["NSString": "text", "NSAttributes": .uid(3), "NSAttributeInfo": .bytes(bytes)],
      [
        ["NS.objects": [.uid(5)], "$class": .uid(4)], Description.array,
        ["NS.keys": [], "NS.objects": [], "$class": .uid(6)], Description.dictionary,
      ])
  }

  static let others = [
    runs("shorter than the text", .invalidContents, [1, 0, 2, 0]),
    runs("longer than the text", .invalidContents, [1, 0, 4, 0]),
    runs("with an empty run", .invalidContents, [4, 0, 0, 0]),
    runs("with unknown attributes", .invalidContents, [4, 1]),
    runs("without the attributes of the last", .invalidContents, [1, 0, 3]),
    runs("cut off", .invalidContents, [4, 0x80]),
    runs("none at all", .invalidContents, []),
    runs(
      "of more units than there are integers", .invalidContents,
      [UInt8](repeating: 0xFF, count: 8) + [0x7F, 0] + [UInt8](repeating: 0xFF, count: 8) + [0x7F, 0]),
    runs("with a length of 64 bits", .invalidContents, [UInt8](repeating: 0xFF, count: 9) + [1, 0]),
    Hostile("attributed text without text", Archived.AttributedString.self, "NSAttributedString", .valueNotFound, [:]),
    Hostile(
      "attributed text with runs and no attributes", Archived.AttributedString.self, "NSAttributedString",
      .valueNotFound, ["NSString": "x", "NSAttributeInfo": .bytes([1, 0])]),
    Hostile(
      "attributed text with an attribute of another class", Archived.AttributedString.self, "NSAttributedString",
      .classNotAllowed, ["NSString": "x", "NSAttributes": .uid(3)],
      [
        ["NS.keys": ["a"], "NS.objects": [.uid(5)], "$class": .uid(4)], Description.dictionary, ["$class": .uid(6)],
        classDescription("Widget"),
      ]),
    match("without a location", .valueNotFound, ["NSRangeArray": .uid(3)]),
    match(
      "with another range in the list", .invalidContents,
      ["NSRangeLocation": 1, "NSRangeLength": 3, "NSRangeArray": .uid(3)]),
    match(
      "with no range in the list", .invalidContents,
      ["NSRangeLocation": 0, "NSRangeLength": 3, "NSRangeArray": .uid(7)]),
    match("with a negative length", .invalidContents, ["NSRangeLocation": 0, "NSRangeLength": -1]),
    match(
      "with text for an expression", .typeMismatch,
      ["NSRangeLocation": 0, "NSRangeLength": 3, "NSRegularExpression": "a"]),
    expression("without pattern", .valueNotFound, ["NSOptions": 0]),
    expression("without options", .valueNotFound, ["NSPattern": "a"]),
    expression("with negative options", .numberOutOfRange, ["NSPattern": "a", "NSOptions": -1]),
    Hostile("error without domain", Archived.Error.self, "NSError", .valueNotFound, ["NSCode": 1]),
    Hostile("error without code", Archived.Error.self, "NSError", .valueNotFound, ["NSDomain": "d"]),
    Hostile(
      "error whose user info is text", Archived.Error.self, "NSError", .typeMismatch,
      ["NSDomain": "d", "NSCode": 1, "NSUserInfo": "x"]),
    Hostile("exception without name", Archived.Exception.self, "NSException", .valueNotFound, ["NS.reason": "x"]),
    notification("without name", .valueNotFound, ["NS.object": "x"]),
    notification("with an object of another class", .classNotAllowed, ["NS.name": "x", "NS.object": .uid(1)]),
    Hostile("unit without symbol", Archived.Unit.self, "NSUnitLength", .valueNotFound, ["NS.specifier": 1]),
    Hostile(
      "unit with text for a converter", Archived.Unit.self, "NSUnitLength", .typeMismatch,
      ["NS.symbol": "m", "NS.converter": "x"]),
    Hostile(
      "linear converter without constant", Archived.UnitConverter.self, "NSUnitConverterLinear", .valueNotFound,
      ["NS.coefficient": 1]),
    Hostile(
      "reciprocal converter of nothing", Archived.UnitConverter.self, "NSUnitConverterReciprocal", .valueNotFound,
      ["NS.coefficient": 1, "NS.constant": 1]),
    Hostile("measurement without unit", Archived.Measurement.self, "NSMeasurement", .valueNotFound, ["NS.value": 1]),
    Hostile("measurement of text", Archived.Measurement.self, "NSMeasurement", .typeMismatch, ["NS.value": "1"]),
    characters("of no form", .valueNotFound, [:]),
    characters("with a negative number", .invalidContents, ["NSBuiltinID": -1]),
    characters("beyond Unicode", .invalidContents, ["NSRange": 4_296_081_408]),
    characters("from a negative one on", .invalidContents, ["NSRange": -1]),
    Hostile("bitmap that is text", Archived.CharacterSet.self, "NSCharacterSet", .typeMismatch, ["NSBitmap": "x"]),
    Hostile(
      "sort descriptor without direction", Archived.SortDescriptor.self, "NSSortDescriptor", .valueNotFound,
      ["NSKey": "x"]),
    Hostile(
      "name that is a number", Archived.PersonNameComponents.self, "NSPersonNameComponents", .typeMismatch,
      ["NS.givenName": 1]),
    Hostile(
      "item of a query without name", Archived.URLQueryItem.self, "NSURLQueryItem", .valueNotFound, ["NS.value": "x"]),
    Hostile("URL without text", URL.self, "NSURL", .valueNotFound, [:]),
    Hostile("empty URL", URL.self, "NSURL", .invalidContents, ["NS.relative": ""]),
    Hostile(
      "formatter of byte counts with text for a number", Archived.ByteCountFormatter.self, "NSByteCountFormatter",
      .typeMismatch, ["NSUnits": "x"]),
    Hostile(
      "ISO 8601 formatter without options", Archived.ISO8601DateFormatter.self, "NSISO8601DateFormatter",
      .valueNotFound, [:]),
    Hostile(
      "formatter of intervals without style", Archived.DateIntervalFormatter.self, "NSDateIntervalFormatter",
      .valueNotFound, ["NS.dateStyle": 1]),
    Hostile("color with an array", Archived.Color.self, "NSColor", .typeMismatch, ["NSRGB": [1]]),
    Hostile(
      "color with an object of another class", Archived.Color.self, "NSColor", .classNotAllowed, ["NSRGB": .uid(3)],
      [["$class": .uid(4)], classDescription("Widget")]),
    Hostile(
      "color space with text for a number", Archived.Color.ColorSpace.self, "NSColorSpace", .typeMismatch, ["NSID": "x"]
    ),
  ]
}
