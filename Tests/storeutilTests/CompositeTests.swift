import Foundation
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

  @Test func `set and insert change composite values and single elements`() throws {
    let library = try Library()
    try library.makeDrinks()
    try library.run(["set", "drinks.sqlite", "Drink/1", "author.city=Bergen"] + Self.model)
    try library.run(["set", "drinks.sqlite", "Drink/2", "author={\"size\": 3}"] + Self.model)
    try library.run(["insert", "drinks.sqlite", "Drink", "title=c", "author.city=Rome"] + Self.model)
    func authors() throws -> [AttributeValue] {
      try library.values("drinks.sqlite", "Drink", ["author"], model: "Drinks.xcdatamodel").map { $0[0][0] }
    }
    #expect(
      try authors() == [
        .composite(["city": "Bergen", "size": 7]), .composite(["city": .null, "size": 3]),
        .composite(["city": "Rome", "size": .null]),
      ])
    try library.run(["set", "drinks.sqlite", "Drink/1", "author="] + Self.model)
    #expect(try authors()[0] == .null)
    for (assignment, message) in [
      ("author.town=x", "Drink has no \"author.town\""), ("author.size=x", "expected Integer 32, found \"x\""),
      ("author=x", "expected Composite, found \"x\""), ("author={\"town\": 1}", "has no element \"town\""),
      ("author+=x", "author is an attribute; += works only for to-many relationships"),
    ] {
      let failure = try library.failure(["set", "drinks.sqlite", "Drink/1", assignment] + Self.model)
      #expect(failure.errors.contains(message), "\(failure.errors)")
    }
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
