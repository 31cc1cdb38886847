import Foundation
import KeyedArchiving
import PropertyLists
import TestSupport
import Testing

/// A type with properties of Foundation types that the library does not import.
private struct Selection: Codable, KeyedArchiving.SecureCoding, Equatable {
  static let archivedClass = ArchivedClass("Selection")

  var rows: IndexSet
  var name: PersonNameComponents
  var span: NSRange
  var lines: Range<Int>

  static var example: Selection {
    var name = PersonNameComponents()
    name.givenName = "Ada"
    return Selection(rows: [1, 2, 3], name: name, span: NSRange(location: 7, length: 2), lines: 7..<9)
  }
}

@Suite("Index sets, notification names and ranges") struct FoundationTypesTests {
  private func classNames(_ data: Data) throws -> Set<String> {
    Set(try KeyedArchive(data).classes.map(\.description.name))
  }

  @Test func `in a Codable type, they are archived as Apple's classes`() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Selection.example)
    #expect(try classNames(data) == ["Selection", "NSIndexSet", "NSPersonNameComponents", "NSValue"])
    #expect(try unarchive(Selection.self, data) == .example)
  }

  @Test func `they are decoded from Apple's layout`() throws {
    #expect(try unarchive(Selection.self, Fixtures.data("archives/foundation-values.bplist")) == .example)
  }

  @Test func `they can be in collections, or nil`() throws {
    struct Many: Codable, KeyedArchiving.SecureCoding, Equatable {
      var sets: [IndexSet]
      var named: [String: NSRange]
      var nothing: IndexSet?
      var some: PersonNameComponents?
      var ranges: Set<Range<Int>>
    }
    let many = Many(
      sets: [[], [1], [1, 5, 9], IndexSet(integersIn: 0..<1_000_000_000)],
      named: ["a": NSRange(location: 0, length: 0)],
      nothing: nil, some: PersonNameComponents(), ranges: [1..<2, 3..<3])
    let data = try KeyedArchiver.archivedData(withRootObject: many)
    #expect(try unarchive(Many.self, data) == many)
    #expect(try classNames(data).isSuperset(of: ["NSIndexSet", "NSPersonNameComponents", "NSValue"]))
    #expect(data.count < 3000)
  }

  @Test func `they can be encoded wherever any Codable value can`() throws {
    let archiver = KeyedArchiver()
    try archiver.encodeEncodable([2, 3] as IndexSet, forKey: "rows")
    let data = try archiver.encodedData()
    #expect(try classNames(data) == ["NSIndexSet"])
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    #expect(try unarchiver.decodeDecodable(IndexSet.self, forKey: "rows") == [2, 3])
    #expect(try unarchiver.decode(Archived.IndexSet.self, forKey: "rows") == Archived.IndexSet([2, 3]))
  }

  @Test func `a value of another class, or an invalid one, is an error with its path`() throws {
    var archive = HandmadeArchive()
    let rows = archive.addObject("NSSet", ["NS.objects": []])
    let selection = archive.addObject("Selection", ["rows": rows])
    let wrong = archiveError { _ = try archive.decode(Selection.self, root: selection) }
    #expect(wrong?.kind == .classNotAllowed && wrong?.path?.description == "root.rows")
    let empty = archive.addObject("Selection", ["rows": .reference(0)])
    #expect(archiveError { _ = try archive.decode(Selection.self, root: empty) }?.kind == .valueNotFound)
    let damaged = archive.addObject("NSIndexSet", ["NSRangeCount": 1, "NSLocation": -1, "NSLength": 1])
    let broken = archive.addObject("Selection", ["rows": damaged])
    let error = archiveError { _ = try archive.decode(Selection.self, root: broken) }
    #expect(error?.kind == .numberOutOfRange && error?.path?.description == "root.rows.NSLocation")
    let range = Selection(rows: [], name: PersonNameComponents(), span: NSRange(location: -1, length: 0), lines: 0..<0)
    #expect(archiveError { _ = try KeyedArchiver.archivedData(withRootObject: range) }?.kind == .invalidValue)
  }
}

/// Ranges of the standard library.
extension FoundationTypesTests {
  @Test(arguments: [0..<0, 3..<9, 0..<Int.max])
  func `a range of integers is archived as an NSRange in an NSValue`(_ range: Range<Int>) throws {
    let data = try KeyedArchiver.archivedData(withRootObject: range)
    #expect(try classNames(data) == ["NSValue"])
    #expect(try unarchive(Range<Int>.self, data) == range)
    #expect(try unarchive(Archived.Range.self, data).range == range)
  }

  @Test(arguments: [-5..<3, Int.min..<Int.max])
  func `a range that does not fit an NSRange is an array of its bounds`(_ range: Range<Int>) throws {
    let data = try KeyedArchiver.archivedData(withRootObject: range)
    #expect(try classNames(data) == ["NSArray"])
    #expect(try unarchive(Range<Int>.self, data) == range)
  }

  @Test(arguments: [0...0, 2...5, -3...3, 0...Int.max]) func `the same is true for a closed range`(
    _ range: ClosedRange<Int>
  ) throws {
    let data = try KeyedArchiver.archivedData(withRootObject: range)
    #expect(try classNames(data) == [range.lowerBound < 0 || range.upperBound == .max ? "NSArray" : "NSValue"])
    #expect(try unarchive(ClosedRange<Int>.self, data) == range)
  }

  @Test func `contents that are not a range are errors`() throws {
    let empty = try KeyedArchiver.archivedData(withRootObject: 3..<3)
    #expect(error(decoding: ClosedRange<Int>.self, empty)?.kind == .invalidContents)
    for bounds in [[], [1], [2, 1], [1, 2, 3]] {
      let data = try KeyedArchiver.archivedData(withRootObject: bounds)
      #expect(error(decoding: Range<Int>.self, data)?.kind == .invalidContents)
      #expect(error(decoding: ClosedRange<Int>.self, data)?.kind == .invalidContents)
    }
    let point = try KeyedArchiver.archivedData(withRootObject: Archived.Point(x: 1, y: 2))
    #expect(error(decoding: Range<Int>.self, point)?.kind == .typeMismatch)
    #expect(try unarchive(Range<Int>?.self, KeyedArchiver.archivedData(withRootObject: nil as Range<Int>?)) == nil)
  }
}
