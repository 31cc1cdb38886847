import Foundation
import KeyedArchiving
import ManagedObjects
import PropertyLists
import TestSupport
import Testing

@Suite("storeutil with composite attributes") struct CompositeTests {
  private static let model = ["--model", "Drinks.xcdatamodel"]

  @Test func `fetch, show, html, convert, diff and search show composite values`() throws {
    let library = try Library()
    try library.makeDrinks()
    let fetched = try Tool.json(
      "fetch", "drinks.sqlite", "Drink", "--sort", "title", "--model", "Drinks.xcdatamodel", in: library.url)
    #expect(fetched.array?.map { $0["author"] } == [.dictionary(["city": "Oslo", "size": 7]), .null])
    #expect(try library.run(["show", "drinks.sqlite", "Drink/1"] + Self.model).contains("Oslo"))
    #expect(
      try library.run(["fetch", "drinks.sqlite", "Drink", "--csv"] + Self.model).contains("\"\"city\"\":\"\"Oslo\"\""))
    try library.run(["html", "drinks.sqlite", "-o", "page.html"] + Self.model)
    #expect(try String(contentsOf: library.url.appending(path: "page.html"), encoding: .utf8).contains("\"Oslo\""))
    for type in ["xml", "binary"] {
      try library.run(["convert", "drinks.sqlite", "drinks.\(type)", "--type", type] + Self.model)
      let author: AttributeValue = .composite(["city": .string("Oslo"), "size": .integer(7)])
      #expect(
        try library.values("drinks.\(type)", "Drink", ["title", "author"], model: "Drinks.xcdatamodel")
          == [[[.string("a")], [author]], [[.string("b")], [.null]]])
    }
    try FileManager.default.copyItem(
      at: library.url.appending(path: "drinks.sqlite"), to: library.url.appending(path: "other.sqlite"))
    try library.execute("UPDATE ZDRINK SET ZCITY = 'Bergen' WHERE Z_PK = 1", on: "other.sqlite")
    let difference = try Tool.run(
      "diff", "drinks.sqlite", "other.sqlite", "--model", "Drinks.xcdatamodel", in: library.url)
    #expect(difference.status == 1 && difference.text.contains("Bergen"), "\(difference.text)\(difference.errors)")
    #expect(try library.run("fetch", "drinks.sqlite", "Drink", "--tables").contains("Oslo"))
    #expect(
      try library.run(["search", "oslo", "drinks.sqlite"] + Self.model) == "drinks.sqlite: Drink/p1 author.city: Oslo\n"
    )
  }

  @Test func `fetch and count accept the elements of a composite attribute`() throws {
    let library = try Library()
    try library.makeDrinks()
    let text = try library.run(
      ["fetch", "drinks.sqlite", "Drink", "--keys", "title,author.city", "--sort", "title", "--csv"] + Self.model)
    #expect(text == "title,author.city\r\na,Oslo\r\nb,\r\n")
    #expect(try library.run(["count", "drinks.sqlite", "Drink", "author.size == 7"] + Self.model) == "1\n")
    let failure = try library.failure(["fetch", "drinks.sqlite", "Drink", "--keys", "author.town"] + Self.model)
    #expect(failure.errors.contains("\"author\" in \"author.town\" has no \"town\"; it has city, size"))
  }

  @Test func `insert, set and import change composite values and their elements`() throws {
    let library = try Library()
    try library.makeDrinks()
    try library.run(["create", "Drinks.xcdatamodel", "new.sqlite"])
    func authors() throws -> PropertyList {
      try Tool.json("fetch", "new.sqlite", "Drink", "--sort", "title", "--keys", "author", in: library.url)
    }
    try library.run(["insert", "new.sqlite", "Drink", "title=a", "author.city=Oslo"])
    try library.run(["insert", "new.sqlite", "Drink", "title=b", #"author={"city": "Bergen", "size": 3}"#])
    #expect(
      try authors() == [["author": ["city": "Oslo", "size": .null]], ["author": ["city": "Bergen", "size": 3]]])
    let changes = try library.run(["set", "new.sqlite", "Drink/p2", "author.size=4"])
    #expect(changes.contains("changed Drink/p2") && changes.contains("author = "))
    #expect(try library.run(["count", "new.sqlite", "Drink", "author.size == 4"]) == "1\n")
    try library.run(["set", "new.sqlite", "Drink/p1", "--null", "author.city"])
    #expect(try authors() == [["author": .null], ["author": ["city": "Bergen", "size": 4]]])
    try library.write("title,author.city,author.size\r\na,Voss,\r\nb,,5\r\nc,Bodø,6\r\n", to: "drinks.csv")
    try library.run(["import", "new.sqlite", "Drink", "drinks.csv", "--key", "title"])
    #expect(
      try authors() == [
        ["author": ["city": "Voss", "size": .null]], ["author": ["city": .null, "size": 5]],
        ["author": ["city": "Bodø", "size": 6]],
      ])
    try library.run(["set", "new.sqlite", "Drink/p3", "author="])
    #expect(try library.run(["count", "new.sqlite", "Drink", "author == nil"]) == "1\n")
    let failures = [
      (
        ["set", "new.sqlite", "Drink/p1", "author.town=X"], "\"author\" in \"author.town\" has no \"town\"; it has city"
      ),
      (["set", "new.sqlite", "Drink/p1", "author.size=x"], "author.size: expected"),
      (["set", "new.sqlite", "Drink/p1", "author=Oslo"], "expected Composite, found \"Oslo\""),
      (["set", "new.sqlite", "Drink/p1", #"author={"town": 1}"#], "has no element \"town\""),
      (["set", "new.sqlite", "Drink/p1", "author.city+=X"], "works only for to-many relationships"),
      (["set", "new.sqlite", "Drink/p1", "--null", "author.town"], "has no \"town\""),
      (["set", "new.sqlite", "Drink/p1", "title.size=1"], "Drink has no \"title.size\""),
    ]
    for (arguments, message) in failures {
      let failure = try library.failure(arguments)
      #expect(failure.errors.contains(message), "\(arguments): \(failure.errors)")
    }
  }

  @Test func `--unwrap shows the JSON in which SwiftData keeps arrays`() throws {
    let library = try Library()
    let folder = library.url.appending(path: "Pots.xcdatamodel")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try """
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0"><entity name="Pot">\
    <attribute name="tags" optional="YES" attributeType="Composite" composite="Tags"/>\
    <attribute name="list" optional="YES" attributeType="Transformable"/></entity><composite name="Tags">\
    <attribute name="flavors" optional="YES" attributeType="Binary"/>\
    <attribute name="styles" optional="YES" attributeType="Binary"/></composite></model>
    """.write(to: folder.appending(path: "contents"), atomically: true, encoding: .utf8)
    try library.run(["create", "Pots.xcdatamodel", "pots.sqlite"])
    func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
    let archive = try KeyedArchiver.archivedData(withRootObject: Data("[\"a\", 2]".utf8)).base64EncodedString()
    let tags = "tags={\"flavors\": \"\(base64("[\"Pear\"]"))\", \"styles\": \"\(base64("[no JSON"))\"}"
    try library.run(["insert", "pots.sqlite", "Pot", tags, "list=\(archive)"])
    let opened = try Tool.json("fetch", "pots.sqlite", "Pot", "--keys", "tags,list", "--unwrap", in: library.url)
    #expect(
      opened == [["tags": ["flavors": ["Pear"], "styles": .data(Data("[no JSON".utf8))], "list": ["a", 2]]])
    let raw = try Tool.json("fetch", "pots.sqlite", "Pot", "--keys", "tags", in: library.url)
    #expect(raw[0]?["tags"]?["flavors"] == .data(Data("[\"Pear\"]".utf8)))
    #expect(try library.run(["show", "pots.sqlite", "Pot/p1", "--unwrap"]).contains("Pear"))
  }

  @Test func `hashes refuses a model whose version hashes cannot be computed`() throws {
    let library = try Library()
    try library.makeDrinks()
    #expect(try library.run("hashes", "Drinks.xcdatamodel").contains("Drink"))
    let contents = library.url.appending(path: "Drinks.xcdatamodel/contents")
    let text = try String(contentsOf: contents, encoding: .utf8).replacing(
      "</entity>",
      with:
        "<attribute name=\"changed\" attributeType=\"Date\" derived=\"YES\" derivationExpression=\"now()\"/></entity>")
    try text.write(to: contents, atomically: true, encoding: .utf8)
    let failure = try library.failure(["hashes", "Drinks.xcdatamodel"])
    #expect(failure.status != 0 && failure.errors.contains("Drink.changed"))
  }
}
