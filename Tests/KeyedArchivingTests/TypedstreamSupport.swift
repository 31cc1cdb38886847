import ArchiveViews
import Foundation
import KeyedArchiving
import TestSupport
import Testing
import Typedstreams

/// Pieces of hand-made streams.
enum Piece {
  /// The header of a stream, and the bytes after it.
  static func stream(_ parts: [UInt8]..., isBigEndian: Bool = false, version: UInt8 = 4) -> [UInt8] {
    let system: [UInt8] = isBigEndian ? [0x03, 0xE8] : [0xE8, 0x03]
    let head = [version] + text(isBigEndian ? "typedstream" : "streamtyped") + [0x81] + system
    return head + parts.joined()
  }

  /// A string with its length.
  static func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + text.utf8 }

  /// A new shared string.
  static func new(_ text: String) -> [UInt8] { [0x84] + self.text(text) }

  /// A reference to an entry of a table.
  static func reference(_ number: Int) -> [UInt8] { [UInt8(truncatingIfNeeded: number - 110)] }

  /// A new class that inherits from a new `NSObject`.
  static func newClass(_ name: String, version: UInt8 = 0) -> [UInt8] {
    [0x84] + new(name) + [version, 0x84] + new("NSObject") + [0, 0x85]
  }

  /// A stream of one new object with its groups. Its encoding, its class name and `NSObject` are strings 0 to 2; the
  /// object and its classes are objects 0 to 2.
  static func root(_ name: String, _ groups: [UInt8]..., isBigEndian: Bool = false) -> [UInt8] {
    stream(new("@"), [0x84], newClass(name), groups.flatMap(\.self), [0x86], isBigEndian: isBigEndian)
  }

  /// `NSAttributedString` without attributes, in the form of macOS (118 bytes).
  static let attributedString = stream(
    new("@"), [0x84], newClass("NSAttributedString"),
    [0x92, 0x84, 0x84], new("NSString"), [1, 0x94], new("+"), text("Hello, world"), [0x86],
    new("iI"), [1, 12],
    [0x92, 0x84, 0x84], new("NSDictionary"), [0, 0x94], new("i"), [0, 0x86],
    [0x86])
}

/// A value of a group: data for a byte array, and a byte array for the bytes of a string.
protocol GroupValue { func append(to builder: inout TypedstreamBuilder) throws }

extension GroupValue where Self: BinaryInteger {
  func append(to builder: inout TypedstreamBuilder) throws { try builder.append(self) }
}
extension Int: GroupValue {}
extension Int32: GroupValue {}
extension Int64: GroupValue {}
extension UInt64: GroupValue {}
extension Double: GroupValue {
  func append(to builder: inout TypedstreamBuilder) throws { try builder.append(self) }
}
extension Float: GroupValue {
  func append(to builder: inout TypedstreamBuilder) throws { try builder.append(self) }
}
extension String: GroupValue {
  func append(to builder: inout TypedstreamBuilder) throws { try builder.append(self) }
}
extension [UInt8]: GroupValue {
  func append(to builder: inout TypedstreamBuilder) throws { try builder.append(string: self) }
}
extension Data: GroupValue {
  func append(to builder: inout TypedstreamBuilder) throws { try builder.append(data: [UInt8](self)) }
}
extension ArchivedValue: GroupValue {
  func append(to builder: inout TypedstreamBuilder) throws { try builder.append(self) }
}
extension TypedstreamClass: GroupValue {
  func append(to builder: inout TypedstreamBuilder) throws { try builder.append(self) }
}
extension TypedstreamBuilder.Object: GroupValue {
  func append(to builder: inout TypedstreamBuilder) throws { try builder.append(self) }
}

extension TypedstreamBuilder {
  /// Appends a group with its values, or with the first ones; `nil` is a null.
  mutating func group(_ encoding: String, _ values: (any GroupValue)?...) throws { try group(encoding, values) }

  mutating func group(_ encoding: String, _ values: [(any GroupValue)?]) throws {
    try beginGroup(encoding)
    for value in values {
      if let value { try value.append(to: &self) } else { try appendNull() }
    }
  }

  /// Appends a group of one value as an object.
  mutating func group(_ value: ArchivedValue) throws { try group("@", value) }

  /// Appends a group of a new object with its own groups.
  @discardableResult
  mutating func object(_ type: TypedstreamClass, _ groups: (inout Self) throws -> Void) throws -> Object {
    try beginGroup("@")
    let object = try beginObject(type)
    try groups(&self)
    try endObject()
    return object
  }

  @discardableResult
  mutating func object(_ name: String, _ groups: (inout Self) throws -> Void) throws -> Object {
    try object(TypedstreamClass(name), groups)
  }
}

extension Typedstream {
  /// The groups as JSON on one line.
  var json: String { get throws { String(decoding: try jsonData(isIndented: false), as: UTF8.self) } }

  /// Only the groups as JSON, on one line.
  var groupsJSON: String {
    get throws {
      let text = try json
      let start = try #require(text.range(of: "\"groups\":")).upperBound
      let end = try #require(text.range(of: ",\"system\"", options: .backwards)).lowerBound
      return String(text[start..<end])
    }
  }
}

/// Streams of Apple's archiver, in the folder `samples/typedstream` next to the folder given by `PLIST_CORPUS`; empty
/// without it.
enum TypedstreamSamples {
  private static let folder: URL? = ProcessInfo.processInfo.environment["PLIST_CORPUS"].map {
    URL(filePath: $0, relativeTo: Fixtures.url("").deletingLastPathComponent()).deletingLastPathComponent()
      .appending(path: "samples/typedstream")
  }

  /// All files by name, and the results of another reader: an entry for each file of at most 5000 bytes.
  static let files: [String] = {
    guard let folder else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { !["README.md", "expected.json"].contains($0) }.sorted()
  }()

  nonisolated(unsafe) static let expected: [String: NSDictionary] = {
    guard let folder, let data = try? Data(contentsOf: folder.appending(path: "expected.json")),
      let entries = try? JSONSerialization.jsonObject(with: data) as? [String: NSDictionary]
    else { return [:] }
    return entries
  }()

  /// The files that can be read.
  static let sound = files.filter { expected[$0]?["error"] == nil }

  static func data(_ name: String) throws -> Data { try Data(contentsOf: #require(folder).appending(path: name)) }
}
