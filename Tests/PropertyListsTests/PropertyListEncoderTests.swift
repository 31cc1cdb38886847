import Foundation
import TestSupport
import Testing

import struct PropertyLists.PropertyListDecoder
import struct PropertyLists.PropertyListEncoder

@testable import PropertyLists

@Suite("Encoding property lists") struct PropertyListEncoderTests {
  private func tree(_ value: some Encodable) throws -> PropertyList {
    try PropertyListEncoder().encodeToPropertyList(value)
  }

  /// Encodes with a closure.
  struct Handmade: Encodable {
    let body: (any Encoder) throws -> Void
    func encode(to encoder: any Encoder) throws { try body(encoder) }
  }

  struct Key: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init(stringLiteral value: String) { stringValue = value }
    init?(intValue: Int) { nil }
  }

  @Test func `dictionaries and sets are sorted, because Swift's order varies by process`() throws {
    let keys = (0..<50).map { "\($0 * 7919 % 50)" } + ["ä", "\u{FFFD}", "🙂", ""]
    let dictionary = Dictionary(uniqueKeysWithValues: keys.map { ($0, $0.count) })
    #expect(
      try tree(dictionary).dictionary.map { Array($0.keys) }
        == keys.sorted { $0.utf16.lexicographicallyPrecedes($1.utf16) })
    #expect(try tree(Set([3, -1, 200, 7])) == [-1, 3, 7, 200])
    #expect(try tree(Set([UInt64.max, 1])) == [1, .integer(.init(UInt64.max))])
    #expect(try tree(Set([2.5, 0.0, -7])) == [-7.0, 0.0, 2.5])
    #expect(try tree(Set(["b", "a", "aa"])) == ["a", "aa", "b"])
    #expect(try tree(Set([true, false])) == [false, true])
    #expect(try tree([0.5: "b", 0.25: "a"]) == [0.25, "a", 0.5, "b"])
    #expect(try tree(Set([[2, 1], [1, 3], [1, 2], []])) == [[], [1, 2], [1, 3], [2, 1]])
    #expect(try tree(Set([Set([2, 1]), [3, 0]])) == [[0, 3], [1, 2]])
    #expect(try tree(Set([["a": 2], ["a": 1]])) == [["a": 1], ["a": 2]])
    #expect(
      try tree([Data([2]), Data([1, 5])].reduce(into: Set()) { $0.insert($1) }).array?.first == .data(Data([1, 5])))
    let dates = Set([2.0, 1.0].map { Date(timeIntervalSinceReferenceDate: $0) })
    #expect(try tree(dates).array?.first == .date(Date(timeIntervalSinceReferenceDate: 1)))
  }

  @Test func `keys have the order of encoding`() throws {
    struct Pair: Encodable {
      var b = 1
      var a = 2
    }
    #expect(try tree(Pair()).dictionary.map { Array($0.keys) } == ["b", "a"])
    var encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    encoder.writingOptions.sortsKeys = true
    let text = String(decoding: try encoder.encode(Pair()), as: UTF8.self)
    let positions = try [#require(text.range(of: "<key>a")), #require(text.range(of: "<key>b"))].map(\.lowerBound)
    #expect(positions[0] < positions[1])
  }

  @Test func `dictionaries with different keys, or another key order, are distinguished`() throws {
    var random = SeededGenerator(seed: 3)
    for count in [3, 20, 70] {
      var expected: [PropertyList] = []
      let values = (0..<LongForm.size(400, or: 60)).map { index in
        let keys = (0..<count).filter { _ in Int.random(in: 0..<3, using: &random) > 0 }.map { "k\($0)" }
        let order = index % 3 == 0 ? keys.reversed() : keys
        expected.append(.dictionary(.init(uniqueKeysWithValues: order.map { ($0, .integer(.init(index))) })))
        return Handmade { encoder in
          var container = encoder.container(keyedBy: Key.self)
          for key in order { try container.encode(index, forKey: Key(stringValue: key)) }
        }
      }
      #expect(try tree(values) == .array(expected))
    }
  }

  @Test(arguments: [2, 100]) func `the last value of a key counts`(_ count: Int) throws {
    let values = (0..<3).map { round in
      Handmade { encoder in
        var container = encoder.container(keyedBy: Key.self)
        for index in 0..<count { try container.encode(index, forKey: Key(stringValue: "\(index)")) }
        if round > 0 { try container.encode("again", forKey: "1") }
      }
    }
    let encoded = try tree(values)
    #expect(encoded[0]?["1"] == 1)
    #expect(encoded[1]?["1"] == "again")
    #expect(encoded[2]?.dictionary?.count == count)
    #expect(encoded[2]?.dictionary.map { Array($0.keys.prefix(2)) } == ["0", "1"])
  }

  @Test func `each spelling of a key is kept`() throws {
    let spellings = ["\u{E9}", "e\u{301}", "K", "\u{212A}"]
    let values = (spellings + spellings.reversed()).map { [$0: 1] }
    let written = try tree(values).array?.compactMap { $0.dictionary?.keys.first.map { Array($0.utf8) } }
    #expect(written == values.compactMap { $0.keys.first.map { Array($0.utf8) } })
    #expect(throws: EncodingError.self) {
      try tree(
        Handmade { encoder in
          var container = encoder.container(keyedBy: Key.self)
          for spelling in spellings.prefix(2) { try container.encode(1, forKey: Key(stringValue: spelling)) }
        })
    }
  }

  @Test(
    arguments: [
      {
        _ = $0.container(keyedBy: Key.self)
        _ = $0.unkeyedContainer()
      },
      {
        _ = $0.unkeyedContainer()
        _ = $0.container(keyedBy: Key.self)
      },
      {
        var container = $0.singleValueContainer()
        try container.encode(1)
        try container.encode("a")
      },
      {
        var container = $0.singleValueContainer()
        try container.encodeNil()
        _ = $0.unkeyedContainer()
      },
      {
        _ = $0.unkeyedContainer()
        var container = $0.singleValueContainer()
        try container.encode(["a"])
      },
    ] as [@Sendable (any Encoder) throws -> Void])
  func `encoding two kinds of container is an error; Foundation traps`(
    _ body: @escaping @Sendable (any Encoder) throws -> Void
  ) {
    do {
      _ = try tree([["key": Handmade(body: body)]])
      Issue.record("no error")
    } catch EncodingError.invalidValue(_, let context) {
      #expect(context.codingPath.map(\.stringValue) == ["Index 0", "key"])
    } catch {
      Issue.record(error)
    }
  }

  @Test func `a second nested container for the same key is the same container`() throws {
    let value = Handmade { encoder in
      var container = encoder.container(keyedBy: Key.self)
      var first = container.nestedContainer(keyedBy: Key.self, forKey: "a")
      try first.encode(1, forKey: "b")
      try container.encode("other", forKey: "c")
      var second = container.nestedContainer(keyedBy: Key.self, forKey: "a")
      try second.encode(2, forKey: "d")
    }
    #expect(try tree(value) == ["a": ["b": 1, "d": 2], "c": "other"])
  }

  @Test func `an encoder that is used too late changes nothing`() throws {
    final class Keeper: @unchecked Sendable { var containers: [any UnkeyedEncodingContainer] = [] }
    let keeper = Keeper()
    let values = (0..<3).map { index in
      Handmade { encoder in
        var container = encoder.unkeyedContainer()
        try container.encode(index)
        for kept in keeper.containers.indices { try keeper.containers[kept].encode("late") }
        keeper.containers.append(container)
        keeper.containers.append(container.nestedUnkeyedContainer())
      }
    }
    let encoded = try tree(values)
    #expect(encoded == [[0, []], [1, []], [2, []]])
    for kept in keeper.containers.indices { try keeper.containers[kept].encode("later") }
    #expect(encoded == [[0, []], [1, []], [2, []]])
  }

  @Test func `nested containers can be as deep as the limit`() throws {
    func nested(_ depth: Int) -> Handmade {
      Handmade { encoder in
        var containers = [encoder.unkeyedContainer()]
        for _ in 1..<depth { containers.append(containers[containers.count - 1].nestedUnkeyedContainer()) }
      }
    }
    #expect(throws: Never.self) { try tree(nested(512)) }
    #expect(throws: EncodingError.self) { try tree(nested(513)) }
    #expect(throws: EncodingError.self) { try tree(nested(100_000)) }
    var encoder = PropertyListEncoder()
    encoder.writingOptions.depth = 600
    #expect(throws: Never.self) { try encoder.encodeToPropertyList(nested(600)) }
    #expect(throws: Never.self) { try encoder.encode(nested(600)) }
  }

  @Test func `a value that the format cannot hold is an error with its path`() throws {
    var encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    do {
      _ = try encoder.encode(["list": ["fine", "control \u{1}"]])
      Issue.record("no error")
    } catch EncodingError.invalidValue(_, let context) {
      #expect(context.codingPath.map(\.stringValue) == ["list", "Index 1"])
      #expect((context.underlyingError as? PropertyListError)?.kind == .notRepresentable)
    }
    #expect(throws: EncodingError.self) { try encoder.encode([["CF$UID": 1]]) }
    encoder.outputFormat = .binary
    #expect(throws: Never.self) { try encoder.encode([["CF$UID": 1], ["a": 1]]) }
    #expect(try tree(["CF$UID": 1]) == ["CF$UID": 1])
  }

  @Test func `containers for two keys that Swift considers equal stay separate`() throws {
    struct Spelled: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
    let data = try PropertyListEncoder().encode(
      Handmade { encoder in
        var container = encoder.container(keyedBy: Spelled.self)
        for (number, text) in ["\u{E9}", "e\u{301}"].enumerated() {
          var list = container.nestedUnkeyedContainer(forKey: Spelled(stringValue: text))
          try list.encode(number)
        }
      })
    let root = try PropertyListDocument(data).root
    #expect(root.count == 2)
  }

  @Test func `a type's own error is passed on, and a caught error is forgotten`() throws {
    struct Own: Error {}
    #expect(throws: Own.self) { try tree([Handmade { _ in throw Own() }]) }
    let value = Handmade { encoder in
      var container = encoder.unkeyedContainer()
      try? container.encode(Handmade { _ in throw Own() })
      try container.encode(container.count)
    }
    #expect(try tree(value) == [0])
  }
}
