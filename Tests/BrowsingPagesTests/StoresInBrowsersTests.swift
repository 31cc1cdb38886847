import Foundation
import KeyedArchiving
import ManagedObjects
import PropertyLists
import TestSupport
import Testing

extension PagesInBrowsersTests {
  @Suite("Pages about stores in browsers", .serialized, .enabled(if: Chromium.program != nil, "\(Chromium.missing)"))
  struct Stores {
    private static func column(_ name: String) -> String {
      "[...document.querySelectorAll('thead th')].findIndex((cell) => cell.innerText.trim().startsWith('\(name)'))"
    }

    private static let names =
      "[...document.querySelectorAll('tbody tr')].map((row) => row.cells[\(column("name"))].innerText)"

    @Test func `rows are shown in pages, sorted by any column, by keyboard and by links`() throws {
      let tab = try BrowserTab(PageFile(SampleStore.store(250)), at: "/entity/Person")
      try tab.wait(for: "document.querySelectorAll('tbody tr').length === 100")
      #expect(try tab.text("document.querySelector('.pager').innerText").contains("1–100 of 250"))
      try tab.press("PageDown")
      try tab.wait(for: "document.querySelector('.pager').innerText.includes('101–200')")
      try tab.press("ArrowUp", "ArrowUp")
      for _ in 0..<Int(try tab.number(Self.column("name"))) { try tab.press("ArrowRight") }
      try tab.press("Enter")
      try tab.wait(for: "document.querySelector('[aria-sort=ascending]')")
      let expected = (0..<250).map { String(format: "Person %05d", $0 * 7919 % 100_000) }.sorted()
      #expect(try tab.evaluate(Self.names) as? [String] == Array(expected.prefix(100)))
      try tab.go("#/entity/Person?sort=name&order=descending&page=3", until: "\(Self.names).length === 50")
      #expect(try tab.evaluate(Self.names) as? [String] == Array(expected.reversed().suffix(50)))
      // Rows without a value come last in both directions.
      for order in ["ascending", "descending"] {
        try tab.go(
          "#/entity/Person?sort=notes&order=\(order)&page=3", until: "document.querySelector('[aria-sort=\(order)]')")
        let last = "document.querySelector('tbody tr:last-child').cells[\(Self.column("notes"))]"
        #expect(try tab.text("\(last).innerText + \(last).title") == "–null")
        let first = "document.querySelector('tbody tr').cells[\(Self.column("notes"))]"
        #expect(try tab.text("\(first).innerText").hasPrefix("a note"))
      }
      try tab.go("#/entity/Person?page=99", until: "document.querySelector('.pager').innerText.includes('201–250')")
      #expect(try tab.text("window.errors").isEmpty)
    }

    @Test func `relationships are followed in both directions`() throws {
      let page = try PageFile(SampleStore.store(30))
      let keys = try page.rows(of: "Person").keys.sorted()
      let tab = try BrowserTab(page, at: "/entity/Person/row/\(keys[4])")
      try tab.wait(for: "document.querySelector('[role=tree]')")
      let item =
        "[...document.querySelectorAll('[role=treeitem]')].find((item) => item.innerText.startsWith('friends'))"
      try tab.evaluate("\(item).click()")
      try tab.evaluate("\(item).nextElementSibling.querySelector('a').click()")
      try tab.wait(for: "location.hash === '#/entity/Person/row/\(keys[5])'")
      try tab.wait(for: "document.querySelector('.sources').innerText.includes('friends')")
      try tab.evaluate(
        "[...document.querySelectorAll('[role=treeitem] a')].find((link) => link.innerText.includes('Account')).click()"
      )
      try tab.wait(for: "document.querySelector('h1').innerText === 'Account 2'")
      let sources = try tab.number("document.querySelectorAll('.sources li').length")
      #expect(sources == 10)
      try tab.evaluate("history.back()")
      try tab.wait(for: "location.hash === '#/entity/Person/row/\(keys[5])' && document.querySelector('.sources')")
      #expect(try tab.text("window.errors").isEmpty)
    }

    @Test func `archives in values are opened, and addresses are plain text`() throws {
      let page = try PageFile(SampleStore.store(30))
      let keys = try page.rows(of: "Person").keys.sorted()
      let tab = try BrowserTab(page, at: "/entity/Person/row/\(keys[0])")
      try tab.wait(for: "document.querySelector('.thumbnail')")
      let item =
        "[...document.querySelectorAll('[role=treeitem]')].find((item) => item.innerText.startsWith('settings'))"
      try tab.evaluate("\(item).click()")
      #expect(try tab.text("document.querySelector('[role=tree]').innerText").contains("Model.Person"))
      try tab.go("#/entity/Person/row/\(keys[1])", until: "document.body.innerText.includes('javascript:')")
      #expect(try tab.number("document.querySelectorAll('a[href*=javascript]').length") == 0)
      try tab.go("#/search/model.person", until: "document.querySelector('[data-done]')")
      #expect(try tab.number("document.querySelectorAll('.results li').length") == 1)
      try tab.go("#/entity/Nobody", until: "document.querySelector('h1').innerText.includes('No such')")
      #expect(try tab.text("window.errors").isEmpty)
    }

    /// A clock that is a millisecond later at each look, so that few rows take several slices on any machine.
    private static let clock = "{ let time = 0; performance.now = () => (time += 1); }"

    @Test func `many rows are read, searched and sorted in slices, with pauses`() throws {
      let count = LongForm.size(50_000, or: 5_000)
      let page = try PageFile(SampleStore.store(count))
      let tab = try BrowserTab(page, at: "/entity/Person", script: LongForm.isWanted ? "" : Self.clock)
      try tab.wait(for: "document.querySelectorAll('tbody tr').length === 100")
      try tab.wait(for: "isRead")
      let pausesOfReading = try tab.number("window.pauses")
      #expect(pausesOfReading >= 2)
      try tab.go("#/search/number%20\(count - 1)", until: "document.querySelector('[data-done]')")
      #expect(try tab.number("document.querySelectorAll('.results li').length") == 1)
      let pausesOfSearch = try tab.number("window.pauses")
      #expect(pausesOfSearch >= pausesOfReading + 2)
      try tab.go("#/entity/Person?sort=name", until: "document.querySelector('[aria-sort=ascending]')")
      let names = try #require(try tab.evaluate(Self.names) as? [String])
      #expect(
        names
          == (0..<count).map { String(format: "Person %05d", $0 * 7919 % 100_000) }.sorted().prefix(100).map(\.self))
      #expect(try tab.number("window.pauses") >= pausesOfSearch + 2)
      #expect(try tab.text("window.errors").isEmpty)
      let figures = try tab.text("JSON.stringify(timing)")
      let size = try page.text.utf8.count
      if LongForm.isWanted { print("a page of \(count) rows: \(size / 1_000_000) MB, \(figures)") }
      #expect(size < count * 400)
    }
  }

  @Suite("The layout of pages in browsers", .serialized, .enabled(if: Chromium.program != nil, "\(Chromium.missing)"))
  struct Looks {
    /// Text with too little contrast to its background (WCAG 2.2, 1.4.3: 4.5 to 1).
    private static let faintTexts = """
      (() => {
        const parts = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
        const light = (colour) => {
          const [red, green, blue] = parts(colour).map((part) => part / 255)
            .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
          return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        };
        const ground = (element) => {
          for (let at = element; at; at = at.parentElement) {
            const colour = getComputedStyle(at).backgroundColor;
            if (parts(colour).length === 3) return colour;
          }
          return 'rgb(255, 255, 255)';
        };
        const found = [];
        const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (walk.nextNode()) {
          const element = walk.currentNode.parentElement;
          const isShown = element.checkVisibility() && !element.closest('[aria-hidden], script, style, noscript');
          if (!isShown || walk.currentNode.data.trim() === '') continue;
          const both = [light(getComputedStyle(element).color), light(ground(element))].sort((a, b) => b - a);
          const ratio = (both[0] + 0.05) / (both[1] + 0.05);
          if (ratio < 4.5) found.push(walk.currentNode.data.slice(0, 20) + ' ' + ratio.toFixed(2));
        }
        return found.join(', ');
      })()
      """

    @Test(
      "text is readable in light and dark mode, in narrow and wide windows",
      arguments: [("light", 1400), ("dark", 360)] + (LongForm.isWanted ? [("dark", 1400), ("light", 360)] : []))
    func textIsRead(_ scheme: String, _ width: Int) throws {
      let store = try PageFile(SampleStore.store(250))
      let key = try #require(try store.rows(of: "Person").keys.min())
      let archive = try PageFile(SampleArchive.people)
      for (page, places) in [
        (
          store,
          [
            ("overview", "/"), ("table", "/entity/Person"), ("row", "/entity/Person/row/\(key)"),
            ("search", "/search/person"),
          ]
        ), (archive, [("tree", "/tree"), ("object", "/object/1")]),
      ] {
        let tab = try BrowserTab(page, width: width, height: width < 600 ? 720 : 900, scheme: scheme)
        for (name, place) in places {
          try tab.go("#" + place, until: "document.querySelector('#main h1') && shownPlace === location.hash")
          if name == "search" { try tab.wait(for: "document.querySelector('[data-done]')") }
          #expect(try tab.text(Self.faintTexts).isEmpty, "\(name)")
          #expect(try tab.number("document.documentElement.scrollWidth - innerWidth") <= 0, "\(name)")
          let ground = try tab.text("getComputedStyle(document.documentElement).backgroundColor")
          #expect(ground == (scheme == "dark" ? "rgb(23, 24, 26)" : "rgb(252, 252, 251)"))
          let picture = try tab.screenshot()
          #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]))
          try keep(picture, as: "\(name)-\(scheme)-\(width)")
        }
      }
    }

    @Test func `a button opens the list of entities in narrow windows`() throws {
      let tab = try BrowserTab(PageFile(SampleStore.store(30)), width: 360, height: 720)
      #expect(try tab.isTrue("!document.querySelector('#sidebar').checkVisibility()"))
      try tab.evaluate("document.querySelector('#list-button').click()")
      #expect(try tab.isTrue("document.querySelector('#sidebar').checkVisibility()"))
      try tab.evaluate("document.querySelector('#groups a').click()")
      try tab.wait(for: "document.querySelector('table[role=grid]')")
      #expect(try tab.isTrue("!document.querySelector('#sidebar').checkVisibility()"))
    }
  }
}
