import Foundation
import TestSupport
import Testing

@testable import PropertyLists

extension PropertyList {
  func openStep(
    _ dialect: PropertyListWritingOptions.OpenStepDialect = .openStep,
    _ coercion: PropertyListWritingOptions.Coercion = .refuse, isCompact: Bool = false
  ) throws(PropertyListError) -> String {
    let options = PropertyListWritingOptions(coercion: coercion, isCompact: isCompact, openStepDialect: dialect)
    return String(decoding: try data(format: .openStep, options: options), as: UTF8.self)
  }

  /// The text of one line, without its line end.
  func openStepLine(
    _ dialect: PropertyListWritingOptions.OpenStepDialect = .openStep,
    _ coercion: PropertyListWritingOptions.Coercion = .refuse
  ) throws(PropertyListError) -> String {
    let text = try openStep(dialect, coercion, isCompact: true)
    return text.hasSuffix("\n") ? String(text.dropLast()) : "no end of the line: \(text)"
  }
}

@Suite("Writing OpenStep") struct OpenStepWritingTests {
  @Test func `each value has a line, indented by four spaces`() throws {
    let value: PropertyList = [
      "name": "Notes", "icon": .hex(0x0F, 0xBD, 0x77, 0x7E, 0), "langs": ["en", "pt-BR", ["x"], []], "none": [:],
      "a key": ["b": .hex()],
    ]
    let text = """
      {
          name = Notes;
          icon = <0fbd777e 00>;
          langs = (
              en,
              "pt-BR",
              (
                  x
              ),
              ()
          );
          none = {};
          "a key" = {
              b = <>;
          };
      }

      """
    #expect(try value.openStep() == text)
    #expect(try PropertyList(openStep: text) == value)
    let line = #"{name=Notes;icon=<0fbd777e00>;langs=(en,"pt-BR",(x),());none={};"a key"={b=<>;};}"#
    #expect(try value.openStepLine() == line)
    #expect(try PropertyList(openStep: line) == value)
  }

  @Test func `a strings file has no braces, and quotes all text`() throws {
    let value: PropertyList = ["title": "Größe", "two": ["lines\n", ["a": "b"]], "icon": .hex(1)]
    let text = """
      "title" = "Größe";
      "two" = (
          "lines\\n",
          {
              "a" = "b";
          }
      );
      "icon" = <01>;

      """
    #expect(try value.openStep(.strings) == text)
    #expect(try PropertyList(openStep: text) == value)
    #expect(try (["a": "b", "c": "d"] as PropertyList).openStepLine(.strings) == #""a"="b";"c"="d";"#)
  }

  @Test(arguments: [false, true])
  func `a strings file without entries is not empty`(_ isCompact: Bool) throws {
    let text = try PropertyList.dictionary([:]).openStep(.strings, isCompact: isCompact)
    #expect(text.hasPrefix("/* no entries */"))
    #expect(try PropertyList(Data(text.utf8)) == [:])
  }

  @Test(arguments: [
    ("a", "a"), ("Z9", "Z9"), ("1.5", "1.5"), ("_$", "_$"), ("com.example.app", "com.example.app"), ("", #""""#),
    ("-1", #""-1""#), ("a-b", #""a-b""#), ("/a", #""/a""#), ("a//b", #""a//b""#), ("a:b", #""a:b""#),
    ("a b", #""a b""#), ("+", #""+""#), ("é", #""é""#), ("'", #""'""#), ("a\u{0}", #""a\U0000""#),
  ])
  func `words are unquoted where every reader accepts that`(_ string: String, _ text: String) throws {
    #expect(try PropertyList.array([.string(string)]).openStepLine() == "(\(text))")
    #expect(try PropertyList.dictionary([string: "a"]).openStepLine() == "{\(text)=a;}")
  }

  @Test func `text is escaped only where readers would misread it`() throws {
    let value: PropertyList =
      "\"\\\u{7}\u{8}\t\n\u{B}\u{C}\r\u{0}\u{1B}\u{7F}\u{80}\u{85}\u{9F}\u{A0}é日😀\u{2028}\u{FEFF}\u{FFFF}'"
    let text = try value.openStepLine()
    #expect(
      text
        == #""\"\\\a\b\t\n\v\f\r\U0000\U001b\U007f\U0080\U0085\U009f"#
        + "\u{A0}é日😀\u{2028}\u{FEFF}\u{FFFF}'\"")
    #expect(try PropertyList(openStep: text) == value)
    #expect(OpenStepTypes.foundation(text) == value)
  }

  @Test(
    arguments: ["", "a", "a=b", [], ["a"], ["a": "b"], .hex(), .hex(1), .hex(0xAB, 0xCD, 0xEF, 1, 2)] as [PropertyList])
  func `the format can be detected from the first characters`(_ value: PropertyList) throws {
    for isCompact in [false, true] {
      #expect(PropertyListFormat(detecting: try Data(value.openStep(isCompact: isCompact).utf8).bytes) == .openStep)
      for value in [value, 5, true, 1.5, .null, .date(Date(timeIntervalSinceReferenceDate: 0.5)), .float(1)] {
        for coercion in [PropertyListWritingOptions.Coercion.reversible, .plain] {
          let text = try value.openStep(.openStep, coercion, isCompact: isCompact)
          #expect(PropertyListFormat(detecting: Data(text.utf8).bytes) == .openStep, "\(text)")
        }
      }
    }
  }
}

/// Values that the format has no form for.
@Suite("Writing OpenStep with types") struct OpenStepTypes {
  static func foundation(_ text: String) -> PropertyList? { OpenStepComparisonTests.foundation(text) }

  static let date = PropertyList.date(Date(timeIntervalSinceReferenceDate: 86401))

  static let untyped: [PropertyList] = [
    5, 1.5, true, false, date, .null, .uid(.init(3)), .float(1.5), .integer(.init(UInt64.max)), .real(.nan),
    .date(Date(timeIntervalSinceReferenceDate: .infinity)),
  ]

  @Test(arguments: untyped)
  func `without a dialect, a typed value is an error with its key path`(_ value: PropertyList) throws {
    let wrapped: PropertyList = ["a": ["b", value]]
    let found = error { () throws(PropertyListError) in _ = try wrapped.openStep() }
    #expect(found?.kind == .notRepresentable)
    #expect(found?.keyPath == PropertyListKeyPath([.key("a"), .index(1)]))
    #expect(error { () throws(PropertyListError) in _ = try value.openStep() }?.kind == .notRepresentable)
    #expect(error { () throws(PropertyListError) in _ = try wrapped.openStep(.strings) }?.kind == .notRepresentable)
  }

  @Test(arguments: untyped + ["a", ["a"], .hex(1)])
  func `only a dictionary can be a strings file`(_ value: PropertyList) throws {
    guard case .uid = value else {
      let found = error { () throws(PropertyListError) in _ = try value.openStep(.strings, .reversible) }
      #expect(found?.kind == .notRepresentable)
      #expect(found?.message == "the root of a strings file must be a dictionary")
      return
    }
    // The form of a UID is a dictionary.
    #expect(try PropertyList(openStep: value.openStep(.strings, .reversible)) == value)
  }

  static let gnustep: [(PropertyList, String)] = [
    (5, "<*I5>"), (-5, "<*I-5>"), (.integer(.init(UInt64.max)), "<*I18446744073709551615>"), (1.5, "<*R1.5>"),
    (.real(5), "<*R5.0>"), (.real(-0.0), "<*R-0.0>"), (0.1, "<*R0.1>"), (.real(1e300), "<*R1e+300>"),
    (.real(.nan), "<*Rnan>"), (.real(-.infinity), "<*R-inf>"), (true, "<*BY>"), (false, "<*BN>"),
    (date, "<*D2001-01-02 00:00:01 +0000>"),
  ]

  @Test(arguments: gnustep) func `GNUstep's types are written`(_ value: PropertyList, _ text: String) throws {
    #expect(try value.openStepLine(.gnustep) == text)
    #expect(try value.openStepLine(.openStep, .reversible) == text)
    #expect(try PropertyList(openStep: text) == value)
  }

  @Test func `in GNUstep's form, 4-byte reals become 8-byte reals, and dates have whole seconds`() throws {
    #expect(try PropertyList.float(0.1).openStepLine(.gnustep) == "<*R\(Double(Float(0.1)))>")
    let date = PropertyList.date(Date(timeIntervalSinceReferenceDate: -0.5))
    #expect(try date.openStepLine(.gnustep) == "<*D2000-12-31 23:59:59 +0000>")
    let options = PropertyListWritingOptions(fractionalSeconds: .refuse, openStepDialect: .gnustep)
    #expect(
      error { () throws(PropertyListError) in _ = try date.data(format: .openStep, options: options) }?.kind
        == .notRepresentable)
    let negativeZero = PropertyList.date(Date(timeIntervalSinceReferenceDate: -0.0))
    #expect(try negativeZero.data(format: .openStep, options: options) == Data("<*D2001-01-01 00:00:00 +0000>\n".utf8))
  }

  @Test(arguments: [.null, .uid(.init(3))] as [PropertyList])
  func `GNUstep's form has no UIDs and no null`(_ value: PropertyList) throws {
    #expect(error { () throws(PropertyListError) in _ = try value.openStep(.gnustep) }?.kind == .notRepresentable)
  }

  static let additions: [(PropertyList, String)] = [
    (.float(1.5), "<*F1.5>"), (.float(0.1), "<*F0.1>"), (.float(.nan), "<*Fnan>"), (.float(-.infinity), "<*F-inf>"),
    (.float(16_777_216), "<*F16777216.0>"), (.float(-0.0), "<*F-0.0>"),
    (.date(Date(timeIntervalSinceReferenceDate: 0.5)), "<*T0.5>"),
    (.date(Date(timeIntervalSinceReferenceDate: -0.0)), "<*T-0.0>"),
    (.date(Date(timeIntervalSinceReferenceDate: 1e300)), "<*T1e+300>"),
    (.date(Date(timeIntervalSinceReferenceDate: .nan)), "<*Tnan>"), (.null, "<*N>"),
    (.uid(.init(3)), "{CF$UID=<*I3>;}"), (.uid(.init(.max)), "{CF$UID=<*I4294967295>;}"),
    (.real(Double(bitPattern: 0xFFF8_0000_0000_0001)), "<*XRfff8000000000001>"),
    (.real(.signalingNaN), "<*XR7ff4000000000000>"), (.float(-.nan), "<*XFffc00000>"),
    (.date(Date(timeIntervalSinceReferenceDate: -.nan)), "<*XTfff8000000000000>"),
  ]

  @Test(arguments: additions) func `typed values are read back exactly`(_ value: PropertyList, _ text: String) throws {
    #expect(try value.openStepLine(.gnustep, .reversible) == text)
    #expect(try PropertyList(openStep: text) == value)
    let wrapped: PropertyList = ["a": [value, ["b": value]]]
    #expect(try PropertyList(openStep: wrapped.openStep(.strings, .reversible)) == wrapped)
  }

  @Test(arguments: [
    "<*F>", "<*F1.5f>", "<*F1e39>", "<*T>", "<*Tx>", "<*N0>", "<*X>", "<*XR7ff>", "<*XF7ff4000000000000>",
    "<*XI0000000000000001>", "<*XRfff80000000000zz>", "<*f1>",
  ])
  func `invalid typed values are refused`(_ text: String) {
    #expect(error { () throws(PropertyListError) in _ = try PropertyList(openStep: text) }?.kind == .malformed)
  }

  @Test func `a dictionary that would be read as a UID is refused`() throws {
    let value: PropertyList = ["a": ["CF$UID": 3]]
    for coercion in [PropertyListWritingOptions.Coercion.refuse, .reversible] {
      let found = error { () throws(PropertyListError) in _ = try value.openStep(.gnustep, coercion) }
      #expect(found?.kind == .notRepresentable)
      #expect(found?.keyPath == PropertyListKeyPath([.key("a"), .key("CF$UID")]))
    }
    for value in [["CF$UID": -1], ["CF$UID": "3"], ["CF$UID": 3, "b": 4], ["CF$UID": [3]]] as [PropertyList] {
      #expect(try PropertyList(openStep: value.openStep(.gnustep)) == value)
    }
    // As text, it is not a UID.
    #expect(try PropertyList(openStep: value.openStep(.openStep, .plain)) == ["a": ["CF$UID": "3"]])
    let options = PropertyListWritingOptions(writesUIDDictionaries: false, openStepDialect: .gnustep)
    let data = try value.data(format: .openStep, options: options)
    #expect(try PropertyList(data, options: .init(recognizesUIDDictionaries: false)) == value)
  }

  static let plain: [(PropertyList, String)] = [
    (5, "5"), (-5, "-5"), (1.5, "1.5"), (.float(0.1), "0.1"), (.real(1e300), #""1e+300""#), (.real(.nan), "nan"),
    (.real(-.infinity), "-inf"), (.real(.signalingNaN), "nan"), (true, "1"), (false, "0"), (.uid(.init(3)), "3"),
    (.null, "NULL"), (date, #""2001-01-02T00:00:01Z""#),
    (.date(Date(timeIntervalSinceReferenceDate: 0.5)), #""2001-01-01T00:00:00Z""#),
  ]

  @Test(arguments: plain) func `typed values are written as text on request`(_ value: PropertyList, _ text: String)
    throws
  {
    #expect(try PropertyList.array([value]).openStepLine(.openStep, .plain) == "(\(text))")
    #expect(try (["a": value] as PropertyList).openStep(.strings, .plain) == "\"a\" = \(text);\n")
    #expect(Self.foundation("(\(text))") == (try? PropertyList(openStep: "(\(text))")))
  }

  @Test(arguments: [1e17, .nan, .infinity])
  func `a date out of the calendar's range has no text`(_ seconds: Double) {
    let value = PropertyList.date(Date(timeIntervalSinceReferenceDate: seconds))
    for dialect in [PropertyListWritingOptions.OpenStepDialect.openStep, .gnustep] {
      #expect(
        error { () throws(PropertyListError) in _ = try value.openStep(dialect, .plain) }?.kind == .notRepresentable)
    }
  }
}
