import BrowsingPages
import Foundation
import KeyedArchiving
import PropertyLists
import TestSupport
import Testing

@Suite("Pages about archives") struct ArchivePageTests {
  private func value(_ page: PageFile, _ group: String, _ key: Int) throws -> NSDictionary? {
    try page.rows(of: group)[key]?[2] as? NSDictionary
  }

  @Test func `a page has each object once, by class, and all references`() throws {
    let page = try PageFile(SampleArchive.people)
    #expect(try page.head["kind"] as? String == "archive")
    #expect(try page.rows.count == 13)
    let ada = try #require(try page.rows(of: "Model.Person")[1]?[2] as? [String: [Any]])["o"] ?? []
    #expect(ada.count == 10)
    #expect(try page.rows(of: "Model.Person").keys.sorted() == [1, 4])
    #expect(try page.rows(of: "string")[2]?[2] as? String == "Ada")
    #expect(try value(page, "NSDate", 10) == ["d": "2001-01-01T00:00:00.5Z"])
    let array = try #require(try value(page, "NSArray", 3)?["a"] as? [[String: [Int]]])
    let person = try #require(try page.rows(of: "Model.Person")[1]?[0] as? Int)
    #expect(array == [["r": [person, 1]], ["r": [person, 4]]])
    #expect((try value(page, "NSDictionary", 8)?["p"] as? [Any])?.count == 2)
    #expect(try value(page, "top level", 0)?["o"] as? NSArray == ["root", ["r": [person, 1]]])
  }

  @Test func `a page has whole pictures, and the first bytes of other data`() throws {
    let large = Data(repeating: 7, count: 100_000)
    let svg = Data("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8)
    // A billion pixels wide and high, with the bytes of one pixel.
    var bomb = SampleArchive.picture
    for start in [16, 20] { bomb.replaceSubrange(start..<start + 4, with: [0, 0, 0x80, 0]) }
    let page = try PageFile(SampleArchive.of([.data(SampleArchive.picture), .data(large), .data(svg), .data(bomb)]))
    let data = try page.rows(of: "data")
    func field<Value>(_ key: Int, _ name: String, _: Value.Type) -> Value? {
      (data[key]?[2] as? [String: Any])?[name] as? Value
    }
    #expect(field(1, "i", String.self) == "png")
    #expect(field(1, "b", String.self) == SampleArchive.picture.base64EncodedString())
    #expect(field(2, "n", Int.self) == 100_000 && field(2, "b", String.self)?.count == (4096 + 2) / 3 * 4)
    #expect(field(3, "i", String.self) == nil)
    #expect(field(4, "i", String.self) == nil && field(4, "n", Int.self) == bomb.count)
  }

  /// File headers with the sides 0x2000, and 0x4000 or slightly less, and some a quarter as wide.
  private static let heads: [(name: String, large: [UInt8], small: [UInt8])] = [
    (
      "jpeg",
      [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, 0xFF, 0xC4, 0, 3, 0, 0xFF, 0xC2, 0, 11, 8, 0x20, 0, 0x40, 0, 1],
      [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, 0xFF, 0xC4, 0, 3, 0, 0xFF, 0xC2, 0, 11, 8, 0x20, 0, 0x10, 0, 1]
    ),
    (
      "webp", webP("VP8X", [0, 0, 0, 0, 0xFF, 0x1F, 0, 0xFF, 0x3F, 0]),
      webP("VP8X", [0, 0, 0, 0, 0xFF, 0x1F, 0, 0xFF, 0x0F, 0])
    ),
    (
      "webp", webP("VP8 ", [0, 0, 0, 0x9D, 1, 0x2A, 0, 0x20, 0xFF, 0x3F]),
      webP("VP8 ", [0, 0, 0, 0x9D, 1, 0x2A, 0, 0x20, 0xFF, 0x0F])
    ),
    (
      "webp", webP("VP8L", [0x2F, 0xFF, 0xDF, 0xFF, 0x0F, 0, 0, 0, 0, 0]),
      webP("VP8L", [0x2F, 0xFF, 0xDF, 0xFF, 0x03, 0, 0, 0, 0, 0])
    ),
  ]

  private static func webP(_ chunk: String, _ content: [UInt8]) -> [UInt8] {
    Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP\(chunk)".utf8) + [0, 0, 0, 0] + content
  }

  @Test("a picture that needs too much memory is not shown", arguments: heads)
  func showNoHugePicture(_ head: (name: String, large: [UInt8], small: [UInt8])) throws {
    // Truncated anywhere, these files are not findings of the page.
    let cuts = (0..<head.large.count).map { PropertyList.data(Data(head.large.prefix($0))) }
    let page = try PageFile(SampleArchive.of([.data(Data(head.large)), .data(Data(head.small))] + cuts))
    let data = try page.rows(of: "data")
    #expect((data[1]?[2] as? [String: Any])?["i"] == nil)
    #expect((data[2]?[2] as? [String: Any])?["i"] as? String == head.name)
  }

  @Test func `data in a page contains no HTML and no control characters`() throws {
    let texts = SampleArchive.hostileTexts
    let objects = texts.map { PropertyList.string($0) }
    let fields = PropertyList.dictionary(.init(uniqueKeysWithValues: texts.map { ($0, .string($0)) }))
    let page = try PageFile(
      SampleArchive.of(objects + texts.map(SampleArchive.described), top: fields), title: texts[0])
    let data = try page.text.components(separatedBy: "<script type=\"application/json\"").dropFirst()
    for block in data {
      let json = try #require(block.components(separatedBy: "</script>").first).drop { $0 != ">" }.dropFirst()
      let isPlain = json.unicodeScalars.allSatisfy { scalar in
        !"<>&\u{2028}\u{2029}\u{202E}\u{2066}".unicodeScalars.contains(scalar) && scalar.value >= 0x20
      }
      #expect(isPlain)
    }
    // The old contents are still there.
    #expect(try page.head["title"] as? String == texts[0])
    let strings = try page.rows(of: "string")
    for (index, text) in texts.enumerated() { #expect(strings[index + 1]?[2] as? String == text) }
  }

  @Test func `an unreadable value is shown as an error`() throws {
    let page = try PageFile(
      SampleArchive.of([
        ["a": SampleArchive.uid(99), "$class": SampleArchive.uid(77)], ["loose"], SampleArchive.uid(1),
        ["$class": SampleArchive.uid(1)],
      ]))
    let lost = try #require(try value(page, "no class", 1)?["o"] as? [Any])
    #expect(lost[0] as? String == "a")
    #expect((lost[1] as? [String: String])?["x"]?.contains("object 99") == true)
    #expect(try page.rows(of: "array").count == 1 && page.rows(of: "reference").count == 1)
  }

  @Test func `archives with overlapping objects are refused quickly`() throws {
    // Each of many objects is the same long array. Together they have 1 440 000 elements or more; the limits allow 128
    // for each byte of the file.
    let count = LongForm.size(4000, or: 1200)
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    func number(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }
    func object(_ content: [UInt8]) {
      offsets.append(bytes.count)
      bytes += content
    }
    func text(_ text: String) { object([0x5F, 0x10, UInt8(text.utf8.count)] + Array(text.utf8)) }
    // 0 top dictionary, 1–4 keys, 5 version, 6 archiver, 7 $top, 8 $objects, 9 the array, 10 a string
    object([0xD4] + (1...4).flatMap(number) + [5, 6, 7, 8].flatMap(number))
    text("$version")
    text("$archiver")
    text("$top")
    text("$objects")
    object([0x12, 0, 1, 0x86, 0xA0])
    text("NSKeyedArchiver")
    object([0xD0])
    let length: [UInt8] = [0x11] + number(count)
    object([0xAF] + length + number(10) + (1..<count).flatMap { _ in number(9) })
    object([0xAF] + length + (0..<count).flatMap { _ in number(10) })
    text("$null")
    let table = bytes.count
    for offset in offsets { bytes += [UInt8(offset >> 16), UInt8(offset >> 8 & 0xFF), UInt8(offset & 0xFF)] }
    bytes += [0, 0, 0, 0, 0, 0, 3, 2]
    for value in [offsets.count, 0, table] { bytes += (0..<8).reversed().map { UInt8(value >> (8 * $0) & 0xFF) } }
    let archive = try KeyedArchive(Data(bytes))
    let error = #expect(throws: PropertyListError.self) { try PageFile(archive) }
    #expect(error?.kind == .limitExceeded)
  }

  @Test(arguments: Fixtures.names(in: "archives"))
  func `every archive of the fixtures has a page`(_ name: String) throws {
    let page = try PageFile(KeyedArchive(Fixtures.data(name)), title: name)
    #expect(try page.rows.count > 2)
  }
}
