import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

/// Archives of macOS 10.14, in the folder `macos-10.14` of the folder given by `PLIST_CORPUS`:
/// `PLIST_CORPUS=../shared/corpus swift test`. Each has a type and a value that are declared here.
@Suite("An archive that macOS 10.14 wrote", .enabled(if: !MacArchive.files.isEmpty)) struct MacArchiveTests {
  @Test(arguments: MacArchive.files) func `the archive is decoded to the archived value`(_ file: URL) throws {
    let archive = try #require(MacArchive.all[file.name], "no type is declared for \(file.name)")
    try archive.decode(Data(contentsOf: file))
  }

  @Test(arguments: MacArchive.files.filter { $0.name != "NSAttributedString" })
  func `archiving again gives the same objects, order, UIDs, keys and classes`(_ file: URL) throws {
    let archive = try #require(MacArchive.all[file.name], "no type is declared for \(file.name)")
    let original = try PropertyList(contentsOf: file)
    let data = try archive.archiveAgain(Data(contentsOf: file))
    // Apple's order of keys differs between XML and binary archives, and so does the archiver's.
    #expect(try PropertyList(data).dictionary == original.dictionary)
  }

  @Test(arguments: MacArchive.files.filter { $0.name != "NSAttributedString" })
  func `archiving the declared value gives the same archive`(_ file: URL) throws {
    let archive = try #require(MacArchive.all[file.name], "no type is declared for \(file.name)")
    let data = try archive.archiveValue(PropertyListDocument(contentsOf: file).format)
    #expect(try PropertyList(data) == PropertyList(contentsOf: file))
  }

  @Test(arguments: MacArchive.files.filter { $0.pathExtension == "plist" })
  func `archiving as XML gives the same bytes`(_ file: URL) throws {
    let archive = try #require(MacArchive.all[file.name], "no type is declared for \(file.name)")
    let original = try Data(contentsOf: file)
    #expect(
      String(decoding: try archive.archiveAgain(original), as: UTF8.self) == String(decoding: original, as: UTF8.self))
  }

  /// Apple archives the equal attributes of two runs as two objects. This package archives equal values once.
  @Test(arguments: MacArchive.files.filter { $0.name == "NSAttributedString" })
  func `equal attributes of text in two objects become one when archived again`(_ file: URL) throws {
    let archive = try #require(MacArchive.all[file.name])
    let original = try #require(try PropertyList(contentsOf: file)["$objects"]?.array)
    let again = try #require(try PropertyList(archive.archiveAgain(Data(contentsOf: file)))["$objects"]?.array)

    #expect(original[11] == original[14], "two distinct dictionaries are equal")
    #expect(original[3]["NS.objects"] == [.uid(4), .uid(6), .uid(11), .uid(14)])
    #expect(again[3]["NS.objects"] == [.uid(4), .uid(6), .uid(11), .uid(11)], "the list of attributes is as long")

    // Everything else is the same. The UIDs after the missing object are one lower.
    var expected = original
    expected.remove(at: 14)
    expected = expected.map { $0.replacingUIDs { $0 == 14 ? 11 : $0 > 14 ? $0 - 1 : $0 } }
    #expect(again == expected)
  }
}

extension PropertyList {
  fileprivate func replacingUIDs(_ replacement: (UInt32) -> UInt32) -> PropertyList {
    switch self {
    case .uid(let uid): .uid(replacement(uid.value))
    case .array(let elements): .array(elements.map { $0.replacingUIDs(replacement) })
    case .dictionary(let entries): .dictionary(entries.mapValues { $0.replacingUIDs(replacement) })
    default: self
    }
  }
}

extension URL {
  var name: String { deletingPathExtension().lastPathComponent }
}

/// The contents of an archive.
struct MacArchive: Sendable {
  static let files = Fixtures.corpus.filter { $0.deletingLastPathComponent().lastPathComponent == "macos-10.14" }

  /// Decodes the archive, and expects the value.
  let decode: @Sendable (Data) throws -> Void
  /// Decodes the archive, and archives the result in the same format.
  let archiveAgain: @Sendable (Data) throws -> Data
  /// Archives the value.
  let archiveValue: @Sendable (PropertyListFormat) throws -> Data

  init<Value: SecureCoding & Equatable>(_ value: @autoclosure @escaping @Sendable () throws -> Value) {
    decode = { data in
      let expected = try value()
      #expect(try KeyedUnarchiver.unarchivedObject(of: Value.self, from: data) == expected)
    }
    archiveAgain = { data in
      try KeyedArchiver.archivedData(
        withRootObject: try KeyedUnarchiver.unarchivedObject(of: Value.self, from: data),
        outputFormat: PropertyListDocument(data).format)
    }
    archiveValue = { try KeyedArchiver.archivedData(withRootObject: value(), outputFormat: $0) }
  }

  static func attributedText() throws -> Archived.AttributedString {
    let helvetica: Archived.AttributedString.Attributes = ["Font": .string("Helvetica"), "Size": .integer(123)]
    let times: Archived.AttributedString.Attributes = ["Size": .integer(456), "Font": .string("Times")]
    return try Archived.AttributedString(
      "0123456789",
      runs: [
        .init(length: 1), .init(length: 1, attributes: helvetica), .init(length: 4, attributes: times),
        .init(length: 2, attributes: helvetica), .init(length: 1, attributes: times), .init(length: 1),
      ])
  }

  static let all: [String: MacArchive] = [
    "ByteCountFormatter-Default": MacArchive(Archived.ByteCountFormatter()),
    "ISO8601DateFormatter-OptionsSet": MacArchive(
      Archived.ISO8601DateFormatter(formatOptions: 1366, timeZone: .init(name: "GMT", data: greenwich))),
    "NSAttributedString": MacArchive(try attributedText()),
    "NSCountedSet-NumbersAppearingSeveralTimes": MacArchive(
      Archived.CountedSet<Int>(counts: [3: 5, 2: 5, 5: 5, 1: 5, 4: 5])),
    "NSIndexPath-ManyIndices": MacArchive(IndexPath(indexes: [4, 8, 15, 16, 23, 42])),
    "NSIndexSet-ManyRanges": MacArchive(
      Archived.IndexSet(ranges: [0..<50, 100..<150, 1000..<1050, Int.max - 50..<Int.max])),
    "NSKeyedUnarchiver-ArrayTest": MacArchive(["baa", "baa", "black", "sheep"]),
    "NSKeyedUnarchiver-ConcreteValueTest": MacArchive(
      Archived.CArray(.int, [.int(1), .int(2), .int(3)]).map { Archived.Value.array($0) }),
    "NSKeyedUnarchiver-RangeTest": MacArchive(Archived.Range(location: 97345, length: 98345)),
    "NSKeyedUnarchiver-URLTest": MacArchive(
      URL(string: "foo.xml", relativeTo: URL(string: "https://www.example.com"))),
    "NSKeyedUnarchiver-UUIDTest": MacArchive(UUID(uuidString: "0AD863BA-7584-40CF-8896-BD87B3280C34")),
    "NSMeasurement-Length": MacArchive(
      Archived.Measurement(
        value: 45,
        unit: .init(
          dimension: "NSUnitLength", symbol: "mi", converter: .linear(coefficient: 1609.34), specifier: 1287))),
    "NSMutableOrderedSet-Numbers": MacArchive(Archived.Mutable(OrderedSet([1, 2, 3, 4, 5]))),
    "NSMutableSet-Numbers": MacArchive(Archived.Mutable(Set([1, 2, 3, 4, 5]))),
    "NSOrderedSet-Empty": MacArchive(OrderedSet<Int>()),
    "NSSet-Numbers": MacArchive(Set([1, 2, 3, 4, 5])),
    "NSTextCheckingResult-SimpleRegex": MacArchive(
      Archived.TextCheckingResult(ranges: [.init(location: 0, length: 3)], regularExpression: .init(pattern: "aaa"))),
  ]

  /// The rules of a time zone that has always been Greenwich time: two headers, one type of time, and its name (RFC
  /// 8536).
  static let greenwich: Data = {
    let counts = Data([1, 1, 0, 0, 1, 4].flatMap { [0, 0, 0, $0] })
    let block = Data("TZif2".utf8) + Data(count: 15) + counts + Data(count: 6) + Data("GMT\0".utf8) + Data(count: 2)
    return block + block + Data("\nGMT0\n".utf8)
  }()
}
