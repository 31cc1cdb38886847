import Foundation
import PropertyLists
import TestSupport
import Testing

/// Stores of Apple's frameworks, in the folder `samples/core-data` next to the folder given by `PLIST_CORPUS`.
@Suite("storeutil and a reader in Python", .enabled(if: !Samples.stores.isEmpty)) struct SampleStoreTests {
  @Test(arguments: Samples.stores)
  func `storeutil and the reader find the same objects and values`(_ store: Samples.Store) throws {
    let expected = store.expected
    var count = 0
    for (entity, number) in expected["counts"]?.dictionary ?? [:] {
      if number == 0, !LongForm.isWanted { continue }
      let found = try Tool.json("fetch", store.path, entity, "--exclude-subentities")
      for object in found.array ?? [] {
        let name = try #require(object["@id"]?.string?.split(separator: "/").suffix(2).joined(separator: "/"))
        let other = try #require(expected["objects"]?[name], "\(name)")
        for (key, value) in other["attributes"]?.dictionary ?? [:] {
          #expect(
            Samples.text(object[key] ?? .null) == value.string || Samples.isSame(object[key], value.string),
            "\(name) \(key)")
        }
        for (key, value) in other["relationships"]?.dictionary ?? [:] {
          #expect(Samples.names(object[key]) == Samples.names(value), "\(name) \(key)")
        }
        count += 1
      }
    }
    #expect(count == expected["objects"]?.dictionary?.count)
  }
}

enum Samples {
  struct Store: CustomTestStringConvertible {
    let path: String
    /// The result of the reader.
    let expected: PropertyList
    var testDescription: String { URL(filePath: path).lastPathComponent }
  }

  private static let reader = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "SQLiteStoreTests/reader.py").path

  /// The stores that contain their model, which the reader needs.
  static let stores: [Store] = Fixtures.samples("core-data").map(\.path).filter { $0.hasSuffix(".sqlite") }
    .compactMap { path in (try? read(path)).map { Store(path: path, expected: $0) } }

  private static func read(_ path: String) throws -> PropertyList {
    let result = try Program.runPython([reader, path, "--immutable"])
    return try PropertyList(result.output, format: .json)
  }

  /// A value in the reader's form; nil for null.
  static func text(_ value: PropertyList) -> String? {
    switch value {
    case .null: nil
    case .boolean(let value): value ? "1" : "0"
    case .integer(let value): value.description
    case .real(let value): hex(value.bitPattern, digits: 16)
    case .date(let value): hex(value.timeIntervalSinceReferenceDate.bitPattern, digits: 16)
    case .data(let value): value.map { hex($0, digits: 2) }.joined()
    case .string(let value): value
    default: "?"
    }
  }

  /// Returns true if a number is equal to the reader's float or double.
  static func isSame(_ value: PropertyList?, _ text: String?) -> Bool {
    guard let text else { return value == nil || value == .null }
    let number: Double? =
      switch value {
      case .real(let value): value
      case .integer(let value): Double(value.description)
      default: nil
      }
    guard let number else { return false }
    return hex(number.bitPattern, digits: 16) == text || hex(Float(number).bitPattern, digits: 8) == text
  }

  /// The objects of a relationship by their short IDs, in order.
  static func names(_ value: PropertyList?) -> [String] {
    switch value {
    case .string(let text)?: [text.split(separator: "/").suffix(2).joined(separator: "/")]
    case .array(let elements)?: elements.flatMap { names($0) }.sorted()
    default: []
    }
  }

  private static func hex<Number: BinaryInteger>(_ number: Number, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: digits - text.count) + text
  }
}
