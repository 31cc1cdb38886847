import Foundation
import ManagedObjects
import TestSupport
import Testing

@Suite("storeutil reads text in predicates") struct PredicateTests {
  private static let all = "TRUEPREDICATE"
  private static let none = "FALSEPREDICATE"

  /// Checks that each condition has the same result as another one, without strings to convert, for all objects.
  ///
  /// In the short form, two starts of the tool compare all conditions: no object may meet one condition of a pair
  /// without the other.
  private func check(
    _ conditions: KeyValuePairs<String, String>, _ store: String, _ entity: String, model: String? = nil,
    in library: Library
  ) throws {
    let call = ["count", store, entity] + (model.map { ["--model", $0] } ?? [])
    let total = try library.count(store, entity, model: model)
    if LongForm.isWanted {
      for (condition, other) in conditions {
        let count = try library.count(store, entity, other, model: model)
        #expect(try library.run(call + [condition]) == "\(count)\n", "\(condition)")
      }
    }
    let implied = conditions.map { "(NOT (\($1)) OR (\($0)))" }.joined(separator: " AND ")
    #expect(try library.run(call + [implied]) == "\(total)\n", "\(implied)")
    let wrong = conditions.map { "(NOT (\($1)) AND (\($0)))" }.joined(separator: " OR ")
    #expect(try library.run(call + [wrong]) == "0\n", "\(wrong)")
  }

  @Test func `a string that is compared with an object is an object ID`() throws {
    let library = try Library()
    let authors = try library.context(Library.store).fetchObjectIDs(FetchRequest("Author"))
    let author = try #require(authors.first?.uriRepresentation)
    let comic = "title == '=1+1'"
    try check(
      [
        "author == \"Author/p1\"": Self.all, "author == 'p1'": Self.all, "author = '1'": Self.all,
        "author == '\(author)'": Self.all, "'Author/p1' == author": Self.all, "author != 'p1'": Self.none,
        "author == 'Author/p9'": Self.none, "author == nil": Self.none, "author IN {'p1', 'Author/p9'}": Self.all,
        "author IN {'p8', 'Author/p9'}": Self.none, "SELF == 'Comic/p2'": comic, "SELF == 'p2'": comic,
        "SELF IN {'p1', 'p2'}": Self.all, "NOT SELF == 'p2'": "NOT \(comic)",
        "author.books CONTAINS 'p1'": Self.all,
        // A string that is compared with a string is a string.
        "title == 'p1' OR title == 'Author/p1'": Self.none, "author.name == 'p1'": Self.none,
      ], Library.store, "Book", in: library)
    try check(
      [
        "ANY books == 'Comic/p2'": Self.all, "'p2' IN books": Self.all, "ANY books.author == 'p1'": Self.all,
        "SUBQUERY(books, $b, $b == 'p2').@count == 1": Self.all,
        "SUBQUERY(books, $b, $b.author == 'p1' AND $b != 'p1').@count == 1": Self.all,
      ], Library.store, "Tag", in: library)
    try library.run("delete", Library.store, "--entity", "Book", "--where", "SELF == 'p2'")
    #expect(try library.count(Library.store, "Book") == 1)
  }

  @Test(arguments: ["sqlite", "xml", "binary"])
  func `a string that is compared with a UUID or a URL is converted`(_ type: String) throws {
    let library = try Library()
    try library.makePlaces("places", type: type)
    let (home, desk) = ("name == 'Home'", "name == 'Desk'")
    try check(
      [
        "identifier == '\(Library.home)'": home, "identifier == '\(Library.home.lowercased())'": home,
        "identifier != '\(Library.home)'": desk, "identifier IN {'\(Library.home)'}": home,
        "ANY places.within.identifier == '\(Library.home)'": home, "link == 'https://example.com/'": home,
        "link == 'https://example.org/'": Self.none, "within == 'p1'": desk, "within == 'Place/p1'": desk,
        "SELF == 'p2'": desk, "within.identifier == CAST('\(Library.home)', 'NSUUID')": desk,
      ], "places", "Place", model: "Places.xcdatamodel", in: library)
  }

  @Test func `a string that is compared with a date is converted`() throws {
    let library = try Library()
    try check(
      [
        "born > '1815-12-09'": Self.all, "born == '1815-12-10'": Self.all, "'1815-12-10T00:00:00Z' == born": Self.all,
        "born < \"1815-12-10T01:00:00+01:00\"": Self.none, "born BETWEEN {'1815-01-01', '1816-01-01'}": Self.all,
        "born IN {'1815-12-10', '1900-01-01'}": Self.all, "ANY books.author.born == '1815-12-10'": Self.all,
        "born > CAST('1815-12-09', 'NSDate')": Self.all,
      ], Library.store, "Author", in: library)
  }

  private static let failures = [
    (
      "Book", "author == 'Ada'",
      "column 11: \"Ada\" is not an object ID of the store; use an ID such as Author/p12"
    ),
    ("Book", "author IN {'p1', 'x'}", "\"x\" is not an object ID"),
    ("Book", "author == 'Tag/p1'", "an object of \"Tag\""),
    ("Author", "born > '1815-13-10'", "column 8: \"1815-13-10\" is not a date; write dates as 2027-01-31"),
    ("Book", "pages == 'p1'", "cannot compare"), ("Place", "identifier == 'x'", "column 15: \"x\" is not a UUID"),
  ]
  private static let similarFailure = (
    "Book", "author == 'x-coredata://OTHER/Author/p1'", "is not an object ID of the store"
  )

  @Test(arguments: failures + (LongForm.isWanted ? [similarFailure] : []))
  func `a string that cannot be converted is an error`(_ entity: String, _ predicate: String, _ text: String) throws {
    let library = try Library()
    try library.makePlaces("places")
    let store = entity == "Place" ? "places" : Library.store
    let failure = try library.failure(["count", store, entity, predicate])
    #expect(failure.status == 64 && failure.errors.contains(text), "\(failure.errors)")
  }
}
