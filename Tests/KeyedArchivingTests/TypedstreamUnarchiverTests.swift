import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import TestSupport
import Testing
import Typedstreams

/// A stream of one object for a value, built by the builder.
func typedstream(systemVersion: Int32 = 1000, _ make: (inout TypedstreamBuilder) throws -> Void) throws -> Data {
  var builder = TypedstreamBuilder(systemVersion: systemVersion)
  try make(&builder)
  return try builder.finish().data()
}

/// A stream with one object.
func typedstream(of value: ArchivedValue) throws -> Data { try typedstream { try $0.group(value) } }

/// The first value of a stream.
func untypedstream<T: TypedstreamDecodable>(_ type: T.Type = T.self, _ data: Data) throws -> T {
  try TypedstreamUnarchiver.unarchivedObject(of: type, from: data)
}

/// Returns the error that decoding a stream throws. The test fails if no error, or another error, is thrown.
func typedstreamError<T: TypedstreamDecodable>(
  decoding type: T.Type, _ data: Data, sourceLocation: SourceLocation = #_sourceLocation
) -> TypedstreamError? {
  #expect(throws: TypedstreamError.self, sourceLocation: sourceLocation) { try untypedstream(type, data) }
}

@Suite("Values from typedstreams") struct TypedstreamUnarchiverTests {
  @Test func `values of each of Foundation's classes are decoded`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 12.5)
    let url = try #require(URL(string: "a", relativeTo: URL(string: "https://example.com/b/")))
    #expect(try untypedstream(String.self, typedstream(of: .string("Grüße 😀"))) == "Grüße 😀")
    #expect(try untypedstream(Int.self, typedstream(of: .integer(-9_000_000_000))) == -9_000_000_000)
    #expect(try untypedstream(UInt64.self, typedstream(of: .integer(.init(UInt64.max)))) == .max)
    #expect(try untypedstream(Double.self, typedstream(of: .real(0.1))) == 0.1)
    #expect(try untypedstream(Float.self, typedstream(of: .float(0.1))) == 0.1)
    #expect(try untypedstream(Bool.self, typedstream(of: .boolean(true))))
    #expect(try untypedstream(Data.self, typedstream(of: .data(Data([1, 0, 255])))) == Data([1, 0, 255]))
    #expect(try untypedstream(Date.self, typedstream(of: .date(date))) == date)
    #expect(try untypedstream(URL.self, typedstream(of: .url(url))) == url)
    #expect(try untypedstream(URL.self, typedstream(of: .url(url))).absoluteString == "https://example.com/b/a")
    #expect(try untypedstream(Archived.Null.self, typedstream(of: .null)) == Archived.Null())
    #expect(try untypedstream([Int].self, typedstream(of: .array([.integer(1), .integer(2)]))) == [1, 2])
    #expect(try untypedstream(Set<String>.self, typedstream(of: .set([.string("a")]))) == ["a"])
    #expect(try untypedstream(OrderedSet<Int>.self, typedstream(of: .set([.integer(3), .integer(1)]))) == [3, 1])
    let entries = ArchivedValue.dictionary([.string("b"): .integer(1), .string("a"): .integer(2)])
    #expect(try untypedstream([String: Int].self, typedstream(of: entries)) == ["a": 2, "b": 1])
    #expect(try untypedstream(OrderedDictionary<String, Int>.self, typedstream(of: entries)) == ["b": 1, "a": 2])
  }

  private nonisolated(unsafe) static let values: [ArchivedValue] = [
    .null, .boolean(true), .boolean(false), .integer(0), .integer(-1), .integer(.init(Int64.min)), .integer(300),
    .integer(.init(UInt64.max)), .real(0), .real(-0.0), .real(1.5), .real(.infinity), .float(2), .float(0.1),
    .string(""), .string("text"), .string("é😀\0"), .data(Data()), .data(Data([0x86, 0x84])),
    .date(Date(timeIntervalSinceReferenceDate: 0)), .date(Date(timeIntervalSinceReferenceDate: 1e300)),
    .url(URL(string: "mailto:a@b")!), .array([]), .array([.array([.null]), .integer(1)]), .set([.string("a"), .null]),
    .dictionary([:]), .dictionary([.string("a"): .array([]), .integer(1): .string("a")]),
    .value(.point(.init(x: 1, y: -2.5))), .value(.size(.init(width: 0.1, height: 1))),
    .value(.rect(.init(x: 1, y: 2, width: 3, height: 4))), .value(.rect(.init(x: 0.1, y: 2, width: 3, height: 4))),
    .value(.range(.init(location: 3, length: 4))), .value(.cString("text")), .value(.selector("copy:")),
    .value(.number(.short(-5))), .value(.number(.unsignedLongLong(.max))), .value(.number(.bool(true))),
    .value(.number(.unsignedChar(200))), .value(.number(.float(0.5))), .value(.number(.char(-128))),
    .object(Archived.AttributedString("text", attributes: ["a": .integer(1)])),
  ]

  @Test(arguments: values.indices) func `any of these classes can be requested together, with the class of the result`(
    _ index: Int
  ) throws {
    let value = Self.values[index]
    #expect(try untypedstream(ArchivedValue.self, typedstream(of: value)) == value)
    #expect(try untypedstream([ArchivedValue].self, typedstream(of: .array([value, value]))) == [value, value])
  }

  @Test func `a value can be nil`() throws {
    let data = try typedstream {
      try $0.group("icQfd+*:%", -5, 1, UInt64.max, 1.5, 0.1, "a", "b", "c", "d")
      try $0.group("[3c][2i]{?=ff}{CGRect={CGPoint=dd}{CGSize=dd}}@", Data([1, 2, 3]), 1, 2, 3, 4, 5, 6, 7, 8, nil)
    }
    let stream = try TypedstreamUnarchiver(forReadingFrom: data)
    #expect(try stream.decode(Int8.self) == -5)
    #expect(try stream.decode(Bool.self))
    #expect(throws: TypedstreamError.self) { try stream.decode(Int.self) }
    #expect(try stream.decode(UInt.self) == .max)
    #expect(try stream.decode(Float.self) == 1.5)
    #expect(try stream.decode(Double.self) == 0.1)
    #expect(try (0..<4).map { _ in try stream.decode(String.self) } == ["a", "b", "c", "d"])
    #expect(!stream.isAtEnd)
    #expect(try stream.decode(Data.self) == Data([1, 2, 3]))
    #expect(try stream.decode([Int].self) == [1, 2])
    #expect(try stream.decode(Archived.Size.self) == .init(width: 3, height: 4))
    #expect(try stream.decode(Archived.Rect.self) == .init(x: 5, y: 6, width: 7, height: 8))
    #expect(throws: TypedstreamError.self) { try stream.decode(String.self) }
    #expect(try stream.decode(String?.self) == nil)
    #expect(stream.isAtEnd)
    let error = #expect(throws: TypedstreamError.self) { try stream.decode(String.self) }
    #expect(error?.kind == .valueNotFound)
  }

  @Test func `with several types, the class decides`() throws {
    let types: [any TypedstreamDecodable.Type] = [Date.self, Int.self, String.self]
    #expect(
      try TypedstreamUnarchiver.unarchivedObject(of: types, from: typedstream(of: .string("a"))) as? String == "a")
    #expect(try TypedstreamUnarchiver.unarchivedObject(of: types, from: typedstream(of: .integer(3))) as? Int == 3)
    let number = try typedstream { try $0.group("s", 7) }
    #expect(try TypedstreamUnarchiver.unarchivedObject(of: types, from: number) as? Int == 7)
    let other = try typedstream(of: .data(Data()))
    let error = #expect(throws: TypedstreamError.self) {
      try TypedstreamUnarchiver.unarchivedObject(of: types, from: other)
    }
    #expect(error?.kind == .classNotAllowed && error?.className == "NSData" && error?.objectID == 0)
  }

  @Test func `a class that is not allowed is never created`() throws {
    let error = typedstreamError(decoding: [Int].self, try typedstream(of: .array([.integer(1), .string("a")])))
    #expect(error?.kind == .classNotAllowed && error?.className == "NSString")
    #expect(error?.byteOffset.map { $0 > 40 } == true)
    #expect(typedstreamError(decoding: String.self, try typedstream(of: .integer(1)))?.kind == .classNotAllowed)
    #expect(typedstreamError(decoding: Int.self, try typedstream(of: .string("1")))?.kind == .classNotAllowed)
    let subclass = try typedstream {
      try $0.object(TypedstreamClass("MyString", superclass: TypedstreamClass("NSString", version: 1))) {
        try $0.group("+", "text")
      }
    }
    #expect(typedstreamError(decoding: String.self, subclass)?.kind == .classNotAllowed)
    #expect(typedstreamError(decoding: ArchivedValue.self, subclass)?.className == "MyString")
  }

  @Test func `numbers are exact, or are errors`() throws {
    #expect(typedstreamError(decoding: Int8.self, try typedstream(of: .integer(128)))?.kind == .numberOutOfRange)
    #expect(typedstreamError(decoding: UInt.self, try typedstream(of: .integer(-1)))?.kind == .numberOutOfRange)
    #expect(typedstreamError(decoding: Int.self, try typedstream(of: .real(0.5)))?.kind == .numberOutOfRange)
    #expect(typedstreamError(decoding: Bool.self, try typedstream(of: .integer(2)))?.kind == .numberOutOfRange)
    let large = try typedstream(of: .integer(9_007_199_254_740_993))
    #expect(typedstreamError(decoding: Double.self, large)?.kind == .numberOutOfRange)
    #expect(try untypedstream(Int.self, typedstream(of: .real(3))) == 3)
    #expect(try untypedstream(Float.self, typedstream(of: .real(0.1))) == 0.1)
  }

  /// Contents of a class of Foundation that it would not write.
  private nonisolated(unsafe) static let contents: [(name: String, groups: [Group])] = [
    ("NSString", []), ("NSString", [("i", [1])]), ("NSString", [("+", [nil])]),
    ("NSString", [("+", [[0xFF] as [UInt8]])]), ("NSString", [("++", ["a", "b"])]),
    ("NSData", [("i[2c]", [3, Data([1, 2])])]), ("NSData", [("i+", [1, "a"])]),
    ("NSDate", [("d", [Double.nan])]), ("NSNull", [("i", [1])]),
    ("NSNumber", [("*", ["i"]), ("s", [1])]), ("NSNumber", [("*", ["i"])]), ("NSNumber", [("*", ["*"]), ("*", ["i"])]),
    ("NSArray", [("i", [-1])]), ("NSArray", [("i", [1])]), ("NSArray", [("i", [Int32.max])]),
    ("NSArray", [("i", [0]), ("@", [a])]), ("NSArray", [("i", [1]), ("@", [nil])]),
    ("NSSet", [("I", [2]), ("@", [a]), ("@", [a])]),
    ("NSDictionary", [("i", [2]), ("@", [a]), ("@", [a]), ("@", [a]), ("@", [a])]),
    ("NSURL", [("c", [2]), ("@", [a])]), ("NSURL", [("c", [1]), ("@", [a])]),
    ("NSURL", [("c", [0]), ("@", [ArchivedValue.string("")])]),
    ("NSColor", [("c", [9])]), ("NSColor", [("c", [3]), ("f", [1])]),
    ("NSColor", [("cff", [3, Float.nan, Float.nan])]),
    ("NSValue", [("*", ["{ff}"]), ("{ff}", [1, 1])]), ("NSValue", [("*", ["@"]), ("@", [a])]),
    ("NSAttributedString", [text]), ("NSAttributedString", [text, ("iI", [2, 2]), noAttributes]),
    ("NSAttributedString", [text, ("iI", [0, 2]), noAttributes]),
    ("NSAttributedString", [text, ("iI", [1, 3]), noAttributes]),
    ("NSAttributedString", [text, ("iI", [1, 0]), noAttributes]),
    ("NSAttributedString", [text, ("iI", [1, 1]), noAttributes]),
  ]

  private typealias Group = (encoding: String, values: [(any GroupValue)?])
  private nonisolated(unsafe) static let a = ArchivedValue.string("a")
  private nonisolated(unsafe) static let text: Group = ("@", [ArchivedValue.string("ab")])
  private nonisolated(unsafe) static let noAttributes: Group = ("@", [ArchivedValue.dictionary([:])])

  @Test(arguments: contents.indices) func `contents that do not match the class are errors`(_ index: Int) throws {
    let (name, groups) = Self.contents[index]
    let data = try typedstream {
      try $0.object(name) { for group in groups { try $0.group(group.encoding, group.values) } }
    }
    let error = typedstreamError(decoding: ArchivedValue.self, data)
    #expect(error?.byteOffset != nil && error?.kind != .malformed, "\(error?.description ?? "")")
  }

  @Test func `attributed strings have runs in UTF-16 code units`() throws {
    let runs: [Archived.AttributedString.Run] = [
      .init(length: 4, attributes: ["bold": .boolean(true)]), .init(length: 1),
      .init(length: 2, attributes: ["bold": .boolean(true)]),
    ]
    let text = try Archived.AttributedString(
      "a👍🏽é!", runs: [.init(length: 5, attributes: ["bold": .boolean(true)]), .init(length: 2)])
    let other = try Archived.AttributedString(
      "😀ab é", runs: [runs[0], runs[1], .init(length: 1, attributes: runs[2].attributes)])
    for text in [text, other, Archived.AttributedString(""), Archived.AttributedString("abc")] {
      let decoded = try untypedstream(Archived.AttributedString.self, typedstream(of: .object(text)))
      #expect(decoded == text || text.runs.isEmpty && decoded.text.isEmpty)
      #expect(decoded.runs.map(\.length).reduce(0, +) == decoded.text.utf16.count)
    }
  }

  /// The kinds of colors: the space, the groups, the key of the components.
  private static let colors: [(kind: Int, encoding: String, key: String)] = [
    (1, "ffff", "NSRGB"), (2, "ffff", "NSRGB"), (3, "ff", "NSWhite"), (4, "ff", "NSWhite"), (5, "fffff", "NSCMYK"),
  ]

  @Test(arguments: colors.indices) func `colors of all kinds are decoded`(_ index: Int) throws {
    let (kind, encoding, key) = Self.colors[index]
    let numbers = encoding.indices.map { Float(encoding.distance(from: encoding.startIndex, to: $0)) / 8 + 0.1 }
    let data = try typedstream {
      try $0.object("NSColor") {
        try $0.group("c", kind)
        try $0.group(encoding, numbers)
      }
    }
    let color = try untypedstream(Archived.Color.self, data)
    #expect(color.components == numbers.map { Double($0) })
    #expect(color.fields["NSColorSpace"] == .inline(.integer(.init(kind))) && color.fields[key] != nil)
    #expect(try typedstream(of: .object(color)) == data)
    let named = Archived.Color(fields: [
      "NSColorSpace": .inline(.integer(6)), "NSCatalogName": .string("System"), "NSColorName": .string("text"),
      "NSColor": .color(color),
    ])
    #expect(try untypedstream(Archived.Color.self, typedstream(of: .object(named))) == named)
  }

  @Test func `geometry is detected by its structure, or by name if that is ambiguous`() throws {
    func value(_ type: String, _ numbers: [Double]) throws -> Data {
      try typedstream {
        try $0.object("NSValue") {
          try $0.group("*", type)
          try $0.group(type, numbers)
        }
      }
    }
    for type in ["{ff}", "{_NSPoint=ff}", "{CGSize=dd}", "{?={f}f}"] {
      #expect(try untypedstream(Archived.Point.self, value(type, [1, 2])) == .init(x: 1, y: 2))
      #expect(try untypedstream(Archived.Size.self, value(type, [1, 2])) == .init(width: 1, height: 2))
      #expect(typedstreamError(decoding: Archived.Rect.self, try value(type, [1, 2]))?.kind == .typeMismatch)
    }
    #expect(try untypedstream(Archived.Value.self, value("{_NSPoint=ff}", [1, 2])) == .point(.init(x: 1, y: 2)))
    #expect(try untypedstream(Archived.Value.self, value("{CGSize=dd}", [1, 2])) == .size(.init(width: 1, height: 2)))
    #expect(
      try untypedstream(Archived.Value.self, value("{{ff}{ff}}", [1, 2, 3, 4]))
        == .rect(.init(x: 1, y: 2, width: 3, height: 4)))
    #expect(typedstreamError(decoding: Archived.Point.self, try value("{fff}", [1, 2, 3]))?.kind == .typeMismatch)
    #expect(typedstreamError(decoding: Archived.Point.self, try value("f", [1]))?.kind == .typeMismatch)
    #expect(typedstreamError(decoding: Archived.Point.self, try typedstream(of: .integer(1)))?.kind == .classNotAllowed)
  }

  @Test func `strings of NeXTSTEP have its encoding`() throws {
    func text(_ version: Int32, _ bytes: [UInt8]) throws -> Data {
      try typedstream(systemVersion: version) { try $0.group("+", bytes) }
    }
    #expect(try untypedstream(String.self, text(82, [0x41, 0xAE, 0xFA])) == "Aﬁœ")
    #expect(try untypedstream(String.self, text(1000, [0xC3, 0xA9])) == "é")
    #expect(try untypedstream(String.self, text(82, [0x41])) == "A")
    #expect(typedstreamError(decoding: String.self, try text(82, [0xFF]))?.kind == .invalidContents)
    #expect(typedstreamError(decoding: String.self, try text(1000, [0xAE]))?.kind == .invalidContents)
  }
}

@Suite("Values from typedstreams of Apple's archiver", .enabled(if: !TypedstreamSamples.files.isEmpty))
struct TypedstreamSampleValueTests {
  @Test func `the value is the one in the file's name`() throws {
    func value<T: TypedstreamDecodable>(_ type: T.Type, _ name: String) throws -> T {
      try untypedstream(type, TypedstreamSamples.data(name))
    }
    #expect(try value(UInt64.self, "uetchy-NSNumberWithULongLong") == 18_446_744_073_709_551_613)
    #expect(try value(Int.self, "uetchy-NSNumberWith2digits").description.count == 2)
    #expect(try value(Int.self, "uetchy-NSNumberWith4digits").description.count == 4)
    #expect(try value(Int.self, "uetchy-NSNumberWithMinus5digits").description.count == 6)
    #expect(try value([Bool].self, "uetchy-NSArrayWithBool") == [true, false])
    #expect(try value(String.self, "uetchy-NSStringNil").isEmpty)
    #expect(try value(Int64.self, "foundation-NumberInt64") == -9_000_000_000)
    #expect(try value(Double.self, "foundation-NumberDouble") == 100.5)
    #expect(try value(Bool.self, "foundation-NumberBool"))
    #expect(try value(Data.self, "foundation-NSData") == Data([0xDE, 0xAD, 0xBE, 0xEF, 0x00, 0x7F]))
    #expect(try value(Date.self, "foundation-NSDate").timeIntervalSinceReferenceDate == 21_692_800)
    #expect(try value(URL.self, "foundation-NSURL").absoluteString == "https://example.com/path?q=1")
    #expect(try value(Archived.AttributedString.self, "foundation-NSAttributedString").text == "Hello, world")
    let white = try value(Archived.Color.self, "color-QSRegistration-QSPreferencePanes-QSCatalogPrefPane-color.BE.ts")
    #expect(white.components?.count == 4)
    let accent = try value(Archived.Color.self, "color-QSDefaults-QSAccentColor.BE.ts")
    #expect(accent.fields["NSColorName"] == .string("selectedControlColor"))
    let scalars = try value([ArchivedValue].self, "foundation-NestedScalars")
    guard case .url(let page) = scalars[2] else {
      Issue.record("\(scalars[2])")
      return
    }
    #expect(page.absoluteString == "https://example.com/dir/page.html")
  }

  @Test(arguments: TypedstreamSamples.sound.filter { !$0.hasPrefix("nib") && !$0.contains("HugeWithRefs") })
  func `values are Foundation's, except those of custom classes`(_ name: String) throws {
    let data = try TypedstreamSamples.data(name)
    let value = try untypedstream(ArchivedValue.self, data)
    guard name.hasPrefix("imessage") else { return }
    guard case .object(let object) = value, let text = object as? Archived.AttributedString else {
      Issue.record("\(value)")
      return
    }
    #expect(text.runs.map(\.length).reduce(0, +) == text.text.utf16.count)
    #expect(text.runs.allSatisfy { $0.attributes.keys.contains("__kIMMessagePartAttributeName") })
    #expect(try untypedstream(Archived.AttributedString.self, data) == text)
  }

  @Test(arguments: TypedstreamSamples.sound.filter { $0.contains("HugeWithRefs") })
  func `other classes are refused, or kept unchanged`(_ name: String) throws {
    let unarchiver = try TypedstreamUnarchiver(forReadingFrom: TypedstreamSamples.data(name))
    let error = #expect(throws: TypedstreamError.self) { try unarchiver.decode(ArchivedValue.self) }
    #expect(error?.kind == .classNotAllowed && error?.byteOffset != nil)
    unarchiver.keepsUnknownObjects = true
    #expect(throws: Never.self) { try unarchiver.decode(ArchivedValue.self) }
  }

  @Test(arguments: TypedstreamSamples.sound.filter { $0.hasPrefix("nib") })
  func `objects of interface files are kept unchanged`(_ name: String) throws {
    let unarchiver = try TypedstreamUnarchiver(forReadingFrom: TypedstreamSamples.data(name))
    #expect(throws: TypedstreamError.self) { try unarchiver.decode(ArchivedValue.self) }
    #expect(try unarchiver.decode(Typedstream.Object.self).class.name == "NSIBObjectData")
  }
}
