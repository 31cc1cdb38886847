import PropertyLists
import Testing

@Suite("Binary search") struct PartitionTests {
  @Test func `the first element of the second part is found, or the end`() {
    for count in 0..<20 {
      for first in 0...count {
        var calls = 0
        let index = Array(0..<count).partitioningIndex {
          calls += 1
          return $0 >= first
        }
        #expect(index == first && calls <= Int.bitWidth - count.leadingZeroBitCount)
      }
    }
  }

  @Test func `indices are those of the collection`() {
    #expect([5, 1, 2, 3, 7][1..<4].partitioningIndex { $0 >= 3 } == 3)
    #expect((0..<Int.max).partitioningIndex { $0 > Int.max - 10 } == Int.max - 9)
    #expect((-8 ..< -3).partitioningIndex { _ in false } == -3)
  }
}
