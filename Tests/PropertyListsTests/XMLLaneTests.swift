import Foundation
import TestSupport
import Testing

@testable import PropertyListTools
@testable import PropertyLists

@Suite("The fast and the full path of the XML reader") struct XMLLaneTests {
  @Test(arguments: Fixtures.names(in: "xml") + Fixtures.names(in: "hostile"))
  func `both paths agree on every file`(_ name: String) throws {
    let data = try Fixtures.data(name)
    guard let fast = try PropertyList.plainLane(data) else { return }
    #expect(try PropertyList.thoroughLane(data) == fast)
  }

  @Test(arguments: [
    "kinds-python", "kinds-libplist", "kinds-foundation", "counts-python", "counts-foundation", "uid-python",
  ])
  func `files of common writers take the fast path`(_ name: String) throws {
    #expect(try PropertyList.plainLane(Fixtures.data("xml/\(name).plist")) != nil)
  }

  @Test(arguments: ["cdata", "comments", "attributes", "no-plist-tag"])
  func `text that only resembles the plain dialect does not take it`(_ name: String) throws {
    #expect(try PropertyList.plainLane(Fixtures.data("xml/\(name).plist")) == nil)
  }

  @Test(arguments: ["", "<!-- slow -->"])
  func `a large list without text is not an expansion, on either path`(_ comment: String) throws {
    let count = LongForm.size(1 << 17, or: 1 << 13)
    let options = PropertyListReadingOptions(limits: ParsingLimits(expandedSize: 4 * count))
    let body = "\(comment)<array>\(String(repeating: "<integer>1</integer><true/>", count: count))</array>"
    let document = try PropertyListDocument(Data("<plist>\(body)</plist>".utf8), options: options)
    #expect(try PropertyList(document.root).array?.count == 2 * count)
    #expect(try document.root.data(format: .binary).count < 6 * count)
  }

  @Test func `a duplicate UID key is allowed if the last one counts`() throws {
    let body = "<dict><key>CF$UID</key><integer>1</integer><key>CF$UID</key><integer>2</integer></dict>"
    let options = PropertyListReadingOptions(duplicateKeys: .keepLast)
    #expect(try PropertyList(xml(body), options: options) == .uid(.init(2)))
  }

  @Test func `errors of libxml2 come before the length check of an invalid tag`() throws {
    let text = xml("<string>1 < 2 and \(String(repeating: "so on ", count: 500))</string>")
    let found = error { () throws(PropertyListError) in _ = try PropertyList(text) }
    #expect(found?.kind == .malformed && found?.position == .init(line: 1, column: 32))
    for length in [1100, 4000, 40_000, 400_000] {
      let long = Data("<plist><array><true a=\"\(String(repeating: "x", count: length))\"/></array></plist>".utf8)
      let refused = error { () throws(PropertyListError) in _ = try PropertyList(long) }
      #expect(refused?.kind == .limitExceeded && refused?.position == .init(line: 1, column: 15))
    }
  }

  @Test func `namespaces count only in scope, and similar attributes do not`() throws {
    let siblings = String(repeating: "<true xmlns='u' xmlns:a='v'/>", count: 200)
    #expect(try PropertyList(xml("<array>\(siblings)</array>")).array?.count == 200)
    let nested = { (attribute: String) in
      xml(String(repeating: "<array \(attribute)='u'>", count: 101) + String(repeating: "</array>", count: 101))
    }
    #expect(throws: Never.self) { try PropertyList(nested("xmlnsa")) }
    let refused = error { () throws(PropertyListError) in _ = try PropertyList(nested("xmlns:a")) }
    #expect(refused?.kind == .limitExceeded)
    // Elements outside of the value, and of tags that are read again, are also out of scope.
    let many = (0..<30).map { "xmlns:a\($0)='u'" }.joined(separator: " ")
    let defects = PropertyListDocument.defects(
      in: xml("<array>\(String(repeating: "<string>a<integer \(many)>1</integer>", count: 4))</array>"))
    #expect(defects.allSatisfy { $0.kind == .malformed } && defects.count == 4)
  }

  @Test func `the number of attributes is limited, because libxml2 keeps a table`() throws {
    let text = { (count: Int) in
      xml("<array>\((0..<count).map { "<true q\($0)=''/>" }.joined())</array>")
    }
    #expect(try PropertyList(text(2000)).array?.count == 2000)
    // In the short form, only `HostileInputTests` has such a text: many-attributes.plist.
    guard LongForm.isWanted else { return }
    let refused = error { () throws(PropertyListError) in _ = try PropertyList(text(100_001)) }
    #expect(refused?.kind == .limitExceeded)
  }

  @Test func `an end tag can have any amount of white space`() throws {
    let space = String(repeating: " ", count: 3000)
    #expect(try PropertyList(Data("<plist><true></true\(space)></plist>".utf8)) == true)
  }

  @Test func `encodings are converted on many threads at once`() async throws {
    let data = try Fixtures.data("xml/windows-1252.plist")
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<64 { group.addTask { (try? PropertyList(data)) == "„Größe“ €" } }
      for await isRight in group { #expect(isRight) }
    }
  }

  /// Random pieces of XML, mostly well-formed, in every combination of what the scanner checks.
  @Test func `both paths agree on generated documents`() throws {
    var random = SeededGenerator(seed: 7)
    let pieces = [
      "<dict>", "</dict>", "<array>", "</array>", "<dict/>", "<array/>", "<key>k</key>", "<key>l</key>", "<key/>",
      "<string>text</string>", "<string/>", "<string>", "</string>", "<string>a]]>b</string>", "<string>]]</string>",
      "<string>&amp;&#x41;</string>", "<string>&bad;</string>", "<string>&#1;</string>", "<string>é\u{FFFE}</string>",
      "<string>ü\r\nb\rc</string>", "<integer>12</integer>", "<integer> 0x1F</integer>", "<integer>x</integer>",
      "<real>1.5</real>", "<real>1e400</real>", "<date>2001-01-01T00:00:00Z</date>",
      "<date>2001-02-29T00:00:00Z</date>",
      "<data>AAEC</data>", "<data>AAE</data>", "<true/>", "<false/>", "<true></true>", " ", "\n\t", "\r\n", "text",
      "<!-- c -->",
      "<![CDATA[x]]>", "<foo/>", "<string >s</string>", "<key>CF$UID</key>", "<integer>5</integer>", "\u{1}", ">",
      "&amp;",
    ]
    var accepted = 0
    for _ in 0..<LongForm.size(20_000, or: 1_000) {
      var body = ""
      var open: [String] = []
      for _ in 0..<Int.random(in: 1...14, using: &random) {
        let piece = pieces.randomElement(using: &random)!
        if let last = open.last, last == "dict", Bool.random(using: &random) { body += "<key>\(body.utf8.count)</key>" }
        body += piece
        if piece == "<dict>" || piece == "<array>" { open.append(String(piece.dropFirst().dropLast())) }
        if piece == "</dict>" || piece == "</array>" { _ = open.popLast() }
      }
      for name in open.reversed() { body += "</\(name)>" }
      let data = Data("<plist version=\"1.0\">\(body)</plist>".utf8)
      for options in [
        PropertyListReadingOptions(),
        .init(limits: .init(depth: 2), recognizesUIDDictionaries: false, duplicateKeys: .keepLast),
      ] {
        guard let fast = try PropertyList.plainLane(data, options: options) else { continue }
        accepted += 1
        let slow = try? PropertyList.thoroughLane(data, options: options)
        #expect(slow == fast, "\(body.debugDescription)")
      }
    }
    #expect(accepted > LongForm.size(1000, or: 30), "the generator makes too little that the scanner accepts")
  }

  /// Lists of dictionaries that have most keys of the one before, in the same order and with the same white space.
  @Test func `both paths agree on lists of similar dictionaries`() throws {
    var random = SeededGenerator(seed: 13)
    let keys = ["a", "aa", "a long key of more than sixteen bytes", "é", "a&amp;b", "a&#38;b", "z", "CF$UID"]
    func dictionary(depth: Int) -> String {
      var names = keys.filter { _ in Int.random(in: 0..<8, using: &random) > 0 }
      if Int.random(in: 0..<4, using: &random) == 0 { names.shuffle(using: &random) }
      if Int.random(in: 0..<8, using: &random) == 0 { names.append(keys.randomElement(using: &random)!) }
      let entries = names.map { name in
        let space = Int.random(in: 0..<8, using: &random) == 0 ? " " : "\n\t"
        let isNested = depth < 2 && Int.random(in: 0..<6, using: &random) == 0
        let scalar = Bool.random(using: &random) ? "<true/>" : "<string>x</string>"
        let value = isNested ? dictionary(depth: depth + 1) : scalar
        return "\(space)<key>\(name)</key>\(space)\(value)"
      }
      return "<dict>\(entries.joined())\n</dict>"
    }
    var accepted = 0
    for _ in 0..<LongForm.size(2000, or: 200) {
      let body = (0..<6).map { _ in dictionary(depth: 0) }.joined()
      let data = Data("<plist version=\"1.0\"><array>\(body)</array></plist>".utf8)
      for options in [PropertyListReadingOptions(), .init(duplicateKeys: .keepLast)] {
        guard let fast = try PropertyList.plainLane(data, options: options) else { continue }
        accepted += 1
        let slow = try? PropertyList.thoroughLane(data, options: options)
        #expect(slow == fast, "\(body.debugDescription)")
      }
    }
    #expect(accepted > LongForm.size(1000, or: 100))
  }

  @Test func `strings that differ only in the middle stay different`() throws {
    let texts = (0..<300).map { "the same start, \($0 % 100), the same end" }
    for format in [PropertyListFormat.xml, .binary, .json] {
      let data = try PropertyList.array(texts.map { .string($0) }).data(format: format)
      #expect(try PropertyList(data).array?.compactMap(\.string) == texts)
      #expect(try PropertyLists.PropertyListDecoder().decode([String].self, from: data) == texts)
    }
  }

  @Test func `both paths agree on damaged files, byte by byte`() throws {
    let original = try [UInt8](Fixtures.data("xml/kinds-python.plist"))
    var random = SeededGenerator(seed: 11)
    var accepted = 0
    for _ in 0..<LongForm.size(4000, or: 200) {
      var bytes = original
      let offset = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes[offset] = UInt8.random(in: .min ... .max, using: &random)
      case 1: bytes.remove(at: offset)
      default: bytes.insert(Array("<>&/;] \n\rx\u{80}".utf8).randomElement(using: &random)!, at: offset)
      }
      guard let fast = try PropertyList.plainLane(Data(bytes)) else { continue }
      accepted += 1
      #expect(try PropertyList.thoroughLane(Data(bytes)) == fast)
    }
    #expect(accepted > LongForm.size(500, or: 15))
  }
}
