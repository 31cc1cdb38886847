import Foundation
import TestSupport
import Testing

@testable import PropertyListTools
@testable import PropertyLists

@Suite("Lists of defects") struct DefectListTests {
  private func descriptions(
    _ text: String, _ format: PropertyListFormat? = nil, _ options: PropertyListReadingOptions = .init()
  ) -> [String] {
    PropertyListDocument.defects(in: Data(text.utf8), format: format, options: options).map(\.description)
  }

  @Test func `defects are sorted by position`() {
    // A duplicate key is found at the end of its dictionary.
    let text = "{ a = 1; a = 2; b = 3 c = 4; }"
    let defects = PropertyListDocument.defects(in: Data(text.utf8))
    #expect(defects.map(\.kind) == [.duplicateKey, .malformed])
    #expect(defects.map(\.byteOffset) == [9, 22])
    let found = error { () throws(PropertyListError) in _ = try PropertyListDocument(Data(text.utf8)) }
    #expect(found == defects[1])
  }

  @Test func `each defect has its key path`() {
    let xml = """
      <plist><dict><key>list</key><array>
      <dict><key>a</key><integer>x</integer><key>b.c</key><foo/></dict><real/>
      </array></dict></plist>
      """
    let defects = PropertyListDocument.defects(in: Data(xml.utf8))
    #expect(
      defects.map(\.keyPath) == [
        PropertyListKeyPath([.key("list"), .index(0), .key("a")]),
        PropertyListKeyPath([.key("list"), .index(0), .key("b.c")]),
        PropertyListKeyPath([.key("list"), .index(1)]),
      ])
    #expect(defects.map { $0.position?.line } == [2, 2, 2])
  }

  @Test func `at most as many defects as the limit are listed, including the reader's first`() {
    let text = Data("(@, @, @, @, @)".utf8)
    for limit in [-1, 0, 1, 3, 5, 100] {
      let defects = PropertyListDocument.defects(in: text, limit: limit)
      #expect(defects.map(\.byteOffset) == [1, 4, 7, 10, 13].prefix(max(limit, 0)).map { $0 })
    }
  }

  @Test func `positions in UTF-16 and UTF-32 are byte offsets`() throws {
    let text = "{\n  \u{1F600} = 1;\n  a = é;\n}\n"
    let utf8 = PropertyListDocument.defects(in: Data(text.utf8), format: .openStep)
    let utf16 = PropertyListDocument.defects(
      in: Data([0xFE, 0xFF]) + (try #require(text.data(using: .utf16BigEndian))), format: .openStep)
    let utf32 = PropertyListDocument.defects(
      in: Data([0, 0, 0xFE, 0xFF]) + (try #require(text.data(using: .utf32BigEndian))), format: .openStep)
    #expect(utf8.count == 2)
    #expect(utf8.map(\.position) == utf16.map(\.position) && utf8.map(\.position) == utf32.map(\.position))
    #expect(utf8.map(\.byteOffset) == [4, 20])
    #expect(utf16.map(\.byteOffset) == [10, 38])
    #expect(utf32.map(\.byteOffset) == [20, 72])
  }

  @Test func `checking continues after bytes that are invalid in the encoding`() throws {
    var utf16: [UInt8] = [0xFE, 0xFF]
    for unit in "<plist><array>".utf16 { utf16 += [UInt8(unit >> 8), UInt8(unit & 0xFF)] }
    utf16 += [0xD8, 0]
    for unit in "<foo/></array></plist>".utf16 { utf16 += [UInt8(unit >> 8), UInt8(unit & 0xFF)] }
    let defects = PropertyListDocument.defects(in: Data(utf16))
    #expect(defects.map(\.byteOffset) == [30, 30, 32])
    #expect(defects.map(\.message) == ["bytes that are not valid UTF-16", "text in <array>", "unknown tag <foo>"])
    let ascii =
      "<?xml version=\"1.0\" encoding=\"ascii\"?>\n<plist><array><string>\u{E9}</string><foo/></array></plist>"
    #expect(
      PropertyListDocument.defects(in: try #require(ascii.data(using: .isoLatin1))).map(\.description) == [
        "2:23: bytes that are not valid ascii", "2:33: unknown tag <foo> (in 1)",
      ])
  }

  @Test func `exceeding a limit is a defect, and checking continues where possible`() {
    let options = PropertyListReadingOptions(limits: ParsingLimits(depth: 2))
    #expect(
      descriptions("((((a))), ((b)), @)", .openStep, options) == [
        "1:3: containers are nested more than 2 deep (in 0.0)", "1:12: containers are nested more than 2 deep (in 1.0)",
        "1:18: expected a value or \")\", found \"@\" (in 2)",
      ])
    #expect(
      descriptions("[[[[1]]], nul]", .json, options) == [
        "1:3: containers are nested more than 2 deep (in 0.0)", "1:11: expected a value, found \"nul\" (in 1)",
      ])
    #expect(
      descriptions("<plist><array><array><array><foo/></array></array><foo/></array></plist>", .xml, options) == [
        "1:22: containers are nested more than 2 deep (in 0.0)", "1:51: unknown tag <foo> (in 1)",
      ])
    let small = PropertyListReadingOptions(limits: ParsingLimits(inputSize: 3))
    #expect(descriptions("(a, b", nil, small) == ["more than 3 bytes of input"])
  }

  @Test func `defects depend on the options for duplicate keys and tagged forms`() {
    let twice = "{\"a\": 1, \"a\": 2, \"b\": x}"
    #expect(descriptions(twice).count == 2)
    #expect(descriptions(twice, nil, .init(duplicateKeys: .keepLast)).count == 1)
    let forms = "[{\"$date\": \"x\"}, {\"$data\": \"*\"}]"
    #expect(descriptions(forms).isEmpty)
    #expect(descriptions(forms, nil, .init(restoresCoercedValues: true)).count == 2)
  }

  @Test func `a defect that only follows from another is not listed`() {
    #expect(
      descriptions("{\"$float\" = 1.5}", .json, .init(restoresCoercedValues: true)) == [
        #"1:11: expected ":", found "=" (in $float)"#
      ])
    #expect(
      descriptions("<plist><dict><plist/><key>a</key><true/></dict></plist>", .xml) == ["1:14: <plist> inside <dict>"])
    #expect(
      descriptions("<plist><dict><plist/><array/><true/><key>a</key><true/></dict></plist>", .xml) == [
        "1:14: <plist> inside <dict>"
      ])
    #expect(
      descriptions("<plist><dict><key>q</key><true><plist/></true><key>r</key><true/></dict></plist>", .xml) == [
        "1:32: <plist> inside <true> (in q)"
      ])
    #expect(
      descriptions("<plist><dict><key>q</key><true><foo/></true><key>r</key><true/></dict></plist>", .xml) == [
        "1:32: unknown tag <foo> (in q)"
      ])
  }
}

@Suite("Defects of hostile inputs") struct DefectHostileTests {
  /// Returns inputs with many defects, or with one that a careless reader would check repeatedly.
  ///
  /// - Parameter count: The number of repetitions, to which the sizes are proportional.
  private static func inputs(_ count: Int) -> [(name: String, format: PropertyListFormat, data: Data)] {
    func text(_ before: String, _ piece: String, _ count: Int, _ after: String = "") -> Data {
      Data((before + String(repeating: piece, count: count) + after).utf8)
    }
    return [
      ("unknown tags", .xml, text("<plist><array>", "<foo/>", count, "</array></plist>")),
      ("unknown entities", .xml, text("<plist><array>", "<string>&x;</string>", count, "</array></plist>")),
      ("open tags", .xml, text("<plist><array>", "<a>", count)),
      ("comments without end", .xml, text("<plist><array>", "<!-- \u{1} ", count)),
      ("CDATA without end", .xml, text("<plist><string>\u{1}", "<![CDATA[", count)),
      ("declarations without end", .xml, text("", "<!DOCTYPE [", count)),
      ("a long tag", .xml, text("<plist><a ", "b='c' ", count)),
      (
        "long tags", .xml,
        text("<plist><array>", "<true " + String(repeating: "a='b' ", count: 300) + "/>", count / 100)
      ),
      ("quotation marks", .xml, text("<plist><array>", "<true a=\"", count)),
      ("end tags", .xml, text("<plist><array>", "</array><array>", count)),
      ("crossing tags", .xml, text("<plist><array>", "<dict></array>", count)),
      ("keys without end", .xml, text("<plist><dict>", "<key>a<string>b</string>", count)),
      ("duplicate keys", .xml, text("<plist><dict>", "<key>a</key><true/>", count, "</dict></plist>")),
      ("bytes that are not UTF-8", .xml, Data("<plist><string>".utf8) + Data(repeating: 0xFF, count: 4 * count)),
      (
        "separate bytes that are not UTF-8", .xml,
        Data("<plist><string>".utf8) + Data((0..<4 * count).map { $0 % 2 == 0 ? 0xFF : 0x61 })
      ),
      ("declarations in declarations", .xml, text("<plist><array>", "<!D\">\"", count)),
      ("brackets in declarations", .xml, text("<plist><array>", "<![", count, String(repeating: "]a", count: count))),
      (
        "missing ends", .xml,
        text("<plist><array>", "<array><string>a</array>", count / 4, String(repeating: "</real>", count: count / 4))
      ),
      ("data in skipped text", .openStep, text("(=", "<00", count)),
      ("strings in a line", .openStep, text("(", "\"a\" ", count, ")")),
      ("values with one end", .openStep, text("(", "<*R;,", count, ">")),
      ("text without tags", .xml, text("<plist><string>\u{1}", "a", 10 * count)),
      ("deep text", .xml, text("<plist>", "<dict><key>k</key>", 500, String(repeating: "&x;", count: 1000))),
      ("characters", .openStep, text("(", "@,", count)),
      ("strings without end", .openStep, text("{", "a = \"b\n", count)),
      ("quotation marks", .openStep, text("{", "'a\n", count)),
      ("brackets", .openStep, text("", "({a=", count)),
      ("closing brackets", .openStep, text("{a = (", "}", count)),
      ("comments without end", .openStep, text("(", "/* x ", count)),
      ("comments without end in skipped text", .openStep, text("{a = 1 = ", "/* x ", count)),
      ("data without end", .openStep, text("(", "<[AA", count)),
      ("values without end", .openStep, text("(", "<*I5;", count)),
      ("escapes", .openStep, text("(\"", "\\400", count)),
      ("semicolons", .openStep, text("{", "a b ", count)),
      ("bytes that are not UTF-8", .openStep, Data("(a ".utf8) + Data(repeating: 0xC3, count: 4 * count)),
      ("long keys", .openStep, text("{", "\(String(repeating: "k", count: 1000)) = {", min(count / 125, 400), "@")),
      ("words", .json, text("[", "x,", count)),
      ("brackets", .json, text("", "[{\"a\":", count)),
      ("closing brackets", .json, text("[", "}", count)),
      ("escapes", .json, text("[\"", "\\x", count)),
      ("comments", .json, text("[", "/*x", count)),
      ("strings without end", .json, text("[", "\"a\n", count)),
      ("escaped quotation marks in skipped text", .json, text("[1 : \"", "\\\"", count)),
      ("quotation marks", .json, text("{", "'a ", count)),
      ("colons", .json, text("{", "\"a\" ", count)),
      ("duplicate keys", .json, text("{", "\"a\":1,", count, "}")),
      ("references", .binary, binary(references: count, to: 0xFF)),
      ("circles", .binary, binary(references: count, to: 0)),
      ("objects", .binary, binary(references: count, to: 1)),
    ]
  }

  private static let largeCount = LongForm.size(200_000, or: 8_000)
  private static let small = inputs(largeCount / 8)
  private static let large = inputs(largeCount)

  /// An array of references to one object. The array is number 0, and number 1 is invalid.
  private static func binary(references: Int, to object: UInt8) -> Data {
    var bytes: [UInt8] = Array("bplist00".utf8) + [0xAF, 0x12]
    bytes += withUnsafeBytes(of: UInt32(references).bigEndian) { Array($0) }
    bytes += [UInt8](repeating: object, count: references) + [0xF0]
    let table = bytes.count
    for offset in [8, table - 1] { bytes += withUnsafeBytes(of: UInt32(offset).bigEndian) { Array($0) } }
    bytes += [0, 0, 0, 0, 0, 0, 4, 1]
    for value in [2, 0, table] { bytes += withUnsafeBytes(of: UInt64(value).bigEndian) { Array($0) } }
    return Data(bytes)
  }

  @Test(arguments: large.indices) func `checking takes time in proportion to the input`(_ index: Int) throws {
    let growth = try ThreadClock.growth(from: 1, to: 8) { size in
      (size == 1 ? Self.small : Self.large)[index]
    } work: { input in
      let defects = PropertyListDocument.defects(in: input.data, format: input.format)
      #expect(!defects.isEmpty && defects.count <= 100, "\(input.name)")
      #expect(defects.allSatisfy { $0.message.utf8.count < 500 })
    }
    #expect(growth < ThreadClock.greatestGrowth, "\(Self.large[index].format.rawValue), \(Self.large[index].name)")
  }

  @Test func `checking takes linear time with any number of defects`() throws {
    let growth = try ThreadClock.growth(from: 1_000, to: 8_000) { count in
      let input = Data("[\"\(String(repeating: "\n", count: count))x\"]".utf8)
      #expect(PropertyListDocument.defects(in: input, format: .json, limit: .max).count == count)
    }
    #expect(growth < ThreadClock.greatestGrowth)
  }

  @Test func `checking needs no stack in proportion to the depth`() {
    let count = LongForm.size(100_000, or: 5_000)
    for (format, text) in [
      (.xml, "<plist>\(String(repeating: "<dict><key>a</key>", count: count))"),
      (.openStep, String(repeating: "{a=", count: count)), (.json, String(repeating: "{\"a\":", count: count)),
    ] as [(PropertyListFormat, String)] {
      let outcome = OnSmallStack.run {
        PropertyListDocument.defects(
          in: Data(text.utf8), format: format, options: .init(limits: ParsingLimits(depth: .max)))
      }
      #expect((outcome.value as? [PropertyListError])?.isEmpty == false)
    }
  }
}
