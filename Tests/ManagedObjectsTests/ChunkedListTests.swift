import TestSupport
import Testing

@testable import ManagedObjects

@Suite("Chunked lists") struct ChunkedListTests {
  @Test(arguments: [3, 700, 5_000]) func `indices match rows after random insertions and removals`(count: Int) throws {
    var random = SeededGenerator(seed: UInt64(count))
    var number: Int64 = 0
    func row() -> ResultRow {
      number += 1
      return ResultRow(RowKey(store: .none, entityIndex: 0, number: number))
    }
    var plain = (0..<count).map { _ in row() }
    var list = ChunkedList(plain)
    let steps = LongForm.size(3_000, or: 600)
    for step in 0..<steps {
      // The list grows, shrinks until it is empty, and grows again.
      let isGrowing = step < steps * 2 / 5 || step > steps * 5 / 6
      if plain.isEmpty || Int.random(in: 0..<10, using: &random) < (isGrowing ? 8 : 1) {
        let index = Int.random(in: 0...plain.count, using: &random)
        plain.insert(row(), at: index)
        list.insert(plain[index], at: index)
      } else {
        for _ in 0..<(isGrowing ? 1 : max(8 * count / steps, 1)) where !plain.isEmpty {
          list.remove(plain.remove(at: Int.random(in: 0..<plain.count, using: &random)))
        }
      }
      guard let index = plain.indices.randomElement(using: &random) else { continue }
      try #require(list.count == plain.count && list[index] === plain[index] && list.index(of: plain[index]) == index)
      let end = min(index + Int.random(in: 0..<700, using: &random), plain.count)
      if step % (steps / 30) == 0 {
        try #require(list._checkInvariants() == nil)
        try #require(list.elements.map(\.key) == plain.map(\.key))
        try #require(list.elements(index..<end).map(\.key) == plain[index..<end].map(\.key))
        let keys = Set(plain[..<index].map(\.key))
        try #require(list.count(ofFirst: { keys.contains($0.key) }) == index)
      }
    }
  }

  @Test(
    arguments: [
      ([(0, 0), (1, 1)], [true, true]), ([(0, 1), (1, 0)], [false, true]), ([(2, 2), (5, 4)], [true, false]),
      ([(nil, 0), (0, 1)], [false, true]), ([(0, 2), (1, 0), (2, 1)], [false, true, true]),
      ([(3, nil), (4, 3), (9, 9)], [false, true, false]),
    ] as [([(Int?, Int?)], [Bool])])
  func `the smallest number of rows moves`(items: [(Int?, Int?)], expected: [Bool]) {
    #expect(ResultEdits.staying(items.map { (old: $0.0, new: $0.1) }) == expected)
  }
}
