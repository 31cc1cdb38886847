import Foundation
import KeyedArchiving
import OrderedCollections
import Testing

extension Pair {
  static let basics: [Pair] = [
    Pair("empty string", NSString(string: ""), ""), Pair("string", NSString(string: "Ω 🙂 e\u{301}"), "Ω 🙂 e\u{301}"),
    Pair("long string", NSString(string: longText), longText), Pair("almost null", NSString(string: "$nul"), "$nul"),
    Pair("no data", NSData(), Data()), Pair("data", NSData(data: Data(0...255)), Data(0...255)),
    Pair("mutable data", NSMutableData(data: Data([1])), Archived.Mutable(Data([1]))),
    Pair("date", NSDate(timeIntervalSinceReferenceDate: 0.1), Date(timeIntervalSinceReferenceDate: 0.1)),
    Pair("the distant past", Date.distantPast as NSDate, Date.distantPast),
    Pair("UUID", try uuid() as NSUUID, try uuid()), Pair("null", NSNull(), Archived.Null()),
    Pair("URL", try url("https://www.swift.org/a%20b?c#d") as NSURL, try url("https://www.swift.org/a%20b?c#d")),
    Pair("relative URL", try url("index.xml") as NSURL, try url("index.xml")),
    Pair("file", NSURL(fileURLWithPath: "/a b"), URL(fileURLWithPath: "/a b")),
    Pair(
      "URL with a base",
      try #require(NSURL(string: "index.xml", relativeTo: try url("https://www.swift.org/blog/"))),
      try url("index.xml", base: "https://www.swift.org/blog/")),
  ]

  static let numbers: [Pair] = [
    Pair("true", NSNumber(value: true), true), Pair("false", NSNumber(value: false), false),
    Pair("Int8", NSNumber(value: Int8.min), Int8.min), Pair("UInt8", NSNumber(value: UInt8.max), UInt8.max),
    Pair("Int16", NSNumber(value: Int16.min), Int16.min), Pair("UInt16", NSNumber(value: UInt16.max), UInt16.max),
    Pair("Int32", NSNumber(value: Int32.min), Int32.min), Pair("UInt32", NSNumber(value: UInt32.max), UInt32.max),
    Pair("Int64", NSNumber(value: Int64.min), Int64.min), Pair("greatest Int64", NSNumber(value: Int64.max), Int64.max),
    Pair("UInt64", NSNumber(value: UInt64.max), UInt64.max), Pair("Int", NSNumber(value: -1), -1),
    Pair("UInt", NSNumber(value: UInt.max), UInt.max), Pair("zero", NSNumber(value: 0), 0),
    Pair("Float", NSNumber(value: Float(0.1)), Float(0.1)), Pair("Double", NSNumber(value: 0.1), 0.1),
    Pair("whole Double", NSNumber(value: 2.0), 2.0),
    Pair("greatest Double", NSNumber(value: Double.greatestFiniteMagnitude), Double.greatestFiniteMagnitude),
    Pair("least Double", NSNumber(value: Double.leastNonzeroMagnitude), Double.leastNonzeroMagnitude),
    Pair("infinity", NSNumber(value: Double.infinity), Double.infinity),
    Pair("less than everything", NSNumber(value: -Float.infinity), -Float.infinity),
  ]

  static let collections: [Pair] = [
    Pair("empty array", NSArray(), [Int]()),
    Pair("array", NSArray(array: ["baa", "baa", "black"]), ["baa", "baa", "black"], with: [NSString.self]),
    Pair("arrays in an array", NSArray(array: [[1, 2], [], [1, 2]]), [[1, 2], [], [1, 2]], with: [NSNumber.self]),
    Pair("mutable array", NSMutableArray(array: [1.5]), Archived.Mutable([1.5]), with: [NSNumber.self]),
    Pair(
      "array of many types",
      NSArray(array: [
        NSNull(), true, 2, 0.5, "a", Data([1]), NSDate(timeIntervalSinceReferenceDate: 2), NSArray(array: ["b"]),
      ]),
      [
        ArchivedValue.null, .boolean(true), .integer(2), .real(0.5), .string("a"), .data(Data([1])),
        .date(Date(timeIntervalSinceReferenceDate: 2)), .array([.string("b")]),
      ], with: [NSNull.self, NSNumber.self, NSString.self, NSData.self, NSDate.self]),
    Pair("empty dictionary", NSDictionary(), [String: Int]()),
    Pair(
      "dictionary", NSDictionary(dictionary: ["a": 1, "b": 2]), ["a": 1, "b": 2], with: [NSString.self, NSNumber.self]),
    Pair(
      "dictionary of integers", NSDictionary(dictionary: [1: ["x"], -1: []]), [1: ["x"], -1: []],
      with: [NSString.self, NSNumber.self, NSArray.self]),
    Pair(
      "mutable dictionary", NSMutableDictionary(dictionary: ["a": "b"]), Archived.Mutable(["a": "b"]),
      with: [NSString.self]),
    Pair("empty set", NSSet(), Set<Int>()),
    Pair("set", NSSet(array: ["a", "b", "c"]), Set(["a", "b", "c"]), with: [NSString.self]),
    Pair("mutable set", NSMutableSet(array: [1, 2]), Archived.Mutable(Set([1, 2])), with: [NSNumber.self]),
    Pair("empty counted set", NSCountedSet(), Archived.CountedSet<Int>()),
    Pair(
      "counted set", NSCountedSet(array: ["b", "a", "b"]), Archived.CountedSet(["b", "a", "b"]), with: [NSString.self]
    ) {
      $0.isEqual($1) && $0.count(for: "b") == $1.count(for: "b") && $0.count(for: "a") == $1.count(for: "a")
    },
    Pair("empty ordered set", NSOrderedSet(), OrderedSet<Int>()),
    Pair("ordered set", NSOrderedSet(array: [3, 1, 2]), OrderedSet([3, 1, 2]), with: [NSNumber.self]),
    Pair(
      "mutable ordered set", NSMutableOrderedSet(array: ["b", "a"]), Archived.Mutable(OrderedSet(["b", "a"])),
      with: [NSString.self]),
  ]

  static let indices: [Pair] = [
    Pair("no indices", NSIndexSet(), Archived.IndexSet()),
    Pair("an index", NSIndexSet(index: 7), try indexSet([7..<8])),
    Pair("a range of indices", NSIndexSet(indexesIn: NSRange(location: 3, length: 400)), try indexSet([3..<403])),
    Pair(
      "ranges of indices", NSIndexSet(indexSet: foundationIndexSet([0..<1, 100..<1_000_100]) as IndexSet),
      try indexSet([0..<1, 100..<1_000_100])),
    Pair("mutable indices", foundationIndexSet([0..<1, 5..<7]), Archived.Mutable(try indexSet([0..<1, 5..<7]))),
    Pair("empty index path", IndexPath() as NSIndexPath, IndexPath()),
    Pair("index path of one", NSIndexPath(index: 52), IndexPath(index: 52)),
    Pair(
      "index path", IndexPath(indexes: [4, 8, 127, 128, 16384]) as NSIndexPath,
      IndexPath(indexes: [4, 8, 127, 128, 16384])),
  ]

  static let values: [Pair] = [
    Pair("range", NSValue(range: NSRange(location: 5, length: 6)), Archived.Range(location: 5, length: 6)),
    Pair("no range", NSValue(range: NSRange(location: NSNotFound, length: 0)), Archived.Range.notFound),
    Pair("point", NSValue(point: NSPoint(x: -1.5, y: 1e20)), Archived.Point(x: -1.5, y: 1e20)),
    Pair("size", NSValue(size: NSSize(width: 0.1, height: 0)), Archived.Size(width: 0.1, height: 0)),
    Pair(
      "rectangle", NSValue(rect: NSRect(x: 1, y: 2.5, width: 3, height: -4)),
      Archived.Rect(x: 1, y: 2.5, width: 3, height: -4)),
    Pair(
      "edge insets", NSValue(edgeInsets: NSEdgeInsets(top: 1, left: 2.5, bottom: 3, right: 4)),
      Archived.EdgeInsets(top: 1, left: 2.5, bottom: 3, right: 4)),
    Pair(
      "a range as any value", NSValue(range: NSRange(location: 1, length: 2)),
      Archived.Value.range(.init(location: 1, length: 2))),
  ]

  private static let longText = String(repeating: "a long text ", count: 1000)

  private static func uuid() throws -> UUID { try #require(UUID(uuidString: "0AD863BA-7584-40CF-8896-BD87B3280C34")) }

  private static func url(_ text: String, base: String? = nil) throws -> URL {
    try #require(URL(string: text, relativeTo: base.flatMap { URL(string: $0) }))
  }

  private static func indexSet(_ ranges: [Range<Int>]) throws -> Archived.IndexSet {
    try #require(Archived.IndexSet(ranges: ranges))
  }

  private static func foundationIndexSet(_ ranges: [Range<Int>]) -> NSMutableIndexSet {
    let set = NSMutableIndexSet()
    for range in ranges { set.add(in: NSRange(range)) }
    return set
  }
}
