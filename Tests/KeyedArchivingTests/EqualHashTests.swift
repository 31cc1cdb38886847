import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

/// A value with bytes, whose hash depends only on the hash of the bytes.
private struct Photo: Codable, Hashable {
  var data: Data
  var name = "photo"
}

private struct Album: Codable, SecureCoding {
  static let archivedClass = ArchivedClass("Album")
  var photos: Set<Photo> = []
  var names: [Photo: String] = [:]
}

/// A value whose hash is constant.
private struct Blank: Codable, Hashable, SecureCoding {
  static let archivedClass = ArchivedClass("Blank")
  var number: Int

  func hash(into hasher: inout Hasher) {}
}

/// Foundation hashes only 80 bytes of data, so an archive can contain many elements with the same hash. A set or a
/// dictionary compares each of them with all others.
@Suite("Elements with equal hashes") struct EqualHashTests {
  private static let header = Data(repeating: 0x5A, count: 80)

  private static func data(_ number: Int) -> Data {
    header + withUnsafeBytes(of: UInt32(number).bigEndian) { Data($0) }
  }

  /// An archive of a collection whose elements have the same hash.
  struct Flood: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let archive: @Sendable (_ count: Int) throws -> Data
    let decode: @Sendable (KeyedUnarchiver) throws -> Void
  }

  /// Objects as elements of a set, and as keys of a dictionary.
  private static func archive(
    _ count: Int, className: String, element: (inout HandmadeArchive, PropertyList) -> PropertyList
  ) throws -> Data {
    var archive = HandmadeArchive()
    let elements = (0..<count).map { element(&archive, archive.add(.data(data($0)))) }
    let value = archive.add("value")
    let root = archive.addObject(
      className,
      className == "NSDictionary"
        ? ["NS.keys": .array(elements), "NS.objects": .array(elements.map { _ in value })]
        : ["NS.objects": .array(elements)])
    return try archive.data(root: root)
  }

  private static func photo(_ archive: inout HandmadeArchive, _ data: PropertyList) -> PropertyList {
    archive.addObject(
      "NSDictionary",
      ["NS.keys": [archive.add("data"), archive.add("name")], "NS.objects": [data, archive.add("photo")]])
  }

  static let floods: [Flood] = [
    Flood(testDescription: "Set<Data>") {
      try archive($0, className: "NSSet") { $1 }
    } decode: {
      _ = try $0.decode(Set<Data>.self, forKey: "root")
    },
    Flood(testDescription: "[Data: String]") {
      try archive($0, className: "NSDictionary") { $1 }
    } decode: {
      _ = try $0.decode([Data: String].self, forKey: "root")
    },
    Flood(testDescription: "a set of any values") {
      try archive($0, className: "NSSet") { $0.addArray([$1]) }
    } decode: {
      _ = try $0.decode(ArchivedValue.self, forKey: "root")
    },
    Flood(testDescription: "Set<[Data]>") {
      try archive($0, className: "NSSet") { $0.addArray([$1]) }
    } decode: {
      _ = try $0.decode(Set<[Data]>.self, forKey: "root")
    },
    Flood(testDescription: "a set of a type with a poor hash") {
      var archive = HandmadeArchive()
      let blank = archive.addClass("Blank")
      let elements = (0..<$0).map { archive.add(["number": .integer(.init($0)), "$class": blank]) }
      let root = archive.addObject("NSSet", ["NS.objects": .array(elements)])
      return try archive.data(root: root)
    } decode: {
      _ = try $0.decode(Set<Blank>.self, forKey: "root")
    },
    Flood(testDescription: "a set of Codable values with data, in a property") {
      var archive = HandmadeArchive()
      let photos = (0..<$0).map { photo(&archive, archive.add(.data(data($0)))) }
      let root = archive.addObject("Album", ["photos": archive.addArray(photos), "names": archive.addArray([])])
      return try archive.data(root: root)
    } decode: {
      _ = try $0.decode(Album.self, forKey: "root")
    },
    Flood(testDescription: "a dictionary with such keys, in a property") {
      var archive = HandmadeArchive()
      let name = archive.add("name")
      let photos = (0..<$0).flatMap { [photo(&archive, archive.add(.data(data($0)))), name] }
      let root = archive.addObject("Album", ["photos": archive.addArray([]), "names": archive.addArray(photos)])
      return try archive.data(root: root)
    } decode: {
      _ = try $0.decode(Album.self, forKey: "root")
    },
    Flood(testDescription: "a set of Codable values at the top") {
      var archive = HandmadeArchive()
      let photos = (0..<$0).map { photo(&archive, archive.add(.data(data($0)))) }
      let root = archive.addArray(photos)
      return try archive.data(root: root)
    } decode: {
      _ = try $0.decodeDecodable(Set<Photo>.self, forKey: "root")
    },
    Flood(testDescription: "an ordered set of Codable values") {
      var archive = HandmadeArchive()
      let photos = (0..<$0).map { photo(&archive, archive.add(.data(data($0)))) }
      let root = archive.addArray(photos)
      return try archive.data(root: root)
    } decode: {
      _ = try $0.decodeDecodable(OrderedSet<Photo>.self, forKey: "root")
    },
  ]

  @Test(arguments: floods) func `a collection of such elements is refused before all are compared`(_ flood: Flood)
    throws
  {
    // The elements alone are below each limit, but not the comparisons of each pair.
    let (count, limits) =
      LongForm.isWanted
      ? (6000, ParsingLimits()) : (600, ParsingLimits(expandedSize: 1 << 15, expansionRatio: 1))
    let unarchiver = try KeyedUnarchiver(forReadingFrom: flood.archive(count), limits: limits)
    var error: KeyedArchiveError?
    let duration = ThreadClock.measure { error = archiveError { try flood.decode(unarchiver) } }
    #expect(error?.kind == .limitExceeded)
    // In the short form, the next element can also exceed the limit after the comparisons have nearly reached it.
    if LongForm.isWanted { #expect(error?.message.contains("hash") == true, "\(error?.description ?? "")") }
    #expect(error?.path?.components.isEmpty == false)
    #expect(duration < ThreadClock.referenceSecond * LongForm.size(60, or: 6), "which is long for a debug build")
  }

  @Test func `shared collections of such elements are refused before repeated comparisons`() throws {
    for times in [1, 100] {
      var archive = HandmadeArchive()
      let elements = (0..<250).map { archive.add(.data(Self.data($0))) }
      let set = archive.addObject("NSSet", ["NS.objects": .array(elements)])
      let root = archive.addArray(Array(repeating: set, count: times))
      let error = archiveError {
        let sets = try archive.decode([Set<Data>].self, root: root)
        #expect(sets.count == 1 && sets[0].count == 250)
      }
      #expect(error?.kind == (times == 1 ? nil : .limitExceeded))
    }
  }

  @Test(arguments: floods) func `a thousand such elements are accepted`(_ flood: Flood) throws {
    // The short form has half of the elements, which take a quarter of the comparisons, and about a quarter of the
    // default limits.
    let (part, limits) =
      LongForm.isWanted
      ? (1, ParsingLimits()) : (2, ParsingLimits(expandedSize: 140_000, expansionRatio: 72))
    let data = try flood.archive((flood.testDescription.contains("poor") ? 300 : 1000) / part)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data, limits: limits)
    #expect(throws: Never.self) { try flood.decode(unarchiver) }
  }

  @Test func `such elements are counted over all collections of an archive`() throws {
    var archive = HandmadeArchive()
    let datas = (0..<1000).map { archive.add(.data(Self.data($0))) }
    let sets = (0..<100).map { _ in archive.addObject("NSSet", ["NS.objects": .array(datas)]) }
    let root = archive.addArray(sets)
    #expect(archiveError { _ = try archive.decode([Set<Data>].self, root: root) }?.kind == .limitExceeded)
  }
}
