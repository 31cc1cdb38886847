import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Testing

/// Hostile collections and values.
extension Hostile {
  private static let countedSet = HostileClass(Archived.CountedSet<Int>.self, "NSCountedSet", "counted set")
  private static let indexSet = HostileClass(Archived.IndexSet.self, "NSIndexSet", "index set")
  private static let indexPath = HostileClass(IndexPath.self, "NSIndexPath", "index path")
  private static let point = HostileClass(Archived.Point.self, "NSValue", "point")
  private static let rectangle = HostileClass(Archived.Rect.self, "NSValue", "rectangle")
  private static let range = HostileClass(Archived.Range.self, "NSValue", "range")
  private static let insets = HostileClass(Archived.EdgeInsets.self, "NSValue", "insets")
  private static let transformation = HostileClass(Archived.AffineTransform.self, "NSAffineTransform", "transformation")
  private static let decimalNumber = HostileClass(Decimal.self, "NSDecimalNumber", "decimal number")

  static let collections = [
    Hostile(
      "ordered set with a gap", OrderedSet<Int>.self, "NSOrderedSet", .invalidContents,
      ["NS.object.0": 1, "NS.object.2": 2]),
    Hostile(
      "ordered set with an element twice", OrderedSet<Int>.self, "NSOrderedSet", .invalidContents,
      ["NS.object.0": 1, "NS.object.1": 1]),
    Hostile("set with an element twice", Set<Int>.self, "NSSet", .invalidContents, ["NS.objects": [1, 1]]),
    Hostile("set without elements", Set<Int>.self, "NSSet", .valueNotFound, [:]),
    Hostile("array that is text", [Int].self, "NSArray", .typeMismatch, ["NS.objects": "1"]),
    Hostile("array of text", [Int].self, "NSArray", .typeMismatch, ["NS.objects": ["1"]]),
    Hostile(
      "dictionary with more keys than values", [String: Int].self, "NSDictionary", .invalidContents,
      ["NS.keys": ["a", "b"], "NS.objects": [1]]),
    countedSet("without count", .valueNotFound, [:]),
    countedSet("with a negative count", .invalidContents, ["NS.count": -1]),
    countedSet("with a huge count", .invalidContents, ["NS.count": 9_223_372_036_854_775_807]),
    countedSet(
      "with more elements than it counts", .invalidContents, ["NS.count": 0, "NS.object0": 1, "NS.count0": 1]),
    countedSet("with an element no times", .invalidContents, ["NS.count": 1, "NS.object0": 1, "NS.count0": 0]),
    countedSet("with an uncounted element", .valueNotFound, ["NS.count": 1, "NS.object0": 1]),
    countedSet(
      "with an element twice", .invalidContents,
      ["NS.count": 2, "NS.object0": 1, "NS.count0": 1, "NS.object1": 1, "NS.count1": 1]),
    indexSet("without count", .valueNotFound, [:]),
    indexSet("with a negative count", .invalidContents, ["NSRangeCount": -2, "NSRangeData": .bytes([1, 1, 3, 1])]),
    indexSet("with a fraction of a count", .numberOutOfRange, ["NSRangeCount": 1.5]),
    indexSet("with a negative index", .numberOutOfRange, ["NSRangeCount": 1, "NSLocation": -1, "NSLength": 1]),
    indexSet("with a negative length", .numberOutOfRange, ["NSRangeCount": 1, "NSLocation": 1, "NSLength": -1]),
    indexSet("with an empty range", .invalidContents, ["NSRangeCount": 1, "NSLocation": 1, "NSLength": 0]),
    indexSet(
      "with an overflowing end", .invalidContents,
      ["NSRangeCount": 1, "NSLocation": 9_223_372_036_854_775_807, "NSLength": 1]),
    indexSet(
      "with a sum beyond 64 bits", .invalidContents,
      ["NSRangeCount": 2, "NSRangeData": .bytes([1, 1] + [UInt8](repeating: 0xFF, count: 9) + [1, 2])]),
    indexSet("with too few ranges", .invalidContents, ["NSRangeCount": 3, "NSRangeData": .bytes([1, 1, 3, 1])]),
    indexSet("with half a range", .invalidContents, ["NSRangeCount": 2, "NSRangeData": .bytes([1, 1, 3])]),
    indexSet("that is cut off", .invalidContents, ["NSRangeCount": 2, "NSRangeData": .bytes([1, 1, 3, 0x80])]),
    indexSet(
      "with a number of 65 bits", .invalidContents,
      ["NSRangeCount": 2, "NSRangeData": .bytes([1, 1] + [UInt8](repeating: 0x80, count: 9) + [2, 1])]),
    indexSet(
      "with a number of 11 bytes", .invalidContents,
      ["NSRangeCount": 2, "NSRangeData": .bytes([1, 1] + [UInt8](repeating: 0x80, count: 10) + [0, 1])]),
    indexSet("with ranges that overlap", .invalidContents, ["NSRangeCount": 2, "NSRangeData": .bytes([1, 3, 3, 1])]),
    indexSet("with ranges out of order", .invalidContents, ["NSRangeCount": 2, "NSRangeData": .bytes([5, 1, 1, 1])]),
    indexSet("whose ranges are text", .typeMismatch, ["NSRangeCount": 2, "NSRangeData": "1 1 3 1"]),
    indexPath("without length", .valueNotFound, [:]),
    indexPath("of negative length", .invalidContents, ["NSIndexPathLength": -1, "NSIndexPathData": .bytes([])]),
    indexPath("of a wrong length", .invalidContents, ["NSIndexPathLength": 3, "NSIndexPathData": .bytes([1, 2])]),
    indexPath("of one that is missing", .valueNotFound, ["NSIndexPathLength": 1]),
    indexPath("of two that are missing", .valueNotFound, ["NSIndexPathLength": 2]),
    indexPath("that is cut off", .invalidContents, ["NSIndexPathLength": 2, "NSIndexPathData": .bytes([1, 0xFF])]),
    indexPath(
      "with an index of 64 bits", .numberOutOfRange,
      ["NSIndexPathLength": 1, "NSIndexPathValue": 18_446_744_073_709_551_615]),
  ]

  private static func carray(
    _ name: String, _ kind: KeyedArchiveError.Kind, _ type: PropertyList,
    _ fields: OrderedDictionary<String, PropertyList>
  ) -> Hostile {
    var fields = fields
    fields["$class"] = .uid(4)
    return Hostile(
      "array of C \(name)", Archived.Value.self, "NSValue", kind, ["$0": type, "$1": .uid(3)],
      [.dictionary(fields), classDescription("_NSKeyedCoderOldStyleArray")])
  }

  static let values =
    [
      "", "{}", "{1}", "{1, }", "{1, 2", "1, 2}", "{1, 2}}", "{1 2}", "{1; 2}", "{{1, 2}}", "{nan, 1}", "{1e999, 0}",
      "{0x10, 0}", "{infinity, 0}", "{1, 2, 3}", " {1, 2}", "{x, y}", "{1,\t2}", "{--1, 2}", "{1\u{0}, 2}",
    ].map { point($0, .invalidContents, ["NS.special": 1, "NS.pointval": .string($0)]) }
    + [
      "", "{}", "{1, 2}", "{{1, 2}}", "{{1, 2}, {3}}", "{{1, 2}, {3, 4}", "{{1, 2} {3, 4}}", "{{1, 2}, {3, 4}}x",
      "{{1, 2}, {3, nan}}",
    ].map { rectangle($0, .invalidContents, ["NS.special": 3, "NS.rectval": .string($0)]) }
    + [
      Hostile("value of nothing", Archived.Value.self, "NSValue", .valueNotFound, [:]),
      Hostile("value of an unknown sort", Archived.Value.self, "NSValue", .invalidContents, ["NS.special": 7]),
      Hostile("value whose sort is text", Archived.Value.self, "NSValue", .typeMismatch, ["NS.special": "1"]),
      point("without coordinates", .valueNotFound, ["NS.special": 1]),
      point("whose text is a number", .typeMismatch, ["NS.special": 1, "NS.pointval": 7]),
      Hostile(
        "size for a point", Archived.Point.self, "NSValue", .typeMismatch, ["NS.special": 2, "NS.sizeval": "{1, 2}"]),
      Hostile(
        "point for a size", Archived.Size.self, "NSValue", .typeMismatch, ["NS.special": 1, "NS.pointval": "{1, 2}"]),
      Hostile(
        "point for a rectangle", Archived.Rect.self, "NSValue", .typeMismatch,
        ["NS.special": 1, "NS.pointval": "{1, 2}"]),
      Hostile(
        "point for a range", Archived.Range.self, "NSValue", .typeMismatch, ["NS.special": 1, "NS.pointval": "{1, 2}"]),
      Hostile(
        "point for insets", Archived.EdgeInsets.self, "NSValue", .typeMismatch,
        ["NS.special": 1, "NS.pointval": "{1, 2}"]),
      range(
        "with a negative length", .invalidContents,
        ["NS.special": 4, "NS.rangeval.location": 1, "NS.rangeval.length": -1]),
      range(
        "with a negative location", .invalidContents,
        ["NS.special": 4, "NS.rangeval.location": -1, "NS.rangeval.length": 1]),
      range(
        "with an overflowing end", .invalidContents,
        ["NS.special": 4, "NS.rangeval.location": 9_223_372_036_854_775_807, "NS.rangeval.length": 1]),
      range(
        "with a 64-bit location", .numberOutOfRange,
        ["NS.special": 4, "NS.rangeval.location": 18_446_744_073_709_551_615, "NS.rangeval.length": 0]),
      range("without length", .valueNotFound, ["NS.special": 4, "NS.rangeval.location": 1]),
      insets(
        "with NaN", .invalidContents,
        [
          "NS.special": 12, "NS.edgeval.top": .real(.nan), "NS.edgeval.left": 1, "NS.edgeval.bottom": 1,
          "NS.edgeval.right": 1,
        ]),
      insets(
        "without right", .valueNotFound,
        ["NS.special": 12, "NS.edgeval.top": 1, "NS.edgeval.left": 1, "NS.edgeval.bottom": 1]),
      Hostile("C structure", Archived.Value.self, "NSValue", .invalidContents, ["$0": "{Point=dd}", "$1": 1]),
      Hostile("C pointer", Archived.Value.self, "NSValue", .invalidContents, ["$0": "^v", "$1": 1]),
      Hostile("object in a value", Archived.Value.self, "NSValue", .invalidContents, ["$0": "@", "$1": .uid(1)]),
      Hostile("type without number", Archived.Value.self, "NSValue", .valueNotFound, ["$0": "i"]),
      Hostile(
        "number too large for its type", Archived.Value.self, "NSValue", .numberOutOfRange, ["$0": "C", "$1": 256]),
      Hostile("number of another kind", Archived.Value.self, "NSValue", .typeMismatch, ["$0": "i", "$1": "1"]),
      carray(
        "with a huge count", .invalidContents, "[9223372036854775807i]",
        ["NS.count": 9_223_372_036_854_775_807, "NS.size": 4, "NS.type": 105, "$0": 1]),
      carray("with a negative count", .invalidContents, "[1i]", ["NS.count": -1, "NS.size": 4, "NS.type": 105]),
      carray(
        "with too few elements", .invalidContents, "[2i]", ["NS.count": 2, "NS.size": 4, "NS.type": 105, "$0": 1]),
      carray("with a gap", .valueNotFound, "[2i]", ["NS.count": 2, "NS.size": 4, "NS.type": 105, "$0": 1, "$2": 1]),
      carray("without a count", .valueNotFound, "[0i]", ["NS.size": 4, "NS.type": 105]),
      carray("with another size", .invalidContents, "[1i]", ["NS.count": 1, "NS.size": 8, "NS.type": 105, "$0": 1]),
      carray(
        "with a huge size", .invalidContents, "[1i]",
        ["NS.count": 1, "NS.size": 9_223_372_036_854_775_807, "NS.type": 105, "$0": 1]),
      carray("of objects", .invalidContents, "[1@]", ["NS.count": 1, "NS.size": 8, "NS.type": 64, "$0": .uid(1)]),
      carray(
        "of an impossible type", .invalidContents, "[1i]", ["NS.count": 1, "NS.size": 4, "NS.type": 1_000_000, "$0": 1]),
      carray(
        "of a type with a high bit", .invalidContents, "[1i]", ["NS.count": 1, "NS.size": 4, "NS.type": 233, "$0": 1]),
      carray(
        "of another type than announced", .invalidContents, "[1I]",
        ["NS.count": 1, "NS.size": 4, "NS.type": 105, "$0": 1]),
      carray(
        "of another length than announced", .invalidContents, "[2i]",
        ["NS.count": 1, "NS.size": 4, "NS.type": 105, "$0": 1]),
      carray(
        "with an element too large", .numberOutOfRange, "[1i]",
        ["NS.count": 1, "NS.size": 4, "NS.type": 105, "$0": 2_147_483_648]),
      transformation("of 23 bytes", .invalidContents, ["NSTransformStruct": .bytes([UInt8](repeating: 0, count: 23))]),
      transformation(
        "that is not a number", .invalidContents,
        ["NSTransformStruct": .bytes([0x7F, 0xC0] + [UInt8](repeating: 0, count: 22))]),
      transformation("of nothing", .valueNotFound, [:]),
      decimalNumber(
        "with a huge exponent", .invalidContents,
        ["NS.exponent": 128, "NS.length": 1, "NS.negative": false, "NS.mantissa": .bytes([1, 0])]),
      decimalNumber(
        "with 9 digits", .invalidContents,
        [
          "NS.exponent": 1, "NS.length": 9, "NS.negative": false,
          "NS.mantissa": .bytes([UInt8](repeating: 1, count: 18)),
        ]),
      decimalNumber(
        "that is cut off", .invalidContents,
        ["NS.exponent": 1, "NS.length": 2, "NS.negative": false, "NS.mantissa": .bytes([1, 2, 3])]),
      decimalNumber(
        "of no byte order", .invalidContents,
        ["NS.exponent": 1, "NS.length": 1, "NS.negative": false, "NS.mantissa.bo": 3, "NS.mantissa": .bytes([1, 2])]),
      Hostile(
        "UUID of 15 bytes", UUID.self, "NSUUID", .invalidContents,
        ["NS.uuidbytes": .bytes([UInt8](repeating: 0, count: 15))]),
    ]
}
