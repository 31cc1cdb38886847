import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Testing

/// Class descriptions that several layouts use.
enum Description {
  static let array = classDescription(["NSArray", "NSObject"])
  static let mutableArray = classDescription(["NSMutableArray", "NSArray", "NSObject"])
  static let dictionary = classDescription(["NSDictionary", "NSObject"])
  static let mutableData = classDescription(["NSMutableData", "NSData", "NSObject"])
  static let value = classDescription(["NSValue", "NSObject"])
  static let locale = classDescription(["NSLocale", "NSObject"])
  static let timeZone = classDescription(["NSTimeZone", "NSObject"])
  static let date = classDescription(["NSDate", "NSObject"])
}

/// Layouts of collections and values.
extension Layout {
  static let collections = [
    Layout("an empty set", Set<Int>(), ["NS.objects": []], classes: ["NSSet", "NSObject"]),
    Layout(
      "an empty mutable set", Archived.Mutable(Set<Int>()),
      ["NS.objects": []], classes: ["NSMutableSet", "NSSet", "NSObject"]),
    Layout(
      "an empty mutable ordered set", Archived.Mutable(OrderedSet<Int>()),
      [:], classes: ["NSMutableOrderedSet", "NSOrderedSet", "NSObject"]),
    Layout(
      "an ordered set", OrderedSet(["valgeir", "nico"]),
      [
        ["NS.object.0": .uid(2), "NS.object.1": .uid(3), "$class": .uid(4)], "valgeir", "nico",
        classDescription(["NSOrderedSet", "NSObject"]),
      ]),
    Layout(
      "an empty counted set", Archived.CountedSet<String>(),
      ["NS.count": 0], classes: ["NSCountedSet", "NSMutableSet", "NSSet", "NSObject"]),
    Layout(
      "a counted set", Archived.CountedSet(["b", "a", "a"]),
      [
        [
          "NS.count": 2, "NS.object0": .uid(2), "NS.count0": 1, "NS.object1": .uid(3), "NS.count1": 2,
          "$class": .uid(4),
        ],
        "b", "a", classDescription(["NSCountedSet", "NSMutableSet", "NSSet", "NSObject"]),
      ]),
    Layout("no indices", Archived.IndexSet(), ["NSRangeCount": 0], classes: ["NSIndexSet", "NSObject"]),
    Layout(
      "one range of indices", Archived.IndexSet(ranges: [0..<50]),
      ["NSRangeCount": 1, "NSLocation": 0, "NSLength": 50], classes: ["NSIndexSet", "NSObject"]),
    Layout(
      "mutable ranges of indices", Archived.IndexSet(ranges: [0..<50, 200..<201]).map { Archived.Mutable($0) },
      [
        ["NSRangeCount": 2, "NSRangeData": .uid(2), "$class": .uid(4)],
        ["NS.data": .bytes([0, 50, 0xC8, 1, 1]), "$class": .uid(3)], Description.mutableData,
        classDescription(["NSMutableIndexSet", "NSIndexSet", "NSObject"]),
      ]),
    Layout("an empty index path", IndexPath(), ["NSIndexPathLength": 0], classes: ["NSIndexPath", "NSObject"]),
    Layout(
      "an index path of one", IndexPath(index: 52),
      ["NSIndexPathLength": 1, "NSIndexPathValue": 52], classes: ["NSIndexPath", "NSObject"]),
    Layout(
      "values of several types",
      ArchivedValue.dictionary([
        .string("array"): .array([.null, .string("hello"), .integer(34545), .dictionary([:])]),
        .string("uuid"): .uuid(try #require(UUID(uuidString: "71DC068E-3420-45FF-919E-3A267D55EC22"))),
        .string("string"): .string("hello"), .string("range"): .value(.range(.init(location: 1, length: 1))),
      ]),
      [
        [
          "NS.keys": [.uid(2), .uid(3), .uid(4), .uid(5)], "NS.objects": [.uid(6), .uid(14), .uid(9), .uid(16)],
          "$class": .uid(12),
        ],
        "array", "uuid", "string", "range",
        ["NS.objects": [.uid(7), .uid(9), .uid(10), .uid(11)], "$class": .uid(13)],
        ["$class": .uid(8)], classDescription(["NSNull", "NSObject"]), "hello", 34545,
        ["NS.keys": [], "NS.objects": [], "$class": .uid(12)], Description.dictionary, Description.array,
        [
          "NS.uuidbytes": .bytes([113, 220, 6, 142, 52, 32, 69, 255, 145, 158, 58, 38, 125, 85, 236, 34]),
          "$class": .uid(15),
        ],
        classDescription(["NSUUID", "NSObject"]),
        ["NS.special": 4, "NS.rangeval.length": .uid(17), "NS.rangeval.location": .uid(17), "$class": .uid(18)],
        1, Description.value,
      ]),
  ]

  static let values = [
    Layout(
      "a point", Archived.Point(x: 1, y: -2.5),
      [["NS.special": 1, "NS.pointval": .uid(2), "$class": .uid(3)], "{1, -2.5}", Description.value]),
    Layout(
      "a size", Archived.Size(width: 640, height: 480),
      [["NS.special": 2, "NS.sizeval": .uid(2), "$class": .uid(3)], "{640, 480}", Description.value]),
    Layout(
      "a rectangle", Archived.Rect(x: 400, y: 300, width: 200, height: 300),
      [["NS.special": 3, "NS.rectval": .uid(2), "$class": .uid(3)], "{{400, 300}, {200, 300}}", Description.value]),
    Layout(
      "edge insets", Archived.EdgeInsets(top: 1, left: 2, bottom: 3, right: 4),
      [
        [
          "NS.special": 12, "NS.edgeval.top": 1.0, "NS.edgeval.left": 2.0, "NS.edgeval.bottom": 3.0,
          "NS.edgeval.right": 4.0, "$class": .uid(2),
        ], Description.value,
      ]),
    Layout(
      "nothing found", Archived.Range.notFound,
      [
        ["NS.special": 4, "NS.rangeval.length": .uid(2), "NS.rangeval.location": .uid(3), "$class": .uid(4)], 0,
        9_223_372_036_854_775_807, Description.value,
      ]),
    Layout(
      "an int of C", Archived.Value.number(.int(-7)),
      [["$0": .uid(2), "$1": -7, "$class": .uid(3)], "i", Description.value]),
    Layout(
      "an array of C",
      Archived.CArray(.unsignedChar, [.unsignedChar(255), .unsignedChar(0)]).map { Archived.Value.array($0) },
      [
        ["$0": .uid(2), "$1": .uid(3), "$class": .uid(5)], "[2C]",
        ["NS.count": 2, "NS.size": 1, "NS.type": 67, "$0": 255, "$1": 0, "$class": .uid(4)],
        classDescription(["_NSKeyedCoderOldStyleArray", "NSObject"]), Description.value,
      ]),
    Layout(
      "a string of C", Archived.Value.cString("text"),
      [["$0": .uid(2), "$1": .uid(3), "$class": .uid(4)], "*", "text", Description.value]),
    Layout(
      "a decimal number", Decimal(-12.5),
      [
        "NS.exponent": -1, "NS.length": 1, "NS.negative": true, "NS.compact": true, "NS.mantissa.bo": 1,
        "NS.mantissa": .data(Data([125] + [UInt8](repeating: 0, count: 15))),
      ], classes: ["NSDecimalNumberPlaceholder", "NSDecimalNumber", "NSNumber", "NSValue", "NSObject"]),
    Layout(
      "a transformation", Archived.AffineTransform(m11: 1, m12: 2, m21: -1, m22: 0.5, tX: 0, tY: -0.0),
      [
        "NSTransformStruct": .data(
          Data([0x3F, 0x80, 0, 0, 0x40, 0, 0, 0, 0xBF, 0x80, 0, 0, 0x3F, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0]))
      ], classes: ["NSAffineTransform", "NSObject"]),
  ]
}
