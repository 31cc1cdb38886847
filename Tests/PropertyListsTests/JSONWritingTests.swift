import Foundation
import TestSupport
import Testing

@testable import PropertyLists

@Suite("Writing JSON") struct JSONWritingTests {
  static func text(
    _ value: PropertyList, options: PropertyListWritingOptions = PropertyListWritingOptions()
  ) throws(PropertyListError) -> String {
    String(decoding: try value.data(format: .json, options: options), as: UTF8.self)
  }

  static func date(_ seconds: Double) -> PropertyList { .date(Date(timeIntervalSinceReferenceDate: seconds)) }

  @Test func `JSON has two spaces per level, keys in order, and a line end`() throws {
    let value: PropertyList = ["b": [1, [], [:], ["x": .null]], "a": ["d": true, "c": "é"], "e": []]
    #expect(
      try Self.text(value) == """
        {
          "b": [
            1,
            [],
            {},
            {
              "x": null
            }
          ],
          "a": {
            "d": true,
            "c": "é"
          },
          "e": []
        }

        """)
    #expect(try Self.text([:]) == "{}\n")
    #expect(try Self.text("x") == "\"x\"\n")
  }

  @Test func `JSON can be on one line, with sorted keys`() throws {
    let value: PropertyList = ["b": [1, [], "x y"], "a": ["d": true, "c": 1.5]]
    #expect(
      try Self.text(value, options: .init(isCompact: true)) == #"{"b":[1,[],"x y"],"a":{"d":true,"c":1.5}}"# + "\n")
    #expect(
      try Self.text(value, options: .init(sortsKeys: true, isCompact: true))
        == #"{"a":{"c":1.5,"d":true},"b":[1,[],"x y"]}"# + "\n")
  }

  @Test(
    "numbers have the fewest digits, and reals a fraction or an exponent",
    arguments: [
      (0, "0"), (-1, "-1"), (9_223_372_036_854_775_807, "9223372036854775807"),
      (-9_223_372_036_854_775_808, "-9223372036854775808"), (18_446_744_073_709_551_615, "18446744073709551615"),
      (0.0, "0.0"), (-0.0, "-0.0"), (2.0, "2.0"), (0.1, "0.1"), (-1.5, "-1.5"), (1e16, "1e+16"), (1e300, "1e+300"),
      (1e-7, "1e-07"), (.real(.leastNonzeroMagnitude), "5e-324"), (9007199254740993.0, "9007199254740992.0"),
      (.float(2), "2.0"),
      (.float(0.1), "0.10000000149011612"),
    ] as [(PropertyList, String)])
  func numbersInTheFewestDigits(_ value: PropertyList, _ expected: String) throws {
    #expect(try Self.text(value) == expected + "\n")
    #expect(try JSONTests.read(expected) == (value.real.map(PropertyList.real) ?? value))
  }

  @Test("quotation marks, backslashes and deceptive characters are escaped, nothing else")
  func quotationMarksBackslashesAndCharactersThatDeceiveTerminals() throws {
    #expect(try Self.text(#"a\b "q" /"#) == #""a\\b \"q\" /""# + "\n")
    #expect(try Self.text("\u{0}\u{8}\t\n\u{B}\u{C}\r\u{1F}\u{7F}") == #""\u0000\b\t\n\u000b\f\r\u001f\u007f""# + "\n")
    #expect(
      try Self.text("\u{80}\u{9F}\u{A0}\u{2027}\u{2028}\u{2029}\u{202A}")
        == "\"\\u0080\\u009f\u{A0}\u{2027}\\u2028\\u2029\\u202a\"\n")
    #expect(try Self.text("\u{E0001}\u{200B}é\u{301}") == "\"\\udb40\\udc01\\u200bé\u{301}\"\n")
    #expect(try Self.text(["k\"\n": 1]) == "{\n  \"k\\\"\\n\": 1\n}\n")
    for length in 0..<20 {
      for special in ["\"", "\\", "\n", "\u{85}", "\u{2028}", "é", "€", "😀", "¿", "\u{200B}"] {
        let string = String(repeating: "x", count: length) + special + "tail of it"
        #expect(try JSONTests.read(Self.text(.string(string))) == .string(string))
      }
    }
  }

  @Test(
    arguments: [
      (date(0), "date"), (.data(Data([1])), "data"), (.uid(.init(1)), "UID"), (.real(.nan), "NaN"),
      (.real(.infinity), "infinity"), (.real(-.infinity), "infinity"), (.float(.nan), "NaN"),
      (.float(-.infinity), "infinity"),
    ] as [(PropertyList, String)])
  func `a value that JSON cannot hold is an error with its key path`(_ value: PropertyList, _ word: String) throws {
    let found = error { () throws(PropertyListError) in _ = try Self.text(["k": [1, value]]) }
    #expect(found?.kind == .notRepresentable && found?.message.contains(word) == true)
    #expect(found?.keyPath == PropertyListKeyPath([.key("k"), .index(1)]))
  }

  @Test(arguments: [["CF$UID": 3], ["$date": "x"], ["$$date": 1], ["$float": 1.5]] as [PropertyList])
  func `a dictionary is written unchanged, whatever its keys are`(_ value: PropertyList) throws {
    for coercion in [PropertyListWritingOptions.Coercion.refuse, .plain] {
      #expect(try JSONTests.read(Self.text(value, options: .init(coercion: coercion))) == value)
    }
  }

  @Test(
    arguments: [
      (date(0), #""2001-01-01T00:00:00Z""#), (date(-0.5), #""2000-12-31T23:59:59Z""#),
      (date(-63_113_904_000), #""0001-01-01T00:00:00Z""#), (.data(Data([0, 1, 2, 255])), #""AAEC/w==""#),
      (.data(Data()), #""""#), (.uid(.init(4_294_967_295)), "4294967295"), (.real(.nan), #""nan""#),
      (.real(.infinity), #""inf""#), (.real(-.infinity), #""-inf""#), (.float(.nan), #""nan""#), (.float(1.5), "1.5"),
      (.null, "null"),
    ] as [(PropertyList, String)])
  func `plain coercion writes the same as libplist's tool`(_ value: PropertyList, _ expected: String) throws {
    #expect(try Self.text(value, options: .init(coercion: .plain)) == expected + "\n")
  }

  @Test func `plain coercion refuses dates without a text, and fractions of seconds on request`() throws {
    let exact = PropertyListWritingOptions(fractionalSeconds: .refuse, coercion: .plain)
    for (value, options) in [
      (Self.date(.nan), PropertyListWritingOptions(coercion: .plain)), (Self.date(1e300), .init(coercion: .plain)),
      (Self.date(0.5), exact),
    ] {
      let found = error { () throws(PropertyListError) in _ = try Self.text(value, options: options) }
      #expect(found?.kind == .notRepresentable)
    }
    #expect(try Self.text(Self.date(1), options: exact) == "\"2001-01-01T00:00:01Z\"\n")
  }
}
