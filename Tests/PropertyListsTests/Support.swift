import Foundation
import Testing

@testable import PropertyLists

/// The golden files. `Fixtures/README.md` says where each comes from.
enum Fixtures {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures")

  static func url(_ name: String) -> URL { folder.appending(path: name) }

  static func data(_ name: String) throws -> Data { try Data(contentsOf: url(name)) }

  static func names(in subfolder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: url(subfolder).path)) ?? []
    return names.sorted().map { "\(subfolder)/\($0)" }
  }
}

extension PropertyList {
  /// A tree by either lane of the XML reader; nil if the fast lane gives up.
  static func plainLane(_ data: Data, options: PropertyListReadingOptions = .init()) throws -> PropertyList? {
    guard let source = try? XMLEncoding.decode(data),
      let table = PlainXMLScanner.scan(source.text.bytes, options: options)
    else { return nil }
    return try tree(table, source.text)
  }

  static func libxml2Lane(
    _ data: Data, options: PropertyListReadingOptions = .init()
  ) throws(PropertyListError) -> PropertyList {
    let content = try XMLParser.parse(XMLEncoding.decode(data), options: options)
    return try tree(content.table, content.text)
  }

  private static func tree(_ table: NodeTable, _ text: Data) throws(PropertyListError) -> PropertyList {
    var builder = TableTreeBuilder(table)
    return try builder.value(table.nodes[table.root], in: text.bytes)
  }
}

/// The error that `body` throws, which the test needs.
func error(_ body: () throws(PropertyListError) -> Void) -> PropertyListError? {
  do throws(PropertyListError) {
    try body()
    return nil
  } catch {
    return error
  }
}

/// A document of XML around one value.
func xml(_ body: String) -> Data { Data("<plist version=\"1.0\">\(body)</plist>".utf8) }

/// A generator of values and of damage that gives the same in every run.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
