import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("storeutil makes stores and models")
struct MakeTests {
  /// All objects of a store, without the identifier of the store.
  private func objects(_ library: Library, _ store: String, _ options: [String] = []) throws -> [String] {
    let books = try Program.run(
      "storeutil",
      ["fetch", store, "Book", "--csv", "--sort", "title", "--keys", "@entity,title,pages,price,cover,author.name"]
        + options, in: library.url)
    let tags = try Program.run(
      "storeutil", ["fetch", store, "Tag", "--csv", "--keys", "name,books.title"] + options, in: library.url)
    #expect(books.status == 0 && tags.status == 0, "\(books.errors)\(tags.errors)")
    return [books.text, tags.text]
  }

  @Test("of another kind, with the same objects", arguments: ["xml", "binary", "sqlite"])
  func convert(_ type: String) throws {
    let library = try Library()
    try library.run("convert", Library.store, "copy", "--type", type)
    let expected = try objects(library, Library.store)
    if type != "sqlite" {
      // The error tells what would do: a model beside the store, or another store.
      let failure = try library.failure(["count", "copy", "Book"])
      #expect(failure.status == 64 && failure.errors.contains("its model, such as Library.xcdatamodel."))
      let folder = library.url.appending(path: "other")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for name in ["copy", Library.store] {
        try FileManager.default.copyItem(at: library.url.appending(path: name), to: folder.appending(path: name))
      }
      let other = try library.failure(["count", "other/copy", "Book"])
      #expect(other.errors.contains("such as other/Library.sqlite."))
      try FileManager.default.removeItem(at: folder.appending(path: Library.store))
      let none = try library.failure(["count", "other/copy", "Book"])
      #expect(none.errors.contains("its model, or a store in SQLite that has it."))
    }
    #expect(try objects(library, "copy", ["--model", "Library.xcdatamodel"]) == expected)
    #expect(try objects(library, "copy", ["--model", Library.store]) == expected)
    try library.run("convert", "copy", "back.sqlite", "--type", "sqlite", "--model", "Library.xcdatamodel")
    #expect(try objects(library, "back.sqlite") == expected)
    let taken = try library.failure(["convert", Library.store, "copy"])
    #expect(taken.status == 1 && taken.errors.contains("is there already"))
  }

  @Test("but not where the file of a value is missing, for then the value would be lost")
  func convertWithoutExternalData() throws {
    let library = try Library()
    let file = try library.makeStoreWithExternalData("external.sqlite")
    let failure = try library.failure(["convert", "external.sqlite", "copy.xml", "--type", "xml"])
    #expect(failure.status == 1 && failure.errors.contains("Book/p1 cover: the value is in the file"))
    #expect(failure.errors.contains("\(file.lastPathComponent), which is not there"))
    #expect(!FileManager.default.fileExists(atPath: library.url.appending(path: "copy.xml").path))
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data([7]).write(to: file)
    try library.run("convert", "external.sqlite", "copy.xml", "--type", "xml")
    #expect(
      try library.run("fetch", "copy.xml", "Book", "--keys", "cover", "--csv", "--model", "external.sqlite")
        == "cover\r\nBw==\r\n")
  }

  @Test("of the model in a store, too")
  func createOfStore() throws {
    let library = try Library()
    try library.run("create", Library.store, "new.sqlite")
    #expect(try library.run("hashes", "new.sqlite") == library.run("hashes", Library.store))
    #expect(try library.run("count", "new.sqlite", "Book") == "0\n")
  }

  @Test("of a model, which a model compiled from it opens too")
  func compile() throws {
    let library = try Library()
    try library.run("compile", "Library.xcdatamodel", "-o", "Library.mom")
    let hashes = try library.run("hashes", "Library.mom")
    #expect(hashes == (try library.run("hashes", Library.store)) && hashes.split(separator: "\n").count == 4)
    let json = try Tool.json("hashes", "Library.xcdatamodel", "--json", in: library.url)
    #expect(json.dictionary?.count == 4 && json["Book"]?.string?.count == 64)
    try library.run("create", "Library.mom", "new.sqlite")
    #expect(try library.run("count", "new.sqlite", "Tag", "--model", "Library.mom") == "0\n")
  }

  @Test("and prints models in each form")
  func model() throws {
    let library = try Library()
    #expect(try library.run("model", Library.store).contains("entity Comic < Book"))
    let json = try Tool.json("model", Library.store, "--format", "json", in: library.url)
    #expect(json["entities"]?.dictionary?.keys.elementsEqual(["Author", "Book", "Comic", "Tag"]) == true)
    #expect(try library.run("model", "Library.xcdatamodel", "--format", "dot").hasPrefix("digraph"))
    let sql = try library.run("model", Library.store, "--format", "sql")
    #expect(sql.contains("CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "))
    try library.run("model", Library.store, "--format", "xcdatamodel", "-o", "Again.xcdatamodel")
    #expect(try library.run("hashes", "Again.xcdatamodel") == library.run("hashes", Library.store))
    try library.run("model", Library.store, "--format", "mom", "-o", "Again.mom")
    #expect(try library.run("hashes", "Again.mom") == library.run("hashes", Library.store))
  }

  @Test("and changes stores to another version of their model", arguments: [true, false])
  func migrate(makesNew: Bool) throws {
    let library = try Library()
    let model = library.url.appending(path: "Library.xcdatamodel/contents")
    let text = try String(contentsOf: model, encoding: .utf8)
      .replacing("<attribute name=\"pages\"", with: "<attribute name=\"length\" elementID=\"pages\"")
    let folder = library.url.appending(path: "New.xcdatamodel")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try text.write(to: folder.appending(path: "contents"), atomically: true, encoding: .utf8)
    let wrong = try library.failure(["count", Library.store, "Book", "--model", "New.xcdatamodel"])
    #expect(wrong.status == 3 && wrong.errors.contains("Book"))
    let options = makesNew ? ["-o", "new.sqlite"] : []
    let result = try Program.run(
      "storeutil", ["migrate", Library.store, "--to", "New.xcdatamodel"] + options, in: library.url)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try library.run("count", makesNew ? "new.sqlite" : Library.store, "Book", "length = 66") == "1\n")
    #expect(try library.failure(["count", Library.store, "Book", "pagez = 66"]).status == 64)
    if makesNew { #expect(try library.run("count", Library.store, "Book", "pages = 66") == "1\n") }
  }

  @Test("and reading leaves no files beside a store")
  func leavesNothing() throws {
    let library = try Library()
    let before = try FileManager.default.contentsOfDirectory(atPath: library.url.path).sorted()
    try library.run("fetch", Library.store, "Book")
    try library.run("model", Library.store)
    try library.run("hashes", Library.store)
    try library.run("info", Library.store)
    // It says on standard error that all is well.
    #expect(try Tool.run("check", Library.store, in: library.url).status == 0)
    try library.run("show", Library.store, "Book/p1", "--model", Library.store)
    try library.run("complete", "zsh", "3", "storeutil", "fetch", Library.store, "")
    #expect(try FileManager.default.contentsOfDirectory(atPath: library.url.path).sorted() == before)
  }
}
