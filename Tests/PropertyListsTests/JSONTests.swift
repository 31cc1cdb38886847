import Foundation
import TestSupport
import Testing

@testable import PropertyLists

@Suite("Reading JSON") struct JSONTests {
  static func read(
    _ text: String, options: PropertyListReadingOptions = PropertyListReadingOptions()
  ) throws(PropertyListError) -> PropertyList {
    try PropertyList(Data(text.utf8), format: .json, options: options)
  }

  static func defect(
    _ text: String, options: PropertyListReadingOptions = PropertyListReadingOptions()
  ) -> PropertyListError? {
    error { () throws(PropertyListError) in _ = try read(text, options: options) }
  }

  @Test(
    arguments: [
      ("null", .null), ("true", true), (" false\r\n\t ", false), ("\"\"", ""), ("\"größe 😀\"", "größe 😀"), ("[]", []),
      ("{}", [:]), ("[ ]", []), ("{\n}", [:]), ("[1,[2],{\"a\":[3,{}]}]", [1, [2], ["a": [3, [:]]]]),
      (" { \"b\" : 1 , \"a\" : \"x\" } ", ["b": 1, "a": "x"]), ("[\"\",\"\"]", ["", ""]),
      ("\"\u{7F}\u{FFFE}\"", "\u{7F}\u{FFFE}"),
      ("{\"\":{\"\":null}}", ["": ["": .null]]),
    ] as [(String, PropertyList)])
  func `every JSON value is read, also at the root`(_ text: String, _ expected: PropertyList) throws {
    #expect(try Self.read(text) == expected)
    let document = try PropertyListDocument(Data(text.utf8), format: .json)
    #expect(document.format == .json)
    try document.validate()
    #expect(try document.root.data(format: .json) == expected.data(format: .json))
  }

  @Test(
    "a number without fraction and exponent is an integer, any other a real",
    arguments: [
      ("0", 0), ("7", 7), ("-1", -1), ("9223372036854775807", 9_223_372_036_854_775_807),
      ("9223372036854775808", 9_223_372_036_854_775_808), ("18446744073709551615", 18_446_744_073_709_551_615),
      ("-9223372036854775808", -9_223_372_036_854_775_808), ("0.0", 0.0), ("1.0", 1.0), ("1e0", 1.0), ("-0.0", -0.0),
      ("-0e5", -0.0), ("0E-1", 0.0), ("1E+2", 100.0), ("-1.5e-3", -0.0015), ("0.1", 0.1), ("1e308", 1e308),
      ("1e-400", 0.0),
      ("-1e-400", -0.0), ("5e-324", .real(.leastNonzeroMagnitude)),
      ("123456789012345678901234567890.0", 1.2345678901234568e29),
      ("9007199254740993.0", 9007199254740992.0),
      ("2.225073858507201e-308", .real(Double.leastNormalMagnitude.nextDown)),
    ] as [(String, PropertyList)])
  func aNumberWithoutFractionAndExponentIsAnInteger(_ text: String, _ expected: PropertyList) throws {
    #expect(try Self.read(text) == expected)
    #expect(try Self.read("[\(text)]") == [expected])
    #expect(try Self.read("{\"k\":\(text) }") == ["k": expected])
  }

  @Test("-0 is a real, because an integer would lose its sign")
  func negativeZero() throws { #expect(try Self.read("[-0,0]") == [-0.0, 0]) }

  @Test func `a real can have any number of digits`() throws {
    let digits = String(repeating: "3", count: 100_000)
    #expect(try Self.read("0.\(digits)") == .real(1.0 / 3))
    #expect(try Self.read("\(digits)e-100000") == .real(1.0 / 3))
    #expect(try Self.read("1e-\(digits)") == 0.0)
    #expect(try Self.read("0e\(digits)") == 0.0)
  }

  @Test(arguments: [
    (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u00E9\u2028""#, "Aéé\u{2028}"),
    (#""x\uD83D\uDE00yz""#, "x😀yz"), (#""\ud834\udd1e""#, "𝄞"), (#""\u0000""#, "\u{0}"), (#""\\u0041""#, "\\u0041"),
    (#""\uFFFF\uFEFF""#, "\u{FFFF}\u{FEFF}"), (#""a\/b""#, "a/b"),
  ])
  func `escapes in strings are read`(_ text: String, _ expected: String) throws {
    #expect(try Self.read(text) == .string(expected))
    let document = try PropertyListDocument(Data("{\(text):[\(text)]}".utf8), format: .json)
    #expect(try document.root.entry(at: 0).key == expected)
    #expect(try document.root.value(forKey: expected)?.child(at: 0).string == expected)
    #expect(try PropertyList(document.root) == .dictionary([expected: [.string(expected)]]))
    #expect(try document.root.data(format: .binary) == PropertyList(document.root).data(format: .binary))
  }

  @Test func `keys keep their order; a duplicate key is an error, or the last counts`() throws {
    let document = try PropertyListDocument(Data(#"{"b":1,"a":{"d":2,"c":3},"é":4}"#.utf8))
    #expect(document.format == .json)
    #expect(try (0..<3).map { try document.root.entry(at: $0).key } == ["b", "a", "é"])
    let found = Self.defect(#"[{"a":1, "b":[], "\u0061":2}]"#)
    #expect(found?.kind == .duplicateKey && found?.byteOffset == 17 && found?.keyPath?.description == "0")
    #expect(found?.message.contains("\"a\"") == true)
    let keepLast = PropertyListReadingOptions(duplicateKeys: .keepLast)
    #expect(try Self.read(#"{"a":1,"b":2,"\u0061":3}"#, options: keepLast) == ["a": 3, "b": 2])
    #expect(try Self.read(#"{"a":[],"a":[{"x":1,"x":2}]}"#, options: keepLast) == ["a": [["x": 2]]])
  }

  @Test func `a dictionary with the key CF$UID is a dictionary by default`() throws {
    #expect(try Self.read(#"{"CF$UID":1}"#) == ["CF$UID": 1])
    #expect(try Self.read(#"{"$date":1}"#) == ["$date": 1])
  }

  @Test(
    "text that is not standard JSON is an error with its position",
    arguments: [
      ("", 1, "empty"), (" ", 2, "end of the text"), ("[", 2, "end of the text"), ("{", 2, "end of the text"),
      ("[1", 3, "end of the text"), ("{\"a\"", 5, "end of the text"), ("{\"a\":", 6, "end of the text"),
      ("{\"a\":1", 7, "end of the text"), ("[1,]", 4, "allow a comma before"),
      ("{\"a\":1,}", 8, "allow a comma before"),
      ("[,1]", 2, "\",\""),
      ("[1,,2]", 4, "\",\""), ("{,}", 2, "\",\""), ("[1 2]", 4, "\"2\""), ("[1;2]", 3, "\";\""),
      ("{\"a\" 1}", 6, "\":\""),
      ("{\"a\"=1}", 5, "\":\""), ("{a:1}", 2, "\"a\""), ("{1:2}", 2, "\"1\""), ("{'a':1}", 2, "double quotation"),
      ("['a']", 2, "double quotation"), ("[1}", 3, "\"}\""), ("{\"a\":1]", 7, "\"]\""), ("]", 1, "\"]\""),
      ("1 2", 3, "the end"), ("{}{}", 3, "the end"), ("true false", 6, "\"false\""), ("[1] // x", 5, "comments"),
      ("/* x */ 1", 1, "comments"), ("[1, # x\n2]", 5, "comments"), ("nul", 1, "\"nul\""), ("True", 1, "\"True\""),
      ("NaN", 1, "\"NaN\""), ("Infinity", 1, "\"Infinity\""), ("-Infinity", 2, "\"Infinity\""),
      ("undefined", 1, "\"undefined\""),
      ("01", 1, "zero"), ("-01", 1, "zero"), ("00", 1, "zero"), ("+1", 1, "\"+\""), ("-", 2, "a digit"),
      (".5", 1, "\".\""),
      ("1.", 3, "a digit"), ("1.e5", 3, "a digit"), ("1e", 3, "a digit"), ("1e+", 4, "a digit"), ("1e5.5", 4, "\".\""),
      ("0x10", 2, "\"x\""), ("1a", 2, "\"a\""), ("--1", 2, "\"-\""), ("1_000", 2, "\"_\""), ("\"", 1, "closing"),
      ("\"a", 1, "closing"),
      ("\"a\\", 1, "closing"), ("\"a\\\"", 1, "closing"), ("\"a\nb\"", 3, "U+000A"), ("\"x\u{0}\"", 3, "U+0000"),
      ("\"\u{1F}\"", 2, "U+001F"), ("\"\t\"", 2, "U+0009"), (#""\x41""#, 2, #"\x"#), (#""\u12G4""#, 2, "four"),
      (#""\u12"#, 2, "four"), (#""\'""#, 2, #"\'"#), (#""\U0041""#, 2, #"\U"#), (#""\ud800""#, 2, "surrogate"),
      (#""\udc00\ud800""#, 2, "surrogate"), (#""\ud800\u0041""#, 2, "surrogate"), (#""\ud800x""#, 2, "surrogate"),
      (#""\ud83d\ud83d\ude00""#, 2, "surrogate"), ("\u{A0}1", 1, "expected"), ("[1,\u{2028}2]", 4, "expected"),
      ("18446744073709551616", 1, "Int64 and UInt64"), ("-9223372036854775809", 1, "Int64 and UInt64"),
      ("100000000000000000000000000000", 1, "Int64 and UInt64"), ("-18446744073709551616", 1, "Int64 and UInt64"),
      ("1e309", 1, "too large"), ("-1e999999999999", 1, "too large"), ("12\u{0}", 3, "expected"),
      ("tru\u{0}", 1, "tru"),
    ])
  func whatTheStandardDoesNotHaveIsAnError(_ text: String, _ column: Int, _ word: String) throws {
    let found = try #require(Self.defect(text), "\(text.debugDescription) was read")
    #expect(found.kind == .malformed)
    #expect(found.message.contains(word), "\(found)")
    if !text.isEmpty {
      #expect(found.position == .init(line: 1, column: column), "\(found)")
    }
    // The same inside other values, where the error has a key path.
    let nested = try #require(Self.defect("{\"a\": [\n0, \(text)"))
    #expect(nested.kind == .malformed && nested.position != nil && nested.byteOffset != nil)
    #expect(nested.keyPath?.components.first == .key("a"))
  }

  @Test func `an error has line, column, byte offset and key path, in every encoding`() throws {
    let text = "{\"ä\": [true,\r\n  {\"größe.n\": \"é\", \"x\": [1, oops]}]}"
    let found = try #require(Self.defect(text))
    #expect(found.position == .init(line: 2, column: 29))
    #expect(found.byteOffset == text.utf8.count - "oops]}]}".utf8.count)
    #expect(found.keyPath == PropertyListKeyPath([.key("ä"), .index(1), .key("x"), .index(1)]))
    #expect(found.message == #"expected a value, found "oops""#)
    for (encoding, width) in [(String.Encoding.utf16LittleEndian, 2), (.utf16BigEndian, 2)] {
      let data = try #require(text.data(using: encoding))
      let same = error { () throws(PropertyListError) in _ = try PropertyList(data) }
      #expect(same?.position == found.position && same?.byteOffset == width * (text.utf16.count - 8))
    }
    let open = try #require(Self.defect("[\n {\"a\": [1"))
    #expect(open.message.contains(#"the "[" at 2:8 is not closed"#))
  }

  @Test func `UTF-8, UTF-16 and UTF-32 are read, with or without a byte order mark`() throws {
    let text = #"{"käse": ["😀", "\u00df"]}"#
    let expected: PropertyList = ["käse": ["😀", "ß"]]
    #expect(try PropertyList(Data("\u{FEFF}\(text)".utf8)) == expected)
    for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian] {
      #expect(try PropertyList(#require("\u{FEFF}\(text)".data(using: encoding)), format: .json) == expected)
    }
    for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
      #expect(try PropertyList(#require(text.data(using: encoding)), format: .json) == expected)
    }
    for bytes in [[0x22, 0xE9, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22]]
      as [[UInt8]]
    {
      let found = error { () throws(PropertyListError) in _ = try PropertyList(Data(bytes), format: .json) }
      #expect(found?.kind == .malformed && found?.byteOffset == 1 && found?.position == .init(line: 1, column: 2))
    }
    #expect(Self.defect("\u{FEFF}\u{FEFF}1")?.position == .init(line: 1, column: 1))
  }
}
