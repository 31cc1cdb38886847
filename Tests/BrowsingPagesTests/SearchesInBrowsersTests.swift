import Foundation
import KeyedArchiving
import Testing

extension PagesInBrowsersTests {
  @Suite("Searches in browsers", .serialized, .enabled(if: Chromium.program != nil, "\(Chromium.missing)"))
  struct Searches {
    private static let advice = "document.querySelector('#main .advice').innerText"

    /// Presses a button by its label.
    private func press(_ button: String, in tab: BrowserTab) throws {
      try tab.evaluate(
        "[...document.querySelectorAll('#main button')].find((button) => button.innerText === '\(button)').click()")
    }

    @Test("a search without a match shows its scope and the active filters, and can be cleared")
    func aSearchWithoutAMatch() throws {
      let tab = try BrowserTab(
        PageFile(SampleStore.store(30), limit: 20), at: "/entity/Person?sort=name&filter.age=%3E5")
      try tab.wait(for: "document.querySelector('.kept').innerText.startsWith('14 of 20 rows')")
      try tab.press("/", "n", "o", " ", "w", "a", "y")
      try tab.wait(for: "document.querySelector('[data-done]')")
      #expect(try tab.text("document.querySelector('#main [role=status]').innerText") == "0 matches for “no way”.")
      let advice = try tab.text(Self.advice)
      for line in [
        "Searched: all values and ids of 23 objects, and the names of entities.",
        "Person: The page has the first 20 of 30 rows.", "try one of them",
        "Filters are active in the table of Person: age >5",
      ] {
        #expect(advice.contains(line))
      }
      try press("Clear the search", in: tab)
      try tab.wait(for: "document.querySelector('.kept')")
      #expect(try tab.text("location.hash + search.value") == "#/entity/Person?sort=name&filter.age=%3E5")
      // Advice that does not apply is not shown.
      try tab.go("#/", until: "document.querySelector('article.overview')")
      try tab.go("#/search/nowhere", until: "document.querySelector('[data-done]')")
      #expect(try !tab.text(Self.advice).contains("one of them") && !tab.text(Self.advice).contains("ilter"))
      #expect(try tab.text("window.errors").isEmpty)
    }

    @Test func `search results are shown as tables with their own order and filters`() throws {
      let tab = try BrowserTab(PageFile(SampleStore.store(250)), at: "/entity/Person?sort=name&filter.age=%3E80")
      try tab.wait(for: "document.querySelector('.kept').innerText.startsWith('18 of 250 rows')")
      try tab.go("#/search/number%201", until: "document.querySelector('.tables')")
      let tables = "[...document.querySelectorAll('.tables a')].map((link) => link.innerText).join()"
      let found = (0..<250).filter { $0 % 7 != 3 && "\($0)".hasPrefix("1") }
      #expect(try tab.text(tables) == "Person \(found.count),Person with its filters")
      try tab.evaluate("document.querySelectorAll('.tables a')[1].click()")
      let state = "document.querySelector('.kept').innerText"
      let names = "[...document.querySelectorAll('tbody tr')].map((row) => row.cells[1].innerText)"
      func sorted(_ numbers: [Int]) -> [String] {
        numbers.map { String(format: "Person %05d", $0 * 7919 % 100_000) }.sorted()
      }
      let old = found.filter { $0 % 90 > 80 }
      try tab.wait(for: "\(state).includes('\(old.count) of 250 rows for “number 1”')")
      #expect(try tab.evaluate(names) as? [String] == sorted(old))
      try press("Clear the filters", in: tab)
      try tab.wait(for: "\(state).includes('\(found.count) of 250 rows for “number 1”')")
      #expect(try tab.evaluate(names) as? [String] == sorted(found).prefix(100).map(\.self))
      #expect(try tab.text("location.hash") == "#/entity/Person?sort=name&search=number+1")
      try press("Clear the search", in: tab)
      try tab.wait(for: "document.querySelector('.kept').hidden")
      #expect(try tab.text("location.hash") == "#/entity/Person?sort=name")
      #expect(try tab.text("window.errors").isEmpty)
    }

    @Test func `an empty table names the search and the filters that exclude all rows`() throws {
      let tab = try BrowserTab(
        PageFile(SampleStore.store(30)), at: "/entity/Person?search=note&filter.age=%3E40&filter.name=Person")
      try tab.wait(for: "document.querySelector('.advice li')")
      let advice = try tab.text(Self.advice)
      #expect(advice.hasPrefix("No row meets all of these filters:"))
      for line in ["any value note", "age >40", "name Person", "5..9: from 5 to 9"] { #expect(advice.contains(line)) }
      try press("Clear the filters", in: tab)
      try tab.wait(for: "document.querySelector('.kept').innerText.startsWith('26 of 30 rows for “note”')")
      #expect(try tab.text(Self.advice).isEmpty)
      #expect(try tab.text("document.activeElement.getAttribute('aria-label')") == "Filter id")
    }

    @Test func `an archive without a match and an unmatched list name show advice`() throws {
      let tab = try BrowserTab(PageFile(SampleArchive.people), at: "/search/nowhere")
      try tab.wait(for: "document.querySelector('[data-done]')")
      #expect(
        try tab.text(Self.advice).contains("all values, keys and numbers of 13 objects, and the names of classes"))
      try press("Clear the search", in: tab)
      try tab.wait(for: "document.querySelector('article.overview')")
      try tab.evaluate("filter.value = 'nowhere'; filter.dispatchEvent(new Event('input')); 0")
      #expect(
        try tab.text("document.querySelector('#groups').innerText").contains("No class has “nowhere” in its name."))
      let count = try tab.number("(document.querySelector('#groups button').click(), groups.filter(isListed).length)")
      #expect(try tab.number("document.querySelectorAll('#groups a').length") == count)
      #expect(try tab.text("filter.value + document.activeElement.id") == "filter")
      // A class whose name matches is a match.
      try tab.go("#/search/NSDate", until: "document.querySelector('[data-done]')")
      #expect(try tab.number("document.querySelectorAll('#main .advice li').length") == 0)
      #expect(try tab.text("document.querySelector('#main [role=status]').innerText").hasPrefix("2 matches"))
    }
  }
}
