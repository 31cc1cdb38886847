import Foundation
import KeyedArchiving
import PropertyLists
import Testing
import Typedstreams

@Suite("Reading typedstreams") struct TypedstreamTests {
  @Test func `groups of values, and objects with classes and references, are read`() throws {
    let stream = try Typedstream(Data(Piece.attributedString))
    #expect(
      try stream.json == """
        {"byteOrder":"<","groups":[[["@",{"class":["NSAttributedString v0","NSObject v0"],"groups":[\
        [["@",{"class":["NSString v1","NSObject v0"],"groups":[[["+","Hello, world"]]],"id":3}]],\
        [["i",1],["I",12]],\
        [["@",{"class":["NSDictionary v0","NSObject v0"],"groups":[[["i",0]]],"id":5}]]\
        ],"id":0}]]],"system":1000}
        """)
  }

  @Test func `the byte order and the system version are read`() throws {
    let little = try Typedstream(bytes: Piece.stream())
    #expect(little.byteOrder == .littleEndian && little.systemVersion == 1000 && little.streamerVersion == 4)
    #expect(little.groups.isEmpty)
    let big = try Typedstream(bytes: Piece.stream(isBigEndian: true))
    #expect(big.byteOrder == .bigEndian && big.systemVersion == 1000)
    let next = try Typedstream(bytes: [4] + Piece.text("typedstream") + [82])
    #expect(next.systemVersion == 82)
  }

  /// The header, the bytes after it in a big-endian stream, and the number.
  private static let integers: [(head: [UInt8], bytes: [UInt8], value: Int64)] = [
    ([0x00], [], 0), ([0x7F], [], 127), ([0xFF], [], -1), ([0x92], [], -110),
    ([0x81], [0xFF, 0x91], -111), ([0x81], [0x00, 0x80], 128), ([0x81], [0x7F, 0xFF], 32767),
    ([0x81], [0x00, 0x01], 1), ([0x82], [0x00, 0x00, 0x80, 0x00], 32768), ([0x82], [0, 0, 0, 5], 5),
    ([0x82], [0x80, 0, 0, 0], -2_147_483_648), ([0x87], [0, 0, 0, 0, 0, 0, 0, 7], 7),
    ([0x87], [0xFF, 0xFF, 0xFF, 0xFD, 0xE7, 0x8E, 0xE6, 0x00], -9_000_000_000),
    ([0x87], [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .max),
  ]

  @Test(arguments: integers.indices, [false, true])
  func `integers of any width and byte order are read`(_ index: Int, _ isBigEndian: Bool) throws {
    let (head, bytes, value) = Self.integers[index]
    for type in ["s", "i", "l", "q"] {
      let stream = Piece.stream(
        Piece.new(type), head + (isBigEndian ? bytes : bytes.reversed()), isBigEndian: isBigEndian)
      let bits = type == "s" ? 16 : type == "q" ? 64 : 32
      let limit = Int64.max >> (64 - bits)
      if (-limit - 1...limit).contains(value) {
        #expect(try Typedstream(bytes: stream).groupsJSON == "[[[\"\(type)\",\(value)]]]")
      } else {
        #expect(throws: TypedstreamError.self) { try Typedstream(bytes: stream) }
      }
    }
  }

  @Test func `unsigned numbers are stored as signed ones, cut to their width`() throws {
    let values = Piece.stream(Piece.new("SILQQ"), [0xFD, 0xFD, 0xFF, 0xFD, 0x87, 1, 2, 3, 4, 5, 6, 7, 0x80])
    #expect(
      try Typedstream(bytes: values).groupsJSON
        == "[[[\"S\",65533],[\"I\",4294967293],[\"L\",4294967295],[\"Q\",18446744073709551613],"
        + "[\"Q\",9225348980303659521]]]")
    let wide = Piece.stream(Piece.new("SI"), [0x82, 0xFD, 0xFF, 0, 0], [0x87, 0xFD, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])
    #expect(try Typedstream(bytes: wide).groupsJSON == "[[[\"S\",65533],[\"I\",4294967293]]]")
  }

  @Test(arguments: [0x00, 0x7F, 0x80, 0x81, 0x84, 0x86, 0x87, 0xFF])
  func `single-byte numbers have no type byte`(_ byte: UInt8) throws {
    let stream = Piece.stream(Piece.new("cCB"), [byte, byte, byte])
    let signed = Int8(bitPattern: byte)
    #expect(try Typedstream(bytes: stream).groupsJSON == "[[[\"c\",\(signed)],[\"C\",\(byte)],[\"B\",\(byte)]]]")
  }

  @Test func `reals can be stored as integers`() throws {
    let little = Piece.stream(
      Piece.new("fddfd"), [0x83, 0, 0, 0xC0, 0x3F], [0x83, 0, 0, 0, 0, 0, 0x20, 0x59, 0x40],
      [0x82, 0x80, 0x01, 0x4B, 0x01], [0xFB], [0x83, 0, 0, 0, 0, 0, 0, 0, 0x80])
    #expect(
      try Typedstream(bytes: little).groupsJSON
        == "[[[\"f\",1.5],[\"d\",100.5],[\"d\",21692800.0],[\"f\",-5.0],[\"d\",-0.0]]]")
    let big = Piece.stream(
      Piece.new("fd"), [0x83, 0x7F, 0x80, 0, 0], [0x83, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0], isBigEndian: true)
    #expect(try Typedstream(bytes: big).groupsJSON == "[[[\"f\",\"inf\"],[\"d\",\"nan\"]]]")
  }

  @Test func `four types of strings are read`() throws {
    let stream = Piece.stream(
      Piece.new("+:%*"), Piece.text("unshared"), Piece.new("sel:"), Piece.reference(1), [0x84], Piece.reference(1),
      Piece.new("+"), [0], Piece.reference(2), [0x85],
      Piece.new(":%*@"), [0x85, 0x85, 0x85, 0x85],
      Piece.new("*"), Piece.reference(0),
      Piece.reference(4), [0x84], Piece.new("new"))
    #expect(
      try Typedstream(bytes: stream).groupsJSON == """
        [[["+","unshared"],[":","sel:"],["%","sel:"],["*","sel:"]],[["+",""]],[["+",null]],\
        [[":",null],["%",null],["*",null],["@",null]],[["*","sel:"]],[["*","new"]]]
        """)
  }

  @Test func `nested arrays, data and structures are read`() throws {
    let stream = Piece.stream(
      Piece.new("[3i]"), [1, 2, 3],
      Piece.new("[4c]"), Array("text".utf8),
      Piece.new("[2C]"), [0xFF, 0x00],
      Piece.new("[2[2s]]"), [1, 2, 3, 4],
      Piece.new("{_NSRect={_NSPoint=ff}{_NSSize=ff}}"), [1, 2, 3, 4],
      Piece.new("{ff}"), [5, 6],
      Piece.new("[2{?=c*}]i"), [1, 0x84], Piece.new("x"), [2], Piece.reference(0), [9],
      Piece.new("[0@]"), Piece.new("{}{empty=}!"), Piece.new("[2B]"), [1, 0])
    #expect(
      try Typedstream(bytes: stream).groupsJSON == """
        [[["[3i]",[1,2,3]]],[["[4c]","text"]],[["[2C]",{"hex":"ff00"}]],[["[2[2s]]",[[1,2],[3,4]]]],\
        [["{_NSRect={_NSPoint=ff}{_NSSize=ff}}",[[1.0,2.0],[3.0,4.0]]]],[["{ff}",[5.0,6.0]]],\
        [["[2{?=c*}]",[[1,"x"],[2,"x"]]],["i",9]],[["[0@]",[]]],[["{}",[]],["{empty=}",[]],["!",null]],\
        [["[2B]",[1,0]]]]
        """)
  }

  @Test func `classes are read as values, also in place of objects`() throws {
    let stream = Piece.stream(
      Piece.new("##@#"), Piece.newClass("A", version: 7), Piece.reference(0), Piece.reference(1), [0x85])
    #expect(
      try Typedstream(bytes: stream).groupsJSON == """
        [[["#",{"class":["A v7","NSObject v0"]}],["#",{"class":["A v7","NSObject v0"]}],\
        ["@",{"class":["NSObject v0"]}],["#",null]]]
        """)
  }

  @Test func `circular objects and several top-level groups are read`() throws {
    let stream = Piece.root("Node", Piece.reference(0), Piece.reference(0)) + Piece.reference(0) + Piece.reference(0)
    #expect(
      try Typedstream(bytes: stream).groupsJSON == """
        [[["@",{"class":["Node v0","NSObject v0"],"groups":[[["@",{"ref":0}]]],"id":0}]],[["@",{"ref":0}]]]
        """)
  }

  @Test(arguments: [0, 109, 110, 237, 238, 400]) func `references of 1, 2, 4 and 8 bytes are read`(_ index: Int) throws
  {
    // Objects 0 and 1 are a class and its superclass, the others C strings.
    var bytes = Piece.stream(Piece.new("#"), Piece.newClass("A"), Piece.new("*"), [0x84], Piece.new("2"))
    for number in 3...400 { bytes += Piece.reference(3) + [0x84] + Piece.new("\(number)") }
    let number = index - 110
    let forms: [[UInt8]] = [
      [0x81] + little(Int16(number)), [0x82] + little(Int32(number)), [0x87] + little(Int64(number)),
    ]
    for form in forms + (index < 238 ? [Piece.reference(index)] : []) {
      let stream = try Typedstream(bytes: bytes + (index == 0 ? Piece.reference(0) : Piece.reference(3)) + form)
      let last = try #require(stream.groups.map { $0 }.last?.values.first)
      switch last.content {
      case .cString(let text, let id): #expect(String(decoding: text, as: UTF8.self) == "\(index)" && id == index)
      case .class(let found): #expect(index == 0 && found.name == "A")
      default: Issue.record("\(last.content)")
      }
    }
  }

  private func little(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  @Test func `groups, values, objects and their classes can be walked`() throws {
    let stream = try Typedstream(bytes: Piece.attributedString)
    let root = try #require(stream.groups.first?.values.first)
    #expect(stream.groups.count == 1 && root.type == "@")
    guard case .object(let object) = root.content else {
      Issue.record("\(root.content)")
      return
    }
    #expect(object.id == 0 && object.class.name == "NSAttributedString" && object.class.version == 0)
    #expect(object.class.chain.map(\.name) == ["NSAttributedString", "NSObject"])
    #expect(object.groups.map(\.encoding) == ["@", "iI", "@"])
    let run = object.groups.map { $0 }[1]
    #expect(run.values.map(\.type) == ["i", "I"])
    guard case .integer(1) = run.values.map({ $0 })[0].content,
      case .unsignedInteger(12) = run.values.map({ $0 })[1].content
    else {
      Issue.record("\(run.values.map(\.content))")
      return
    }
    #expect(stream.objects.map(\.id) == [0, 3, 5])
    #expect(stream.classes.map(\.name) == ["NSAttributedString", "NSObject", "NSString", "NSDictionary"])
    #expect(stream.classes.map(\.version) == [0, 0, 1, 0])
    #expect(stream.object(withID: 3)?.class.name == "NSString")
    #expect(stream.object(withID: 1) == nil && stream.object(withID: 99) == nil && stream.object(withID: -1) == nil)
    guard case .string(let text) = stream.object(withID: 3)?.groups.first?.values.first?.content else {
      Issue.record("no text")
      return
    }
    #expect(String(decoding: text, as: UTF8.self) == "Hello, world")
  }

  @Test func `streams with equal contents are equal, whatever the widths of numbers`() throws {
    let stream = try Typedstream(bytes: Piece.stream(Piece.new("i+"), [5], Piece.text("text")))
    let wide = try Typedstream(bytes: Piece.stream(Piece.new("i+"), [0x81, 5, 0], [0x81, 4, 0], Array("text".utf8)))
    #expect(stream == wide)
    let others = [
      Piece.stream(Piece.new("i+"), [6], Piece.text("text")), Piece.stream(Piece.new("i+"), [5], Piece.text("texd")),
      Piece.stream(Piece.new("l+"), [5], Piece.text("text")),
      Piece.stream(Piece.new("i+"), [5], Piece.text("text"), isBigEndian: true),
      Piece.stream(Piece.new("i"), [5], Piece.new("+"), Piece.text("text")),
      [4] + Piece.text("streamtyped") + [0x53] + Piece.new("i+") + [5] + Piece.text("text"),
    ]
    for other in others { #expect(try Typedstream(bytes: other) != stream) }
    let version = try Typedstream(bytes: Piece.stream(Piece.new("#"), Piece.newClass("A", version: 1)))
    #expect(try version != Typedstream(bytes: Piece.stream(Piece.new("#"), Piece.newClass("A", version: 2))))
  }

  @Test func `a typedstream is detected by its first bytes`() {
    #expect(ArchiveFormat(Data(Piece.stream())) == .typedstream)
    #expect(ArchiveFormat(Data(Piece.stream(isBigEndian: true))) == .typedstream)
    #expect(ArchiveFormat(Data(Piece.stream(version: 3))) == .typedstream)
    #expect(ArchiveFormat(Data("bplist00".utf8)) == .binaryPropertyList && ArchiveFormat(Data()) == nil)
    #expect(ArchiveFormat(Data([4] + Piece.text("streamtypes"))) == nil)
    #expect(ArchiveFormat(Data([4, 11] + Array("streamtype".utf8))) == nil)
  }
}
