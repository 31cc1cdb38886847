import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Testing

/// Defects of Foundation's numbers, dates, indices and structures on Linux.
extension KnownDefectsTests {
  /// Foundation on Linux, NSDecimalNumber: archiving one crashes. Numbers of Apple's archives become 0 or are not
  /// found: the mantissa is expected in an object, its byte order is ignored, its bytes are combined with *and*, and
  /// the class NSDecimalNumberPlaceholder is unknown.
  @Test func `decimal numbers are archived in Apple's form, and read in both byte orders`() throws {
    for number in [-12.5, 7, 0, 65_536, -98_765.4321] as [Decimal] {
      let data = try KeyedArchiver.archivedData(withRootObject: number)
      #expect(try objects(data)[2]["$classname"] == "NSDecimalNumberPlaceholder")
      #expect(try unarchive(Decimal.self, data) == number)
    }
    func decimal(_ className: PropertyList, order: PropertyList, _ mantissa: [UInt8]) throws -> Decimal {
      let fields: OrderedDictionary<String, PropertyList> = [
        "NS.exponent": -1, "NS.length": 2, "NS.negative": true, "NS.compact": true, "NS.mantissa.bo": order,
        "NS.mantissa": .bytes(mantissa + [UInt8](repeating: 0, count: 16 - mantissa.count)),
      ]
      return try unarchive(Decimal.self, archive(className, fields))
    }
    // 0x010203 = 66051.
    for className in ["NSDecimalNumberPlaceholder", "NSDecimalNumber"] as [PropertyList] {
      #expect(try decimal(className, order: 1, [0x03, 0x02, 0x01, 0x00]) == Decimal(string: "-6605.1"))
      #expect(try decimal(className, order: 2, [0x02, 0x03, 0x00, 0x01]) == Decimal(string: "-6605.1"))
    }
  }

  /// Foundation on Linux, NSDateInterval: the end is read from the key of the start, so that 10 to 20 becomes 10 to 10.
  @Test func `a date interval keeps its end`() throws {
    let interval = DateInterval(
      start: Date(timeIntervalSinceReferenceDate: 10), end: Date(timeIntervalSinceReferenceDate: 20))
    #expect(try unarchive(DateInterval.self, KeyedArchiver.archivedData(withRootObject: interval)) == interval)
    let data = try archive(
      "NSDateInterval", ["NS.startDate": .uid(3), "NS.endDate": .uid(4)],
      [["NS.time": 10.0, "$class": .uid(5)], ["NS.time": 20.0, "$class": .uid(5)], Description.date])
    #expect(try unarchive(DateInterval.self, data).duration == 10)
  }

  /// Foundation on Linux, NSDate: an NS.time that is not a number gives the reference date.
  @Test(arguments: ["0", .bytes([0]), [0], .uid(3)] as [PropertyList])
  func `a date whose time is NaN is an error`(_ time: PropertyList) throws {
    #expect(error(decoding: Date.self, try archive("NSDate", ["NS.time": time], ["0"]))?.kind == .typeMismatch)
    #expect(try unarchive(Date.self, archive("NSDate", ["NS.time": 0])) == Date(timeIntervalSinceReferenceDate: 0))
  }

  /// Foundation on Linux, NSIndexSet: a negative location or length, or a sum that overflows, is accepted.
  @Test(
    "an index set with an impossible range is an error",
    arguments: [
      (-1, 1, .numberOutOfRange), (1, -1, .numberOutOfRange), (.max, 1, .invalidContents), (1, .max, .invalidContents),
      (.max, .max, .invalidContents), (.min, .min, .numberOutOfRange),
    ] as [(Int64, Int64, KeyedArchiveError.Kind)])
  func indexSet(_ location: Int64, _ length: Int64, _ kind: KeyedArchiveError.Kind) throws {
    let data = try archive(
      "NSIndexSet",
      ["NSRangeCount": 1, "NSLocation": .integer(.init(location)), "NSLength": .integer(.init(length))])
    #expect(error(decoding: Archived.IndexSet.self, data)?.kind == kind)
  }

  /// Foundation on Linux, NSIndexPath: a negative length is accepted.
  @Test(arguments: [-1, .min] as [Int64]) func `an index path with a negative length is an error`(_ length: Int64)
    throws
  {
    let data = try archive(
      "NSIndexPath", ["NSIndexPathLength": .integer(.init(length)), "NSIndexPathData": .bytes([1, 2])])
    #expect(error(decoding: IndexPath.self, data)?.kind == .invalidContents)
    let whole = try archive("NSIndexPath", ["NSIndexPathLength": 2, "NSIndexPathData": .bytes([1, 2])])
    #expect(try unarchive(IndexPath.self, whole) == [1, 2])
  }

  /// Foundation on Linux, NSValue: text that is not a rectangle gives an empty one. A huge or negative count of a C
  /// array crashes.
  @Test func `an invalid rectangle is an error, and so is a C array with a wrong count`() throws {
    for text in ["", "rectangle", "{{1, 2}, {3}}", "{{1, 2}, {3, 4}"] {
      let data = try archive("NSValue", ["NS.special": 3, "NS.rectval": .uid(3)], [.string(text)])
      #expect(error(decoding: Archived.Value.self, data)?.kind == .invalidContents)
      #expect(error(decoding: Archived.Rect.self, data)?.kind == .invalidContents)
    }
    for count in [.max, 1 << 40, 3, 1, 0, -1, .min] as [Int64] {
      let data = try archive(
        "NSValue", ["$0": .uid(3), "$1": .uid(4)],
        [
          .string("[\(count)i]"),
          [
            "NS.count": .integer(.init(count)), "NS.size": 4, "NS.type": 105, "$0": 1, "$1": 2, "$class": .uid(5),
          ], classDescription("_NSKeyedCoderOldStyleArray"),
        ])
      #expect(error(decoding: Archived.Value.self, data)?.kind == .invalidContents)
    }
  }

  /// Foundation on Linux, NSAffineTransform: it is written without keys, as a C array, and Apple's form cannot be read.
  @Test func `an affine transform is written and read as Apple's 24 bytes`() throws {
    let transform = Archived.AffineTransform(m11: 1, m12: 2, m21: -2, m22: 0.5, tX: 24, tY: 0)
    let bytes: [UInt8] = [0x3F, 0x80, 0, 0, 0x40, 0, 0, 0, 0xC0, 0, 0, 0, 0x3F, 0, 0, 0, 0x41, 0xC0, 0, 0, 0, 0, 0, 0]
    let object = try objects(KeyedArchiver.archivedData(withRootObject: transform))[1]
    #expect(object["NSTransformStruct"] == .bytes(bytes) && object["$0"] == nil)
    let data = try archive("NSAffineTransform", ["NSTransformStruct": .bytes(bytes)])
    #expect(try unarchive(Archived.AffineTransform.self, data) == transform)
  }

  /// Foundation on Linux, NSDateComponents: missing components are written as the largest integer.
  @Test func `missing date components are not written`() throws {
    let components = DateComponents(year: 2001, day: 1)
    let data = try KeyedArchiver.archivedData(withRootObject: components)
    let keys = try objects(data)[1].dictionary.map { Set($0.keys) }
    #expect(keys == ["NS.year", "NS.day", "$class"])
    #expect(try unarchive(DateComponents.self, data) == components)
    let foundations = try archive("NSDateComponents", ["NS.year": 2001, "NS.hour": .integer(.init(Int.max))])
    #expect(try unarchive(DateComponents.self, foundations) == DateComponents(year: 2001))
  }

  /// Foundation on Linux, NSDimension: NS.specifier is never written.
  @Test func `a unit keeps Apple's identifier`() throws {
    let miles = Archived.Unit(
      dimension: "NSUnitLength", symbol: "mi", converter: .linear(coefficient: 1609.344), specifier: 1287)
    let data = try KeyedArchiver.archivedData(withRootObject: miles)
    #expect(try objects(data)[1]["NS.specifier"] == 1287)
    #expect(try unarchive(Archived.Unit.self, data) == miles)
  }
}
