import Foundation
import OrderedCollections
import TestSupport
import Testing

@testable import PropertyListTools
@testable import PropertyLists

@Suite("Edits and their limits") struct EditTests {
  /// The document with one change.
  private func updated(
    _ data: Data, _ format: PropertyListFormat, reading: PropertyListReadingOptions = .init(),
    writing: PropertyListWritingOptions = .init(), _ change: (inout PropertyList) -> Void
  ) throws -> Data {
    let document = try PropertyListDocument(data, format: format, options: reading)
    var value = try PropertyList(document.root)
    change(&value)
    return try document.data(updatedTo: value, options: writing)
  }

  @Test(arguments: ["xml", "hostile"]) func `an edit to an equal value keeps the bytes`(_ folder: String) throws {
    for name in Fixtures.names(in: folder) {
      guard let document = try? PropertyListDocument(Fixtures.data(name)), document.format != .binary else { continue }
      #expect(try document.data(updatedTo: PropertyList(document.root)) == Fixtures.data(name), "\(name)")
    }
  }

  @Test(arguments: Fixtures.corpus) func `files of other producers keep their lines`(_ url: URL) throws {
    guard let document = try? PropertyListDocument(contentsOf: url), document.format != .binary,
      let value = try? PropertyList(document.root)
    else { return }
    let data = try Data(contentsOf: url)
    #expect(try document.data(updatedTo: value) == data)
    guard case .dictionary(var entries) = value, !entries.isEmpty else { return }
    entries.updateValue("new", forKey: "a new key", insertingAt: entries.count / 2)
    let added = try #require(try document.editedData(updatedTo: .dictionary(entries), options: .init()))
    let other = try PropertyListDocument(added, format: document.format)
    #expect(try PropertyList(other.root) == .dictionary(entries))
    // The added entry leaves no trace.
    #expect(try other.data(updatedTo: value) == data)
  }

  // MARK: Encodings

  private static let japanese = """
    <?xml version="1.0" encoding="NAME"?>
    <plist version="1.0">
    <dict>
    \t<!-- 注釈 -->
    \t<key>題名</key>
    \t<string>メモ</string>
    \t<key>数</key>
    \t<integer>1</integer>
    </dict>
    </plist>

    """

  private static let latin = """
    <?xml version="1.0" encoding="NAME"?>
    <plist version="1.0">
    <dict>
    \t<!-- Été -->
    \t<key>Größe</key>
    \t<string>Ærø</string>
    \t<key>Zahl</key>
    \t<integer>1</integer>
    </dict>
    </plist>

    """

  @Test(
    "a declared encoding is kept; other characters become character references",
    arguments: [
      ("ISO-8859-1", String.Encoding.isoLatin1, latin), ("windows-1252", .windowsCP1252, latin),
      ("Shift_JIS", .shiftJIS, japanese), ("ISO-2022-JP", .iso2022JP, japanese),
    ])
  func declaredEncodings(_ name: String, _ encoding: String.Encoding, _ text: String) throws {
    let original = text.replacing("NAME", with: name)
    let data = try #require(original.data(using: encoding))
    let key = text == Self.latin ? "Größe" : "題名"
    let result = try updated(data, .xml) { value in
      value.dictionary?[key] = .string("\(key) & 😀")
    }
    let expected = original.replacing(text == Self.latin ? "Ærø" : "メモ", with: "\(key) &amp; &#128512;")
    #expect(result == expected.data(using: encoding))
  }

  @Test func `unchanged lines keep their bytes, if characters have several encodings`() throws {
    // In code page 932, FA 58 and 87 8A are the same character.
    var data = Data("<?xml version=\"1.0\" encoding=\"Shift_JIS\"?>\n<plist>\n<array>\n<string>".utf8)
    data += [0xFA, 0x58, 0x87, 0x8A]
    data += Data("</string>\n<integer>1</integer>\n</array>\n</plist>\n".utf8)
    let result = try updated(data, .xml) { value in
      guard case .array(let elements) = value else { return }
      value = [elements[0], 2]
    }
    var expected = data
    expected.replaceSubrange(try #require(data.range(of: Data("<integer>1".utf8))), with: Data("<integer>2".utf8))
    #expect(result == expected)
  }

  @Test func `edits escape characters if the rest of a JSON or OpenStep file does`() throws {
    let json = Data("{\"a\": \"\\u00e9\", \"b\": 1}".utf8)
    #expect(
      try updated(json, .json) { $0.dictionary?["b"] = "ü😀" }
        == Data("{\"a\": \"\\u00e9\", \"b\": \"\\u00fc\\ud83d\\ude00\"}".utf8))
    let strings = Data("\"a\" = \"\\U00e9\";\n".utf8)
    #expect(
      try updated(strings, .openStep) { $0.dictionary?["b"] = "ü" }
        == Data("\"a\" = \"\\U00e9\";\n\"b\" = \"\\U00fc\";\n".utf8))
    // An escaped backslash before a letter.
    let path = Data("{\"a\": \"C:\\\\users\", \"b\": 1}".utf8)
    #expect(
      try updated(path, .json) { $0.dictionary?["b"] = "ü" } == Data("{\"a\": \"C:\\\\users\", \"b\": \"ü\"}".utf8))
  }

  // MARK: What a format has no form for

  @Test
  func `an added value that the format cannot hold is an error with its key path; an existing one is not`() throws {
    let text = Data("{\n  list = (1);\n  number = <*I5>;\n}\n".utf8)
    let failure = error { () throws(PropertyListError) in
      let document = try PropertyListDocument(text, format: .openStep)
      _ = try document.data(updatedTo: ["list": ["1", ["x": 2]], "number": 5])
    }
    #expect(failure?.kind == .notRepresentable)
    #expect(failure?.keyPath?.description == "list.1.x")
    let other = try updated(text, .openStep) { $0.dictionary?["list"] = ["1", "2"] }
    #expect(String(decoding: other, as: UTF8.self) == "{\n  list = (1, 2);\n  number = <*I5>;\n}\n")
    let typed = try updated(text, .openStep, writing: .init(openStepDialect: .gnustep)) { value in
      value.dictionary?["list"] = ["1", 2]
    }
    #expect(String(decoding: typed, as: UTF8.self) == "{\n  list = (1, <*I2>);\n  number = <*I5>;\n}\n")
  }

  @Test func `values in JSON are coerced as in a new file`() throws {
    let text = Data("{\"a\": 1.50}".utf8)
    let date = PropertyList.date(Date(timeIntervalSinceReferenceDate: 0.5))
    let reversible = try updated(
      text, .json, reading: .init(restoresCoercedValues: true), writing: .init(coercion: .reversible)
    ) { $0.dictionary?["b"] = date }
    #expect(String(decoding: reversible, as: UTF8.self) == #"{"a": 1.50, "b": {"$date": "2001-01-01T00:00:00.5Z"}}"#)
    let plain = try updated(text, .json, writing: .init(coercion: .plain)) { $0.dictionary?["b"] = date }
    #expect(String(decoding: plain, as: UTF8.self) == #"{"a": 1.50, "b": "2001-01-01T00:00:00Z"}"#)
    let changed = try updated(
      reversible, .json, reading: .init(restoresCoercedValues: true), writing: .init(coercion: .reversible)
    ) { $0.dictionary?["a"] = 2 }
    #expect(String(decoding: changed, as: UTF8.self) == #"{"a": 2, "b": {"$date": "2001-01-01T00:00:00.5Z"}}"#)
  }

  @Test
  func `in XML, values that differ only in what XML cannot hold are not rewritten`() throws {
    let text = xml("<!-- c --><array><real>1.50</real><date>2020-01-02T03:04:05Z</date> <true/></array>")
    let document = try PropertyListDocument(text)
    let date = Date(timeIntervalSinceReferenceDate: 599_627_045.5)
    let result = try document.data(updatedTo: [.float(1.5), .date(date), .float(0.1)])
    #expect(
      result
        == xml(
          "<!-- c --><array><real>1.50</real><date>2020-01-02T03:04:05Z</date> <real>0.10000000149011612</real></array>"
        ))
  }

  @Test func `a UID in a text format is changed inside its dictionary`() throws {
    let text = xml("<array>\n<dict>\n\t<key>CF$UID</key> <!-- c --> <integer>0x5</integer></dict>\n</array>")
    let result = try updated(text, .xml) { $0 = [.uid(.init(7)), .uid(.init(8))] }
    let new = "\n<dict>\n\t<key>CF$UID</key>\n\t<integer>8</integer>\n</dict>\n</array>"
    #expect(
      String(decoding: result, as: UTF8.self)
        == String(decoding: text, as: UTF8.self).replacing("0x5", with: "7").replacing("\n</array>", with: new))
  }

  // MARK: Where all is written anew

  @Test func `a binary file, and a strings file that becomes a list, are rewritten`() throws {
    let value: PropertyList = ["b": 1, "a": [2]]
    let binary = try value.data(format: .binary)
    #expect(
      try updated(binary, .binary) { $0.dictionary?["c"] = 3 }
        == (["b": 1, "a": [2], "c": 3] as PropertyList).data(format: .binary))
    let strings = Data("/* c */\na = b;\n".utf8)
    #expect(try PropertyList(updated(strings, .openStep) { $0 = ["x", "y"] }) == ["x", "y"])
  }

  @Test func `of duplicate keys, the effective value is changed, and the other is removed`() throws {
    let reading = PropertyListReadingOptions(duplicateKeys: .keepLast)
    func edited(_ text: String, _ format: PropertyListFormat, _ change: (inout PropertyList) -> Void) throws -> String {
      let document = try PropertyListDocument(Data(text.utf8), format: format, options: reading)
      var value = try PropertyList(document.root)
      change(&value)
      let data = try #require(try document.editedData(updatedTo: value, options: .init()))
      #expect(try PropertyList(data, format: format, options: reading) == value)
      return String(decoding: data, as: UTF8.self)
    }
    let json = #"{"a": 1, "b": {"c": 3, "c": 4}, "\u0061": 2}"#
    #expect(try edited(json, .json) { _ in } == json)
    #expect(
      try edited(json, .json) { $0.dictionary?["b"] = 5 } == #"{"a": 2, "b": 5}"#.replacing("\"a\"", with: #""\u0061""#)
    )
    #expect(try edited(json, .json) { $0.dictionary?["b"]?.dictionary?["c"] = 5 } == #"{"\u0061": 2, "b": {"c": 5}}"#)
    let strings = "// one\na = 1;\n// two\n\"a\" = 2; // 2\nb = c;\n"
    #expect(try edited(strings, .openStep) { $0.dictionary?["b"] = "d" } == "// one\n// two\n\"a\" = 2; // 2\nb = d;\n")
    let list = "<plist>\n<dict>\n<key>a<!-- c --></key>\n<true/>\n<key>&#97;</key>\n<false/>\n</dict>\n</plist>"
    #expect(
      try edited(list, .xml) { $0.dictionary?["a"] = "x" }
        == "<plist>\n<dict>\n<key>&#97;</key>\n<string>x</string>\n</dict>\n</plist>")
  }

  @Test func `the root can be replaced, and the text around it stays`() throws {
    let text = Data(
      "<plist version=\"1.0\">\n<!-- a -->\n<dict>\n\t<key>a</key><true/></dict>\n<!-- b -->\n</plist>".utf8)
    let result = try updated(text, .xml) { $0 = ["x", "y"] }
    #expect(
      String(decoding: result, as: UTF8.self)
        == "<plist version=\"1.0\">\n<!-- a -->\n<array>\n\t<string>x</string>\n\t<string>y</string>\n</array>\n<!-- b -->\n</plist>"
    )
    #expect(
      try updated(Data("/* c */ \"a b\" // d\n".utf8), .openStep) { $0 = "c" } == Data("/* c */ \"c\" // d\n".utf8))
    #expect(try updated(Data(" 1 \n".utf8), .json) { $0 = ["a": []] } == Data(" {\n   \"a\": []\n } \n".utf8))
  }

  @Test func `keys are sorted on request, with their comments`() throws {
    let text = Data("{\n  // of b\n  b = 1; // one\n  // of a\n  a = { y = 1; x = 2; };\n}\n".utf8)
    let result = try updated(text, .openStep, writing: .init(sortsKeys: true)) { _ in }
    #expect(
      String(decoding: result, as: UTF8.self)
        == "{\n  // of a\n  a = { x = 2; y = 1; };\n  // of b\n  b = 1; // one\n}\n")
  }

  @Test func `added values are on one line on request`() throws {
    let text = Data("{\n  \"a\": 1\n}\n".utf8)
    let result = try updated(text, .json, writing: .init(isCompact: true)) { $0.dictionary?["b"] = ["c": [1, 2]] }
    #expect(String(decoding: result, as: UTF8.self) == "{\n  \"a\": 1,\n  \"b\": {\"c\": [1, 2]}\n}\n")
  }

  // MARK: Size

  @Test(arguments: [.xml, .openStep, .json] as [PropertyListFormat])
  func `depth costs no stack`(_ format: PropertyListFormat) throws {
    // The indentation makes the length of the text quadratic in the depth.
    let limits = ParsingLimits(depth: 1000)
    let levels = LongForm.size(990, or: 500)
    func nested(_ value: PropertyList) -> PropertyList {
      (0..<levels).reduce(value) { value, level in level % 2 == 0 ? [value] : ["k": value] }
    }
    let outcome = OnSmallStack.run {
      let options = PropertyListWritingOptions(depth: 1000)
      let data = try nested("old").data(format: format, options: options)
      let document = try PropertyListDocument(data, format: format, options: .init(limits: limits))
      let result = try document.editedData(updatedTo: nested("new"), options: options)
      var expected = data
      if let range = data.range(of: Data("old".utf8)) { expected.replaceSubrange(range, with: Data("new".utf8)) }
      return result == expected
    }
    #expect(outcome.error == nil)
    #expect(outcome.value as? Bool == true)
  }

  @Test func `a value that is nested too deeply is refused`() throws {
    let document = try PropertyListDocument(xml("<array/>"))
    let value = (0..<600).reduce("x" as PropertyList) { value, _ in [value] }
    #expect(error { () throws(PropertyListError) in _ = try document.data(updatedTo: value) }?.kind == .nestedTooDeeply)
  }

  /// Records, each with a comment before it and one on its line.
  private func records(_ identities: [Int], revision: Int) -> String {
    let records = identities.map { number in
      """
      <!-- record \(number) -->
      <dict><key>id</key><string>id\(number)</string><!-- id\(number) --><key>rev</key><integer>\(revision)</integer>\
      <key>name</key><string>name \(number)</string><key>kind</key><string>a</string></dict>
      """
    }
    return "<plist version=\"1.0\">\n<array>\n\(records.joined(separator: "\n"))\n</array>\n</plist>\n"
  }

  @Test(arguments: [3, 70, 400])
  func `comments stay with changed records when a record is inserted before them`(_ count: Int) throws {
    let document = try PropertyListDocument(Data(records(Array(0..<count), revision: 1).utf8))
    var value = try PropertyList(PropertyListDocument(Data(records(Array(0..<count), revision: 2).utf8)).root)
    value.array?.insert(["id": "first", "rev": 2, "name": "new", "kind": "a"], at: 0)
    let edited = String(
      decoding: try #require(try document.editedData(updatedTo: value, options: .init())), as: UTF8.self)
    var rest = edited[...]
    for number in 0..<count {
      let comment = try #require(rest.firstRange(of: "<!-- record \(number) -->"))
      rest = rest[comment.upperBound...]
      #expect(rest.dropFirst().hasPrefix("<dict><key>id</key><string>id\(number)</string>"))
    }
  }

  @Test func `a changed element replaces one of its kind, and keeps its comment`() throws {
    func edited(_ elements: String, _ value: PropertyList) throws -> String {
      let document = try PropertyListDocument(Data("<plist version=\"1.0\"><array>\(elements)</array></plist>".utf8))
      return String(decoding: try #require(try document.editedData(updatedTo: value, options: .init())), as: UTF8.self)
    }
    let first = try edited(
      "\n<dict><key>x</key><integer>1</integer></dict> <!-- the dict -->\n<string>a</string> <!-- the text -->\n", ["b"]
    )
    #expect(first.contains("<string>b</string> <!-- the text -->"))
    let second = try edited("\n<string>a</string> <!-- the text -->\n<integer>5</integer> <!-- the number -->\n", [6])
    #expect(second.contains("<integer>6</integer> <!-- the number -->"))
  }

  @Test(arguments: [.xml, .openStep, .json] as [PropertyListFormat])
  func `the time is linear in the size`(_ format: PropertyListFormat) throws {
    // On one line, with changes of every other element. Searching back to the beginning of the line for each would take
    // hours.
    let count = LongForm.size(20_000, or: 2_200)
    let growth = try ThreadClock.growth(from: count / 4, to: count) { count in
      let old = PropertyList.array((0..<count).map { ["k": .string("v\($0)")] })
      let new = PropertyList.array((0..<count).reversed().map { $0 % 2 == 0 ? ["k": .string("v\($0)")] : ["n": [:]] })
      var text = String(decoding: try old.data(format: format, options: .init(isCompact: true)), as: UTF8.self)
      if format == .xml { text = text.replacing("\n", with: "").replacing("\t", with: "") }
      let strings = PropertyList.array((0..<count).map { .string("v\($0)") })
      let document = try PropertyListDocument(Data(text.utf8), format: format)
      let values: [PropertyList] = [new, strings, .array(Array(repeating: ["x"], count: count))]
      // Matching the elements does not depend on the format, so the short form has all values only in XML.
      return (document, LongForm.isWanted || format == .xml ? values : [new])
    } work: { input in
      let (document, values) = input
      for value in values {
        let result = try #require(try document.editedData(updatedTo: value, options: .init()))
        #expect(try PropertyList(result, format: format) == value)
      }
    }
    #expect(growth < ThreadClock.greatestGrowth)
  }

  @Test func `a long space between key and value is not scanned for each added entry`() throws {
    // The space is proportional to the number of entries, so scanning it for each takes quadratic time.
    let growth = try ThreadClock.growth(from: 50, to: LongForm.size(1_000, or: 400)) { count in
      let text = "{\"a\":\(String(repeating: " ", count: 1_000 * count))1}"
      let document = try PropertyListDocument(Data(text.utf8), format: .json)
      var value = try PropertyList(document.root)
      for number in 0..<count { value.dictionary?["key \(number)"] = .integer(.init(number)) }
      return (document, value)
    } work: { input in
      let (document, value) = input
      let result = try #require(try document.editedData(updatedTo: value, options: .init()))
      #expect(try PropertyList(result, format: .json) == value)
    }
    #expect(growth < ThreadClock.greatestGrowth)
  }

  @Test(arguments: 0..<UInt64(LongForm.size(300, or: 12)))
  func `damaged but readable texts are edited without a trap`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let format = [PropertyListFormat.xml, .openStep, .json].randomElement(using: &random)!
    let text = LaidOutText(format, seed: seed)
    for _ in 0..<20 {
      var bytes = Array(text.text.utf8)
      for _ in 0..<Int.random(in: 1...3, using: &random) { bytes.damage(using: &random) }
      guard let document = try? PropertyListDocument(Data(bytes), format: format),
        let old = try? PropertyList(document.root)
      else { continue }
      for new in [["a": 1, "key1": "x"], [old, old], ["key1": old, "key2": ["x"]]] as [PropertyList] {
        let options = PropertyListWritingOptions(coercion: .reversible)
        guard let result = try? document.data(updatedTo: new, options: options) else { continue }
        #expect(try PropertyList(result, format: format, options: .init(restoresCoercedValues: true)) == new)
      }
    }
  }
}
