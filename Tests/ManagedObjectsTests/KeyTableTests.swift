import TestSupport
import Testing

@testable import ManagedObjects

@Suite("Key tables") struct KeyTableTests {
  private static func key(_ number: Int64, entity: Int = 0, store: UInt32 = 1) -> RowKey {
    RowKey(store: StoreNumber(rawValue: store), entityIndex: entity, number: number)
  }

  /// Keys as in stores and contexts, and keys that a hostile file could contain.
  private static let patterns: [[RowKey]] = [
    (1...400).map { key($0) }, (1...400).map { key(-$0, store: 0) }, (1...400).map { key($0 * 16) },
    (1...400).map { key($0 << 32) }, (1...20).flatMap { number in (0..<20).map { key(number, entity: $0) } },
    (1...400).map { key(.max - $0) }, (1...17).map { key($0) }, [key(0), key(1, store: 0), key(.min)],
  ]

  @Test(arguments: patterns)
  func `a table equals a dictionary after random insertions and removals`(keys: [RowKey]) {
    var random = SeededGenerator(seed: 7)
    var table = KeyTable<Int>()
    var dictionary: [RowKey: Int] = [:]
    let steps = LongForm.size(8_000, or: 2_000)
    for step in 0..<steps {
      guard let key = keys.randomElement(using: &random) else { continue }
      // First mostly insertions, then mostly removals.
      if Int.random(in: 0..<10, using: &random) < (step < steps / 2 ? 6 : 4) {
        #expect(table.insert(step, for: key) == (dictionary.updateValue(step, forKey: key) == nil))
      } else {
        table[key] = nil
        dictionary[key] = nil
      }
      #expect(table.count == dictionary.count)
      #expect(table[key] == dictionary[key])
      if step % 500 == 0 {
        #expect(table._checkInvariants() == nil)
        for key in keys { #expect(table[key] == dictionary[key]) }
        #expect(Dictionary(uniqueKeysWithValues: table.pairs.map { ($0.key, $0.value) }) == dictionary)
      }
    }
    #expect(table._checkInvariants() == nil)
    for key in keys { table.remove(key) }
    #expect(table.isEmpty && table.pairs.isEmpty)
  }

  @Test func `repeated calls of reserveCapacity rarely grow the table`() {
    var table = KeyTable<Int>()
    var capacities: Set<Int> = []
    for number in 0..<5_000 {
      table.reserveCapacity(table.count + 1)
      table.insert(number, for: Self.key(Int64(number)))
      capacities.insert(table.capacity)
    }
    #expect(capacities.count < 30)
    for number in 0..<5_000 { #expect(table[Self.key(Int64(number))] == number) }
    var positions = RowPositions(capacity: 1_000)
    for number in 0..<1_000 {
      let isNew = positions.insert(number, for: Self.key(Int64(number), entity: number % 3))
      #expect(isNew)
    }
    let isNew = positions.insert(7, for: Self.key(0))
    #expect(!isNew)
    #expect(positions[Self.key(4, entity: 1)] == 4 && !positions.contains(Self.key(4)))
    let names: KeyReplacements = [Self.key(-1, store: 0): Self.key(1), Self.key(-2, store: 0): Self.key(2)]
    #expect(names.inverted[Self.key(2)] == Self.key(-2, store: 0) && names.inverted.count == 2)
  }

  @Test func `a table does not contain keys that were never inserted, even after many removals`() {
    var table: KeyTable<String> = [Self.key(1): "a"]
    #expect(table[Self.key(2)] == nil && table[Self.key(1, entity: 1)] == nil && table[Self.key(1, store: 2)] == nil)
    // Each round frees slots, which must all be reused.
    for round in 0..<2_000 {
      table[Self.key(Int64(round) + 10)] = "b"
      table.remove(Self.key(Int64(round) + 10))
    }
    #expect(table[Self.key(1)] == "a" && table.count == 1)
  }
}
