import Foundation
import KeyedArchiving
import KeyedArchivingFoundation
import PropertyLists
import Testing

/// The types that the module `KeyedArchivingFoundation` makes archivable.
@Suite("Index sets, names and ranges of Foundation's own types") struct FoundationTypesInterchangeTests {
  private static var name: PersonNameComponents {
    var name = PersonNameComponents()
    name.givenName = "Ada"
    name.familyName = "Lovelace"
    return name
  }

  static let pairs: [Pair] = [
    Pair("no indices", NSIndexSet(), IndexSet()),
    Pair("indices", NSIndexSet(indexesIn: NSRange(location: 3, length: 4)), IndexSet(3..<7)),
    Pair("a range", NSValue(range: NSRange(location: 5, length: 6)), NSRange(location: 5, length: 6)),
    Pair("a range of Swift's", NSValue(range: NSRange(location: 5, length: 6)), 5..<11),
    Pair("a closed range", NSValue(range: NSRange(location: 5, length: 6)), 5...10),
    Pair("a name", name as NSPersonNameComponents, name),
  ]

  @Test(arguments: pairs)
  func `archived by Foundation are decoded here`(_ pair: Pair) throws { try pair.expectDecodedHere(.binary) }

  @Test(arguments: pairs)
  func `archived here are decoded by Foundation`(_ pair: Pair) throws { try pair.expectDecodedByFoundation(.binary) }

  @Test func `values can be under keys, in collections and in optionals`() throws {
    let archiver = KeyedArchiver()
    try archiver.encode([1, 2] as IndexSet, forKey: "rows")
    try archiver.encode([Self.name], forKey: "names")
    try archiver.encode(["a": NSRange(location: 1, length: 2)], forKey: "ranges")
    try archiver.encode(nil as IndexSet?, forKey: "nothing")
    let data = try archiver.encodedData()
    let classNames = try KeyedArchive(data).classes.map(\.description.name)
    #expect(Set(classNames) == ["NSIndexSet", "NSPersonNameComponents", "NSArray", "NSValue", "NSDictionary"])
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    #expect(try unarchiver.decode(IndexSet.self, forKey: "rows") == [1, 2])
    #expect(try unarchiver.decode([PersonNameComponents].self, forKey: "names") == [Self.name])
    #expect(try unarchiver.decode([String: NSRange].self, forKey: "ranges")["a"]?.length == 2)
    #expect(try unarchiver.decodeIfPresent(IndexSet.self, forKey: "nothing") == nil)
  }

  @Test func `an empty relative URL that Foundation archived is decoded`() throws {
    let base = try #require(URL(string: "http://example.com/a/b"))
    let data = try Foundations.archive(try #require(NSURL(string: "", relativeTo: base)))
    let url = try KeyedUnarchiver.unarchivedObject(of: URL.self, from: data)
    #expect(url.relativeString.isEmpty && url.baseURL == base)
  }
}
