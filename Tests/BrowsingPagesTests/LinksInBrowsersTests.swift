import Foundation
import ManagedObjects
import PropertyLists
import Testing

extension PagesInBrowsersTests {
  @Suite("Links to objects in browsers", .serialized, .enabled(if: Chromium.program != nil, "\(Chromium.missing)"))
  struct Links {
    /// Orders of products: one without text, one whose only text is white space, and one with a color.
    private static func orders() throws -> PageFile {
      let model = try ManagedObjectModel(entities: [
        EntityDescription(
          "Order", [.relationship("product", to: "Product"), .relationship("others", to: "Product", isToMany: true)]),
        EntityDescription("Product", [.attribute("price", .integer32), .attribute("colour", .string)]),
      ])
      let entities = ["Product", "Product", "Product", "Order", "Order", "Order", "Order"]
      return try PageFile(
        SampleStore.store(model, entities) { keys in
          [
            ["price": .attribute(.integer(3))],
            ["price": .attribute(.integer(5)), "colour": .attribute(.string(" \n\t"))],
            ["price": .attribute(.integer(7)), "colour": .attribute(.string("red"))],
            ["product": .toOne(keys[0])], ["product": .toOne(keys[1])],
            ["product": .toOne(keys[2]), "others": .toMany([keys[0], keys[1]])],
            ["product": .toOne(keys[2]), "others": .toMany([keys[2]])],
          ]
        })
    }

    /// The links in the cells of a column, with the text in them that has the color of links.
    private static func links(_ column: Int) -> String {
      """
      (() => {
        const accent = getComputedStyle(document.querySelector('tbody th a.link')).color;
        return [...document.querySelectorAll('tbody tr')].map((row) => row.cells[\(column)].querySelector('a.link'))
          .map((link) => link === null ? '' : link.innerText + ' = ' + [link, ...link.querySelectorAll('*')]
            .filter((part) => part.children.length === 0 && getComputedStyle(part).color === accent)
            .map((part) => part.innerText).join() + ' ' + link.getAttribute('href'));
      })()
      """
    }

    @Test func `a link shows the object's first text, or its entity and primary key`() throws {
      let tab = try BrowserTab(Self.orders(), at: "/entity/Order")
      try tab.wait(for: "document.querySelectorAll('tbody tr').length === 4")
      #expect(
        try tab.evaluate(Self.links(2)) as? [String] == [
          "Product 1 = Product 1 #/entity/Product/row/1", "Product 2 = Product 2 #/entity/Product/row/2",
          "red Product 3 = red #/entity/Product/row/3", "red Product 3 = red #/entity/Product/row/3",
        ])
      #expect(
        try tab.evaluate(Self.links(1)) as? [String] == [
          "", "", "2 objects = 2 objects #/entity/Order/row/6", "red Product 3 = red #/entity/Product/row/3",
        ])
      try tab.go("#/entity/Order/row/4", until: "document.querySelector('[role=treeitem] a.link')")
      let colours = "['[role=treeitem] a.link bdi', '.title a.link'].map((one) => getComputedStyle("
      let found = try #require(try tab.evaluate("\(colours)document.querySelector(one)).color)") as? [String])
      #expect(found[0] == found[1])
      try tab.evaluate("document.querySelector('[role=treeitem] a.link').click()")
      try tab.wait(for: "document.querySelector('h1').innerText === 'Product 1'")
      #expect(try tab.text("window.errors").isEmpty)
    }

    /// The fields that refer to the object, with their objects.
    private static let sources = """
      [...document.querySelectorAll('.sources section')].map((section) => section.querySelector('h3').innerText + ': '
        + [...section.querySelectorAll('li')].map((item) => item.innerText.replace(/\\s+/g, ' ').trim()).join(', '))
      """

    @Test func `what refers to an object is grouped by entity and relationship, and each object counted once`() throws {
      let tab = try BrowserTab(Self.orders(), at: "/entity/Product/row/3")
      try tab.wait(for: "document.querySelector('.sources')")
      #expect(try tab.text("document.querySelector('.leads h2').innerText") == "Referenced by 2")
      #expect(
        try tab.evaluate(Self.sources) as? [String] == ["Order others 1: Order 7", "Order product 2: Order 6, Order 7"])
      try tab.go("#/entity/Order/row/4", until: "document.querySelector('h1').innerText === 'Order 4'")
      #expect(try tab.text("document.querySelector('.leads').innerText").contains("No object in this page refers"))
      #expect(try tab.text("window.errors").isEmpty)
    }

    @Test
    func `what refers to an object of an archive is grouped by class and field, with the index in an array`() throws {
      let tab = try BrowserTab(PageFile(SampleArchive.people), at: "/object/1")
      try tab.wait(for: "document.querySelector('.sources')")
      #expect(
        try tab.evaluate(Self.sources) as? [String] == [
          "NSArray 1: 2 elements NSArray #3 [0]", "top level root 1: top level",
        ])
      try tab.go("#/object/3", until: "document.querySelector('h1').innerText === '2 elements'")
      #expect(
        try tab.evaluate(Self.sources) as? [String] == [
          "Model.Person friends 2: Ada Model.Person #1, Charles Model.Person #4"
        ])
    }

    @Test func `only the first of many referring objects are shown, the rest after a click`() throws {
      let tab = try BrowserTab(PageFile(SampleStore.store(250)), at: "/entity/Account/row/1")
      try tab.wait(for: "document.querySelector('.sources')")
      #expect(try tab.text("document.querySelector('.sources h3').innerText") == "Person account 84")
      #expect(try tab.number("document.querySelectorAll('.sources li').length") == 20)
      let button = "document.querySelector('.sources button')"
      #expect(try tab.text("\(button).textContent") == "Show all 84 objects: Person account")
      try tab.evaluate("\(button).focus()")
      try tab.press("Enter")
      try tab.wait(for: "document.querySelectorAll('.sources li').length === 84")
      #expect(try tab.isTrue("!\(button).checkVisibility()"))
      #expect(try tab.isTrue("document.querySelectorAll('.sources li')[20].contains(document.activeElement)"))
      let links = "document.querySelectorAll('.sources a')"
      #expect(try tab.number("new Set([...\(links)].map((link) => link.getAttribute('href'))).size") == 84)
      #expect(try tab.text("window.errors").isEmpty)
    }

    /// The fields of an object: the name, the type, and the distance between the value and the type, in pixels.
    private static let types = """
      [...document.querySelectorAll('[role=treeitem]')].map((item) => {
        const type = item.querySelector('.type');
        if (type === null) return item.querySelector('.name').innerText;
        const gap = type.getBoundingClientRect().left - type.previousElementSibling.getBoundingClientRect().right;
        return `${item.querySelector('.name').innerText} ${type.innerText}` + (gap >= 0 && gap < 24 ? '' : ` at ${gap}`);
      })
      """

    @Test func `the type of a field is shown next to its value`() throws {
      let store = try PageFile(SampleStore.store(30))
      let key = try #require(try store.rows(of: "Person").keys.min())
      let tab = try BrowserTab(store, at: "/entity/Person/row/\(key)")
      try tab.wait(for: "document.querySelector('[role=tree]')")
      #expect(
        try tab.evaluate(Self.types) as? [String] == [
          "age integer16", "balance decimal", "born date", "name string", "notes string", "photo binary",
          "settings transformable", "site uri", "account to Account", "friendOf to many Person",
          "friends to many Person",
        ])
      let archive = SampleArchive.of([
        [
          "name": SampleArchive.uid(2), "number": 42, "text": "42", "isOn": true, "list": SampleArchive.uid(3),
          "none": SampleArchive.uid(0), "date": SampleArchive.uid(4), "$class": SampleArchive.uid(5),
        ], "Ada", ["NS.objects": [SampleArchive.uid(2)], "$class": SampleArchive.uid(6)],
        ["NS.time": 0.5, "$class": SampleArchive.uid(7)], SampleArchive.described("Model.Person"),
        SampleArchive.described("NSArray"), SampleArchive.described("NSDate"),
      ])
      let other = try BrowserTab(PageFile(archive), at: "/object/1")
      try other.wait(for: "document.querySelector('[role=tree]')")
      #expect(
        Set(try #require(try other.evaluate(Self.types) as? [String])) == [
          "name string", "number number", "text string", "isOn boolean", "list", "none", "date date", "0 string",
        ])
    }

    @Test func `an archived object in a field is a link`() throws {
      let tab = try BrowserTab(
        PageFile(
          SampleArchive.of([
            ["ok": SampleArchive.uid(2), "$class": SampleArchive.uid(3)], "Ada", SampleArchive.described("T"),
          ])),
        at: "/object/1")
      try tab.wait(for: "document.querySelector('[role=treeitem] a.value')")
      #expect(try tab.text("getComputedStyle(document.querySelector('a.value')).textDecorationLine") == "underline")
    }
  }
}
