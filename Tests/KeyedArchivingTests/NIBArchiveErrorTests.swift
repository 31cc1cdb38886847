import ArchiveViews
import Foundation
import KeyedArchiving
import Nibs
import PropertyLists
import TestSupport
import Testing

@Suite("Damaged and hostile compiled nibs") struct NIBArchiveErrorTests {
  struct Damage: Sendable, CustomTestStringConvertible {
    let name: String
    let kind: NIBArchiveError.Kind
    let byteOffset: Int?
    let message: String
    let bend: @Sendable (inout [UInt8]) -> Void
    var testDescription: String { name }
  }

  static let damages: [Damage] = [
    .init(name: "other bytes", kind: .notANIBArchive, byteOffset: 0, message: "do not begin") { $0[9] = 0x45 },
    .init(name: "no bytes", kind: .notANIBArchive, byteOffset: 0, message: "do not begin") { $0 = [] },
    .init(
      name: "a truncated header", kind: .truncated, byteOffset: 49,
      message: "the header has 50 bytes, but the file has only 49"
    ) {
      $0.removeLast($0.count - 49)
    },
    .init(name: "another version", kind: .unsupportedVersion, byteOffset: 10, message: "format version 2") {
      $0[10] = 2
    },
    .init(name: "a table in the header", kind: .malformed, byteOffset: 30, message: "table of keys begins at byte 49") {
      $0[30] = 49
    },
    .init(name: "a table after the end", kind: .truncated, byteOffset: 46, message: "class names begins at byte 109") {
      $0[46] = 109
    },
    .init(
      name: "a billion objects", kind: .truncated, byteOffset: 18,
      message: "objects do not fit in the remaining 58 bytes"
    ) {
      $0[21] = 0x7F
    },
    .init(name: "a billion values", kind: .truncated, byteOffset: 34, message: "do not fit in the remaining") {
      $0[37] = 0x7F
    },
    .init(name: "a number of six bytes", kind: .malformed, byteOffset: 50, message: "does not fit in 32 bits") {
      $0.replaceSubrange(50..<56, with: [0, 0, 0, 0, 0, 0x80])
    },
    .init(name: "a number of 33 bits", kind: .malformed, byteOffset: 50, message: "does not fit in 32 bits") {
      $0.replaceSubrange(50..<55, with: [0, 0, 0, 0, 0x90])
    },
    .init(name: "an unknown type", kind: .malformed, byteOffset: 71, message: "the unknown type 11") { $0[71] = 11 },
    .init(name: "a key that is not UTF-8", kind: .malformed, byteOffset: 57, message: "a key is not valid UTF-8") {
      $0[57] = 0xFF
    },
    .init(name: "long data", kind: .truncated, byteOffset: 79, message: "inside data: expected 127 bytes, found 29") {
      $0[78] = 0xFF
    },
    .init(name: "a name without an end", kind: .malformed, byteOffset: 84, message: "does not end with a zero") {
      $0[92] = 0x41
    },
    .init(name: "an empty name", kind: .malformed, byteOffset: 84, message: "does not end with a zero") {
      $0[82] = 0x80
    },
    .init(
      name: "a million fallbacks", kind: .truncated, byteOffset: 95, message: "fallbacks of a class: expected 508 bytes"
    ) {
      $0[94] = 0xFF
    },
  ]

  @Test(arguments: damages) func `each kind of damage is an error with its position`(_ damage: Damage) throws {
    var bytes = NIBArchiveTests.ada
    damage.bend(&bytes)
    let error = try #require(throws: NIBArchiveError.self) { try NIBArchive(Data(bytes)) }
    #expect(error.kind == damage.kind && error.byteOffset == damage.byteOffset)
    #expect(error.message.contains(damage.message), "\(error.message)")
    #expect(error.description.hasPrefix("byte \(damage.byteOffset ?? -1): "))
  }

  @Test func `a truncated file is an error`() throws {
    let data = try NIBArchive.label().data()
    for count in 0..<data.count {
      let error = #expect(throws: NIBArchiveError.self) { try NIBArchive(data.prefix(count)) }
      #expect((error?.byteOffset ?? .max) <= count, "\(count)")
    }
  }

  @Test func `a file with a changed byte is an error, or can be viewed`() throws {
    let data = try NIBArchive.label().data()
    // The header has 50 bytes.
    for offset in data.indices where LongForm.isWanted || offset < 50 || offset.isMultiple(of: 11) {
      let values: [UInt8] = [data[offset] ^ 1, data[offset] ^ 0x80, 0xFF, 0, 1, 0x7F, 0x80]
      for value in values.prefix(LongForm.size(7, or: 1)) {
        var damaged = data
        damaged[offset] = value
        do {
          let nib = try NIBArchive(damaged)
          try nib.look()
          let written = try nib.data()
          #expect(try NIBArchive(written) == nib)
        } catch let error as NIBArchiveError {
          #expect(error.byteOffset != nil, "\(offset) \(value)")
        }
      }
    }
  }

  @Test(arguments: [1, 2] as [UInt64]) func `headers with any numbers take no memory and no time`(_ seed: UInt64) throws
  {
    var random = SeededGenerator(seed: seed)
    let data = try NIBArchive.label().data()
    let numbers: [UInt32] = [0, 1, 49, 50, 51, UInt32(data.count), UInt32(data.count) + 1, 1 << 31, .max]
    for _ in 0..<LongForm.size(100_000, or: 200) {
      var bytes = Array(data)
      for field in 0..<8 where Bool.random(using: &random) {
        let number = numbers.randomElement(using: &random)!
        for byte in 0..<4 { bytes[18 + 4 * field + byte] = UInt8(truncatingIfNeeded: number >> UInt32(8 * byte)) }
      }
      let time = ThreadClock.measure { if let nib = try? NIBArchive(Data(bytes)) { try? nib.look() } }
      #expect(time < ThreadClock.referenceSecond / 2)
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `damaged archives of all kinds never trap`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<LongForm.size(20_000, or: 8) {
      var bytes = Array(try NIBArchive.random(using: &random).data())
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: .min ... .max, using: &random)
      }
      let time = ThreadClock.measure { if let nib = try? NIBArchive(Data(bytes)) { try? nib.look() } }
      #expect(time < ThreadClock.referenceSecond / 2, "\(Data(bytes).base64EncodedString())")
    }
  }

  /// Objects that all share all values.
  private func overlapping(objects: Int, values: Int, _ value: NIBArchive.Value) throws -> NIBArchive {
    try NIBArchive(
      objects: Array(repeating: (classIndex: 0, values: 0..<values), count: objects), keys: ["a"],
      values: Array(repeating: (keyIndex: 0, value: value), count: values), classNames: [.init("NSObject")])
  }

  @Test func `objects that share values take work in proportion to their bytes`() throws {
    let count = LongForm.size(10_000, or: 3_000)
    for nib in [
      try overlapping(objects: count, values: count, .null), try overlapping(objects: 3, values: 1, .null),
      try overlapping(objects: count / 2, values: 1, .data(Data(count: 50_000))),
    ] {
      var nib = nib
      let time = try ThreadClock.measure {
        nib = try NIBArchive(nib.data())
        let findings = nib.check()
        if nib.objects.count > 3 {
          #expect(findings.contains { $0.kind == .limitExceeded })
          let error = #expect(throws: NIBArchiveError.self) { try nib.keyedArchive() }
          #expect(error?.kind == .limitExceeded)
        } else {
          #expect(!findings.contains { $0.kind == .limitExceeded })
          _ = try nib.keyedArchive().tree()
        }
      }
      #expect(time < ThreadClock.referenceSecond * 10)
    }
  }

  @Test func `endless findings are limited`() throws {
    let nib = try NIBArchive(
      objects: [(classIndex: 0, values: 0..<0)],
      keys: Array(repeating: "", count: LongForm.size(100_000, or: 25_000)), values: [],
      classNames: [.init("NSObject")])
    let findings = try NIBArchive(nib.data()).check()
    #expect(findings.count < 20_000 && findings.last?.kind == .limitExceeded)
  }
}
