import Foundation
import KeyedArchiving
import PropertyLists
import TestSupport
import Testing
import Typedstreams

/// Known defects of other typedstream readers: python-typedstream, crabstep, Madrid, Darling, and readers that search
/// the bytes for text.
@Suite("Defects of other typedstream readers that this one does not have") struct TypedstreamPeerFindingTests {
  /// A hand-made `NSNumber`.
  private func number(_ type: String, _ bytes: [UInt8], isBigEndian: Bool = false) -> Data {
    Data(
      Piece.stream(
        Piece.new("@"), [0x84, 0x84], Piece.new("NSNumber"), [0, 0x84], Piece.new("NSValue"), [0, 0x84],
        Piece.new("NSObject"), [0, 0x85], Piece.new("*"), [0x84], Piece.new(type), Piece.reference(5), bytes, [0x86],
        isBigEndian: isBigEndian))
  }

  @Test func `integers of 8 bytes`() throws {
    let bytes: [UInt8] = [0x00, 0xE6, 0x8E, 0xE7, 0xFD, 0xFF, 0xFF, 0xFF]
    #expect(try untypedstream(Int64.self, number("q", [0x87] + bytes)) == -9_000_000_000)
    #expect(try untypedstream(Int64.self, number("q", [0x87] + bytes.reversed(), isBigEndian: true)) == -9_000_000_000)
  }

  @Test func `unsigned numbers of one byte`() throws {
    #expect(try untypedstream(UInt64.self, number("Q", [0xFD])) == 18_446_744_073_709_551_613)
    #expect(try untypedstream(UInt32.self, number("I", [0xFD])) == 4_294_967_293)
    #expect(try untypedstream(UInt16.self, number("S", [0x92])) == 65_426)
    #expect(try untypedstream(UInt8.self, number("C", [0xFD])) == 253)
  }

  @Test(arguments: [200, 300, 33_000]) func `references above number 237, of 1, 2 and 4 bytes`(_ count: Int) throws {
    let texts = (0..<count).map { ArchivedValue.string("\($0)") }
    // The first reference is to the last string.
    let references = (0..<count).suffix(LongForm.size(count, or: 300)).reversed()
    let data = try typedstream(of: .array(texts + references.map { texts[$0] }))
    #expect(try untypedstream([String].self, data) == (Array(0..<count) + references).map { "\($0)" })
    let last = count + 3 - 1 - 110
    let form: [UInt8] =
      last < 128
      ? [UInt8(last)]
      : last < 32768
        ? [0x81, UInt8(last & 255), UInt8(last >> 8)]
        : [0x82, UInt8(last & 255), UInt8(last >> 8 & 255), UInt8(last >> 16), 0]
    #expect(data.range(of: Data([0x92] + form)) != nil)
  }

  @Test func `big-endian numbers`() throws {
    let value = ArchivedValue.array([
      .integer(300), .integer(-70_000), .integer(1_099_511_627_776), .real(0.1), .float(0.1),
      .string(String(repeating: "é", count: 400)),
    ])
    let stream = try Typedstream(typedstream(of: value))
    let big = stream.data(byteOrder: .bigEndian)
    #expect(big != stream.data() && big.starts(with: [4, 11] + Array("typedstream".utf8)))
    #expect(try untypedstream(ArchivedValue.self, big) == value)
  }

  @Test func `runs around surrogate pairs`() throws {
    let text = "👍🏽 ok 😀!"
    let bold = Archived.AttributedString.Attributes(uniqueKeysWithValues: [("b", ArchivedValue.boolean(true))])
    let runs: [Archived.AttributedString.Run] = [
      .init(length: 4, attributes: bold), .init(length: 4), .init(length: 2, attributes: bold), .init(length: 1),
    ]
    let string = try Archived.AttributedString(text, runs: runs)
    let decoded = try untypedstream(Archived.AttributedString.self, typedstream(of: .object(string)))
    #expect(decoded.text == text && decoded.runs == runs)
    var offset = 0
    let parts = decoded.runs.map { run in
      defer { offset += run.length }
      let units = Array(decoded.text.utf16)[offset..<offset + run.length]
      return String(decoding: units, as: UTF16.self)
    }
    #expect(parts == ["👍🏽", " ok ", "😀", "!"])
  }

  @Test func `reals of 4 and 8 bytes, and what comes after them`() throws {
    let stream = Piece.stream(
      Piece.new("fdfi"), [0x83, 0x00, 0x00, 0x20, 0x41], [0x83, 0, 0, 0, 0, 0, 0, 0x24, 0x40],
      [0x83, 0xCD, 0xCC, 0xCC, 0x3D], [7])
    let unarchiver = try TypedstreamUnarchiver(forReadingFrom: Data(stream))
    #expect(try unarchiver.decode(Float.self) == 10)
    #expect(try unarchiver.decode(Double.self) == 10)
    #expect(try unarchiver.decode(Float.self) == 0.1)
    #expect(try unarchiver.decode(Int.self) == 7)
  }

  @Test func `structures, and what comes after them`() throws {
    let stream = Piece.stream(Piece.new("{_NSRect={_NSPoint=ff}{_NSSize=ff}}i"), [1, 2, 3, 0x83, 0, 0, 0, 0x3F, 7])
    let unarchiver = try TypedstreamUnarchiver(forReadingFrom: Data(stream))
    #expect(try unarchiver.decode(Archived.Rect.self) == .init(x: 1, y: 2, width: 3, height: 0.5))
    #expect(try unarchiver.decode(Int.self) == 7)
  }

  @Test(arguments: [82, 930] as [Int32])
  func `streams of NeXTSTEP, whose system version is not 1000`(_ version: Int32) throws {
    let data = try typedstream(systemVersion: version) { try $0.group(.string("text")) }
    #expect(try Typedstream(data).systemVersion == Int(version))
    #expect(try untypedstream(String.self, data) == "text")
  }

  @Test(arguments: [0, 127, 128, 129, 255, 256, 32_767, 32_768, 65_536, 100_000])
  func `strings of any length, with any bytes`(_ length: Int) throws {
    // The markers of the format, which some readers search for.
    let text = String(
      ("NSString\u{84}\u{86}\u{1}+\u{92}iI" + String(repeating: "x", count: length)).unicodeScalars.suffix(length).map {
        Character($0)
      })
    let string = Archived.AttributedString(text, attributes: ["NSString": .string("iI\u{1}\u{86}")])
    let data = try typedstream(of: .object(string))
    #expect(try untypedstream(Archived.AttributedString.self, data).text == text)
    let decoded = try untypedstream(Archived.AttributedString.self, data)
    #expect(length == 0 || decoded == string)
  }

  @Test func `versions and ancestors of classes`() throws {
    let stream = try Typedstream(bytes: Piece.attributedString)
    let text = try #require(stream.object(withID: 3))
    #expect(text.class.chain.map { "\($0.name) \($0.version)" } == ["NSString 1", "NSObject 0"])
  }
}
