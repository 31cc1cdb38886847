import ArchiveViews
import Foundation
import KeyedArchiving
import PropertyLists
import TestSupport
import Testing
import Typedstreams

@Suite("Damaged typedstreams") struct TypedstreamFindingTests {
  /// A finding: the stream after its first 16 bytes, the kind of error, and the offset of the error after them.
  struct Finding: CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    let kind: TypedstreamError.Kind
    let offset: Int

    init(_ name: String, _ bytes: [UInt8], _ kind: TypedstreamError.Kind = .malformed, at offset: Int) {
      testDescription = name
      self.bytes = bytes
      self.kind = kind
      self.offset = offset
    }
  }

  private static let object = Piece.new("@") + [0x84] + Piece.newClass("A")

  static let findings: [Finding] = [
    Finding("no encoding", [0x85], at: 0),
    Finding("no encoding, but the end of an object", [0x86], at: 0),
    Finding("a string that is longer than the rest", [0x84, 9, 0x69], at: 1),
    Finding("a string with a negative length", [0x84, 0xFF, 0x69], at: 1),
    Finding("a string of 2^31 - 1 bytes", [0x84, 0x82, 0xFF, 0xFF, 0xFF, 0x7F, 0x69], at: 1),
    Finding("a string of 2^63 - 1 bytes", [0x84, 0x87] + Array(repeating: 0xFF, count: 7) + [0x7F], at: 1),
    Finding("a reference to a string that does not exist yet", Piece.reference(0), at: 0),
    Finding("a reference far beyond the table", [0x82, 0xFF, 0xFF, 0xFF, 0x7F], at: 0),
    Finding("a reference before the first", [0x81, 0x00, 0x80], at: 0),
    Finding("a reference before all numbers", [0x87, 0, 0, 0, 0, 0, 0, 0, 0x80], at: 0),
    Finding("a real in place of an integer", Piece.new("i") + [0x83, 0, 0, 0, 0], at: 3),
    Finding("a reserved type byte", Piece.new("i") + [0x88], at: 3),
    Finding("another reserved type byte", Piece.new("i") + [0x80], at: 3),
    Finding("a truncated number", Piece.new("i") + [0x82, 0, 0, 0], at: 7),
    Finding("a truncated real", Piece.new("d") + [0x83, 0, 0, 0, 0, 0, 0, 0], at: 11),
    Finding("a number too wide for its type", Piece.new("s") + [0x82, 0x00, 0x80, 0, 0], at: 3),
    Finding("an unsigned number too wide for its type", Piece.new("S") + [0x82, 0x00, 0x00, 1, 0], at: 3),
    Finding(
      "a negative number too wide for its unsigned type", Piece.new("S") + [0x82, 0xFF, 0x7F, 0xFF, 0xFF], at: 3),
    Finding("an integer that a float cannot represent", Piece.new("f") + [0x82, 1, 0, 0, 1], at: 3),
    Finding("an integer that a double cannot represent", Piece.new("d") + [0x87, 1, 0, 0, 0, 0, 0, 0, 1], at: 3),
    Finding("an object without a class", Piece.new("@") + [0x84, 0x85], at: 4),
    Finding("an object that is its own class", Piece.new("@") + [0x84] + Piece.reference(0), at: 4),
    Finding("an object that does not end", object, at: object.count),
    Finding("a class without a name", Piece.new("#") + [0x84, 0x85], at: 4),
    Finding(
      "a class with a too large version", Piece.new("#") + [0x84] + Piece.new("A") + [0x87, 0, 0, 0, 0, 1, 0, 0, 0],
      at: 7),
    Finding(
      "a class that inherits from itself", Piece.new("#") + [0x84] + Piece.new("A") + [0] + Piece.reference(0), at: 8),
    Finding(
      "two classes that inherit from each other",
      Piece.new("#") + [0x84] + Piece.new("A") + [0, 0x84] + Piece.new("B") + [0] + Piece.reference(0), at: 13),
    Finding(
      "an object in place of a class", object + [0x86] + Piece.new("#") + Piece.reference(0), at: object.count + 4),
    Finding(
      "a class in place of a C string", object + [0x86] + Piece.new("*") + Piece.reference(1), at: object.count + 4),
    Finding(
      "a C string in place of an object",
      Piece.new("*") + [0x84] + Piece.new("x") + Piece.new("@") + Piece.reference(0),
      at: 10),
    Finding("a C string without a text", Piece.new("*") + [0x84, 0x85], at: 4),
    Finding(
      "a reference beyond the objects", object + Piece.reference(0) + Piece.reference(3) + [0x86], at: object.count + 1),
    Finding("data longer than the rest", Piece.new("[9c]") + [1, 2, 3], at: 6),
    Finding("an array of 2^31 - 1 objects", Piece.new("[2147483647@]"), at: 15),
    Finding("an array of 10^9 values that take no bytes", Piece.new("[1000000000!]"), at: 15),
    Finding("an array of 10^9 empty structures", Piece.new("[1000000000{}]"), at: 16),
    Finding("an array whose count exceeds 32 bits", Piece.new("[4294967296c]"), at: 3),
    Finding("an array of a number of elements without end", Piece.new("[99999999999999999999999999999999c]"), at: 3),
    Finding("an array without a count", Piece.new("[c]"), at: 3),
    Finding("an array of two types", Piece.new("[2cc]"), at: 6),
    Finding("an array of nothing", Piece.new("[2]"), at: 4),
    Finding("an array that does not end", Piece.new("[2c"), at: 5),
    Finding("a structure that does not end", Piece.new("{ff"), at: 5),
    Finding("a structure that ends as an array", Piece.new("{ff]"), at: 5),
    Finding("the end of a structure without one", Piece.new("i}"), at: 3),
    Finding("an unknown type", Piece.new("iz"), at: 3),
    Finding("a union", Piece.new("{?=i(?=if)}"), .unsupportedType, at: 6),
    Finding("a pointer", Piece.new("^i"), .unsupportedType, at: 2),
    Finding("a bit field", Piece.new("ib3"), .unsupportedType, at: 3),
    Finding("the type void", Piece.new("v"), .unsupportedType, at: 2),
  ]

  @Test(arguments: findings) func `damage is an error with its position`(_ finding: Finding) {
    let error = #expect(throws: TypedstreamError.self) { try Typedstream(bytes: Piece.stream(finding.bytes)) }
    #expect(error?.kind == finding.kind, "\(error?.description ?? "")")
    #expect(error?.byteOffset == 16 + finding.offset, "\(error?.description ?? "")")
    #expect(error?.message.isEmpty == false && error?.description.hasPrefix("byte \(16 + finding.offset): ") == true)
  }

  @Test func `a wrong header is refused`() {
    let heads: [([UInt8], TypedstreamError.Kind, String)] = [
      ([], .notATypedstream, "signature"), (Array("bplist00".utf8), .notATypedstream, "signature"),
      ([4] + Piece.text("streamtypes") + [0], .notATypedstream, "signature"),
      (Piece.stream(version: 3), .unsupportedVersion, "streamer version 3"),
      (Piece.stream(version: 5), .unsupportedVersion, "streamer version 5"),
      (Piece.stream(version: 0), .unsupportedVersion, "streamer version 0"),
    ]
    for (bytes, kind, word) in heads {
      let error = #expect(throws: TypedstreamError.self) { try Typedstream(bytes: bytes) }
      #expect(error?.kind == kind && error?.byteOffset == 0 && error?.message.contains(word) == true)
    }
    for version: [UInt8] in [[], [0xFF], [0x84], [0x87, 0, 0, 0, 0, 1, 0, 0, 0]] {
      let error = #expect(throws: TypedstreamError.self) {
        try Typedstream(bytes: [4] + Piece.text("streamtyped") + version)
      }
      #expect(error?.kind == .malformed && error?.byteOffset == 13)
    }
  }

  @Test func `a truncated stream is an error`() {
    let whole = Piece.attributedString
    for length in 0..<whole.count where length != 16 {
      let error = #expect(throws: TypedstreamError.self) { try Typedstream(bytes: Array(whole.prefix(length))) }
      #expect((error?.byteOffset ?? -1) <= length, "cut off after \(length)")
    }
  }

  @Test func `nesting does not exceed the limit`() throws {
    func nested(_ depth: Int) -> [UInt8] {
      var bytes = Piece.stream(Piece.new("@"), [0x84], Piece.newClass("A"))
      for _ in 1..<depth { bytes += Piece.reference(0) + [0x84] + Piece.reference(1) }
      return bytes + Array(repeating: 0x86, count: depth)
    }
    let deepest = try Typedstream(bytes: nested(512))
    #expect(deepest.objects.count == 512)
    #expect(try deepest.jsonData(isIndented: false).count > 512)
    #expect(throws: TypedstreamError.self) { try deepest.jsonData() }
    for bytes in [nested(513), nested(100_000)] {
      let error = #expect(throws: TypedstreamError.self) { try Typedstream(bytes: bytes) }
      #expect(error?.kind == .nestedTooDeeply && error?.byteOffset != nil)
    }
    #expect(try Typedstream(bytes: nested(2000), limits: ParsingLimits(depth: .max)).objects.count == 2000)
    #expect(throws: TypedstreamError.self) { try Typedstream(bytes: nested(9), limits: ParsingLimits(depth: 8)) }
  }

  @Test func `endless chains of superclasses and endless types are refused`() throws {
    func chain(_ length: Int) -> [UInt8] {
      var bytes = Piece.stream(Piece.new("#"))
      for number in 0..<length { bytes += [0x84] + (number == 0 ? Piece.new("A") : Piece.reference(1)) + [0] }
      return bytes
    }
    #expect(try Typedstream(bytes: chain(512) + [0x85]).classes.count == 512)
    var error = #expect(throws: TypedstreamError.self) { try Typedstream(bytes: chain(513) + [0x85]) }
    #expect(error?.kind == .nestedTooDeeply)
    // A chain that continues with an earlier class.
    let longer = chain(300) + [0x85] + Piece.reference(0)
    func lengthened(by count: Int) -> [UInt8] {
      var bytes = longer
      for _ in 0..<count { bytes += [0x84] + Piece.reference(1) + [0] }
      return bytes + Piece.reference(0)
    }
    #expect(try Typedstream(bytes: lengthened(by: 212)).classes.count == 512)
    error = #expect(throws: TypedstreamError.self) { try Typedstream(bytes: lengthened(by: 213)) }
    #expect(error?.kind == .nestedTooDeeply)

    for (open, close) in [("{", "}"), ("[1", "]")] {
      func type(_ depth: Int) -> [UInt8] {
        let text = String(repeating: open, count: depth) + "i" + String(repeating: close, count: depth)
        let length = UInt16(text.utf8.count)
        return Piece.stream([0x84, 0x81, UInt8(length & 0xFF), UInt8(length >> 8)], Array(text.utf8), [7])
      }
      #expect(try Typedstream(bytes: type(512)).groups.count == 1)
      error = #expect(throws: TypedstreamError.self) { try Typedstream(bytes: type(513)) }
      #expect(error?.kind == .nestedTooDeeply)
    }
  }

  @Test func `the number of values is limited by the size`() {
    // One long encoding that single bytes refer to repeatedly.
    let text = String(repeating: "!{}", count: 5000)
    let encoding: [UInt8] = [0x84, 0x81] + [UInt8(text.utf8.count & 0xFF), UInt8(text.utf8.count >> 8)] + text.utf8
    let bytes = Piece.stream(encoding, Array(repeating: 0x92, count: 100_000))
    let error = #expect(throws: TypedstreamError.self) { try Typedstream(bytes: bytes) }
    #expect(error?.kind == .limitExceeded)
    // A long structure name costs no more for each use than its values.
    let name = "{" + String(repeating: "x", count: 30_000) + "=c}"
    let named: [UInt8] = [0x84, 0x81] + [UInt8(name.utf8.count & 0xFF), UInt8(name.utf8.count >> 8)] + name.utf8
    let count = LongForm.size(200_000, or: 15_000)
    let values = Piece.stream(named, [1], Array(repeating: [0x92, 1], count: count).flatMap(\.self))
    let time = ThreadClock.measure { #expect(throws: Never.self) { try Typedstream(bytes: values) } }
    #expect(time < ThreadClock.referenceSecond * LongForm.size(20, or: 2))
    #expect(throws: TypedstreamError.self) { try Typedstream(bytes: values, limits: ParsingLimits(inputSize: 1000)) }
  }

  @Test func `the number of elements without bytes is limited`() throws {
    let bytes = Piece.stream(Piece.new("[4096!]"))
    let stream = try Typedstream(bytes: bytes)
    #expect([UInt8](stream.data()) == bytes)
    let more = Piece.stream(Piece.new("[4097!]"), Array(repeating: 0, count: 5000))
    #expect(throws: TypedstreamError.self) { try Typedstream(bytes: more) }
  }

  @Test func `JSON that would be many times larger is refused`() throws {
    let name = String(repeating: "N", count: 30_000)
    let text: [UInt8] = [0x84, 0x81] + [UInt8(name.utf8.count & 0xFF), UInt8(name.utf8.count >> 8)] + name.utf8
    let object: [UInt8] = [0x92, 0x84] + Piece.reference(1) + [0x86]
    let bytes = Piece.stream(
      Piece.new("@"), [0x84, 0x84], text, [0, 0x85, 0x86], Array(repeating: object, count: 10_000).flatMap(\.self))
    let stream = try Typedstream(bytes: bytes)
    let error = #expect(throws: TypedstreamError.self) { try stream.jsonData() }
    #expect(error?.kind == .limitExceeded)
  }

  @Test func `any bytes are read or refused`() throws {
    var generator = SeededGenerator(seed: 16)
    var read = 0
    let rounds = LongForm.size(200_000, or: 250)
    for round in 0..<rounds {
      var bytes = round.isMultiple(of: 2) ? Piece.attributedString : Self.mixture
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let offset = Int.random(in: 16..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[offset] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes[offset] = UInt8.random(in: 0x80...0x9F, using: &generator)
        case 2: bytes.remove(at: offset)
        default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: offset)
        }
      }
      guard let stream = try? Typedstream(bytes: bytes) else { continue }
      read += 1
      #expect(try stream == Typedstream(bytes: bytes))
      _ = try? stream.jsonData()
    }
    #expect(read > rounds / 100)
  }

  private static let mixture = Piece.stream(
    Piece.new("@"), [0x84], Piece.newClass("A"), Piece.new("iI*"), [1, 2, 0x84], Piece.new("text"),
    Piece.new("[4c]"), [1, 2, 3, 4], Piece.new("{?=ff}[2s]"), [1, 2, 3, 4], Piece.reference(0), Piece.reference(0),
    Piece.new("#:"), Piece.reference(1), Piece.reference(4), [0x86], Piece.new("d"), [0x83, 1, 2, 3, 4, 5, 6, 7, 8])
}
