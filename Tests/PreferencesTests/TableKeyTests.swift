import Testing

@testable import Preferences

@Suite("Table keys") struct TableKeyTests {
  @Test(arguments: ["fontSize", "é", "", "a long key that is stored on the heap: é"])
  func `keys with equal bytes are equal, and found`(_ name: String) {
    // Another string with the same bytes in other storage.
    let copy = String(decoding: Array(name.utf8), as: UTF8.self)
    #expect(TableKey(name) == TableKey(copy))
    #expect([TableKey(name): 1][TableKey(copy)] == 1)
    #expect(TableKey(name).hashValue == TableKey(copy).hashValue)
  }

  @Test(arguments: 0...20) func `a short string in the long form is the same key`(_ count: Int) {
    for name in [String(repeating: "k", count: count), String("abcdefghijklmnopqrst".prefix(count)) + "é"] {
      var copy = ""
      copy.reserveCapacity(100)
      copy += name
      #expect(TableKey(name) == TableKey(copy))
      #expect(TableKey(name).hashValue == TableKey(copy).hashValue)
    }
  }

  @Test(arguments: [
    ("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), ("a;b", "a\u{37E}b"), ("\u{212B}", "A\u{30A}"),
    ("a\u{323}\u{301}", "a\u{301}\u{323}"), ("a long key on the heap: \u{E9}", "a long key on the heap: e\u{301}"),
  ])
  func `spellings that are equal as strings are different keys`(_ first: String, _ second: String) {
    #expect(first == second)
    #expect(TableKey(first) != TableKey(second))
    #expect([TableKey(first): 1][TableKey(second)] == nil)
  }

  @Test func `the shortest of several spellings is used in a Swift dictionary`() {
    let (composed, decomposed) = (TableKey("\u{E9}"), TableKey("e\u{301}"))
    #expect([decomposed, composed, TableKey("e")].hiddenSpellings == [decomposed: composed])
    #expect([TableKey("\u{212A}"), TableKey("K")].hiddenSpellings == [TableKey("\u{212A}"): TableKey("K")])
    let orders = [TableKey("a\u{323}\u{301}"), TableKey("a\u{301}\u{323}")]
    #expect(orders.hiddenSpellings == orders.reversed().hiddenSpellings)
    #expect(orders.hiddenSpellings.count == 1)
  }

  @Test func `different keys are not equal, and rarely have the same hash`() {
    let keys = (0..<10_000).map { TableKey("key \($0)") } + (0..<10_000).map { TableKey("Schlüssel \($0)") }
    #expect(Set(keys).count == keys.count)
    #expect(Set(keys.map { $0._rawHashValue(seed: 7) & 0xFFFF_FFFF }).count > keys.count - 5)
    #expect(TableKey("a") != TableKey("A"))
  }
}
