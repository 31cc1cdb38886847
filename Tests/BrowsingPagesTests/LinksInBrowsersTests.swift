import Foundation
import ManagedObjects
import PropertyLists
import Testing

extension PagesInBrowsersTests {
  @Suite("links to objects", .serialized, .enabled(if: Chromium.program != nil, "\(Chromium.missing)"))
  struct Links {
    /// Orders of products: one without any text, one whose only text is white space, and one with a colour.
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
            ["product": .toOne(keys[2]), "others": .toMany([keys[0], keys[1]])], ["others": .toMany([keys[2]])],
          ]
        })
    }

    /// The links of the cells of a column, with the texts in them that have the colour of links.
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

    @Test("an object without a name is a link by its first text, or by its entity and number")
    func unnamedObjectsAreLinks() throws {
      let tab = try BrowserTab(Self.orders(), at: "/entity/Order")
      try tab.wait(for: "document.querySelectorAll('tbody tr').length === 4")
      #expect(
        try tab.evaluate(Self.links(2)) as? [String] == [
          "Product 1 = Product 1 #/entity/Product/row/1", "Product 2 = Product 2 #/entity/Product/row/2",
          "red Product 3 = red #/entity/Product/row/3", "",
        ])
      #expect(
        try tab.evaluate(Self.links(1)) as? [String] == [
          "", "", "2 objects = 2 objects #/entity/Order/row/6", "red Product 3 = red #/entity/Product/row/3",
        ])
      try tab.go("#/entity/Order/row/4", until: "document.querySelector('[role=treeitem] a.link')")
      let colours = "['[role=treeitem] a.link bdi', '.title a.link'].map((one) => getComputedStyle("
      let found = try #require(
        try tab.evaluate("\(colours)document.querySelector(one)).color)") as? [String])
      #expect(found[0] == found[1])
      try tab.evaluate("document.querySelector('[role=treeitem] a.link').click()")
      try tab.wait(for: "document.querySelector('h1').innerText === 'Product 1'")
      #expect(try tab.text("window.errors").isEmpty)
    }

    @Test("a value of an archive that is an object of its own is seen to be a link")
    func valuesThatAreObjectsAreLinks() throws {
      let tab = try BrowserTab(
        PageFile(
          SampleArchive.of([
            ["ok": SampleArchive.uid(2), "$class": SampleArchive.uid(3)], "Ada", SampleArchive.described("T"),
          ])),
        at: "/object/1")
      try tab.wait(for: "document.querySelector('[role=treeitem] a.value')")
      #expect(
        try tab.text("getComputedStyle(document.querySelector('a.value')).textDecorationLine") == "underline")
    }
  }
}
