import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("Documents") struct DocumentTests {
  static let value: PropertyList = [
    "text": "größe", "escaped": "a&b", "list": [1, [2.5], "x"], "flag": false, "data": .data(Data([1, 2])),
    "date": .date(Date(timeIntervalSinceReferenceDate: 60)), "uid": .uid(.init(9)), "käse": 1,
  ]

  @Test(arguments: PropertyListFormat.allCases)
  func `cursors read every kind, in every format`(_ format: PropertyListFormat) throws {
    let document = try PropertyListDocument(Self.value.data(format: format, options: .exact), options: .exact)
    #expect(document.format == format)
    let root = document.root
    #expect(root.kind == .dictionary && root.count == 8)
    #expect(try root.value(forKey: "text")?.string == "größe")
    #expect(try root.value(forKey: "escaped")?.string == "a&b")
    #expect(try root.value(forKey: "flag")?.boolean == false)
    #expect(try root.value(forKey: "data")?.data == Data([1, 2]))
    #expect(try root.value(forKey: "date")?.date == Date(timeIntervalSinceReferenceDate: 60))
    #expect(try root.value(forKey: "uid")?.uid == .init(9))
    #expect(try root.value(forKey: "käse")?.integer == 1)
    #expect(try root.value(forKey: "none") == nil)
    let list = try #require(try root.value(forKey: "list"))
    #expect(list.kind == .array && list.count == 3)
    #expect(try list.child(at: 1).child(at: 0).real == 2.5)
    #expect(try list.children.map { try $0.get().kind } == [.integer, .array, .string])
    #expect(try root.children.map { try $0.get().kind }.first == .string)
    #expect(try (0..<root.count).map { try root.entry(at: $0).key } == Self.value.dictionary?.keys.elements)
    #expect(try PropertyList(list) == Self.value["list"])
    #expect(list.debugDescription == Self.value["list"]?.debugDescription)
  }

  @Test(arguments: PropertyListFormat.allCases)
  func `a missing value is nil or an error, not a trap`(_ format: PropertyListFormat) throws {
    let root = try PropertyListDocument(Self.value.data(format: format, options: .exact), options: .exact).root
    let list = try #require(try root.value(forKey: "list"))
    for position in [-1, 3, Int.max] {
      #expect(throws: PropertyListError.self) { try list.child(at: position) }
    }
    for position in [-1, 8, Int.max] { #expect(throws: PropertyListError.self) { try root.entry(at: position) } }
    #expect(throws: PropertyListError.self) { try root.child(at: 0) }
    #expect(throws: PropertyListError.self) { try list.entry(at: 0) }
    let scalar = try list.child(at: 0)
    #expect(try scalar.count == 0 && scalar.string == nil && scalar.data == nil && scalar.uid == nil)
    #expect(scalar.date == nil && scalar.real == nil && scalar.boolean == nil && !scalar.isFloat)
    #expect(try scalar.value(forKey: "a") == nil)
    #expect(Array(scalar.children).isEmpty)
  }

  @Test func `4-byte and 8-byte reals are distinguished`() throws {
    let root = try PropertyListDocument(Fixtures.data("binary/float.bplist")).root
    #expect(try root.child(at: 0).isFloat && !root.child(at: 1).isFloat)
    #expect(try root.child(at: 0).real == 24)
  }

  @Test func `a binary document is read lazily`() throws {
    // Two elements. The second refers to an invalid object.
    var data = try (["good", "bad"] as PropertyList).data(format: .binary)
    data[data.firstRange(of: Data("Sbad".utf8))!.lowerBound] = 0xF0
    let root = try PropertyListDocument(data).root
    #expect(try root.child(at: 0).string == "good")
    #expect(throws: PropertyListError.self) { try root.child(at: 1) }
    #expect(throws: PropertyListError.self) { try root.document.validate() }
    #expect(root.children.map { (try? $0.get()) != nil } == [true, false])
    #expect(root.debugDescription.hasPrefix("<byte "))
  }

  @Test func `opening a document, and finding one value, takes constant time`() throws {
    let folder = TemporaryFolder()
    let count = LongForm.size(300_000, or: 50_000)
    let list = PropertyList.array((0..<count).map { .string("value number \($0)") })
    try list.write(to: URL(filePath: folder.path("large")), format: .binary)
    let mapped = URL(filePath: folder.path("large"))
    let duration = try ThreadClock.least {
      for index in 0..<100 {
        let root = try PropertyListDocument(mapping: mapped).root
        let position = count - 100 + index
        let value = try root.child(at: position).string
        #expect(value == "value number \(position)")
      }
    }
    let whole = try ThreadClock.measure {
      let list = try PropertyList(contentsOf: mapped)
      #expect(list.array?.count == count)
    }
    #expect(duration < whole, "a hundred lookups take longer than reading the file once")
  }

  @Test func `files: read, mapped, written`() throws {
    let folder = TemporaryFolder()
    let url = URL(filePath: folder.path("a.plist"))
    for format in PropertyListFormat.allCases {
      try Self.value.write(to: url, format: format, options: .exact)
      #expect(try PropertyList(contentsOf: url, options: .exact) == Self.value)
      #expect(try PropertyList(PropertyListDocument(mapping: url, options: .exact).root) == Self.value)
    }
    try Data().write(to: url)
    #expect(throws: PropertyListError.self) { try PropertyListDocument(mapping: url) }
    let missing = error { () throws(PropertyListError) in
      _ = try PropertyList(contentsOf: URL(filePath: folder.path("none")))
    }
    #expect(missing?.kind == .inputOutput(errno: ENOENT))
    #expect(missing?.message.contains(folder.path("none")) == true)
  }

  @Test(arguments: ["/* x */ {}", "{ // x\n}"])
  func `an empty dictionary with comments is read as in Foundation`(_ text: String) throws {
    #expect(try PropertyList(Data(text.utf8)) == [:])
    let expected = try PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil)
    #expect((expected as? [String: Any])?.isEmpty == true)
  }

  @Test func `documents can be read by many threads at once`() async throws {
    let document = try PropertyListDocument(Fixtures.data("binary/kinds-python.bplist"))
    let expected = try PropertyList(document.root)
    let results = try await withThrowingTaskGroup(of: PropertyList.self) { group in
      for _ in 0..<8 { group.addTask { try PropertyList(document.root) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count == 8 && results.allSatisfy { $0 == expected })
  }

  @Test(
    arguments: [
      ("bplist00", .binary), ("bplist15", .binary), ("<plist>", .xml), (" \n\t<", .xml), ("\u{FEFF}<", .xml), ("", nil),
      ("bplis", nil), ("   ", nil), ("{}", .json), ("{ }", .json), ("[1]", .json), (" [", .json),
      ("{ \"a\" : 1}", .json),
      ("{\"a\\\" = \":1}", .json), ("{ \"a\" = 1; }", .openStep), ("{a = 1;}", .openStep), ("{", .openStep),
      ("(1)", .openStep),
      ("\"x\"", .openStep), ("<0fbd>", .openStep), ("<*I5>", .openStep), ("<a >", .xml), ("/* x */ {}", .openStep),
      ("{ // x\n}", .openStep), ("/* x */ { \"a\": 1 }", .json), ("/* x */ [", .json),
      ("// only a comment", .openStep), ("\"a\" = \"b\";", .openStep), ("a = b;", .openStep), ("word", nil),
      ("42", nil),
      ("true", nil), ("\u{FEFF}{}", .json),
    ] as [(String, PropertyListFormat?)])
  func `formats are detected by the first bytes`(_ text: String, _ format: PropertyListFormat?) {
    #expect(PropertyListFormat(detecting: Data(text.utf8).bytes) == format)
    if format == .xml {
      for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
        #expect(PropertyListFormat(detecting: text.data(using: encoding)!.bytes) == .xml)
      }
    }
  }
}
