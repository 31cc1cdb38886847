import Predicates
import Testing

@testable import ManagedObjects

@Suite("The sizes of fault batches") struct FaultBatchTests {
  private static func keys(_ count: Int) -> [RowKey] {
    let store = StoreNumber(rawValue: 1)
    return (1...count).map { RowKey(store: store, entityIndex: 0, number: Int64($0)) }
  }

  /// Fires a fault and the ones after it, and returns the number of objects that are read.
  private func read(_ batch: FaultBatch, at index: Int, using count: Int) -> Int {
    batch.noteUse()
    let keys = batch.keysToRead(with: batch.keys[index])
    batch.noteRead(keys.count)
    for _ in 1..<count { batch.noteUse() }
    #expect(keys.contains(batch.keys[index]))
    return keys.count
  }

  @Test func `ten thousand objects are three batches, a small one first`() {
    let keys = Self.keys(10_000)
    let batches = FaultBatch.divide(keys, sizes: FaultBatch.firstSizes)
    #expect(batches.map(\.keys.count) == [64, 2_048, 7_888])
    #expect(batches.flatMap(\.keys) == keys)
    #expect(FaultBatch.divide([], sizes: [64]).isEmpty)
  }

  @Test(
    arguments: [
      [], [1], [5, 3, 4, 3], [1, 1 << 32], [1, 1 + 1 << 32], [1, 2 + 1 << 32], [-3, -1, -2], [.min, .max], [.max, 1],
    ] as [[Int64]])
  func `compact keys equal the keys that they were made from`(numbers: [Int64]) {
    let stores = [StoreNumber(rawValue: 1), StoreNumber(rawValue: 2)]
    let keys = numbers.map { RowKey(store: stores[0], entityIndex: 7, number: $0) }
    for last in [(0, 7), (0, 6), (1, 7)] {
      let all = keys + [RowKey(store: stores[last.0], entityIndex: last.1, number: 9)]
      let compact = CompactKeys(all)
      #expect(Array(compact) == all && compact.count == all.count)
      #expect(Array(compact[1...]) == Array(all[1...]) && compact.firstIndex(of: all[0]) == 0)
    }
    #expect(Array(CompactKeys(keys)) == keys)
  }

  @Test func `objects that are used at random are read in ever smaller parts`() {
    let batch = FaultBatch.divide(Self.keys(8_192), sizes: [])[0]
    let sizes = (0..<9).map { read(batch, at: $0 * 900, using: 1) }
    #expect(sizes == [8_192, 2_048, 512, 128, 32, 8, 4, 4, 4])
  }

  @Test func `parts grow again when all their objects are used`() {
    let batch = FaultBatch.divide(Self.keys(1_000), sizes: [])[0]
    #expect(read(batch, at: 0, using: 1) == 1_000)
    #expect(read(batch, at: 0, using: 1) == 250)
    #expect(read(batch, at: 0, using: 62) == 62)
    #expect(read(batch, at: 62, using: 248) == 248)
    #expect(read(batch, at: 310, using: 690) == 690)
    #expect(read(batch, at: 0, using: 1_000) == 1_000)
  }

  @Test func `a part of which a quarter is used keeps its size`() {
    let batch = FaultBatch.divide(Self.keys(400), sizes: [])[0]
    for _ in 0..<5 { #expect(read(batch, at: 0, using: 100) == 400) }
  }

  @Test func `others are considered ever less often while there are none to read`() {
    let batch = FaultBatch.divide(Self.keys(100), sizes: [])[0]
    var indices: [Int] = []
    for index in 0..<300 where batch.considersOthers() {
      indices.append(index)
      batch.noteNoOthers()
    }
    #expect(indices == [0, 2, 6, 14, 30, 62, 126, 190, 254])
    while !batch.considersOthers() {}
    batch.noteRead(10)
    #expect(batch.considersOthers())
    batch.noteNoOthers()
    #expect(!batch.considersOthers() && batch.considersOthers())
    #expect(!FaultBatch.single().considersOthers())
  }
}
