import Testing

@testable import Preferences

@Suite("Keys of tables")
struct TableKeyTests {
  @Test(
    "Keys are equal, and found, when strings are",
    arguments: [
      ("fontSize", "fontSize"), ("é", "e\u{301}"), ("K", "\u{212A}"), ("\u{212A}elvin", "Kelvin"), ("a;b", "a\u{37E}b"),
      ("`", "\u{1FEF}"), ("\u{212A}é", "Ke\u{301}"), ("\u{212B}", "A\u{30A}"), ("", ""),
      ("a long key that is stored on the heap, with \u{212A}", "a long key that is stored on the heap, with K"),
    ])
  func equal(_ first: String, _ second: String) {
    #expect(first == second)
    #expect(TableKey(first) == TableKey(second))
    #expect([TableKey(first): 1][TableKey(second)] == 1)
    #expect([TableKey(second): 1][TableKey(first)] == 1)
    #expect(TableKey(first).hashValue == TableKey(second).hashValue)
  }

  @Test("No character but three is equal to one of ASCII")
  func singletons() {
    let equal = (0x80...0x10FFFF).compactMap { Unicode.Scalar($0) }.filter { scalar in
      // Only what is normalized to another form can be equal.
      let hash = String(scalar).hashValue
      return Self.hashes[hash].map { String($0) == String(scalar) } == true
    }
    #expect(equal == ["\u{37E}", "\u{1FEF}", "\u{212A}"])
  }

  private static let hashes = Dictionary(
    uniqueKeysWithValues: (0..<0x80).map { (String(Unicode.Scalar(UInt8($0))).hashValue, Unicode.Scalar(UInt8($0))) })

  @Test("Others are not equal, and hardly ever hashed alike")
  func different() {
    let keys = (0..<10_000).map { TableKey("key \($0)") } + (0..<10_000).map { TableKey("Schlüssel \($0)") }
    #expect(Set(keys).count == keys.count)
    #expect(Set(keys.map { $0._rawHashValue(seed: 7) & 0xFFFF_FFFF }).count > keys.count - 5)
    #expect(TableKey("a") != TableKey("A"))
  }
}
