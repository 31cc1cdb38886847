import Foundation
import TestSupport
import Testing

@Suite("storeutil reads text in predicates") struct PredicateTests {
  @Test func `a string that is compared with an object is an object ID`() throws {
    let library = try Library()
    let names = try Tool.json("fetch", Library.store, "Book", "--sort", "pages:desc", in: library.url).array ?? []
    let author = try #require(names[0]["author"]?.string)
    for (entity, predicate, count) in [
      ("Book", "author == \"Author/p1\"", 2), ("Book", "author == 'p1'", 2), ("Book", "author = '1'", 2),
      ("Book", "author == '\(author)'", 2), ("Book", "'Author/p1' == author", 2), ("Book", "author != 'p1'", 0),
      ("Book", "author == 'Author/p9'", 0), ("Book", "author == nil", 0), ("Book", "author IN {'p1', 'Author/p9'}", 2),
      ("Book", "author IN {'p8', 'Author/p9'}", 0), ("Book", "SELF == 'Comic/p2'", 1), ("Book", "SELF == 'p2'", 1),
      ("Book", "SELF IN {'p1', 'p2'}", 2), ("Book", "NOT SELF == 'p2'", 1), ("Book", "author.books CONTAINS 'p1'", 2),
      ("Tag", "ANY books == 'Comic/p2'", 1), ("Tag", "'p2' IN books", 1), ("Tag", "ANY books.author == 'p1'", 1),
      ("Tag", "SUBQUERY(books, $b, $b == 'p2').@count == 1", 1),
      ("Tag", "SUBQUERY(books, $b, $b.author == 'p1' AND $b != 'p1').@count == 1", 1),
      // A string that is compared with a string is a string.
      ("Book", "title == 'p1' OR title == 'Author/p1'", 0), ("Book", "author.name == 'p1'", 0),
    ] { #expect(try library.run("count", Library.store, entity, predicate) == "\(count)\n", "\(predicate)") }
    try library.run("delete", Library.store, "--entity", "Book", "--where", "SELF == 'p2'")
    #expect(try library.run("count", Library.store, "Book") == "1\n")
  }

  @Test(arguments: ["sqlite", "xml", "binary"])
  func `a string that is compared with a UUID or a URL is converted`(_ type: String) throws {
    let library = try Library()
    try library.makePlaces("places", type: type)
    for (predicate, count) in [
      ("identifier == '\(Library.home)'", 1), ("identifier == '\(Library.home.lowercased())'", 1),
      ("identifier != '\(Library.home)'", 1), ("identifier IN {'\(Library.home)'}", 1),
      ("ANY places.within.identifier == '\(Library.home)'", 1), ("link == 'https://example.com/'", 1),
      ("link == 'https://example.org/'", 0), ("within == 'p1'", 1), ("within == 'Place/p1'", 1), ("SELF == 'p2'", 1),
      ("within.identifier == CAST('\(Library.home)', 'NSUUID')", 1),
    ] {
      let text = try library.run("count", "places", "Place", predicate, "--model", "Places.xcdatamodel")
      #expect(text == "\(count)\n", "\(predicate)")
    }
  }

  @Test func `a string that is compared with a date is converted`() throws {
    let library = try Library()
    for (predicate, count) in [
      ("born > '1815-12-09'", 1), ("born == '1815-12-10'", 1), ("'1815-12-10T00:00:00Z' == born", 1),
      ("born < \"1815-12-10T01:00:00+01:00\"", 0), ("born BETWEEN {'1815-01-01', '1816-01-01'}", 1),
      ("born IN {'1815-12-10', '1900-01-01'}", 1), ("ANY books.author.born == '1815-12-10'", 1),
      ("born > CAST('1815-12-09', 'NSDate')", 1),
    ] { #expect(try library.run("count", Library.store, "Author", predicate) == "\(count)\n", "\(predicate)") }
  }

  @Test(arguments: [
    (
      "Book", "author == 'Ada'",
      "column 11: \"Ada\" is not an object ID of the store; use an ID such as Author/p12"
    ),
    ("Book", "author == 'x-coredata://OTHER/Author/p1'", "is not an object ID of the store"),
    ("Book", "author IN {'p1', 'x'}", "\"x\" is not an object ID"),
    ("Book", "author == 'Tag/p1'", "an object of \"Tag\""),
    ("Author", "born > '1815-13-10'", "column 8: \"1815-13-10\" is not a date; write dates as 2027-01-31"),
    ("Book", "pages == 'p1'", "cannot compare"), ("Place", "identifier == 'x'", "column 15: \"x\" is not a UUID"),
  ])
  func `a string that cannot be converted is an error`(_ entity: String, _ predicate: String, _ text: String) throws {
    let library = try Library()
    try library.makePlaces("places")
    let store = entity == "Place" ? "places" : Library.store
    let failure = try library.failure(["count", store, entity, predicate])
    #expect(failure.status == 64 && failure.errors.contains(text), "\(failure.errors)")
  }
}
