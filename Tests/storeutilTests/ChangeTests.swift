import Foundation
import ManagedObjects
import TestSupport
import Testing

@Suite("storeutil set, insert and delete") struct ChangeTests {
  private let library: Library

  init() throws { library = try Library() }

  @Test func `a change prints the changed objects, including inverse relationships`() throws {
    #expect(
      try library.run("insert", Library.store, "Author", "name=Grace") == "inserted Author/p2\n  name = \"Grace\"\n")
    let text = try library.run("set", Library.store, "Book/p1", "author=Author/2", "pages=70", "--null", "price")
    #expect(
      text.split(separator: "\n").sorted() == [
        "  author = Author/p2 (was Author/p1)", "  books += Book/p1", "  books -= Book/p1", "  pages = 70 (was 66)",
        "  price = nil (was 12.5)", "changed Author/p1", "changed Author/p2", "changed Book/p1",
      ])
    #expect(try library.values(Library.store, "Author", ["books.pages"], where: "name = 'Grace'") == [[[.integer(70)]]])
  }

  @Test func `values of every type are read from text`() throws {
    try library.makeValues()
    for values in [
      [
        "name=a", "i16=-32768", "i32=2147483647", "i64=-9223372036854775808", "decimal=12345678901234.567",
        "double=0.1", "float=0.1", "string=a, \"b\"\r\nc", "boolean=yes", "date=2026-06-01T12:30:15.25Z",
        "binary=AAEC/w==", "uuid=E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "uri=https://example.com/?a=%20b#c",
        "transformable=YnBsaXN0",
      ],
      [
        "name=b", "i16=32767", "i32=-2147483648", "i64=9223372036854775807", "decimal=-0.5", "double=1e300",
        "float=-3.4e38", "string=", "boolean=no", "date=0001-01-01T00:00:00Z", "binary=", "uri=a/b", "transformable=",
      ],
      ["name=c", "double=inf", "float=-inf", "string= null ", "date=1900-02-28T23:59:59Z", "decimal=1e20"],
      ["name=d", "double=-0.0", "float=16777216", "string=\u{1F600}e\u{301}\t\u{7}", "i64=9007199254740993"],
    ] { try library.run(["insert", "copy.sqlite", "Value"] + values) }
    let inserted = try library.values("copy.sqlite", "Value", Library.valueKeys)
    let expected = try library.values("values.sqlite", "Value", Library.valueKeys, where: "name != 'e'")
    #expect(inserted == expected && "\(inserted)" == "\(expected)")
  }

  @Test func `adds and removes objects of relationships`() throws {
    func books() throws -> Int? { try library.values(Library.store, "Tag", ["books"]).first?.first?.count }
    try library.run("set", Library.store, "Tag/1", "books-=Comic/p2")
    #expect(try books() == 1)
    try library.run("set", Library.store, "Tag/1", "books+=Comic/p2,Book/1")
    #expect(try books() == 2)
    try library.run("set", Library.store, "Tag/1", "books=")
    #expect(try books() == 0)
  }

  @Test func `--dry-run saves nothing and prints the same changes`() throws {
    let url = library.url.appending(path: Library.store)
    let before = try Data(contentsOf: url)
    for (arguments, text) in [
      (["set", Library.store, "Book/p1", "pages=70"], "changed Book/p1\n  pages = 70 (was 66)\n"),
      (["insert", Library.store, "Author", "name=Grace"], "inserted Author/p2\n  name = \"Grace\"\n"),
      (["delete", Library.store, "Author/p1"], "deleted Author/p1\ndeleted Book/p1\ndeleted Comic/p2\n"),
    ] { #expect(try library.run(arguments + ["--dry-run"]).hasSuffix(text), "\(arguments)") }
    #expect(try Data(contentsOf: url) == before)
    let invalid = try library.failure(["set", Library.store, "Author/p1", "name=x", "--dry-run"])
    #expect(invalid.status == 2)
  }

  @Test(arguments: ["sqlite", "xml", "binary"])
  func `--dry-run reports every error that a save would report`(_ type: String) throws {
    try library.makePlaces("places", type: type)
    let options = ["--model", "Places.xcdatamodel"]
    func files() throws -> [String: Data] {
      let names = try FileManager.default.contentsOfDirectory(atPath: library.url.path).filter { $0.contains("places") }
      return Dictionary(
        uniqueKeysWithValues: try names.map { ($0, try Data(contentsOf: library.url.appending(path: $0))) })
    }
    let before = try files()
    var refused = [["insert", "places", "Place", "name=Home"], ["set", "places", "Place/p2", "name=Home"]]
    if type == "sqlite" {
      refused.append(["set", "places", "Place/p2", "height=nan"])
    } else if !LongForm.isWanted {
      refused = [refused[type == "xml" ? 0 : 1]]
    }
    for arguments in refused {
      let tried = try library.failure(arguments + options + ["--dry-run"])
      let done = try library.failure(arguments + options)
      #expect(tried.status == 2 && tried == done && !tried.errors.isEmpty, "\(tried)")
    }
    if type != "binary" || LongForm.isWanted {
      // A deleted object releases its unique name.
      let swapped = try library.run(["delete", "places", "Place/p1"] + options + ["--dry-run"])
      #expect(swapped == "changed Place/p2\n  within = nil (was Place/p1)\ndeleted Place/p1\n")
    }
    #expect(try files() == before)
  }

  @Test func `--where changes all objects that meet a condition, and prints their number`() throws {
    let change = [
      "set", Library.store, "--entity", "Book", "--where", "author.name BEGINSWITH 'Ada'", "pages=66", "price=2",
    ]
    let tried = try library.run(change + ["--null", "cover", "--dry-run"])
    #expect(tried.contains("changed Comic/p2\n") && tried.contains("pages = 66 (was nil)"))
    #expect(tried.hasSuffix("\n2 objects changed; nothing was saved\n"))
    #expect(try library.count(Library.store, "Book", "pages = 66") == 1)
    #expect(try library.run(change) == "2 objects changed\n")
    #expect(try library.count(Library.store, "Book", "pages = 66 AND price = 2") == 2)
    #expect(try library.run(change) == "0 of 2 objects changed\n")
    // One object that cannot be saved reverts the others.
    let refused = try library.failure([
      "set", Library.store, "--entity", "Book", "--where", "TRUEPREDICATE", "pages=1", "title=x", "author=",
    ])
    #expect(refused.status == 2)
    #expect(try library.count(Library.store, "Book", "pages = 1") == 0)
    #expect(
      try library.run("set", Library.store, "--entity", "Book", "--where", "pages = 7", "pages=1")
        == "0 objects changed\n")
  }

  @Test func `an object that was assigned to one object is not reassigned to another in the same change`() throws {
    try library.makePlaces("other.sqlite")
    try library.edit("Places.xcdatamodel/contents") { $0.replacing("toMany=\"YES\"", with: "maxCount=\"1\"") }
    do {
      let context = try library.context("places.sqlite", model: "Places.xcdatamodel", isReadOnly: false)
      for name in ["a", "b", "c"] { try context.add("Place", ["name": .string(name)]) }
    }
    let change = ["set", "places.sqlite", "--entity", "Place", "--where", "name != 'a'", "within=Place/1"]
    let refused = try library.failure(change)
    #expect(refused.status == 2 && refused.errors.contains("within: this relationship was changed again"), "\(refused)")
    #expect(try library.count("places.sqlite", "Place", "within != nil") == 0)
    #expect(try library.run("set", "places.sqlite", "Place/2", "within=Place/1").contains("within = Place/p1"))
    #expect(try library.failure(["set", "places.sqlite", "Place/2", "name=x", "--null", "name"]).status == 64)
  }

  @Test func `triggers of other programs run only with --allow-triggers`() throws {
    try library.execute("CREATE TRIGGER X AFTER UPDATE ON ZBOOK BEGIN DELETE FROM ZTAG; END", on: Library.store)
    let set = ["set", Library.store, "Book/p1", "pages=70"]
    let delete = ["delete", Library.store, "Tag/p1"]
    for arguments in LongForm.cases([set, set + ["--dry-run"], delete + ["--dry-run"], delete], every: 2) {
      let failure = try library.failure(arguments)
      #expect(failure.status == 1 && failure.errors.contains("the trigger \"X\" of the table ZBOOK is not one of"))
    }
    #expect(try library.count(Library.store, "Tag") == 1)
    try library.run("set", Library.store, "Book/p1", "pages=70", "--allow-triggers")
    #expect(try library.count(Library.store, "Tag") == 0)
  }

  @Test func `delete follows the delete rules, and selects objects by ID or condition`() throws {
    let text = try library.run("delete", Library.store, "Author/p1")
    #expect(text.contains("deleted Author/p1\ndeleted Book/p1\ndeleted Comic/p2\n"))
    #expect(try library.count(Library.store, "Book") == 0)
    let other = try Library()
    try other.run("delete", Library.store, "--entity", "Book", "--where", "pages > 1")
    #expect(try other.count(Library.store, "Book") == 1)
    // One is named twice, and one is deleted together with another.
    let named = try other.run("delete", Library.store, "Author/p1", "Author/1", "Comic/p2")
    #expect(named.contains("deleted Author/p1\ndeleted Comic/p2\n"))
  }

  private static let failures: [([String], Int32, String)] = [
    (["set", Library.store, "Book/p1", "pages=many"], 2, "pages: expected Integer 32, found \"many\""),
    (["set", Library.store, "Book/p1", "pages=70", "author="], 2, "author"),
    (["set", Library.store, "Book/p1", "cover=@/dev/zero"], 1, "not a regular file"),
    (["set", Library.store, "Book/p1", "cover=@missing"], 1, "the file missing does not exist"),
    (["set", Library.store, "Book/p9", "pages=1"], 1, "the store has no object Book/p9"),
    (["set", Library.store], 64, "Give the ID of the object to change"),
    (["set", Library.store, "Book/p1"], 64, "Give a value to set"),
    (["set", Library.store, "--entity", "Book", "--where", "pages = 66", "Book/p1", "pages=1"], 64, "not KEY=VALUE"),
    (["set", Library.store, "--entity", "Book", "pages=1"], 64, "--entity and --where must be used together"),
    (["fetch", "Library.sqlite/x", "Book"], 1, "Not a directory"),
    (["set", Library.store, "Book/p1", "pagse=1"], 64, "did you mean pages?"),
    (["set", Library.store, "Bok/p1", "pages=1"], 64, "did you mean Book?"),
    (["set", Library.store, "Book", "pages=1"], 64, "is not an object ID"),
    (["set", Library.store, "x-coredata://OTHER/Book/p1", "pages=1"], 64, "another store"),
    (["insert", Library.store, "Book"], 2, "title"),
    (["delete", Library.store, "Book/p1", "Book/p77"], 1, "Book/p77"),
    (["fetch", Library.store, "Book", "pages >"], 64, "column"),
    (["fetch", Library.store, "Book", "--keys", "author.nme"], 64, "did you mean name?"),
    (["fetch", "Library.xcdatamodel/contents", "Book"], 3, "not a store"),
    (["check", Library.store, "--shared"], 64, "--shared"),
    (["fecth", Library.store], 64, "did you mean fetch?"),
    (["set", Library.store, "Book/p1", "price=12abc"], 2, "expected Decimal, found \"12abc\""),
    (["set", Library.store, "Comic/p2", "weight=1e39"], 2, "expected Float, found \"1e39\""),
    (["set", Library.store, "Book/p1", "pages=1", "--immutable"], 64, "--immutable works only for reading"),
    (["migrate", Library.store, "--to", "x", "--immutable"], 64, "--immutable works only for reading"),
    (["fetch", Library.store, "Book", "--keys", " "], 64, "Book has no \"\""),
    (["fetch", Library.store, "Book", "--keys", ","], 64, "--keys needs at least one key"),
    (["fetch", "empty", "Book"], 3, "empty is an empty file, not a store"),
    (["fetch", "data", "Book"], 3, "data is not a store"),
    (["compile", "empty", "-o", "x.mom"], 3, "empty: 1:1: no root element"),
  ]

  /// Failures for the same reasons, of other verbs or options.
  private static let similarFailures: [([String], Int32, String)] = [
    (["set", Library.store, "Author/p1", "name=x"], 2, "name"),
    (["set", Library.store, "--entity", "Book", "--where", "pages = 66"], 64, "Give a value to set"),
    (["set", Library.store, "--entity", "Book", "--where", "pages = 66", "pages=x"], 2, "expected Integer 32"),
    (["info", "Library.sqlite/x"], 1, "Not a directory"),
    (["check", "Library.sqlite/x"], 1, "Not a directory"),
    (["fetch", "missing.sqlite", "Book"], 1, "missing.sqlite"),
    (["set", Library.store, "Book/p1", "price=1,5"], 2, "expected Decimal, found \"1,5\""),
    (["set", Library.store, "Book/p1", "pages=1", "--immutable", "--dry-run"], 64, "--immutable works only"),
    (["insert", Library.store, "Tag", "name=x", "--immutable"], 64, "--immutable works only for reading"),
    (["delete", Library.store, "Book/p1", "--immutable"], 64, "--immutable works only for reading"),
  ]

  @Test(arguments: failures + (LongForm.isWanted ? similarFailures : []))
  func `a failed command changes nothing, and reports the reason`(
    _ arguments: [String], _ status: Int32, _ text: String
  ) throws {
    let url = library.url.appending(path: Library.store)
    try Data().write(to: library.url.appending(path: "empty"))
    // Data in OpenStep begins like XML.
    try Data("<00ff>".utf8).write(to: library.url.appending(path: "data"))
    let before = try Data(contentsOf: url)
    let failure = try library.failure(arguments)
    #expect(failure.status == status && failure.errors.contains(text), "\(failure)")
    #expect(try Data(contentsOf: url) == before)
  }
}
