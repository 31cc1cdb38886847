import ArchiveViews
import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Testing
import Typedstreams

@Suite("Typedstreams viewed as keyed archives") struct TypedstreamViewTests {
  private nonisolated(unsafe) static let values: [ArchivedValue] = [
    .boolean(true), .integer(-5), .integer(.init(UInt64.max)), .real(0.5), .float(0.1), .string("Grüße"), .null,
    .data(Data([1, 2])), .date(Date(timeIntervalSinceReferenceDate: 5)),
    .url(URL(string: "a", relativeTo: URL(string: "https://b/"))!), .array([.integer(1), .array([]), .string("a")]),
    .set([.string("a")]), .dictionary([.string("a"): .integer(1), .string("b"): .string("a")]),
  ]

  @Test(arguments: values.indices) func `values of Foundation's classes are shown`(_ index: Int) throws {
    let value = Self.values[index]
    let archive = try Typedstream(typedstream(of: value)).keyedArchive()
    #expect(archive.archiver == Typedstream.archiverName)
    #expect(try KeyedUnarchiver(archive.document).decode(ArchivedValue.self, forKey: "root") == value)
  }

  @Test(arguments: [82, 1000] as [Int32])
  func `strings of NeXTSTEP are shown as text, or as data if they are invalid`(_ version: Int32) throws {
    let isOld = version < 1000
    let data = try typedstream(systemVersion: version) {
      for bytes: [UInt8] in [[0x41, 0xAE], [0xC3, 0xA9], [0xFF]] { try $0.group("+", bytes) }
    }
    #expect(
      try Typedstream(data).keyedArchive().tree()
        == (isOld
          ? "$0: \"A\u{FB01}\"\n$1: \"\u{2C6}\u{2019}\"\n$2: <ff>" : "$0: <41ae>\n$1: \"\u{E9}\"\n$2: <ff>"))
  }

  private nonisolated(unsafe) static let texts: [Archived.AttributedString] = {
    let bold: Archived.AttributedString.Attributes = ["NSBold": .boolean(true)]
    let link: Archived.AttributedString.Attributes = ["NSLink": .string("a")]
    let runs: [Archived.AttributedString.Run] = [
      .init(length: 2, attributes: bold), .init(length: 3, attributes: link), .init(length: 4, attributes: bold),
    ]
    return [
      .init(""), .init("plain"), .init("bold", attributes: bold),
      (try? .init("ab😀cdefg", runs: runs)) ?? .init("not reached"),
    ]
  }()

  @Test(arguments: texts.indices) func `attributed strings have the form of keyed archives`(_ index: Int) throws {
    let archive = try Typedstream(typedstream(of: .object(Self.texts[index]))).keyedArchive()
    let decoded = try KeyedUnarchiver(archive.document).decode(Archived.AttributedString.self, forKey: "root")
    #expect(decoded == Self.texts[index])
    #expect(KeyedArchive.check(archive.document).filter { $0.severity == .error }.isEmpty)
  }

  @Test func `invalid runs are shown as values without keys`() throws {
    #expect(
      try Typedstream(bytes: Piece.attributedString).keyedArchive().tree() == """
        root: NSAttributedString
          NSString: "Hello, world"
          NSAttributes: {}
        """)
    let wrong = Piece.root("NSAttributedString", Piece.new("iI"), [1, 12])
    #expect(
      try Typedstream(bytes: wrong).keyedArchive().tree() == """
        root: NSAttributedString
          $0: 1
          $1: 12
        """)
  }

  @Test func `values of other classes have no keys, and circles are shown`() throws {
    let bytes = Piece.root(
      "Node", Piece.reference(0), Piece.reference(0), Piece.new("*[2s]{?=if}@"), [0x84], Piece.new("text"),
      [1, 2, 3, 4, 0x85])
    let tree = try Typedstream(bytes: bytes).keyedArchive().tree()
    #expect(
      tree == """
        root: #1 Node
          $0: → #1
          $1: "text"
          $2: [
            1
            2
          ]
          $3: [
            3
            4.0
          ]
          $4: nil
        """)
  }

  @Test(arguments: TypedstreamSamples.sound) func `valid streams have no findings`(_ name: String) throws {
    let archive = try Typedstream(TypedstreamSamples.data(name)).keyedArchive()
    let findings = KeyedArchive.check(archive.document).filter { $0.kind != .otherArchiver }
    #expect(findings.isEmpty, "\(findings.prefix(5))")
    #expect(try !archive.tree().isEmpty)
  }

  @Test func `a view that would be many times larger is refused`() throws {
    let name = String(repeating: "N", count: 30_000)
    let text: [UInt8] = [0x84, 0x81] + [UInt8(name.utf8.count & 0xFF), UInt8(name.utf8.count >> 8)] + name.utf8
    let bytes = Piece.stream(Piece.new(":"), text, Array(repeating: [0x92, 0x93], count: 10_000).flatMap(\.self))
    let stream = try Typedstream(bytes: bytes)
    let error = #expect(throws: TypedstreamError.self) { try stream.keyedArchive() }
    #expect(error?.kind == .limitExceeded)
  }
}
