import Foundation
import OrderedCollections
import TestSupport
import Testing

@testable import PropertyLists

@Suite("OpenStep compared with Foundation") struct OpenStepComparisonTests {
  /// Foundation's result, through its binary writer. The entries of dictionaries are sorted, because Foundation has no
  /// order.
  static func foundation(_ text: String) -> PropertyList? {
    guard
      let value = try? PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil),
      let data = try? PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
    else { return nil }
    return try? PropertyList(data).sorted()
  }

  static let common =
    OpenStepTests.strings + OpenStepTests.arrays + OpenStepTests.dictionaries + OpenStepTests.stringsFiles
    + OpenStepTests.escapes
    + OpenStepTests.data.filter { !$0.text.hasPrefix("<[") && !$0.text.contains("/*") }
    + OpenStepTests.octalEscapes
    + OpenStepTests.unicodeEscapes.filter { !$0.text.contains("\\u") }
    + OpenStepTests.betweenValues

  @Test("values that both support are the same", arguments: common)
  func meansTheSame(_ sample: OpenStepSample) { #expect(Self.foundation(sample.text) == sample.value.sorted()) }

  /// A text that Foundation reads differently, or that only one of the two accepts.
  struct Difference: CustomTestStringConvertible, Sendable {
    let text: String
    let foundation: PropertyList?
    let ours: PropertyList?
    let reason: String

    var testDescription: String { "\(reason): \(text.debugDescription)" }
  }

  static let differences = [
    Difference(
      text: "{a = 1; a = 2;}", foundation: ["a": "2"], ours: nil, reason: "a key that stands twice would lose a value"),
    Difference(
      text: "(a) /* b", foundation: ["a"], ours: nil, reason: "an unterminated comment may have hidden something"),
    Difference(
      text: "a = b; , c = d;", foundation: ["a": "b"], ours: nil, reason: "what follows in a strings file would be lost"
    ),
    Difference(
      text: "a;; b;", foundation: ["a": "a"], ours: nil, reason: "what follows in a strings file would be lost"),
    Difference(text: "(a, {b = )", foundation: ["a"], ours: nil, reason: "a value that is cut off would be lost"),
    Difference(text: "(a, \")", foundation: ["a"], ours: nil, reason: "a value that is cut off would be lost"),
    Difference(text: #""\777""#, foundation: "\0", ours: nil, reason: "there is no such character"),
    Difference(text: #""\400""#, foundation: "\0", ours: nil, reason: "an octal number of nine bits loses one"),
    Difference(text: #""\U""#, foundation: "\0", ours: nil, reason: "no digits are no number"),
    Difference(
      text: #""\u00e9""#, foundation: "u00e9", ours: "é",
      reason: "it means that to GNUstep, and nothing else to anybody"),
    Difference(text: #""\Uzz""#, foundation: "\0zz", ours: nil, reason: "no digits are no number"),
    Difference(
      text: #""\UD83D""#, foundation: "\u{FFFD}", ours: nil, reason: "no Swift string can hold half a character"),
    Difference(text: "<*I5>", foundation: nil, ours: 5, reason: "GNUstep's types"),
    Difference(text: "<[AAEC]>", foundation: nil, ours: .hex(0, 1, 2), reason: "GNUstep's base64"),
    Difference(text: "<00\u{B}01>", foundation: nil, ours: .hex(0, 1), reason: "white space is the same everywhere"),
    Difference(
      text: "<00 /* c */ 01>", foundation: nil, ours: .hex(0, 1), reason: "comments are allowed where white space is"),
  ]

  @Test(arguments: differences) func `each difference has a reason`(_ difference: Difference) {
    #expect(Self.foundation(difference.text) == difference.foundation)
    #expect((try? PropertyList(openStep: difference.text)) == difference.ours)
  }

  @Test(arguments: 0..<UInt64(LongForm.size(200, or: 60)))
  func `values in any spelling are read by both`(_ seed: UInt64) throws {
    var spelling = OpenStepSpelling(seed: seed)
    let value = spelling.value(depth: 4)
    let text = spelling.spell(value)
    #expect(try PropertyList(openStep: text) == value)
    #expect(Self.foundation(text) == value.sorted(), "\(text)")
  }

  /// Pieces of the format in random order: mostly invalid, but often enough valid.
  @Test func `Foundation reads the same values from accepted texts`() throws {
    var random = SeededGenerator(seed: 5)
    let pieces = [
      "{", "}", "(", ")", "=", ";", ",", "a", "b", "/c", "\"d\"", "'e'", "<00>", " ", "\n", "// f\n", "/* g */", "a = ",
      "b;", "(a)",
      "{a = b;}", "a, ", "\"\\U00e9\"", "\u{2028}", "/", "-1", "<0f 0f>",
    ]
    var accepted = 0
    for _ in 0..<LongForm.size(30_000, or: 1_000) {
      let body = (0..<Int.random(in: 1...6, using: &random)).map { _ in pieces.randomElement(using: &random)! }.joined()
      let text = [body, "(\(body))", "{k = \(body);}", "{\(body)}"].randomElement(using: &random)!
      // Foundation would log a line for each refused text.
      guard let value = try? PropertyList(openStep: text) else { continue }
      accepted += 1
      #expect(Self.foundation(text) == value.sorted(), "\(text.debugDescription)")
    }
    #expect(accepted > LongForm.size(3000, or: 70), "the pieces make too little that is right")
  }
}

/// Values of the kinds that the format has, in every spelling.
struct OpenStepSpelling {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func value(depth: Int) -> PropertyList {
    switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &random) {
    case 0, 1, 2: return .string(string())
    case 3:
      let count = Int.random(in: 0..<12, using: &random)
      return .data(Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }))
    case 4: return .array((0..<Int.random(in: 0..<8, using: &random)).map { _ in value(depth: depth - 1) })
    default:
      var entries: OrderedDictionary<String, PropertyList> = [:]
      for _ in 0..<Int.random(in: 0..<8, using: &random) {
        let key = string()
        entries[key] = Int.random(in: 0..<5, using: &random) == 0 ? .string(key) : value(depth: depth - 1)
      }
      return .dictionary(entries)
    }
  }

  private mutating func string() -> String {
    let characters: [Unicode.Scalar] = Array(
      "abcXYZ019_$/:.- \n\r\t\"'\\(){}<>=;,*\u{7}\u{1B}éÆß€日😀\u{301}\u{2028}".unicodeScalars)
    let plain: [Unicode.Scalar] = Array("abcXYZ019_$:.-".unicodeScalars)
    let choice = Bool.random(using: &random) ? characters : plain
    var text = ""
    for _ in 0..<Int.random(in: 0..<14, using: &random) {
      text.unicodeScalars.append(choice.randomElement(using: &random)!)
    }
    return text
  }

  mutating func spell(_ value: PropertyList) -> String {
    if case .dictionary(let entries) = value, !entries.isEmpty, Bool.random(using: &random) {
      return space() + spell(entries) + space()
    }
    return space() + spellBare(value) + space()
  }

  private mutating func spellBare(_ value: PropertyList) -> String {
    switch value {
    case .string(let text): return spell(text)
    case .data(let data):
      let bytes = data.map { byte in
        let digits = String(UInt16(byte) + 256, radix: 16).dropFirst()
        return (Bool.random(using: &random) ? digits.uppercased() : String(digits))
          + ["", " ", "\n"].randomElement(using: &random)!
      }
      return "<\(["", " "].randomElement(using: &random)!)\(bytes.joined())>"
    case .array(let elements):
      var text = "(" + space()
      for (index, element) in elements.enumerated() {
        text += spellBare(element) + space()
        if index < elements.count - 1 || Bool.random(using: &random) { text += "," + space() }
      }
      return text + ")"
    case .dictionary(let entries): return "{" + space() + spell(entries) + "}"
    default: return "\"\""
    }
  }

  private mutating func spell(_ entries: OrderedDictionary<String, PropertyList>) -> String {
    var text = ""
    for (key, value) in entries {
      text += spell(key) + space()
      if value != .string(key) || Bool.random(using: &random) { text += "=" + space() + spellBare(value) + space() }
      text += ";" + space()
    }
    return text
  }

  private mutating func spell(_ string: String) -> String {
    let isPlain =
      !string.isEmpty
      && string.unicodeScalars.allSatisfy { scalar in
        scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789_$:.-".unicodeScalars.contains(scalar))
      }
    if isPlain, Bool.random(using: &random) { return string }
    let quote: Unicode.Scalar = Bool.random(using: &random) ? "\"" : "'"
    var text = String(quote)
    for scalar in string.unicodeScalars {
      let mustEscape = scalar == quote || scalar == "\\"
      switch Int.random(in: 0..<(mustEscape ? 3 : 8), using: &random) {
      case 0:
        for unit in String(scalar).utf16 {
          text += "\\U" + String(UInt32(unit) + 0x10000, radix: 16, uppercase: .random(using: &random)).dropFirst()
        }
      case 1 where scalar.isASCII: text += "\\" + String(scalar.value + 512, radix: 8).dropFirst()
      case 1, 2: text += spellShort(scalar)
      default: text.unicodeScalars.append(scalar)
      }
    }
    text.unicodeScalars.append(quote)
    return text
  }

  private func spellShort(_ scalar: Unicode.Scalar) -> String {
    let letters: [Unicode.Scalar: String] = ["\u{7}": "a", "\n": "n", "\r": "r", "\t": "t"]
    if let letter = letters[scalar] { return "\\" + letter }
    if mayFollowBackslash(scalar) { return "\\\(scalar)" }
    return String(scalar)
  }

  private func mayFollowBackslash(_ scalar: Unicode.Scalar) -> Bool {
    !"abfnrtvuU01234567".unicodeScalars.contains(scalar) && scalar.value < 0x10000
  }

  /// Something without a meaning between two values. It begins with white space if it has a comment, because a slash
  /// could belong to the string before it.
  private mutating func space() -> String {
    ["", "", " ", "\n", "\t", "\r\n", " // c\n", " /* c */", " /**/\n", "\u{2028}"].randomElement(using: &random)!
  }
}

/// The files of the folder given by `PLIST_CORPUS`.
@Suite("OpenStep files of other producers", .enabled(if: !Fixtures.corpus.isEmpty)) struct OpenStepCorpusTests {
  static let files: [String: PropertyList] = [
    "o1.ostep": [
      "test": ["1", "1"],
      "foo": [["-1337"], ["1"], ["1"], ["1"], [["1"], ["1"], ["1"], ["1"], [["1"], ["1"], ["1"], ["1"]]]],
      "more": [
        "a": "yo", "b": [["c": "0.25"], ["a": "yo", "b": [["c": "0.25"], ["a": "yo", "b": [["cd": "-0.25"]]]]]],
      ],
    ],
    "o2.ostep": [
      "Some ASCII string": "Test ASCII String",
      "Some UTF8 strings": [
        "àéèçù", "日本語", "汉语/漢語", "한국어/조선말", "русский язык", "الْعَرَبيّة", "עִבְרִית", "język polski", "हिन्दी",
      ],
      "Keys & \"entities\"": "hello world & others <nodes> are fun!?'",
      "Some Int": "32434543632",
      "Some String with Unicode entity": "Yeah check this: \u{1234} !!!",
    ],
    "o3.ostep": [
      ["AFirstKey": "A First Value", "ASecondKey": "A Second Value"],
      ["CFirstKey": "C First Value", "CSecondKey": "C Second Corrected Value"],
    ],
    "test.strings": [
      "STRINGS_ENTRY": "Whatever", "FOO": "BAR", "BAR": "Foo", "ENTRY0": "àéèçù", "ENTRY1": "日本語", "ENTRY2": "汉语/漢語",
      "ENTRY3": "한국어/조선말", "ENTRY4": "русский язык", "ENTRY5": "الْعَرَبيّة", "ENTRY6": "עִבְרִית", "ENTRY7": "język polski",
      "ENTRY8": "हिन्दी",
    ],
  ]

  @Test(arguments: files.keys.sorted()) func `files have their known values`(_ name: String) throws {
    let url = try #require(Fixtures.corpus.first { $0.lastPathComponent == name })
    let value = try PropertyList(PropertyListDocument(Data(contentsOf: url), format: .openStep).root)
    #expect(value == Self.files[name])
    #expect(OpenStepComparisonTests.foundation(try String(contentsOf: url, encoding: .utf8)) == value.sorted())
  }

  @Test(arguments: Fixtures.corpus) func `files are read, or refused with a reason and a position`(_ url: URL) throws {
    let data = try Data(contentsOf: url)
    let found = error { () throws(PropertyListError) in _ = try PropertyListDocument(data, format: .openStep) }
    let isOpenStep = Self.files[url.lastPathComponent] != nil
    #expect((found == nil) == isOpenStep)
    if let found { #expect(!found.message.isEmpty && found.byteOffset != nil && found.position != nil) }
  }
}
