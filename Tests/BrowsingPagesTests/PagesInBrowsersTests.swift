import Foundation
import KeyedArchiving
import PropertyLists
import TestSupport
import Testing

/// The tests that need a browser. They run one after another, so that each measures only its own time.
@Suite("Pages in a browser", .serialized, .enabled(if: Chromium.program != nil, "\(Chromium.missing)"))
struct PagesInBrowsersTests {
  private static let items = "[...document.querySelectorAll('[role=treeitem]')]"

  /// The text of the focused item.
  private static let focused = "document.activeElement.textContent"

  @Test func `the tree of an archive can be opened, closed and followed by keyboard`() throws {
    let tab = try BrowserTab(PageFile(SampleArchive.people), at: "/tree")
    #expect(try tab.isTrue("document.querySelector('[role=tree]') && \(Self.items).length > 4"))
    #expect(try tab.text(Self.focused).contains("Ada"))
    #expect(try tab.text("document.activeElement.getAttribute('aria-expanded')") == "true")
    let count = try tab.number("\(Self.items).length")
    try tab.press("ArrowLeft")
    #expect(try tab.number("\(Self.items).length") == 1)
    try tab.press("ArrowRight")
    #expect(try tab.number("\(Self.items).length") == 6)
    try tab.press("ArrowRight", "ArrowDown")
    #expect(try tab.text("\(Self.focused)").contains("Model.Person") == false)
    #expect(try tab.text(Self.focused).hasPrefix("friends"))
    try tab.press("ArrowRight")
    #expect(try tab.number("\(Self.items).length") == 8 && count >= 6)
    // The first element is the person at the root of the tree.
    try tab.press("ArrowRight")
    #expect(try tab.text(Self.focused).contains("cycle"))
    try tab.press("Enter")
    // The page follows the address with an event.
    try tab.wait(for: "location.hash === '#/object/1' && document.querySelector('h1').textContent === 'Ada'")
    try tab.press("Backspace")
    // The tree and the focus are unchanged.
    try tab.wait(
      for: "location.hash === '#/tree' && \(Self.items).length === 8 && \(Self.focused).includes('cycle')")
    #expect(try tab.text("window.errors").isEmpty)
  }

  @Test func `an object is shown with its fields and the fields that refer to it`() throws {
    let tab = try BrowserTab(PageFile(SampleArchive.people), at: "/object/3")
    try tab.wait(for: "document.querySelector('h1').textContent.includes('2 elements')")
    let sources = try tab.text("document.querySelector('.sources').innerText")
    #expect(sources.contains("Ada") && sources.contains("Charles") && sources.contains("friends"))
    try tab.evaluate("document.querySelectorAll('.sources a')[1].click()")
    try tab.wait(for: "location.hash === '#/object/4' && document.querySelector('h1').textContent === 'Charles'")
    try tab.go("#/object/1", until: "document.querySelector('.thumbnail')")
    #expect(try tab.isTrue("document.querySelector('.thumbnail').src.startsWith('data:image/png;base64,')"))
    try tab.wait(for: "document.querySelector('.thumbnail').naturalWidth === 1")
    #expect(try tab.text("document.querySelector('[role=tree]').innerText").contains("2001-01-01T00:00:00.5Z"))
    try tab.evaluate("\(Self.items).find((item) => item.innerText.startsWith('token')).click()")
    #expect(try tab.text("document.querySelector('pre.code').innerText").hasPrefix("000000  00 01 02 03"))
    #expect(try tab.text("window.errors").isEmpty)
  }

  @Test func `classes are listed with counts and filtered`() throws {
    let tab = try BrowserTab(PageFile(SampleArchive.people))
    #expect(try tab.text("document.querySelector('#groups').innerText").contains("Model.Person"))
    try tab.evaluate(
      "filter.value = 'PERS'; filter.dispatchEvent(new Event('input')); document.querySelector('#filter').focus()")
    #expect(try tab.number("document.querySelectorAll('#groups a').length") == 1)
    try tab.press("ArrowDown")
    #expect(try tab.text(Self.focused) == "Model.Person2")
    try tab.press("Enter")
    try tab.wait(for: "document.querySelector('table[role=grid]')")
    #expect(try tab.text("document.querySelector('thead').innerText").contains("friends"))
  }

  /// Searches, and texts in their results.
  private static let searches = [
    ("chARLes", "Charles"), ("2001-01-01", "NSDate"), ("nickname", "nickname"), ("model.person", "Model.Person"),
    ("#10", "NSDate"),
  ]

  @Test(
    "a search finds texts, keys, classes and numbers, also in opened data",
    arguments: searches.prefix(LongForm.size(searches.count, or: 2)))
  func aSearchFinds(_ words: String, _ found: String) throws {
    let tab = try BrowserTab(PageFile(SampleArchive.people))
    try tab.press("/")
    #expect(try tab.text("document.activeElement.id") == "search")
    try tab.evaluate("search.value = \(BrowserTab.quoted(words)); search.dispatchEvent(new Event('input')); 0")
    try tab.wait(for: "document.querySelector('[data-done]')")
    #expect(try tab.text("document.querySelector('.results').innerText").contains(found))
    try tab.press("ArrowDown", "Enter")
    try tab.wait(for: "!location.hash.startsWith('#/search') && document.querySelector('h1')")
    #expect(try tab.text("window.errors").isEmpty)
  }

  @Test func `nothing from a hostile archive is run, loaded or followed`() throws {
    let texts = SampleArchive.hostileTexts
    let fields = PropertyList.dictionary(.init(uniqueKeysWithValues: texts.map { ($0, .string($0)) }))
    var objects: [PropertyList] = texts.map { .string($0) }
    for (index, text) in texts.enumerated() {
      let uid = UInt32(objects.count)
      objects.append(SampleArchive.described(text))
      objects.append([
        "$class": SampleArchive.uid(uid + 1), .init(text): .string(text), "name": SampleArchive.uid(UInt32(index + 1)),
        "address": .data(Data(text.utf8)),
      ])
    }
    let page = try PageFile(SampleArchive.of(objects, top: fields), title: texts[0])
    let tab = try BrowserTab(page)
    let groups = try tab.number("groups.length")
    var fragments = [
      "#/", "#/tree", "#/object/1", "#/search/alert", "#/search/%3Cscript%3E", "#/class/%E0%A4%A", "#/x/%zz",
    ]
    fragments += (0..<Int(groups)).map { "GROUP\($0)" } + [18, 20, 22, 24].map { "#/object/\($0)" }
    for fragment in fragments {
      let address =
        fragment.hasPrefix("GROUP") ? try tab.text("placeOfGroup(groups[\(fragment.dropFirst(5))])") : fragment
      try tab.go(address, until: "document.querySelector('#main h1') && shownPlace === location.hash")
      // Opens everything that can be opened.
      try tab.evaluate("document.querySelectorAll('[aria-expanded=false]').forEach((item) => item.click())")
      #expect(
        try tab.number("document.querySelectorAll('#main script, #main iframe, #main svg, #main object').length") == 0)
      #expect(
        try tab.isTrue(
          """
          [...document.querySelectorAll('*')].every((element) => [...element.attributes].every((attribute) =>
            !attribute.name.startsWith('on') && (attribute.name !== 'href' || attribute.value.startsWith('#/')) &&
            (attribute.name !== 'src' || attribute.value.startsWith('data:image/'))))
          """), "\(address)")
    }
    #expect(try tab.text("window.ran").isEmpty)
    #expect(try tab.text("window.errors").isEmpty)
    // Invisible characters are shown by code point.
    try tab.go("#/tree", until: "document.querySelector('.hidden')")
    let hidden = try tab.text("[...document.querySelectorAll('#main .hidden')].map((one) => one.innerText).join(' ')")
    for number in ["U+202E", "U+2066", "U+0000", "U+001B", "U+2028", "U+FFFE"] { #expect(hidden.contains(number)) }
    #expect(try tab.isTrue("!/[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.innerText + document.title)"))
  }

  @Test func `the browser runs only the page's own script, even if data became markup`() throws {
    let page = try PageFile(SampleArchive.people)
    let broken = try page.text.replacingOccurrences(
      of: "<main id=\"main\"></main>",
      with: """
        <main id="main"></main><script>alert('ran')</script><img src="x" onerror="alert('ran')">
        <img src="http://127.0.0.1:9/x.png">
        """)
    try broken.write(toFile: page.path, atomically: false, encoding: .utf8)
    let tab = try BrowserTab(page)
    #expect(try tab.text("window.ran").isEmpty)
    let refused = try tab.text("window.errors")
    #expect(refused.contains("script-src") && refused.contains("img-src"))
  }
}
