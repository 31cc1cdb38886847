import Foundation
import Synchronization
import TestSupport
import Testing

import struct PropertyLists.PropertyListDecoder

@testable import PropertyLists

@Suite("Decoding types that swallow errors") struct SwallowedErrorTests {
  /// Records the calls of types.
  final class Record: Sendable {
    struct Notes {
      var valueCount = 0
      var paths: [[any CodingKey]] = []
    }

    static let key = CodingUserInfoKey(rawValue: "record")
    let notes = Mutex(Notes())

    static func noteValue(_ decoder: any Decoder) {
      guard let key, let record = decoder.userInfo[key] as? Record else { return }
      record.notes.withLock { $0.valueCount += 1 }
    }

    static func note(_ error: any Error, _ decoder: any Decoder) {
      guard let key, let record = decoder.userInfo[key] as? Record,
        case DecodingError.typeMismatch(_, let context) = error
      else { return }
      record.notes.withLock { $0.paths.append(context.codingPath) }
    }

    var valueCount: Int { notes.withLock { $0.valueCount } }
    var paths: [[any CodingKey]] { notes.withLock { $0.paths } }
  }

  /// The usual type for any value: tries one kind after another.
  enum AnyValue: Decodable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int)
    case real(Double)
    case text(String)
    case array([AnyValue])
    case dictionary([String: AnyValue])

    init(from decoder: any Decoder) throws {
      Record.noteValue(decoder)
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let value = try? container.decode(Bool.self) {
        self = .boolean(value)
      } else if let value = try? container.decode(Int.self) {
        self = .integer(value)
      } else if let value = try? container.decode(Double.self) {
        self = .real(value)
      } else if let value = try? container.decode(String.self) {
        self = .text(value)
      } else if let value = try? container.decode([AnyValue].self) {
        self = .array(value)
      } else if let value = try? container.decode([String: AnyValue].self) {
        self = .dictionary(value)
      } else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "a value of no kind")
      }
    }
  }

  /// Decodes an array twice, and fails if that fails.
  struct Twice: Decodable {
    init(from decoder: any Decoder) throws {
      Record.noteValue(decoder)
      let container = try decoder.singleValueContainer()
      let first = try? container.decode([Twice].self)
      let second = try? container.decode([Twice].self)
      guard first != nil || second != nil else {
        _ = try container.decode(Bool.self)
        return
      }
    }
  }

  /// Skips elements that are not strings, as many programs do.
  struct Strings: Decodable {
    struct Anything: Decodable {}
    var values: [String] = []
    var skipped = 0

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      while !container.isAtEnd {
        if let value = try? container.decode(String.self) {
          values.append(value)
        } else {
          _ = try? container.decode(Anything.self)
          skipped += 1
        }
      }
    }
  }

  /// Records the error of the innermost value, which is not a Boolean.
  struct Probe: Decodable {
    init(from decoder: any Decoder) throws {
      if var container = try? decoder.unkeyedContainer() {
        _ = try container.decode(Probe.self)
        return
      }
      do { _ = try decoder.singleValueContainer().decode(Bool.self) } catch { Record.note(error, decoder) }
    }
  }

  static func decoder(_ record: Record, expandedSize: Int = 1 << 19, expansionRatio: Int = 128) -> PropertyListDecoder {
    var decoder = PropertyListDecoder()
    decoder.readingOptions.limits.expandedSize = expandedSize
    decoder.readingOptions.limits.expansionRatio = expansionRatio
    if let key = Record.key { decoder.userInfo[key] = record }
    return decoder
  }

  static func limitKind(_ body: () throws -> Void) -> PropertyListError.Kind? {
    PropertyListCodableHostileTests.context(body)?.underlying?.kind
  }

  static func nested(_ depth: Int, _ innermost: String) -> Data {
    Data((String(repeating: "[", count: depth) + innermost + String(repeating: "]", count: depth)).utf8)
  }

  @Test func `any value is decoded by trying types`() throws {
    let tree: PropertyList = ["a": [1, 1.5, "x", true], "b": ["c": []]]
    let expected = AnyValue.dictionary([
      "a": .array([.integer(1), .real(1.5), .text("x"), .boolean(true)]), "b": .dictionary(["c": .array([])]),
    ])
    #expect(try PropertyListDecoder().decode(AnyValue.self, from: tree) == expected)
    for format in [PropertyListFormat.binary, .xml, .json] {
      #expect(try PropertyListDecoder().decode(AnyValue.self, from: tree.data(format: format)) == expected)
    }
  }

  @Test func `values of shared references count, including swallowed errors`() throws {
    // Each level contains the next one twice.
    let levels = (0..<60 as Range<UInt8>).map { [0xA2, $0 + 1, $0 + 1] as [UInt8] }
    let data = PropertyListCodableHostileTests.file(levels + [[0x09]])
    let record = Record()
    let decoder = Self.decoder(record, expandedSize: 4096, expansionRatio: 1)
    #expect(Self.limitKind { _ = try decoder.decode(AnyValue.self, from: data) } == .limitExceeded)
    #expect(record.valueCount > 60 && record.valueCount < 4096 / 8)
  }

  @Test func `a type that decodes each value twice does not exceed the limit`() throws {
    let record = Record()
    let decoder = Self.decoder(record, expandedSize: 4096, expansionRatio: 1)
    #expect(Self.limitKind { _ = try decoder.decode(Twice.self, from: Self.nested(60, "1")) } == .limitExceeded)
    #expect(record.valueCount < 4096)
    let shallow = Self.nested(6, "true")
    #expect(throws: Never.self) { try decoder.decode(Twice.self, from: shallow) }
  }

  @Test func `the limit is proportional to the input, in any format`() throws {
    let tree = PropertyList.array((0..<500).map { ["number": .integer(.init($0)), "text": .string("text \($0)")] })
    struct Entry: Decodable, Equatable {
      var number: Int
      var text: String
    }
    let decoder = Self.decoder(Record(), expandedSize: 0, expansionRatio: 1)
    #expect(try decoder.decode([Entry].self, from: tree).count == 500)
    #expect(try decoder.decode([Int].self, from: .array(Array(repeating: 1, count: 5000))).count == 5000)
    for format in PropertyListFormat.allCases where format != .openStep {
      #expect(try decoder.decode([Entry].self, from: tree.data(format: format)).count == 500)
    }
  }

  @Test func `a swallowed limit error is thrown by the call`() throws {
    struct Lenient: Decodable {
      var value: [[Int]]?
      init(from decoder: any Decoder) throws { value = try? decoder.singleValueContainer().decode([[Int]].self) }
    }
    // An array of 14 references to an array of 14 references to a number.
    let data = PropertyListCodableHostileTests.file(
      [[0xAE] + [UInt8](repeating: 1, count: 14), [0xAE] + [UInt8](repeating: 2, count: 14), [0x10, 7]])
    let decoder = Self.decoder(Record(), expandedSize: 100, expansionRatio: 1)
    #expect(Self.limitKind { _ = try decoder.decode(Lenient.self, from: data) } == .limitExceeded)
    // Deeper than a document may be, with a type that continues with another type.
    var deep: PropertyList = [1]
    for _ in 0..<LongForm.size(600, or: 120) { deep = [deep] }
    let deepData = try deep.data(format: .binary, options: .init(depth: 2000))
    var shallow = PropertyListDecoder()
    shallow.readingOptions.limits.depth = LongForm.size(512, or: 100)
    #expect(Self.limitKind { _ = try shallow.decode(AnyValue.self, from: deepData) } == .nestedTooDeeply)
  }

  @Test func `loops that skip elements end at unreadable elements, and at the limit`() throws {
    // The third element begins with an invalid marker.
    let damaged = PropertyListCodableHostileTests.file([[0xA4, 1, 2, 3, 1], [0x51, 0x61], [0x09], [0x70]])
    let strings = try PropertyListDecoder().decode(Strings.self, from: damaged)
    #expect(strings.values == ["a", "a"])
    #expect(strings.skipped == 2)
    let decoder = Self.decoder(Record(), expandedSize: 1000, expansionRatio: 1)
    let many = try PropertyList.array(Array(repeating: 1, count: 5000)).data(
      format: .json, options: .init(isCompact: true))
    let limited = Self.decoder(Record(), expandedSize: 20, expansionRatio: 1)
    #expect(try decoder.decode([Int].self, from: many).count == 5000)
    #expect(Self.limitKind { _ = try limited.decode(Strings.self, from: many) } == .limitExceeded)
  }

  @Test(arguments: [1, 16, 17, 31, 32, 100, 400])
  func `an error that may be swallowed has a path of bounded length`(_ depth: Int) throws {
    let record = Record()
    _ = try Self.decoder(record).decode(Probe.self, from: Self.nested(depth, "1"))
    let path = try #require(record.paths.last)
    #expect(path.count <= 32)
    if depth <= 16 { #expect(path.count == depth) }
    #expect(path.suffix(16).allSatisfy { $0.intValue == 0 })
    let outer = try #require(path.first).stringValue
    let outerCount = outer.split(separator: ".").count
    #expect(outerCount + path.count - 1 == depth)
  }

  @Test(arguments: [1, 40, 400]) func `the error of a call has its complete path`(_ depth: Int) throws {
    indirect enum Nested: Decodable {
      case nested([Nested])
      case end(Bool)
      init(from decoder: any Decoder) throws {
        if var container = try? decoder.unkeyedContainer() {
          self = .nested([try container.decode(Nested.self)])
        } else {
          self = .end(try decoder.singleValueContainer().decode(Bool.self))
        }
      }
    }
    do {
      _ = try PropertyListDecoder().decode(Nested.self, from: Self.nested(depth, "1"))
      Issue.record("a number is not a Boolean")
    } catch DecodingError.typeMismatch(_, let context) {
      #expect(context.codingPath.map(\.intValue) == Array(repeating: 0, count: depth))
    }
  }
}
