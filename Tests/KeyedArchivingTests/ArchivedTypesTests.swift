import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@Suite("Index sets") struct IndexSetTests {
  @Test func `ranges are sorted, joined and not empty`() throws {
    let set = try #require(Archived.IndexSet(ranges: [10..<20, 0..<5, 5..<6, 7..<7, 15..<30]))
    #expect(set.ranges == [0..<6, 10..<30])
    #expect(Array(set.integers) == Array(0..<6) + Array(10..<30))
    #expect(Archived.IndexSet([3, 1, 2, 2, 9])?.ranges == [1..<4, 9..<10])
    #expect(Archived.IndexSet(ranges: []) == Archived.IndexSet())
  }

  @Test func `an invalid index is refused`() {
    #expect(Archived.IndexSet(ranges: [-1..<5]) == nil)
    #expect(Archived.IndexSet([1, -1]) == nil)
    #expect(Archived.IndexSet([Int.max]) == nil)
  }

  @Test func `an index set contains an integer`() throws {
    let set = try #require(Archived.IndexSet(ranges: [0..<6, 10..<11, 20..<30]))
    let found = (-3..<35).filter { set.contains($0) }
    #expect(found == Array(set.integers))
    #expect(!set.contains(.max) && !set.contains(.min))
  }

  /// The ranges in an archive can be adjacent; the set is the same.
  @Test func `adjacent ranges are read`() throws {
    let data = try archive("NSIndexSet", ["NSRangeCount": 2, "NSRangeData": .bytes([0, 5, 5, 1])])
    #expect(try unarchive(Archived.IndexSet.self, data).ranges == [0..<6])
  }
}

@Suite("Counted sets") struct CountedSetTests {
  @Test func `sets with the same counts in another order are equal`() {
    let set: Archived.CountedSet = ["a", "b", "a"]
    #expect(set == ["a", "a", "b"])
    #expect(Set([set, ["b", "a", "a"]]).count == 1)
    #expect(set != ["a", "b", "b"])
    #expect(set != ["a", "b"])
    #expect(set.count(of: "a") == 2)
    #expect(set.count(of: "c") == 0)
    #expect(Array(set.counts.keys) == ["a", "b"])
  }
}

@Suite("Attributed strings") struct AttributedStringTests {
  @Test func `the runs cover the string, in UTF-16 code units`() throws {
    #expect(Archived.AttributedString("a🙂").runs == [.init(length: 3)])
    #expect(try Archived.AttributedString("a🙂", runs: [.init(length: 1), .init(length: 2)]).runs.count == 2)
    for lengths in [[], [2], [4], [3, 0], [-1, 4], [Int.max, Int.max, 5]] {
      #expect(throws: KeyedArchiveError.self) {
        try Archived.AttributedString("a🙂", runs: lengths.map { .init(length: $0) })
      }
    }
    #expect(try Archived.AttributedString("", runs: []) == Archived.AttributedString())
  }

  @Test func `strings with the same runs are equal, whatever attribute list the archive has`() throws {
    let fields: OrderedDictionary<String, PropertyList> = ["NS.keys": ["a"], "NS.objects": [1], "$class": .uid(6)]
    let data = try archive(
      "NSAttributedString", ["NSString": "ab", "NSAttributes": .uid(3), "NSAttributeInfo": .bytes([1, 0, 1, 2])],
      [
        ["NS.objects": [.uid(5), .uid(7), .uid(5)], "$class": .uid(4)], Description.mutableArray, .dictionary(fields),
        Description.dictionary, ["NS.keys": [], "NS.objects": [], "$class": .uid(6)],
      ])
    let read = try unarchive(Archived.AttributedString.self, data)
    let run = Archived.AttributedString.Run(length: 1, attributes: ["a": .integer(1)])
    let made = try Archived.AttributedString("ab", runs: [run, run])
    #expect(read == made && read.hashValue == made.hashValue)
    let lists = try [read, made].map {
      try PropertyList(KeyedArchiver.archivedData(withRootObject: $0))["$objects"]?[3]?["NS.objects"]?.array?.count
    }
    #expect(lists == [3, 1], "the list of the archive is kept")
  }
}

@Suite("Points, sizes and rectangles") struct GeometryTests {
  @Test(arguments: PropertyListFormat.allCases)
  func `are encoded as text under a key`(_ format: PropertyListFormat) throws {
    let archiver = KeyedArchiver(outputFormat: format)
    try archiver.encodePoint(.init(x: 1, y: -0.5), forKey: "point")
    try archiver.encodeSize(.init(width: 1e20, height: 0), forKey: "size")
    try archiver.encodeRect(.init(x: 0, y: 0.1, width: 640, height: .infinity), forKey: "$rect")
    let data = try archiver.encodedData()
    let objects = try PropertyList(data)["$objects"]?.array
    #expect(objects == ["$null", "{1, -0.5}", "{1e+20, 0}", "{{0, 0.1}, {640, inf}}"])
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    #expect(try unarchiver.decodePoint(forKey: "point") == .init(x: 1, y: -0.5))
    #expect(try unarchiver.decodeSize(forKey: "size") == .init(width: 1e20, height: 0))
    #expect(try unarchiver.decodeRect(forKey: "$rect") == .init(x: 0, y: 0.1, width: 640, height: .infinity))
  }

  @Test func `invalid geometry is an error`() throws {
    let unarchiver = try KeyedUnarchiver(
      forReadingFrom: archive([["NS.keys": [], "$class": .uid(2)], Description.dictionary]))
    #expect { try unarchiver.decodePoint(forKey: "none") } throws: {
      ($0 as? KeyedArchiveError)?.kind == .valueNotFound
    }
    #expect { try unarchiver.decodeRect(forKey: "root") } throws: {
      ($0 as? KeyedArchiveError)?.kind == .classNotAllowed
    }
  }

  @Test func `numbers of geometry are decoded exactly`() throws {
    var random = SeededGenerator(seed: 17)
    for _ in 0..<1_000 {
      let number = Double(bitPattern: random.next())
      guard !number.isNaN else { continue }
      let point = Archived.Point(x: number, y: Double(Float(number)))
      let data = try KeyedArchiver.archivedData(withRootObject: point)
      #expect(try unarchive(Archived.Point.self, data) == point)
    }
  }

  @Test func `a Swift range is converted to an NSRange and back`() {
    #expect(Archived.Range(2..<5) == .init(location: 2, length: 3))
    #expect(Archived.Range(location: 2, length: 3).range == 2..<5)
    #expect(Archived.Range(location: -2, length: 3).range == nil)
    #expect(Archived.Range(location: 2, length: -3).range == nil)
    #expect(Archived.Range(location: .max, length: 1).range == nil)
    #expect(Archived.Range(Int.min..<Int.max).range == nil)
  }

  @Test func `a C array has elements of one type`() {
    #expect(Archived.CArray(.int, [.int(1), .unsignedInt(1)]) == nil)
    #expect(Archived.CArray(.int, [.int(1), .int(2)])?.objectiveCType == "[2i]")
  }
}

@Suite("Components of colors") struct ColorTests {
  typealias Color = Archived.Color

  static let colors: [([String: Color.Field], [Double]?)] = [
    (["NSRGB": .inline(.data(Data("0.5 0.25 1\0".utf8)))], [0.5, 0.25, 1]),
    (["NSWhite": .inline(.data(Data("1".utf8)))], [1]),
    (["NSCMYK": .inline(.data(Data("1 0 0 0.5 1\0".utf8)))], [1, 0, 0, 0.5, 1]),
    (["NSComponents": .inline(.data(Data("1 2".utf8))), "NSRGB": .inline(.data(Data("0 0 0".utf8)))], [1, 2]),
    (["NSRGB": .inline(.data(Data("1 x".utf8)))], nil), (["NSRGB": .inline(.data(Data()))], nil), ([:], nil),
    (
      ["UIRed": .inline(.float(0.1)), "UIGreen": .inline(.float(0)), "UIBlue": .inline(.float(1))],
      [Double(Float(0.1)), 0, 1]
    ),
    (
      [
        "UIRed": .inline(.float(0.1)), "UIRed-Double": .inline(0.1), "UIGreen": .inline(.float(0)),
        "UIBlue": .inline(.float(1)), "UIAlpha": .inline(.float(0.5)),
      ], [0.1, 0, 1, 0.5]
    ),
    (["UIRed": .inline(.float(0.1)), "UIWhite": .inline(.float(1)), "UIAlpha": .inline(.float(0))], [1, 0]),
    (["UIWhite": .string("1")], nil),
  ]

  @Test(arguments: colors) func `the components depend on the color's form`(
    _ fields: [String: Color.Field], _ expected: [Double]?
  ) {
    #expect(Color(fields: fields).components == expected)
  }
}

@Suite("Values without a form in archives") struct InvalidValueTests {
  struct Invalid: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let encode: @Sendable (SourceLocation) -> KeyedArchiveError?

    init(_ name: String, _ value: @autoclosure @escaping @Sendable () -> some SecureCoding) {
      testDescription = name
      encode = { error(encoding: value(), sourceLocation: $0) }
    }
  }

  static let values = [
    Invalid("a date that is NaN", Date(timeIntervalSinceReferenceDate: .nan)),
    Invalid("an infinite date", Date(timeIntervalSinceReferenceDate: -.infinity)),
    Invalid("a point with NaN", Archived.Point(x: .nan, y: 0)),
    Invalid("a rectangle with NaN", Archived.Rect(x: 0, y: 0, width: 0, height: .nan)),
    Invalid("insets with NaN", Archived.EdgeInsets(top: 0, left: 0, bottom: 0, right: .nan)),
    Invalid("a transform with NaN", Archived.AffineTransform(m21: .nan)),
    Invalid("a negative range", Archived.Range(location: 0, length: -1)),
    Invalid("a range with an overflowing end", Archived.Value.range(.init(location: .max, length: 1))),
    Invalid("an element of a set with the count 0", Archived.CountedSet(counts: [1: 0])),
    Invalid("a text checking result without a range", Archived.TextCheckingResult(ranges: [], regularExpression: nil)),
    Invalid("characters beyond Unicode", Archived.CharacterSet(.range(first: 1, count: 0x110000))),
    Invalid("a built-in set without a number", Archived.CharacterSet(.builtIn(0))),
    Invalid("a color component that is an array", Archived.Color(fields: ["NSRGB": .inline([])])),
    Invalid("a color component that is a UID", Archived.Color(fields: ["NSRGB": .inline(.uid(1))])),
    Invalid("the day of the year", dayOfYear),
    Invalid("a time zone of seconds", TimeZone(secondsFromGMT: 3601)),
    Invalid("a calendar of such a time zone", calendar),
  ]

  static var dayOfYear: DateComponents {
    var components = DateComponents()
    components.dayOfYear = 7
    return components
  }

  static var calendar: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 59) ?? calendar.timeZone
    return calendar
  }

  @Test(arguments: values) func `archiving such a value is an error with its path`(_ invalid: Invalid) throws {
    let error = try #require(invalid.encode(#_sourceLocation))
    #expect(error.kind == .invalidValue)
    #expect(error.path?.components.first == .key("root"))
  }
}

@Suite("Swift structures and Foundation's types") struct ConversionTests {
  @Test func `both have the same description`() throws {
    #expect(Archived.Locale(Locale(identifier: "de_DE")).identifier == "de_DE")
    #expect(try Locale(Archived.Locale(identifier: "de_DE")) == Locale(identifier: "de_DE"))
    #expect(try Archived.TimeZone(#require(TimeZone(identifier: "Asia/Tokyo"))) == .init(name: "Asia/Tokyo"))
    #expect(try TimeZone(.init(name: "Asia/Tokyo", data: Data([1]))) == TimeZone(identifier: "Asia/Tokyo"))
    let calendar = Sample.calendar(.japanese)
    let archived = try Archived.Calendar(calendar)
    #expect(archived.identifier == "japanese" && archived.firstWeekday == 3 && archived.minimumDaysInFirstWeek == 5)
    #expect(try Calendar(archived) == calendar)
  }

  @Test(arguments: [("GMT", 0), ("UTC", 0), ("GMT+0000", 0), ("GMT+0130", 5400), ("GMT-1800", -64800)])
  func `time zones with an offset from Greenwich in their name`(_ name: String, _ seconds: Int) throws {
    #expect(try TimeZone(.init(name: name)).secondsFromGMT() == seconds)
  }

  @Test(arguments: ["GMT+0060", "GMT+18000", "GMT+1801", "GMT*0100", "GMT+01x0", "GMT +100", ""])
  func `names that are not time zones are refused`(_ name: String) {
    #expect { try TimeZone(.init(name: name)) } throws: { ($0 as? KeyedArchiveError)?.kind == .invalidContents }
  }

  @Test func `a calendar without week rules has those of its locale`() throws {
    var expected = Calendar(identifier: .gregorian)
    expected.locale = Locale(identifier: "de_DE")
    let read = try Calendar(.init(identifier: "gregorian", locale: .init(identifier: "de_DE"), firstWeekday: 0))
    #expect(read.firstWeekday == expected.firstWeekday)
    #expect(read.minimumDaysInFirstWeek == expected.minimumDaysInFirstWeek)
  }
}
