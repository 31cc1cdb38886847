import Foundation
import OrderedCollections
import TestSupport
import Testing

@testable import PropertyLists

@Suite("Files of other producers") struct GoldenFileTests {
  static let kinds: PropertyList = [
    "zulu": "first key, last in the alphabet", "empty string": "", "ASCII": "plain text",
    "markup": "a < b && c > d \"quoted\" 'single'", "BMP": "Größe 東京 ελληνικά", "astral": "x😀y𝄞z",
    "multi\nline": "one\ntwo\n\tthree",
    "zero": 0, "one": 1, "byte": 255, "short": 256, "word": 65535, "long": 65536, "dword": 4_294_967_295,
    "quad": 4_294_967_296, "largest": 9_223_372_036_854_775_807, "minus one": -1,
    "smallest": -9_223_372_036_854_775_808, "unsigned": 9_223_372_036_854_775_808,
    "greatest": 18_446_744_073_709_551_615,
    "real": 1.5, "negative real": -0.25, "tenth": 0.1, "whole real": 2.0, "huge": 1e300, "tiny": 1e-300,
    "true": true, "false": false,
    "date": .date(Date(timeIntervalSince1970: 1_772_323_199)),
    "epoch": .date(Date(timeIntervalSinceReferenceDate: 0)),
    "before": .date(Date(timeIntervalSince1970: -14_182_940)),
    "data": .data(Data(0..<100)), "no data": .data(Data()), "one byte": .data(Data([0])),
    "array": [1, "two", [3.5, []], [:]], "empty array": [], "empty dictionary": [:],
    "nested": [
      "a": [
        "b": ["c": ["d": .data(Data("deep data, wrapped more narrowly the deeper it is, in 76 - 8 n columns".utf8))]]
      ]
    ],
  ]

  /// plutil sorts the keys in XML, and uses the order of a hash table in binary files.
  @Test(arguments: [
    "binary/kinds-python.bplist", "binary/kinds-libplist.bplist", "binary/kinds-foundation.bplist",
    "xml/kinds-python.plist", "xml/kinds-libplist.plist", "xml/kinds-foundation.plist",
  ])
  func `every kind and width, from every producer`(_ name: String) throws {
    let value = try PropertyList(Fixtures.data(name))
    if name.contains("foundation") {
      #expect(value.sorted() == Self.kinds.sorted())
    } else if name == "binary/kinds-libplist.bplist" {
      // libplist narrows reals that a float represents exactly.
      #expect(value["real"] == .float(1.5))
      #expect(value.asInXML == Self.kinds)
    } else {
      #expect(value == Self.kinds)
    }
  }

  /// Foundation prints integral reals as integers, and has its own order of keys.
  @Test(arguments: ["kinds-python", "kinds-ascii-python", "kinds-foundation"])
  func `JSON from every producer`(_ name: String) throws {
    let document = try PropertyListDocument(Fixtures.data("json/\(name).json"))
    #expect(document.format == .json)
    let value = try PropertyList(document.root)
    var expected = Self.kinds
    for key in ["date", "epoch", "before", "data", "no data", "one byte", "nested"] {
      expected.dictionary?.removeValue(forKey: key)
    }
    if name.contains("foundation") {
      expected.dictionary?["whole real"] = 2
      #expect(value.sorted() == expected.sorted())
    } else {
      #expect(value == expected)
    }
  }

  /// GNUstep sorts the keys, and has only signed 64-bit integers. Without types, everything except data is text.
  @Test func `OpenStep from GNUstep, with its types and without`() throws {
    var expected = Self.kinds
    expected.dictionary?["unsigned"] = 9_223_372_036_854_775_807
    expected.dictionary?["greatest"] = 9_223_372_036_854_775_807
    #expect(try PropertyList(Fixtures.data("openstep/kinds-typed-gnustep.plist")).sorted() == expected.sorted())
    let plain = try PropertyList(Fixtures.data("openstep/kinds-gnustep.plist"))
    #expect(plain.sorted() == expected.asText.sorted())
  }

  @Test(
    arguments: [
      (
        "strings.strings",
        ["key": "value", "bare": "word", "shorthand": "shorthand", "escapes": "\u{7}\u{8}\t\n\u{B}\u{C}\r\"\\éA"]
      ),
      ("utf-16.strings", ["Größe": "東京"]),
      ("data.plist", .array([[], [0], [0x0F, 0x0F, 0xF0], [0xDE, 0xAD, 0xBE, 0xEF]].map { .data(Data($0)) })),
      ("quotes.plist", ["single": "it's", "double": "a \"b\"", "a.b/c:d_e-f$g": ["x", "y"]]),
      ("nextstep.plist", ["octal": "ÆÀ"]),
    ] as [(String, PropertyList)])
  func `hand-written OpenStep`(_ name: String, _ expected: PropertyList) throws {
    let document = try PropertyListDocument(Fixtures.data("openstep/\(name)"))
    #expect(document.format == .openStep)
    #expect(try PropertyList(document.root) == expected)
  }

  @Test(arguments: ["python", "libplist", "foundation"])
  func `counts around every limit of the marker, from every producer`(_ producer: String) throws {
    let binary = try PropertyList(Fixtures.data("binary/counts-\(producer).bplist"))
    let xml = try PropertyList(Fixtures.data("xml/counts-\(producer).plist"))
    #expect(binary.sorted() == xml.sorted())
    for count in [14, 15, 16, 255, 256, 65535, 65536] {
      #expect(binary["string \(count)"] == .string(String(repeating: "s", count: count)))
    }
    for count in [14, 15, 16, 255, 256] {
      #expect(binary["unicode \(count)"] == .string(String(repeating: "é", count: count)))
      #expect(binary["data \(count)"] == .data(Data(repeating: UInt8(ascii: "d"), count: count)))
      #expect(binary["array \(count)"]?.array?.map(\.int) == Array(0..<count))
      #expect(binary["dictionary \(count)"]?.dictionary?.count == count)
      #expect(binary["dictionary \(count)"]?["\(count - 1)"]?.int == count - 1)
    }
  }

  @Test func `UIDs of every width, and their form in XML`() throws {
    let expected: PropertyList = .array([0, 1, 255, 256, 65535, 65536, 4_294_967_295].map { .uid(.init($0)) })
    #expect(try PropertyList(Fixtures.data("binary/uid-python.bplist")) == expected)
    #expect(try PropertyList(Fixtures.data("xml/uid-python.plist")) == expected)
    let asIs = PropertyListReadingOptions(recognizesUIDDictionaries: false)
    #expect(try PropertyList(Fixtures.data("xml/uid-python.plist"), options: asIs)[1] == ["CF$UID": 1])
  }

  @Test(arguments: 1...8) func `references and offsets of 1 to 8 bytes`(_ width: Int) throws {
    #expect(try PropertyList(Fixtures.data("binary/reference-width-\(width).bplist")) == ["A": "B"])
    #expect(try PropertyList(Fixtures.data("binary/offset-width-\(width).bplist")) == ["A": "B"])
  }

  @Test(
    arguments: [
      ("null", [.null]), ("set", [1, 2]), ("float", [.float(24), .real(24)]),
      ("date-fraction", .date(Date(timeIntervalSinceReferenceDate: 0.5))),
      ("wide-integers", [5, 5, 5, 5, 18_446_744_073_709_551_615, 18_446_744_073_709_551_615]),
      ("wide-counts", ["A", "B"]), ("wide-uid", .uid(.init(7))), ("version-01", true), ("orphans", [true]),
    ] as [(String, PropertyList)])
  func `markers that no available producer writes`(_ name: String, _ expected: PropertyList) throws {
    let document = try PropertyListDocument(Fixtures.data("binary/\(name).bplist"))
    try document.validate()
    #expect(try PropertyList(document.root) == expected)
  }

  @Test(arguments: [
    "utf8-mark", "utf16-little-mark", "utf16-big-mark", "utf32-little-mark", "utf32-big-mark", "utf16-little",
    "utf16-big", "latin1",
  ])
  func `XML in every encoding that Apple's reader accepts`(_ name: String) throws {
    #expect(try PropertyList(Fixtures.data("xml/\(name).plist")) == ["käse": "Größe"])
  }

  @Test(
    arguments: [
      ("windows-1252", "„Größe“ €"), ("shift-jis", "東京"), ("shift-jis-backslash", #"日本\~ｱ"#),
      ("uid-spelled-with-reference", .uid(.init(5))), ("style-sheet", "é"),
      ("angle-bracket-in-attribute", [.data(Data()), ""]),
      ("references", ["<>&\"'", "AB😀\r"]), ("cdata", ["a&b": "x<y>z"]), ("comments", ["ab": "cd"]),
      ("line-ends", ["a\nb\nc\nd"]), ("no-plist-tag", [1]), ("attributes", [true]),
      (
        "integers",
        [
          0, 0, 7, 42, -5, 7, 31, 255, -16, 18_446_744_073_709_551_615, -9_223_372_036_854_775_808,
          18_446_744_073_709_551_615,
        ]
      ),
      (
        "reals",
        [
          0.0, 0.0, -0.0, 1.0, 1.5, -1e10, 2.5e-3, 0.5, 5.0, 0.1, 123456789012345678901234567890.0,
          2.2250738585072014e-308, .real(.leastNonzeroMagnitude), 1.7976931348623157e308, .real(.nan), .real(.nan),
          .real(.infinity),
          .real(-.infinity), .real(.infinity), .real(-.infinity),
        ]
      ),
      (
        "dates",
        .array(
          [0, -26_479_504, -978_307_201, -63_113_904_000, 252_423_993_599, -12_649_305_600].map {
            .date(Date(timeIntervalSinceReferenceDate: $0))
          })
      ),
      ("base64", .array([[], [], [0], [0, 1], [0, 1, 2], [0, 1, 2], [0, 1, 2, 3]].map { .data(Data($0)) })),
      ("empty-tags", ["", "", [:], [:], [], [], true, false, .data(Data())]),
    ] as [(String, PropertyList)])
  func `every well-formed variant of XML`(_ name: String, _ expected: PropertyList) throws {
    #expect(try PropertyList(Fixtures.data("xml/\(name).plist")) == expected)
  }

  @Test(
    "values survive reading and writing, and the second output has the same bytes",
    arguments: ["binary", "xml", "json", "openstep"].flatMap { Fixtures.names(in: $0) })
  func fixedPoint(_ name: String) throws {
    let data = try Fixtures.data(name)
    // The large files of all producers have the same values, so the short form has only one of them.
    guard LongForm.isWanted || data.count < 50_000 || name == "binary/counts-python.bplist" else { return }
    let document = try PropertyListDocument(data)
    try document.validate()
    let tree = try PropertyList(document.root)
    for format in PropertyListFormat.allCases {
      if format == .xml, tree.hasNoFormInXML { continue }
      let written = try tree.data(format: format, options: .exact)
      #expect(
        try document.root.data(format: format, options: .exact) == written, "a document is written as its tree is")
      let again = try PropertyList(written, format: format, options: .exact)
      #expect(format == .xml ? again == tree.asInXML : again == tree)
      #expect(try again.data(format: format, options: .exact) == written)
    }
  }
}

extension PropertyList {
  /// The same value with text in place of numbers, Booleans and dates, as GNUstep writes them in plain OpenStep.
  fileprivate var asText: PropertyList {
    switch self {
    case .array(let elements): .array(elements.map(\.asText))
    case .dictionary(let entries): .dictionary(entries.mapValues(\.asText))
    case .integer(let number): .string("\(number)")
    case .boolean(let value): value ? "1" : "0"
    case .real(2): "2"
    case .real(let number): .string("\(number)")
    case .date(let date): .string(date.formatted(.iso8601))
    default: self
    }
  }

  /// The same value with all dictionaries sorted by key.
  func sorted() -> PropertyList {
    switch self {
    case .array(let elements): return .array(elements.map { $0.sorted() })
    case .dictionary(let entries):
      return .dictionary(
        OrderedDictionary(uniqueKeysWithValues: entries.sorted { $0.key < $1.key }.map { ($0.key, $0.value.sorted()) }))
    default: return self
    }
  }

  /// The value as XML can represent it: 8-byte reals and whole seconds.
  var asInXML: PropertyList {
    switch self {
    case .float(let value): .real(Double(value))
    case .date(let value):
      .date(Date(timeIntervalSinceReferenceDate: value.timeIntervalSinceReferenceDate.rounded(.down)))
    case .array(let elements): .array(elements.map(\.asInXML))
    case .dictionary(let entries): .dictionary(entries.mapValues(\.asInXML))
    default: self
    }
  }

  var hasNoFormInXML: Bool {
    switch self {
    case .null: true
    case .string(let text): text.unicodeScalars.contains { $0.value < 0x20 && !["\t", "\n", "\r"].contains($0) }
    case .array(let elements): elements.contains(where: \.hasNoFormInXML)
    case .dictionary(let entries): entries.values.contains(where: \.hasNoFormInXML)
    default: false
    }
  }
}
