import ArchiveViews
import Foundation
import KeyedArchiving
import Nibs
import PropertyLists
import TestSupport
import Testing

@Suite("Reading and writing compiled nibs") struct NIBArchiveTests {
  /// A hand-made file that follows the public descriptions: a root that has a string, whose class has a fallback.
  static let ada: [UInt8] =
    Array("NIBArchive".utf8) + [1, 0, 0, 0, 9, 0, 0, 0]
    + [2, 0, 0, 0, 50, 0, 0, 0, 2, 0, 0, 0, 56, 0, 0, 0, 2, 0, 0, 0, 70, 0, 0, 0, 2, 0, 0, 0, 82, 0, 0, 0]
    + [0x80, 0x80, 0x81, 0x81, 0x81, 0x81]
    + [0x84] + Array("root".utf8) + [0x88] + Array("NS.bytes".utf8)
    + [0x80, 10, 1, 0, 0, 0, 0x81, 8, 0x83] + Array("Ada".utf8)
    + [0x89, 0x80] + Array("NSObject\0".utf8) + [0x89, 0x81, 0, 0, 0, 0] + Array("NSString\0".utf8)

  @Test func `a hand-made file is read, and written with the same bytes`() throws {
    let nib = try NIBArchive(Data(Self.ada))
    #expect(nib.formatVersion == 1 && nib.coderVersion == 9 && nib.trailingBytes.isEmpty)
    #expect(nib.keys == ["root", "NS.bytes"])
    #expect(nib.classNames == [.init("NSObject"), .init("NSString", fallbackIndices: [0])])
    #expect(nib.objects.map(\.className) == ["NSObject", "NSString"])
    #expect(nib.objects[1].fallbackClassNames == ["NSObject"] && nib.objects[1].valueRange == 1..<2)
    #expect(nib.objects[0]["root"] == .object(1))
    #expect(nib.objects[1].values.map(\.key) == ["NS.bytes"])
    #expect(nib.objects[1]["NS.bytes"] == .data(Data("Ada".utf8)))
    #expect(nib.values.count == 2 && nib.check().isEmpty)
    #expect(try nib.data() == Data(Self.ada))
    // A slice of a larger buffer is the same file.
    let slice = (Data([1, 2, 3]) + Data(Self.ada)).dropFirst(3)
    #expect(try NIBArchive(slice) == nib)
    #expect(try NIBArchive(slice).data() == Data(Self.ada))
  }

  static let values: [(bytes: [UInt8], value: NIBArchive.Value)] = [
    ([0, 0xFE], .int8(-2)), ([1, 0x34, 0xFF], .int16(-204)), ([2, 1, 2, 3, 0x84], .int32(-2_080_177_663)),
    ([3, 1, 0, 0, 0, 0, 0, 0, 0x80], .int64(.min + 1)), ([4], .boolean(false)), ([5], .boolean(true)),
    ([6, 0, 0, 0x80, 0x3F], .float(1)), ([7, 0, 0, 0, 0, 0, 0, 0xF8, 0x7F], .double(.nan)),
    ([8, 0x80], .data(Data())), ([8, 0x82, 7, 0], .data(Data([7, 0]))), ([9], .null),
    ([10, 0xFF, 0xFF, 0xFF, 0xFF], .object(4_294_967_295)),
  ]

  @Test(arguments: values) func `each type of value is read and written`(_ bytes: [UInt8], _ value: NIBArchive.Value)
    throws
  {
    let nib = try NIBArchive(
      objects: [(classIndex: 0, values: 0..<1)], keys: ["k"], values: [(keyIndex: 0, value: value)],
      classNames: [.init("NSObject")])
    let data = try nib.data()
    // After the header, an object and a key.
    #expect(Array(data.dropFirst(50 + 3 + 2).prefix(1 + bytes.count)) == [0x80] + bytes)
    #expect(try NIBArchive(data).objects[0]["k"] == value)
    #expect(try NIBArchive(data) == nib)
  }

  @Test(
    arguments: [
      (0, [0x80]), (127, [0xFF]), (128, [0x00, 0x81]), (300, [0x2C, 0x82]), (16_384, [0x00, 0x00, 0x81]),
      (4_294_967_295, [0x7F, 0x7F, 0x7F, 0x7F, 0x8F]),
    ] as [(Int, [UInt8])])
  func `numbers have seven bits per byte, and a high bit in the last byte`(_ number: Int, _ bytes: [UInt8]) throws {
    let nib = try NIBArchive(
      objects: [(classIndex: number, values: 0..<0)], keys: [], values: [], classNames: [.init("A")])
    let data = try nib.data()
    #expect(Array(data.dropFirst(50).prefix(bytes.count)) == bytes)
    #expect(try NIBArchive(data).objects[0].classIndex == number)
    #expect(try NIBArchive(data).objects[0].className == (number == 0 ? "A" : nil))
  }

  @Test(arguments: 1...(LongForm.size(500, or: 2) as Int)) func `what is written is read again`(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<10 {
      let nib = try NIBArchive.random(using: &random)
      let data = try nib.data()
      let read = try NIBArchive(data)
      #expect(read == nib)
      #expect(try read.data() == data)
      #expect(!read.check().contains { $0.kind == .otherLayout })
    }
  }

  @Test func `archives are equal if their bytes are, not if strings look the same`() throws {
    func nib(_ key: String, _ value: NIBArchive.Value) throws -> NIBArchive {
      try NIBArchive(objects: [.init("NSObject", [.init(key, value)])])
    }
    #expect(try nib("é", .null) != nib("e\u{301}", .null))
    #expect(try nib("a", .float(0)) != nib("a", .float(-0.0)))
    #expect(try nib("a", .data(Data([1]))) != nib("a", .data(Data([2]))))
    #expect(try nib("a", .double(.nan)) == nib("a", .double(.nan)))
    let both = try NIBArchive(objects: [.init("NSObject", [.init("é", .null), .init("e\u{301}", .null)])])
    #expect(both.keys.count == 2)
  }

  @Test func `objects share key names and class names`() throws {
    let nib = try NIBArchive.label()
    #expect(Set(nib.keys).count == nib.keys.count && Set(nib.classNames.map(\.name)).count == nib.classNames.count)
    #expect(nib.objects[8].fallbackClassNames == ["NSColor"])
    #expect(nib.objects[3]["UIBounds"]?.numbers == [0, 0, 320, 480.5])
    #expect(nib.objects[3]["UICenter"]?.numbers == [160, 240.25])
    #expect(nib.objects[5]["UILines"]?.integer == -1 && nib.objects[8]["UIColorID"]?.integer == 1 << 40)
    #expect(nib.check().isEmpty)
  }

  @Test func `bytes after the tables are kept`() throws {
    let data = Data(Self.ada + [0, 1, 2])
    let nib = try NIBArchive(data)
    #expect(nib.trailingBytes == Data([0, 1, 2]))
    #expect(try nib.data() == data)
    #expect(nib.check().map(\.kind) == [.trailingBytes])
  }

  @Test func `tables can be anywhere, and numbers longer than necessary`() throws {
    var bytes = Self.ada
    // The objects again at the end, with a class index of two bytes.
    bytes[22...25] = [108, 0, 0, 0]
    bytes += [0x00, 0x80, 0x80, 0x81, 0x81, 0x81, 0x81]
    let nib = try NIBArchive(Data(bytes))
    #expect(nib.trailingBytes.isEmpty && nib.check().map(\.kind) == [.otherLayout])
    #expect(try nib == NIBArchive(Data(Self.ada)))
    #expect(try nib.data() == Data(Self.ada))
  }

  @Test func `indices and limits beyond the format are errors`() throws {
    func kind(_ body: () throws -> Void) -> NIBArchiveError.Kind? {
      #expect(throws: NIBArchiveError.self, performing: body)?.kind
    }
    #expect(kind { _ = try NIBArchive(objects: [.init("A", [.init("a", .object(-1))])]) } == .invalidValue)
    #expect(kind { _ = try NIBArchive(objects: [.init("A", [.init("a", .object(1 << 32))])]) } == .invalidValue)
    #expect(kind { _ = try NIBArchive(objects: [(-1, 0..<0)], keys: [], values: [], classNames: []) } == .invalidValue)
    #expect(
      kind {
        _ = try NIBArchive(objects: [], keys: [], values: [], classNames: [.init("A", fallbackIndices: [-1])])
      } == .invalidValue)
    #expect(kind { _ = try NIBArchive(Data(Self.ada), limits: ParsingLimits(inputSize: 20)) } == .limitExceeded)
  }

  @Test func `an index beyond the objects is an empty object`() throws {
    let object = try NIBArchive(Data(Self.ada)).objects[99]
    #expect(object.className == nil && object.classIndex == nil && object.values.isEmpty && object["a"] == nil)
    #expect(object.fallbackClassNames.isEmpty && object.valueRange.isEmpty)
  }
}
