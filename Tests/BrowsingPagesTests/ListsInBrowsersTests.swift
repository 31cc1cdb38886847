import BrowsingPages
import Foundation
import ManagedObjects
import PropertyLists
import Testing

extension PagesInBrowsersTests {
  @Suite(
    "Lists of entities and classes in browsers", .serialized,
    .enabled(if: Chromium.program != nil, "\(Chromium.missing)"))
  struct Lists {
    /// Abstract animals, with cats and birds; lions are cats. "Bench" sorts between "Animal" and "Bird".
    private static func zoo(_ names: [(entity: String, name: String)] = []) throws -> PageFile {
      func entity(_ name: String, parent: String? = nil, isAbstract: Bool = false) -> EntityDescription {
        var entity = EntityDescription(name, parent == nil ? [.attribute("name", .string)] : [])
        entity.superentity = parent
        entity.isAbstract = isAbstract
        return entity
      }
      let model = try ManagedObjectModel(entities: [
        entity("Animal", isAbstract: true), entity("Cat", parent: "Animal"), entity("Lion", parent: "Cat"),
        entity("Bird", parent: "Animal"), entity("Bench"),
      ])
      return try PageFile(
        SampleStore.store(model, names.map(\.entity)) { _ in names.map { ["name": .attribute(.string($0.name))] } })
    }

    /// The lines of the list, with their levels of indentation.
    private static let lines = """
      [...document.querySelectorAll('#groups li')].map((line) =>
        line.style.getPropertyValue('--level') + ' ' + line.innerText.replace(/\\s+/g, ' ').trim())
      """

    @Test func `an entity follows its superentity in the list, indented`() throws {
      let tab = try BrowserTab(Self.zoo([("Cat", "Tom"), ("Lion", "Leo"), ("Bird", "Tweety"), ("Bench", "green")]))
      #expect(try tab.evaluate(Self.lines) as? [String] == ["0 Bench 1", "0 Bird 1", "0 Cat 1", "1 Lion 1"])
      let indents =
        "[...document.querySelectorAll('#groups a')].map((link) => parseFloat(getComputedStyle(link).paddingLeft))"
      let widths = try #require(try tab.evaluate(indents) as? [Double])
      #expect(widths[0] == widths[2] && widths[3] > widths[2])
      #expect(try tab.text("window.errors").isEmpty)
    }

    @Test func `entities without objects have the count 0; abstract ones are not listed`() throws {
      let tab = try BrowserTab(Self.zoo([("Lion", "Leo")]))
      #expect(try tab.evaluate(Self.lines) as? [String] == ["0 Bench 0", "0 Bird 0", "0 Cat 0", "1 Lion 1"])
      #expect(try !tab.text("document.querySelector('#main').innerText").contains("no objects"))
      try tab.go("#/search/bird", until: "document.querySelector('[data-done]')")
      #expect(try tab.text("document.querySelector('.results').innerText").contains("Bird"))
      try tab.go("#/entity/Bird", until: "document.querySelector('table[role=grid]')")
      #expect(try tab.text("document.querySelector('.note').innerText") == "This entity has no objects.")
      try tab.go("#/entity/Animal", until: "document.querySelector('.note').innerText.includes('abstract')")
      #expect(try tab.text("window.errors").isEmpty)
    }

    @Test func `a store without objects lists its entities, and says that it is empty`() throws {
      let tab = try BrowserTab(Self.zoo())
      #expect(try tab.evaluate(Self.lines) as? [String] == ["0 Bench 0", "0 Bird 0", "0 Cat 0", "1 Lion 0"])
      #expect(try tab.text("document.querySelector('#main .note').innerText") == "The store has no objects.")
      let table = try tab.text("document.querySelector('#main table').innerText")
      for name in ["Bench", "Bird", "Cat", "Lion"] { #expect(table.contains("\(name)\t0\tname")) }
      #expect(try tab.text("window.errors").isEmpty)
    }

    @Test func `an archive without objects says that it is empty`() throws {
      let tab = try BrowserTab(PageFile(SampleArchive.of([], top: ["root": SampleArchive.uid(0)])))
      #expect(try tab.text("document.querySelector('#main .note').innerText") == "The archive has no objects.")
      #expect(try tab.text("document.querySelector('#groups').innerText") == "The archive has no objects.")
      #expect(try tab.number("document.querySelectorAll('#main table').length") == 0)
    }

    @Test func `numbers that are archived objects are sorted as numbers`() throws {
      let values = [10, 9, 2].map { PropertyList.integer($0) }
      let objects = values.indices.map { index -> PropertyList in
        ["count": SampleArchive.uid(UInt32(index + 5)), "$class": SampleArchive.uid(4)]
      }
      let archive = SampleArchive.of(objects + [SampleArchive.described("Counter")] + values)
      let tab = try BrowserTab(PageFile(archive), at: "/class/Counter?sort=count")
      try tab.wait(for: "document.querySelector('[aria-sort=ascending]')")
      let counts = "[...document.querySelectorAll('tbody tr')].map((row) => row.cells[1].innerText).join()"
      #expect(try tab.text(counts) == "2,9,10")
    }

    @Test func `unreadable entities are not counted as empty`() throws {
      let page = try PageFile { output in
        var group = PageHead.Group("Lost")
        group.columns = [PageHead.Column("name", kind: "string")]
        group.isUnreadable = true
        try PageWriter(to: output).finish(PageHead(title: "Lost", kind: .store, groups: [group]))
      }
      let tab = try BrowserTab(page)
      #expect(try tab.evaluate(Self.lines) as? [String] == ["0 Lost ?"])
      #expect(try !tab.text("document.querySelector('#main').innerText").contains("no objects"))
      try tab.go("#/entity/Lost", until: "document.querySelector('.note').innerText.includes('cannot be read')")
    }
  }
}
