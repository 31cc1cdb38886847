import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import TestSupport
import Testing
import Typedstreams

@Suite("Writing typedstreams") struct TypedstreamWriterTests {
  @Test func `a stream is written with the bytes that it was read from`() throws {
    #expect(try [UInt8](Typedstream(bytes: Piece.attributedString).data()) == Piece.attributedString)
  }

  @Test(arguments: TypedstreamSamples.sound)
  func `streams of Apple's archiver are written with the same bytes`(_ name: String) throws {
    let data = try TypedstreamSamples.data(name)
    #expect(try Typedstream(data).data() == data)
  }

  @Test func `the other byte order has the same contents`() throws {
    for bytes in try [Piece.attributedString]
      + TypedstreamSamples.sound.map({ [UInt8](try TypedstreamSamples.data($0)) })
    {
      let stream = try Typedstream(bytes: bytes)
      let other: Typedstream.ByteOrder = stream.byteOrder == .littleEndian ? .bigEndian : .littleEndian
      let turned = try Typedstream(stream.data(byteOrder: other))
      #expect(turned.byteOrder == other)
      #expect(try turned.groupsJSON == stream.groupsJSON)
      #expect(turned.data(byteOrder: stream.byteOrder) == stream.data())
    }
  }

  @Test func `numbers have the minimum width`() throws {
    let wide = Piece.stream(
      Piece.new("ilqsd+"), [0x82, 0x92, 0xFF, 0xFF, 0xFF], [0x81, 7, 0], [0x87, 0x80, 0, 0, 0, 0, 0, 0, 0],
      [0x81, 0x91, 0xFF], [0x83, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F], [0x82, 2, 0, 0, 0, 0x48, 0x69])
    let narrow = Piece.stream(
      Piece.new("ilqsd+"), [0x92], [7], [0x81, 0x80, 0], [0x81, 0x91, 0xFF], [1], Piece.text("Hi"))
    #expect(try [UInt8](Typedstream(bytes: wide).data()) == narrow)
  }

  /// A type, a number, and its bytes in a big-endian stream.
  private static let integers: [(type: String, value: Int64, bytes: [UInt8])] = [
    ("i", 0, [0]), ("i", 127, [0x7F]), ("i", -110, [0x92]), ("i", -111, [0x81, 0xFF, 0x91]),
    ("i", 128, [0x81, 0, 0x80]),
    ("i", 32767, [0x81, 0x7F, 0xFF]), ("i", -32767, [0x81, 0x80, 1]), ("i", -32768, [0x82, 0xFF, 0xFF, 0x80, 0]),
    ("i", 32768, [0x82, 0, 0, 0x80, 0]), ("i", 2_147_483_647, [0x82, 0x7F, 0xFF, 0xFF, 0xFF]),
    ("i", -2_147_483_648, [0x82, 0x80, 0, 0, 0]), ("q", 2_147_483_648, [0x87, 0, 0, 0, 0, 0x80, 0, 0, 0]),
    ("q", -9_000_000_000, [0x87, 0xFF, 0xFF, 0xFF, 0xFD, 0xE7, 0x8E, 0xE6, 0]), ("l", 5, [5]), ("s", -3, [0xFD]),
    ("c", -127, [0x81]), ("C", 0x84, [0x84]), ("B", 1, [1]), ("S", 65535, [0xFF]), ("S", 40000, [0x81, 0x9C, 0x40]),
    ("I", 4_294_967_293, [0xFD]), ("L", 2_147_483_648, [0x82, 0x80, 0, 0, 0]), ("Q", 9, [9]), ("f", 21, [21]),
    ("d", 21_692_800, [0x82, 0x01, 0x4B, 0x01, 0x80]), ("f", 4_294_967_296, [0x83, 0x4F, 0x80, 0, 0]),
    ("d", 2_147_483_648, [0x83, 0x41, 0xE0, 0, 0, 0, 0, 0, 0]),
  ]

  @Test(arguments: integers.indices) func `integers have the widths of Apple's archiver`(_ index: Int) throws {
    let (type, value, bytes) = Self.integers[index]
    var builder = TypedstreamBuilder(byteOrder: .bigEndian)
    try builder.group(type, value)
    #expect(try [UInt8](builder.finish().data()) == Piece.stream(Piece.new(type), bytes, isBigEndian: true))
  }

  @Test func `integral reals are written as integers`() throws {
    var builder = TypedstreamBuilder(byteOrder: .bigEndian, systemVersion: 930)
    try builder.group("fdddfdQ", 1.5 as Float, -2.0, -0.0, Double.infinity, 0.25, 0.5 as Float, UInt64.max - 2)
    let bytes: [UInt8] =
      [0x83, 0x3F, 0xC0, 0, 0, 0xFE, 0x83, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x83, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0]
      + [0x83, 0x3E, 0x80, 0, 0, 0x83, 0x3F, 0xE0, 0, 0, 0, 0, 0, 0, 0xFD]
    let head = [4] + Piece.text("typedstream") + [0x81, 0x03, 0xA2]
    #expect(try [UInt8](builder.finish().data()) == head + Piece.new("fdddfdQ") + bytes)
  }

  @Test func `shared strings, C strings, classes and objects are written once`() throws {
    let plain = TypedstreamClass("A")
    var builder = TypedstreamBuilder()
    try builder.beginGroup("@")
    let root = try builder.beginObject(TypedstreamClass("B", version: 3, superclass: plain))
    try builder.group("*:%+", "text", "text", "text", "text")
    try builder.group("*", "text")
    try builder.group("@", root)
    try builder.group("#@", plain)
    try builder.beginObject(plain)
    try builder.endObject()
    try builder.group("@#", nil, nil)
    try builder.endObject()
    let bytes = Piece.stream(
      Piece.new("@"), [0x84, 0x84], Piece.new("B"), [3, 0x84], Piece.new("A"), [0, 0x84], Piece.new("NSObject"),
      [0, 0x85],
      Piece.new("*:%+"), [0x84], Piece.new("text"), Piece.reference(5), Piece.reference(5), Piece.text("text"),
      Piece.new("*"), Piece.reference(4),
      Piece.reference(0), Piece.reference(0),
      Piece.new("#@"), Piece.reference(2), [0x84], Piece.reference(2), [0x86],
      Piece.new("@#"), [0x85, 0x85], [0x86])
    #expect(try [UInt8](builder.finish().data()) == bytes)
    #expect(try builder.finish() == Typedstream(bytes: bytes))
  }

  @Test func `arrays, structures and values without bytes are written`() throws {
    var builder = TypedstreamBuilder()
    try builder.group("!{}{a=s{b=[2{c=f!}]}}[3c]i", 1, 2, 3, Data([4, 5, 6]), 7)
    try builder.group("[0@][0c]{!}", Data([]))
    let stream = try builder.finish()
    #expect(
      try stream.groupsJSON == """
        [[["!",null],["{}",[]],["{a=s{b=[2{c=f!}]}}",[1,[[[2.0,null],[3.0,null]]]]],["[3c]","\\u0004\\u0005\\u0006"],\
        ["i",7]],[["[0@]",[]],["[0c]",""],["{!}",[null]]]]
        """)
    #expect(try Typedstream(stream.data()) == stream)
  }

  /// Invalid calls of a builder, and their errors.
  private static let findings: [(TypedstreamError.Kind, @Sendable (inout TypedstreamBuilder) throws -> Void)] = [
    (.malformed, { try $0.beginGroup("z") }),
    (.unsupportedType, { try $0.beginGroup("(?=if)") }),
    (.invalidValue, { try $0.append(1) }),
    (.invalidValue, { try $0.endObject() }),
    (.invalidValue, { try $0.beginObject(.object) }),
    (
      .invalidValue,
      {
        try $0.beginGroup("i")
        try $0.beginGroup("i")
      }
    ),
    (
      .invalidValue,
      {
        try $0.beginGroup("i")
        _ = try $0.finish()
      }
    ),
    (
      .invalidValue,
      {
        try $0.beginGroup("@")
        try $0.beginObject(.object)
        _ = try $0.finish()
      }
    ),
    (.invalidValue, { try $0.group("@", 1) }),
    (.invalidValue, { try $0.group("i", "text") }),
    (.invalidValue, { try $0.group("i", 1.0) }),
    (.invalidValue, { try $0.group("i", nil) }),
    (.invalidValue, { try $0.group("i", 1, 2) }),
    (.invalidValue, { try $0.group("[3c]", Data([1, 2])) }),
    (.invalidValue, { try $0.beginGroup("[4000000000!]") }),
    (.invalidValue, { try $0.beginGroup("[4000000000{?=[0i][0c]}]") }),
    (.numberOutOfRange, { try $0.group("c", 128) }),
    (.numberOutOfRange, { try $0.group("I", -1) }),
    (.numberOutOfRange, { try $0.group("l", 1 << 31) }),
    (.numberOutOfRange, { try $0.group("f", 16_777_217) }),
    (.numberOutOfRange, { try $0.group("f", 0.1) }),
    (
      .nestedTooDeeply,
      { builder in
        for _ in 0...512 {
          try builder.beginGroup("@")
          try builder.beginObject(.object)
        }
      }
    ),
    (
      .invalidValue,
      { builder in
        var other = TypedstreamBuilder()
        try other.beginGroup("@")
        let object = try other.beginObject(.object)
        try builder.group("@", object)
      }
    ),
    (.invalidValue, { try $0.group(.uuid(UUID())) }),
    (.invalidValue, { try $0.group(.object(Archived.Color(fields: [:]))) }),
  ]

  @Test(arguments: findings.indices) func `values that do not match their encodings are refused`(_ index: Int) {
    let (kind, ask) = Self.findings[index]
    var builder = TypedstreamBuilder()
    let error = #expect(throws: TypedstreamError.self) { try ask(&builder) }
    #expect(error?.kind == kind, "\(error?.description ?? "")")
  }

  @Test func `any objects are read again, in both byte orders`() throws {
    for seed in 0..<UInt64(LongForm.size(20_000, or: 100)) {
      var random = RandomStream(seed: seed)
      let stream = try random.make()
      let again = try Typedstream(stream.data())
      #expect(again == stream, "seed \(seed)")
      #expect(again.data() == stream.data(), "seed \(seed)")
      #expect(try Typedstream(again.data(byteOrder: .bigEndian)).groupsJSON == stream.groupsJSON, "seed \(seed)")
    }
  }

  @Test func `a damaged stream that was read is written and read again`() throws {
    var random = SeededGenerator(seed: 17)
    var count = 0
    let rounds = LongForm.size(100_000, or: 250)
    for seed in 0..<UInt64(rounds) {
      var stream = RandomStream(seed: seed % 500)
      var bytes = [UInt8](try stream.make().data())
      for _ in 0..<Int.random(in: 1...3, using: &random) { bytes.damage(using: &random) }
      guard let stream = try? Typedstream(bytes: bytes) else { continue }
      count += 1
      #expect(try Typedstream(stream.data()) == stream, "seed \(seed)")
    }
    #expect(count > rounds / 50)
  }
}

@Suite("Values in written typedstreams") struct TypedstreamValueWritingTests {
  private func stream(_ value: ArchivedValue) throws -> [UInt8] { [UInt8](try typedstream(of: value)) }

  @Test func `values become the objects of Apple's archiver`() throws {
    // The description of the format contains the bytes of `NSNumber` with the number 42.
    let number = Piece.stream(
      Piece.new("@"), [0x84, 0x84], Piece.new("NSNumber"), [0, 0x84], Piece.new("NSValue"), [0, 0x84],
      Piece.new("NSObject"),
      [0, 0x85], Piece.new("*"), [0x84], Piece.new("i"), Piece.reference(5), [42, 0x86])
    #expect(try stream(.integer(42)) == number)
    #expect(try stream(.object(Archived.AttributedString("Hello, world"))) == Piece.attributedString)
  }

  @Test func `equal values of one kind are one object`() throws {
    let text = ArchivedValue.string("a")
    let array = ArchivedValue.array([text, .integer(1), .real(1), text, .integer(1), .boolean(true), .null, .null])
    #expect(try Typedstream(bytes: stream(array)).groupsJSON.ranges(of: "\"ref\"").count == 3)
  }

  private static let bytes = Data([0xDE, 0xAD, 0xBE, 0xEF, 0x00, 0x7F])

  /// Values, and their sample files.
  private nonisolated(unsafe) static let samples: [(name: String, value: ArchivedValue)] = [
    ("foundation-NSString", .string("Hello, world")), ("foundation-NSData", .data(bytes)),
    ("foundation-NSDate", .date(Date(timeIntervalSinceReferenceDate: 21_692_800))),
    ("foundation-NSURL", .url(URL(string: "https://example.com/path?q=1")!)),
    ("foundation-NumberInt", .integer(42)), ("foundation-NumberInt64", .integer(-9_000_000_000)),
    ("foundation-NumberDouble", .real(100.5)), ("foundation-NumberBool", .boolean(true)),
    ("foundation-NSArrayEmpty", .array([])), ("uetchy-NSArrayWithBool", .array([.boolean(true), .boolean(false)])),
    ("uetchy-NSNumberWithULongLong", .value(.number(.unsignedLongLong(.max - 2)))),
    ("uetchy-NSStringNil", .string("")),
    (
      "foundation-NestedScalars",
      .array([
        .date(Date(timeIntervalSinceReferenceDate: 21_692_800)), .url(URL(string: "https://example.com/path?q=1")!),
        .url(URL(string: "page.html", relativeTo: URL(string: "https://example.com/dir/"))!), .null,
      ])
    ),
    ("foundation-NSAttributedString", .object(Archived.AttributedString("Hello, world"))),
  ]

  @Test(arguments: samples.indices.filter { TypedstreamSamples.files.contains(samples[$0].name) })
  func `the bytes are those of Apple's archiver`(_ index: Int) throws {
    let (name, value) = Self.samples[index]
    let expected = try TypedstreamSamples.data(name)
    if case .value = value {
      // A number of a chosen type is an NSValue. There is no sample of it.
      #expect(try Typedstream(bytes: stream(value)).groupsJSON.contains("[\"Q\",18446744073709551613]"))
    } else {
      #expect(try Data(stream(value)) == expected)
    }
  }

  @Test func `values that are too deep are refused without a trap`() throws {
    for depth in [400, 1000] {
      var deep = ArchivedValue.null
      for _ in 0..<depth { deep = .array([deep]) }
      let outcome = OnSmallStack.run { [deep] in try Typedstream(bytes: self.stream(deep)).objects.count }
      #expect(outcome.value as? Int == depth + 1 || (outcome.error as? TypedstreamError)?.kind == .nestedTooDeeply)
    }
  }
}
