import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("JSON compared with Foundation and Python") struct JSONInterchangeTests {
  static let valid = [
    "null", "true", "false", "0", "-0", "1", "-1.5", "1e3", "1E+2", "1e-7", "0.1", "123456789012345678", "5e-324",
    "1.7976931348623157e308",
    "9223372036854775807", "-9223372036854775808", "18446744073709551615", "\"\"", "\"größe 😀 東京\"",
    #""\"\\\/\b\f\n\r\t\u0041\u00e9\u2028\ud83d\ude00""#, "\"\u{7F}\u{2028}\"", "[]", "{}", " [ ] ", "[1,[2,[3,{}]]]",
    "{\"b\":1,\"a\":{\"d\":[],\"c\":null}}", "\r\n\t {\"\" : \"\"} \n", "[1.0,2,3e0,true,\"true\"]",
    "[0.30000000000000004,1e16,1e15]",
    #"{"a\u0000b":"\u0000"}"#, "[9007199254740993,9007199254740993.0]",
  ]

  static let invalid = [
    " ", "[", "]", "{", "[1", "[1,", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{a:1}", "{'a':1}",
    "{1:2}", "['a']",
    "nul", "True", "01", "-", "+1", ".5", "1.", "1.e5", "1e", "1e+", "0x10", "--1", "\"", "\"a", "\"a\n\"",
    "\"\u{1F}\"", #""\x41""#,
    #""\u12G4""#, #""\'""#, "1 2", "{}{}", "[1]//", "/**/1", "[\"a\" \"b\"]", "tru", "[1}", "{\"a\" 1}", "\u{A0}1",
    "nan",
  ]

  /// Texts that others accept: values that JSON does not have, or that are lost.
  static let takenByOthers = [
    "[1,]", "{\"a\":1,}", "NaN", "-Infinity", #""\ud800""#, #""\udc00x""#, "18446744073709551616",
    "-9223372036854775809", "1e309",
    "{\"a\":1,\"a\":2}",
  ]

  private func tree(_ text: String) throws -> PropertyList { try PropertyList(Data(text.utf8), format: .json) }

  /// Returns true if an object of Foundation equals a value.
  private func isSame(_ object: Any, _ value: PropertyList) -> Bool {
    switch (object, value) {
    case (is NSNull, .null): true
    case (let text as String, .string(let other)): text.utf8.elementsEqual(other.utf8)
    case (let list as [Any], .array(let other)): list.count == other.count && zip(list, other).allSatisfy(isSame)
    case (let entries as [String: Any], .dictionary(let other)):
      entries.count == other.count
        && other.allSatisfy { entry in entries[entry.key].map { isSame($0, entry.value) } ?? false }
    case (let number as NSNumber, .boolean(let other)): number.boolValue == other
    case (let number as NSNumber, .integer(let other)):
      Decimal(string: number.stringValue) == Decimal(string: other.description)
    // Foundation on Linux is wrong in the last digit. Python is exact.
    case (let number as NSNumber, .real(let other)): abs(number.doubleValue - other) <= abs(other) * 1e-15
    default: false
    }
  }

  @Test(arguments: valid) func `Foundation reads the same values`(_ text: String) throws {
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    #expect(isSame(object, try tree(text)), "\(object)")
  }

  @Test(arguments: invalid) func `Foundation refuses the same texts`(_ text: String) throws {
    #expect(throws: (any Error).self) {
      try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    }
    #expect(throws: PropertyListError.self) { try tree(text) }
  }

  /// The rows of the documentation. They say "on Linux" where Foundation can differ elsewhere.
  @Test func `Foundation accepts duplicate keys and integers that property lists cannot hold`() throws {
    #expect(try JSONSerialization.jsonObject(with: Data(#"{"a":1,"a":2}"#.utf8)) is [String: Any])
    #expect(try JSONSerialization.jsonObject(with: Data("[18446744073709551616]".utf8)) is [Any])
    #if os(Linux)
      #expect(try JSONSerialization.jsonObject(with: Data("[1,]".utf8)) is [Any])
      let zero = try JSONSerialization.jsonObject(with: Data("[-0]".utf8)) as? [NSNumber]
      #expect(zero?.first?.doubleValue.sign == .plus)
      let real = try JSONSerialization.jsonObject(with: Data("[0.30000000000000004]".utf8)) as? [NSNumber]
      #expect(real?.first?.doubleValue != 0.30000000000000004)
    #endif
    #expect(String(decoding: try JSONSerialization.data(withJSONObject: ["/", 1.0]), as: UTF8.self) == #"["\/",1]"#)
  }

  @Test("texts that lose values elsewhere are refused here", arguments: takenByOthers)
  func whatIsLostElsewhereIsRefusedHere(_ text: String) { #expect(throws: PropertyListError.self) { try tree(text) } }

  @Test(arguments: 0..<40) func `Foundation reads our JSON, and we read Foundation's`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let value = PropertyList.randomJSON(depth: 4, using: &random)
    for isCompact in [false, true] {
      let data = try value.data(format: .json, options: PropertyListWritingOptions(isCompact: isCompact))
      let object = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
      #expect(isSame(object, value))
      #expect(try PropertyList(data, format: .json) == value)
      let theirs = try JSONSerialization.data(withJSONObject: object, options: .fragmentsAllowed)
      #expect(isSame(object, try PropertyList(theirs, format: .json)))
    }
  }

  @Test func `JSON of JSONEncoder is decoded, and JSONDecoder decodes ours`() throws {
    struct Model: Codable, Equatable {
      var name = "größe \"x\" / \u{1}"
      var count = Int.min
      var most = UInt64.max
      var ratio = -0.0
      var small = 1e-300
      var isOn = true
      var none: Int?
      var list: [Int?] = [1, nil, 3]
      var nested = ["b": [1.5, 2], "a": []]
    }
    let data = try JSONEncoder().encode([Model()])
    let decoded = try PropertyLists.PropertyListDecoder().decode([Model].self, from: data)
    #expect(decoded == [Model()] && decoded[0].ratio.sign == .minus)
    var encoder = PropertyLists.PropertyListEncoder()
    encoder.outputFormat = .json
    let ours = try encoder.encode([Model()])
    #expect(
      String(decoding: ours, as: UTF8.self).contains("null") && !String(decoding: ours, as: UTF8.self).contains("$null")
    )
    #expect(try JSONDecoder().decode([Model].self, from: ours) == [Model()])
  }

  /// Python's results for texts: the values that it reads as its own JSON, or nil if it refuses the text.
  private func python(_ texts: [Data]) throws -> [Data?] {
    let folder = TemporaryFolder()
    let lines = texts.map { $0.base64EncodedString() }.joined(separator: "\n")
    try Data(lines.utf8).write(to: URL(filePath: folder.path("in")))
    let program = """
      import base64, json, sys
      def refuse(word): raise ValueError(word)
      for line in open(sys.argv[1]).read().split('\\n'):
        try: print(json.dumps(json.loads(base64.b64decode(line).decode('utf-8'), parse_constant=refuse)))
        except ValueError: print('-')
      """
    let result = try Program.runPython(["-c", program, folder.path("in")])
    try #require(result.status == 0, "\(result.errors)")
    return result.text.split(separator: "\n").map { $0 == "-" ? nil : Data($0.utf8) }
  }

  static let hasPython = Program.python != nil

  @Test(.enabled(if: hasPython)) func `Python accepts and refuses the same texts`() throws {
    let results = try python((Self.valid + Self.invalid).map { Data($0.utf8) })
    try #require(results.count == Self.valid.count + Self.invalid.count)
    for (text, result) in zip(Self.valid, results) {
      let theirs = try #require(result, "\(text)")
      // An integer has no sign of zero in Python.
      let expected: PropertyList = try text == "-0" ? 0 : tree(text)
      #expect(try PropertyList(theirs, format: .json) == expected)
    }
    for (text, result) in zip(Self.invalid, results.dropFirst(Self.valid.count)) {
      #expect(result == nil, "\(text)")
      #expect(throws: PropertyListError.self) { try tree(text) }
    }
  }

  @Test(.enabled(if: hasPython)) func `Python reads our JSON`() throws {
    var random = SeededGenerator(seed: 11)
    let values = (0..<60).map { _ in PropertyList.randomJSON(depth: 4, using: &random) }
    let results = try python(values.map { try $0.data(format: .json) })
    for (value, result) in zip(values, results) { #expect(try PropertyList(#require(result), format: .json) == value) }
  }
}

extension PropertyList {
  /// A value that JSON can represent.
  fileprivate static func randomJSON(depth: Int, using random: inout SeededGenerator) -> PropertyList {
    switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &random) {
    case 0: return .null
    case 1: return .boolean(.random(using: &random))
    case 2: return .integer(.init(Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0..<64, using: &random)))
    case 3: return .integer(.init(random.next()))
    case 4:
      let value = Double(bitPattern: random.next())
      return .real(value.isFinite ? value : 0.5)
    case 5, 6: return .string(randomText(using: &random))
    case 7:
      return .array(
        (0..<Int.random(in: 0..<8, using: &random)).map { _ in randomJSON(depth: depth - 1, using: &random) })
    default:
      var value: PropertyList = [:]
      for _ in 0..<Int.random(in: 0..<8, using: &random) {
        value.dictionary?[randomText(using: &random)] = randomJSON(depth: depth - 1, using: &random)
      }
      return value
    }
  }

  private static func randomText(using random: inout SeededGenerator) -> String {
    var text = ""
    for _ in 0..<Int.random(in: 0..<12, using: &random) {
      let range: ClosedRange<UInt32> =
        [0...0x1F, 0x20...0x7E, 0x20...0x7E, 0x7F...0xFF, 0x2020...0x2040, 0x4E00...0x4EFF, 0x1F600...0x1F64F]
        .randomElement(using: &random)!
      if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) { text.unicodeScalars.append(scalar) }
    }
    return text
  }
}
