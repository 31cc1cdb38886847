import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Testing

/// Hostile collections and values.
extension Hostile {
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
    Hostile("counted set without count", Archived.CountedSet<Int>.self, "NSCountedSet", .valueNotFound, [:]),
    Hostile(
      "counted set with a negative count", Archived.CountedSet<Int>.self, "NSCountedSet", .invalidContents,
      ["NS.count": -1]),
    Hostile(
      "counted set with a huge count", Archived.CountedSet<Int>.self, "NSCountedSet", .invalidContents,
      ["NS.count": 9_223_372_036_854_775_807]),
    Hostile(
      "counted set with more elements than it counts", Archived.CountedSet<Int>.self, "NSCountedSet", .invalidContents,
      ["NS.count": 0, "NS.object0": 1, "NS.count0": 1]),
    Hostile(
      "counted set with an element no times", Archived.CountedSet<Int>.self, "NSCountedSet", .invalidContents,
      ["NS.count": 1, "NS.object0": 1, "NS.count0": 0]),
    Hostile(
      "counted set with an uncounted element", Archived.CountedSet<Int>.self, "NSCountedSet", .valueNotFound,
      ["NS.count": 1, "NS.object0": 1]),
    Hostile(
      "counted set with an element twice", Archived.CountedSet<Int>.self, "NSCountedSet", .invalidContents,
      ["NS.count": 2, "NS.object0": 1, "NS.count0": 1, "NS.object1": 1, "NS.count1": 1]),
    Hostile("index set without count", Archived.IndexSet.self, "NSIndexSet", .valueNotFound, [:]),
    Hostile(
      "index set with a negative count", Archived.IndexSet.self, "NSIndexSet", .invalidContents,
      ["NSRangeCount": -2, "NSRangeData": .bytes([1, 1, 3, 1])]),
    Hostile(
      "index set with a fraction of a count", Archived.IndexSet.self, "NSIndexSet", .numberOutOfRange,
      ["NSRangeCount": 1.5]),
    Hostile(
      "index set with a negative index", Archived.IndexSet.self, "NSIndexSet", .numberOutOfRange,
      ["NSRangeCount": 1, "NSLocation": -1, "NSLength": 1]),
    Hostile(
      "index set with a negative length", Archived.IndexSet.self, "NSIndexSet", .numberOutOfRange,
      ["NSRangeCount": 1, "NSLocation": 1, "NSLength": -1]),
    Hostile(
      "index set with an empty range", Archived.IndexSet.self, "NSIndexSet", .invalidContents,
      ["NSRangeCount": 1, "NSLocation": 1, "NSLength": 0]),
    Hostile(
      "index set beyond all integers", Archived.IndexSet.self, "NSIndexSet", .invalidContents,
      ["NSRangeCount": 1, "NSLocation": 9_223_372_036_854_775_807, "NSLength": 1]),
    Hostile(
      "index set with a sum beyond 64 bits", Archived.IndexSet.self, "NSIndexSet", .invalidContents,
      ["NSRangeCount": 2, "NSRangeData": .bytes([1, 1] + [UInt8](repeating: 0xFF, count: 9) + [1, 2])]),
    Hostile(
      "index set with too few ranges", Archived.IndexSet.self, "NSIndexSet", .invalidContents,
      ["NSRangeCount": 3, "NSRangeData": .bytes([1, 1, 3, 1])]),
    Hostile(
      "index set with half a range", Archived.IndexSet.self, "NSIndexSet", .invalidContents,
      ["NSRangeCount": 2, "NSRangeData": .bytes([1, 1, 3])]),
    Hostile(
      "index set that is cut off", Archived.IndexSet.self, "NSIndexSet", .invalidContents,
      ["NSRangeCount": 2, "NSRangeData": .bytes([1, 1, 3, 0x80])]),
    Hostile(
      "index set with a number of 65 bits", Archived.IndexSet.self, "NSIndexSet", .invalidContents,
      ["NSRangeCount": 2, "NSRangeData": .bytes([1, 1] + [UInt8](repeating: 0x80, count: 9) + [2, 1])]),
    Hostile(
      "index set with a number of 11 bytes", Archived.IndexSet.self, "NSIndexSet", .invalidContents,
      ["NSRangeCount": 2, "NSRangeData": .bytes([1, 1] + [UInt8](repeating: 0x80, count: 10) + [0, 1])]),
    Hostile(
      "index set with ranges that overlap", Archived.IndexSet.self, "NSIndexSet", .invalidContents,
      ["NSRangeCount": 2, "NSRangeData": .bytes([1, 3, 3, 1])]),
    Hostile(
      "index set with ranges out of order", Archived.IndexSet.self, "NSIndexSet", .invalidContents,
      ["NSRangeCount": 2, "NSRangeData": .bytes([5, 1, 1, 1])]),
    Hostile(
      "index set whose ranges are text", Archived.IndexSet.self, "NSIndexSet", .typeMismatch,
      ["NSRangeCount": 2, "NSRangeData": "1 1 3 1"]),
    Hostile("index path without length", IndexPath.self, "NSIndexPath", .valueNotFound, [:]),
    Hostile(
      "index path of negative length", IndexPath.self, "NSIndexPath", .invalidContents,
      ["NSIndexPathLength": -1, "NSIndexPathData": .bytes([])]),
    Hostile(
      "index path of a wrong length", IndexPath.self, "NSIndexPath", .invalidContents,
      ["NSIndexPathLength": 3, "NSIndexPathData": .bytes([1, 2])]),
    Hostile(
      "index path of one that is missing", IndexPath.self, "NSIndexPath", .valueNotFound, ["NSIndexPathLength": 1]),
    Hostile(
      "index path of two that are missing", IndexPath.self, "NSIndexPath", .valueNotFound, ["NSIndexPathLength": 2]),
    Hostile(
      "index path that is cut off", IndexPath.self, "NSIndexPath", .invalidContents,
      ["NSIndexPathLength": 2, "NSIndexPathData": .bytes([1, 0xFF])]),
    Hostile(
      "index path with an index of 64 bits", IndexPath.self, "NSIndexPath", .numberOutOfRange,
      ["NSIndexPathLength": 1, "NSIndexPathValue": 18_446_744_073_709_551_615]),
  ]

  private static func geometry(_ text: PropertyList) -> Hostile {
    Hostile(
      "rectangle \(text.string ?? "")", Archived.Rect.self, "NSValue", .invalidContents,
      ["NS.special": 3, "NS.rectval": text])
  }

  private static func point(_ text: PropertyList) -> Hostile {
    Hostile(
      "point \(text.string ?? "")", Archived.Point.self, "NSValue", .invalidContents,
      ["NS.special": 1, "NS.pointval": text])
  }

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
    ].map { point(.string($0)) }
    + [
      "", "{}", "{1, 2}", "{{1, 2}}", "{{1, 2}, {3}}", "{{1, 2}, {3, 4}", "{{1, 2} {3, 4}}", "{{1, 2}, {3, 4}}x",
      "{{1, 2}, {3, nan}}",
    ].map { geometry(.string($0)) } + [
      Hostile("value of nothing", Archived.Value.self, "NSValue", .valueNotFound, [:]),
      Hostile("value of an unknown sort", Archived.Value.self, "NSValue", .invalidContents, ["NS.special": 7]),
      Hostile("value whose sort is text", Archived.Value.self, "NSValue", .typeMismatch, ["NS.special": "1"]),
      Hostile("point without coordinates", Archived.Point.self, "NSValue", .valueNotFound, ["NS.special": 1]),
      Hostile(
        "point whose text is a number", Archived.Point.self, "NSValue", .typeMismatch,
        ["NS.special": 1, "NS.pointval": 7]),
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
      Hostile(
        "range with a negative length", Archived.Range.self, "NSValue", .invalidContents,
        ["NS.special": 4, "NS.rangeval.location": 1, "NS.rangeval.length": -1]),
      Hostile(
        "range with a negative location", Archived.Range.self, "NSValue", .invalidContents,
        ["NS.special": 4, "NS.rangeval.location": -1, "NS.rangeval.length": 1]),
      Hostile(
        "range beyond all integers", Archived.Range.self, "NSValue", .invalidContents,
        ["NS.special": 4, "NS.rangeval.location": 9_223_372_036_854_775_807, "NS.rangeval.length": 1]),
      Hostile(
        "range with a location of 64 bits", Archived.Range.self, "NSValue", .numberOutOfRange,
        ["NS.special": 4, "NS.rangeval.location": 18_446_744_073_709_551_615, "NS.rangeval.length": 0]),
      Hostile(
        "range without length", Archived.Range.self, "NSValue", .valueNotFound,
        ["NS.special": 4, "NS.rangeval.location": 1]),
      Hostile(
        "insets that are no number", Archived.EdgeInsets.self, "NSValue", .invalidContents,
        [
          "NS.special": 12, "NS.edgeval.top": .real(.nan), "NS.edgeval.left": 1, "NS.edgeval.bottom": 1,
          "NS.edgeval.right": 1,
        ]),
      Hostile(
        "insets without right", Archived.EdgeInsets.self, "NSValue", .valueNotFound,
        ["NS.special": 12, "NS.edgeval.top": 1, "NS.edgeval.left": 1, "NS.edgeval.bottom": 1]),
      Hostile("structure of C", Archived.Value.self, "NSValue", .invalidContents, ["$0": "{Point=dd}", "$1": 1]),
      Hostile("pointer of C", Archived.Value.self, "NSValue", .invalidContents, ["$0": "^v", "$1": 1]),
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
      Hostile(
        "transformation of 23 bytes", Archived.AffineTransform.self, "NSAffineTransform", .invalidContents,
        ["NSTransformStruct": .bytes([UInt8](repeating: 0, count: 23))]),
      Hostile(
        "transformation that is not a number", Archived.AffineTransform.self, "NSAffineTransform", .invalidContents,
        ["NSTransformStruct": .bytes([0x7F, 0xC0] + [UInt8](repeating: 0, count: 22))]),
      Hostile("transformation of nothing", Archived.AffineTransform.self, "NSAffineTransform", .valueNotFound, [:]),
      Hostile(
        "decimal number with a huge exponent", Decimal.self, "NSDecimalNumber", .invalidContents,
        ["NS.exponent": 128, "NS.length": 1, "NS.negative": false, "NS.mantissa": .bytes([1, 0])]),
      Hostile(
        "decimal number with 9 digits", Decimal.self, "NSDecimalNumber", .invalidContents,
        [
          "NS.exponent": 1, "NS.length": 9, "NS.negative": false,
          "NS.mantissa": .bytes([UInt8](repeating: 1, count: 18)),
        ]),
      Hostile(
        "decimal number that is cut off", Decimal.self, "NSDecimalNumber", .invalidContents,
        ["NS.exponent": 1, "NS.length": 2, "NS.negative": false, "NS.mantissa": .bytes([1, 2, 3])]),
      Hostile(
        "decimal number of no byte order", Decimal.self, "NSDecimalNumber", .invalidContents,
        ["NS.exponent": 1, "NS.length": 1, "NS.negative": false, "NS.mantissa.bo": 3, "NS.mantissa": .bytes([1, 2])]),
      Hostile(
        "UUID of 15 bytes", UUID.self, "NSUUID", .invalidContents,
        ["NS.uuidbytes": .bytes([UInt8](repeating: 0, count: 15))]),
    ]
}
