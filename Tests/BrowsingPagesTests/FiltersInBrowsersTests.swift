import BrowsingPages
import Foundation
import KeyedArchiving
import PropertyLists
import TestSupport
import Testing

extension PagesInBrowsersTests {
  @Suite("Filters of columns in browsers", .serialized, .enabled(if: Chromium.program != nil, "\(Chromium.missing)"))
  struct Filters {
    private static func field(_ column: String) -> String {
      "document.querySelector(`[aria-label='Filter \(column)']`)"
    }

    /// The keys of the visible rows.
    private static let keys = "[...document.querySelectorAll('tbody tr')].map((row) => row.cells[0].innerText).join()"

    private static let state = "document.querySelector('.kept').innerText"

    /// Types into the filter of a column and presses Enter, after which the page does not wait for more keys.
    private func enter(_ words: String, over column: String, in tab: BrowserTab) throws {
      try tab.evaluate(
        """
        (() => {
          const field = \(Self.field(column));
          field.value = \(BrowserTab.quoted(words));
          field.dispatchEvent(new Event('input'));
          field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
        })()
        """)
    }

    /// Types into the filter of a column, and waits until it has run.
    private func type(_ words: String, over column: String, in tab: BrowserTab) throws {
      let runs = try tab.number("filterWork.runs")
      try enter(words, over: column, in: tab)
      try tab.wait(for: "filterWork.runs > \(runs) && lastKept.filters.length > 0 && \(Self.state) !== ''")
      try tab.wait(for: "document.querySelector('.pager').innerText.match(/of|no rows/)")
    }

    /// Filters of people, and the numbers of people that pass.
    private static let examples: [(column: String, words: String, keeps: @Sendable (Int) -> Bool)] = [
      ("age", ">85", { $0 % 90 > 85 }), ("age", "<= 3", { $0 % 90 <= 3 }), ("age", "7", { $0 % 90 == 7 }),
      ("age", "5..7", { (5...7).contains($0 % 90) }), ("age", "!=0", { $0 % 90 != 0 }), ("age", "=", { _ in false }),
      ("age", ">1e1", { $0 % 90 > 10 }), ("age", "8x", { _ in false }), ("balance", "0.5", { $0 == 50 }),
      ("balance", ">=2.40", { $0 >= 240 }), ("born", "2001-06", { (151..<181).contains($0) }),
      ("born", ">2001-06", { $0 >= 181 }), ("born", ">=2001-06", { $0 >= 151 }), ("born", "<2001-01-03", { $0 < 2 }),
      ("born", "2001-01..2001-02", { $0 < 59 }), ("born", "=2001-01-02 00:00", { $0 == 1 }),
      ("born", "!=2001", { _ in false }), ("born", "-15T", { [14, 45, 73, 104, 134, 165, 195, 226].contains($0) }),
      ("name", "n 0", { $0 * 7919 % 100_000 < 10_000 }), ("name", "=person 00000", { $0 == 0 }),
      ("name", "!=Person 07919", { $0 != 1 }), ("notes", "=", { $0 % 7 == 3 }), ("notes", "!=", { $0 % 7 != 3 }),
      ("notes", "number 24", { $0 % 7 != 3 && "\($0)".hasPrefix("24") }), ("account", "T 1 ACC", { $0 % 3 == 1 }),
      ("photo", "picture", { $0 == 0 }), ("settings", "Model.Person", { $0 == 0 }), ("friends", "2", { _ in true }),
      ("friends", ">2", { _ in false }), ("friendOf", "=", { _ in false }), ("friendOf", ">2", { $0 < 125 }),
      ("id", "5..9", { $0 < 6 && $0 > 0 }),
    ]

    @Test func `a filter keeps rows whose value contains the text, or compares with a number or date`() throws {
      let tab = try BrowserTab(PageFile(SampleStore.store(250)), at: "/entity/Person")
      try tab.wait(for: "document.querySelectorAll('tbody tr').length === 100")
      let first = try #require(Int(try tab.text("document.querySelector('tbody th').innerText")))
      for (index, (column, words, keeps)) in Self.examples.enumerated() where LongForm.isWanted || index % 3 == 0 {
        // The primary keys of people are higher than those of accounts.
        let kept = (0..<250).filter(keeps)
        try type(words, over: column, in: tab)
        #expect(try tab.text(Self.state).hasPrefix("\(kept.count) of 250 rows"), "\(column) \(words)")
        let keys = kept.prefix(100).map { "\($0 + first)" }.joined(separator: ",")
        #expect(try tab.text(Self.keys) == keys, "\(column) \(words)")
        try enter("", over: column, in: tab)
        try tab.wait(for: "document.querySelector('.kept').hidden")
      }
      #expect(try tab.text("window.errors").isEmpty)
    }

    @Test func `filters work with each other, with sorting and with pages, and are in the address`() throws {
      let tab = try BrowserTab(PageFile(SampleStore.store(250)))
      let length = try tab.number("history.length")
      try tab.go("#/entity/Person?sort=name", until: "document.querySelector('[aria-sort=ascending]')")
      try type("<80", over: "age", in: tab)
      try type("t 1 acc", over: "account", in: tab)
      let kept = (0..<250).filter { $0 % 90 < 80 && $0 % 3 == 1 }
      #expect(try tab.text(Self.state).hasPrefix("\(kept.count) of 250 rows"))
      let names = "[...document.querySelectorAll('tbody tr')].map((row) => row.cells[1].innerText)"
      let sorted = kept.map { String(format: "Person %05d", $0 * 7919 % 100_000) }.sorted()
      #expect(try tab.evaluate(names) as? [String] == sorted)
      #expect(try tab.text("location.hash") == "#/entity/Person?sort=name&filter.age=%3C80&filter.account=t+1+acc")
      // The opposite direction, by the link in the heading.
      try tab.evaluate("document.querySelector('[aria-sort=ascending] a').click()")
      try tab.wait(for: "document.querySelector('[aria-sort=descending]')")
      #expect(try tab.evaluate(names) as? [String] == sorted.reversed())
      #expect(try tab.text("\(Self.field("age")).value + \(Self.field("account")).value") == "<80t 1 acc")
      try tab.evaluate("history.back()")
      try tab.wait(for: "document.querySelector('[aria-sort=ascending]')")
      #expect(try tab.evaluate(names) as? [String] == sorted)
      // Typing adds no entry to the history.
      try tab.evaluate("history.back()")
      try tab.wait(for: "document.querySelector('article.overview')")
      #expect(try tab.number("history.length") == length + 2)
      try tab.go("#/entity/Person?filter.age=%3E4&page=2", until: "document.querySelector('.pager')")
      #expect(try tab.text("document.querySelector('.pager').innerText").contains("101–200 of 235"))
      try tab.evaluate("document.querySelector('[aria-label=\"Previous page\"]').click()")
      try tab.wait(for: "document.querySelector('.pager').innerText.includes('1–100 of 235')")
      #expect(try tab.text("window.errors").isEmpty)
    }

    @Test func `filters can be used by keyboard, and are labeled and explained`() throws {
      let tab = try BrowserTab(PageFile(SampleStore.store(250)), at: "/entity/Person")
      try tab.wait(for: "document.querySelectorAll('tbody tr').length === 100")
      try tab.press("ArrowUp")
      #expect(try tab.text("document.activeElement.getAttribute('aria-label')") == "Filter id")
      try tab.press("Tab", "Tab")
      #expect(try tab.text("document.activeElement.getAttribute('aria-label')") == "Filter age")
      #expect(try tab.text("document.activeElement.title").contains(">5"))
      #expect(try tab.text("\(Self.field("born")).title + \(Self.field("born")).placeholder").contains("2026-06"))
      #expect(try tab.text("\(Self.field("name")).placeholder") == "contains")
      try tab.press(">", "8", "5", "Enter")
      try tab.wait(for: "\(Self.state).startsWith('8 of 250 rows')")
      #expect(try tab.text("document.querySelector('.kept [role=status]').innerText") == "8 of 250 rows")
      #expect(try tab.text("document.activeElement.getAttribute('aria-label')") == "Filter age")
      try tab.press("ArrowDown")
      #expect(try tab.text("document.activeElement.innerText") == "86")
      try tab.press("ArrowUp", "ArrowUp")
      #expect(try tab.text("document.activeElement.innerText") == "age")
      try tab.press("ArrowDown", "x")
      try tab.wait(for: "document.activeElement.getAttribute('aria-invalid') === 'true'")
      #expect(try tab.text("document.querySelector('.advice').innerText").contains("“85x” is not a number"))
      // Every field has a label, and fits in its cell.
      #expect(
        try tab.isTrue(
          """
          [...document.querySelectorAll('.filters td')].every((cell) => cell.querySelector('input').ariaLabel && \
          cell.querySelector('input').getBoundingClientRect().right <= cell.getBoundingClientRect().right)
          """))
      #expect(try tab.text("window.errors").isEmpty)
    }

    @Test func `typing several keys filters all rows once, then only the remaining rows`() throws {
      let count = LongForm.size(100_000, or: 10_000)
      // The numbers of rows that the filters keep.
      func starting(_ digits: String, largestSize: Bool = false) -> Int {
        (0..<count).count { "\($0)".hasPrefix(digits) && (!largestSize || $0 % 100 == 99) }
      }
      let (first, second, third) = (starting("99"), starting("999"), starting("999", largestSize: true))
      let page = try PageFile { output in
        var page = try PageWriter(to: output)
        for number in 0..<count {
          page.beginRow(group: 0, key: Int64(number))
          page.text("note \(number)")
          page.integer(Int64(number % 100))
          try page.endRow()
        }
        var group = PageHead.Group("Note")
        group.columns = [PageHead.Column("text", kind: "string"), PageHead.Column("size", kind: "integer32")]
        try page.finish(PageHead(title: "Notes", kind: .store, groups: [group]))
      }
      let tab = try BrowserTab(page, at: "/entity/Note")
      try tab.wait(for: "document.querySelectorAll('tbody tr').length === 100")
      try tab.evaluate(
        """
        window.made = 0;
        new MutationObserver((changes) => { for (const { addedNodes } of changes) made += addedNodes.length; })
          .observe(document.querySelector('tbody'), { childList: true });
        for (const words of ['n', 'no', 'not', 'note', 'note 9', 'note 99']) {
          \(Self.field("text")).value = words;
          \(Self.field("text")).dispatchEvent(new Event('input'));
        }
        """)
      try tab.wait(
        for: "\(Self.state).startsWith(`${numbers.format(\(first))} of ${numbers.format(\(count))} rows`)")
      #expect(try tab.text("`${filterWork.runs} ${filterWork.rows} ${made}`") == "1 \(count) 100")
      try type("note 999", over: "text", in: tab)
      try tab.wait(for: "\(Self.state).startsWith('\(second) of')")
      let made = 100 + min(second, 100)
      #expect(try tab.text("`${filterWork.runs} ${filterWork.rows} ${made}`") == "2 \(count + first) \(made)")
      try type(">98", over: "size", in: tab)
      try tab.wait(for: "document.querySelector('.pager').innerText.includes('1–\(third) of \(third)')")
      #expect(
        try tab.text("`${filterWork.runs} ${filterWork.rows} ${made}`")
          == "3 \(count + first + second) \(made + third)")
      // A filter that is not a narrower one tests all rows again.
      try type("note 9", over: "text", in: tab)
      try tab.wait(for: "document.querySelector('.pager').innerText.includes('of \(starting("9", largestSize: true))')")
      #expect(try tab.number("filterWork.rows") == Double(2 * count + first + second))
      #expect(try tab.text("window.errors").isEmpty)
    }

    @Test func `integers beyond JavaScript's precision are compared exactly`() throws {
      let page = try PageFile { output in
        var page = try PageWriter(to: output)
        for key in [Int64.max, Int64.max - 1, 1 << 53, 5] {
          page.beginRow(group: 0, key: key)
          page.integer(key)
          try page.endRow()
        }
        var group = PageHead.Group("Large")
        group.columns = [PageHead.Column("number", kind: "integer64")]
        try page.finish(PageHead(title: "Large", kind: .store, groups: [group]))
      }
      let tab = try BrowserTab(page, at: "/entity/Large")
      for column in ["id", "number"] {
        for (words, keys) in [
          ("\(Int64.max)", "\(Int64.max)"), (">\(Int64.max - 1)", "\(Int64.max)"),
          ("<9007199254740993", "9007199254740992,5"),
        ] {
          try type(words, over: column, in: tab)
          try tab.wait(for: "\(Self.keys) === '\(keys)'")
        }
        try tab.evaluate("document.querySelector('.kept button').click()")
        try tab.wait(for: "document.querySelectorAll('tbody tr').length === 4")
      }
    }

    @Test func `the fields of archived classes can be filtered by value`() throws {
      let tab = try BrowserTab(PageFile(SampleArchive.people), at: "/class/Model.Person")
      try tab.wait(for: "document.querySelectorAll('tbody tr').length === 2")
      for (column, words, keys) in [
        ("name", "CHAR", "4"), ("born", ">=2001", "1"), ("born", "=", "4"), ("friends", "array #3", "1,4"),
        ("#", ">1", "4"),
        ("token", "40 bytes", "1"),
      ] {
        try type(words, over: column, in: tab)
        try tab.wait(for: "\(Self.keys) === '\(keys)'")
        try tab.evaluate("document.querySelector('.kept button').click()")
        try tab.wait(for: "document.querySelector('.kept').hidden")
      }
      #expect(try tab.text("window.errors").isEmpty)
    }
  }
}
