import Foundation
import ManagedObjects
import TestSupport
import Testing

@Suite("storeutil create --from") struct CreateFromTests {
  private static let types = ["sqlite", "xml", "binary"]
  private static let model = "Library.xcdatamodel"

  /// The objects of the library's store, in the form that fetch prints.
  private static func export(_ library: Library, _ form: [String]) throws -> String {
    let arrays = try ["Author", "Book", "Tag"].map { entity in
      "\"\(entity)\": \(try library.run(["fetch", Library.store, entity] + form))"
    }
    return "{\n\(arrays.joined(separator: ",\n"))}\n"
  }

  /// These objects in the form of each list of options.
  private static let exports: Result<[[String]: String], any Error> = Result {
    let library = try Library()
    var exports: [[String]: String] = [:]
    for form in [[], ["--plain"]] { exports[form] = try export(library, form) }
    return exports
  }

  private func values(_ store: String, _ library: Library) throws -> [[[[AttributeValue]]]] {
    try [
      ("Author", ["name", "born", "books.title"]),
      ("Book", ["@entity", "title", "pages", "price", "cover", "author.name"]),
      ("Comic", ["title", "inColor", "weight"]), ("Tag", ["name", "books.title"]),
    ].map { entity, keys in try library.values(store, entity, keys, model: Self.model) }
  }

  private static let kindsAndForms: [(String, [String])] = [
    ("sqlite", []), ("sqlite", ["--plain"]), ("xml", []), ("binary", ["--plain"]),
  ]
  private static let otherKindsAndForms: [(String, [String])] = [("xml", ["--plain"]), ("binary", [])]

  @Test(arguments: kindsAndForms + (LongForm.isWanted ? otherKindsAndForms : []))
  func `the new store has the values and relationships that fetch printed`(_ type: String, _ form: [String]) throws {
    let library = try Library()
    let exported = try #require(try Self.exports.get()[form])
    try library.write(exported, to: "library.json")
    let text = try library.run("create", Self.model, "copy.\(type)", "--type", type, "--from", "library.json")
    #expect(text == "4 inserted\n")
    #expect(try values("copy.\(type)", library) == values(Library.store, library))
  }

  @Test func `references by local ID or by value can come before or after their objects`() throws {
    let library = try Library()
    try library.write(
      #"""
      {
        "Book": [
          {"@id": "notes", "title": "Notes", "author": "ada", "cover": {"$data": "AAEC"}},
          {"title": "Letters", "author.name": "Ada"},
          {"@entity": "Comic", "@id": "comic", "title": "Cartoons", "author.name": "Grace", "inColor": true}
        ],
        "Author": [{"name": "Grace"}, {"@id": "ada", "name": "Ada", "born": "1815-12-10 06:00"}],
        "Tag": [{"name": "x", "books": ["comic", "notes"]}, {"name": "y", "books.title": ["Letters"]}]
      }
      """#, to: "data.json")
    let call = ["create", Self.model, "new.sqlite", "--from", "data.json"]
    #expect(try library.run(call + ["--time-zone=-01:00"]) == "7 inserted\n")
    #expect(
      try library.values("new.sqlite", "Book", ["title", "@entity", "author.name"]) == [
        [[.string("Cartoons")], [.string("Comic")], [.string("Grace")]],
        [[.string("Letters")], [.string("Book")], [.string("Ada")]],
        [[.string("Notes")], [.string("Book")], [.string("Ada")]],
      ])
    #expect(try library.count("new.sqlite", "Tag", "name == 'x' AND books.@count == 2") == 1)
    let born = Date(timeIntervalSince1970: -4_861_728_000 + 7 * 3600)
    #expect(try library.values("new.sqlite", "Author", ["born"], where: "name == 'Ada'") == [[[.date(born)]]])
    #expect(try library.isSound("new.sqlite"))
  }

  @Test func `objects in different batches can refer to each other`() throws {
    let library = try Library()
    try library.makePlaces("places.sqlite")
    let count = Library.manyCount
    let places = (0..<count).map { number in
      "{\"@id\": \"\(number)\", \"name\": \"p\(number)\", \"within\": \"\((number + 7_000) % count)\"}"
    }
    try library.write("{\"Place\": [\(places.joined(separator: ",\n"))]}", to: "data.json")
    let created = try library.run("create", "Places.xcdatamodel", "new.sqlite", "--from", "data.json")
    #expect(created == "\(Library.manyText) inserted\n")
    #expect(
      try library.values("new.sqlite", "Place", ["name", "within.name"], where: "name IN {'p3', 'p9000'}")
        == [[[.string("p3")], [.string("p7003")]], [[.string("p9000")], [.string("p\(16_000 % count)")]]])
    #expect(try library.isSound("new.sqlite"))
  }

  private typealias Example = (text: String, status: Int32, message: String)

  private static let examples: [Example] =
    [
      (#"{"Author": [{"name": "Ada"}, {"name": 5}]}"#, 2, "data.json:1:30: name: expected String, found 5"),
      (#"{"Author": [{"name": "x"}]}"#, 2, "data.json:1:13: name: "),
      (#"{"Author": [{"born": null}]}"#, 2, "data.json:1:13: name: a value is missing"),
      (#"{"Book": [{"title": "x"}]}"#, 2, "data.json:1:11: author: the relationship is required, but has no object"),
      (
        #"{"Book": [{"title": "x", "author": "a"}]}"#, 2,
        "data.json:1:11: author: no object of the file has the @id \"a\""
      ),
      (#"{"Tag": [{"@id": "a", "name": "x", "books": ["a"]}]}"#, 2, "data.json:1:10: books: "),
      (
        #"{"Author": [{"@id": "a", "name": "Ada"}, {"@id": "a", "name": "Bea"}]}"#, 2,
        "data.json:1:42: the object at 1:13 has the same @id, \"a\""
      ),
      (
        #"{"Author":[{"@id":"a","name":"Ada"},{"name":"Bea","books":["b"]}],"Book":[{"@id":"b","title":"x","author":"a"}]}"#,
        2, "through the inverse relationship"
      ),
      (#"{"Author": [{"nam": "Ada"}]}"#, 64, "did you mean name?"),
      (#"{"Autor": [{"name": "Ada"}]}"#, 64, "did you mean Author?"),
      (#"{"Author": {"name": "Ada"}}"#, 3, "data.json:1:12: expected an array of objects"),
      (#"[{"name": "Ada"}]"#, 3, "data.json:1:1: expected an object with an array for each entity"),
      (#"{"Author": [{"name": "Ada"}]"#, 3, "data.json:1:29: expected a comma"),
      (#"{"Author": [], "Author": []}"#, 3, "data.json:1:16: the entity \"Author\" occurs twice"),
      ("", 3, "the file is empty"),
    ]

  /// All failures for each kind of store; in the short form, some for XML and binary stores.
  private static let examplesOfKinds: [(String, Example)] = types.flatMap { type in
    (type == "sqlite" ? examples : LongForm.cases(examples, every: 7)).map { (type, $0) }
  }

  @Test("an error leaves no file", arguments: examplesOfKinds)
  func failures(_ type: String, _ example: (text: String, status: Int32, message: String)) throws {
    let library = try Library()
    try library.write(example.text, to: "data.json")
    let before = try FileManager.default.contentsOfDirectory(atPath: library.url.path).sorted()
    let failure = try library.failure(["create", Self.model, "new", "--type", type, "--from", "data.json"])
    #expect(failure.status == example.status && failure.errors.contains(example.message), "\(failure)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: library.url.path).sorted() == before)
  }

  @Test func `errors name the new store, not the unfinished file`() throws {
    let library = try Library()
    try library.edit("Library.xcdatamodel/contents") { text in
      text.replacing(
        "<entity name=\"Tag\"",
        with: """
          <entity name="Copy"><attribute name="names" optional="YES" attributeType="Integer 64" derived="YES" \
          derivationExpression="title"/><attribute name="title" optional="YES" attributeType="String"/></entity>\
          <entity name="Tag"
          """)
    }
    let failure = try library.failure(["create", Self.model, "new.sqlite"])
    #expect(
      failure.errors.contains("/new.sqlite cannot be written") && !failure.errors.contains("creation"), "\(failure)")
  }
}
