@_spi(Archives) internal import PropertyLists

/// The steps that turn the children of a container into those of another: removals, then moves, then insertions.
struct Rearrangement {
  /// The old indexes of the removed children, from the last to the first.
  var removals: [Int] = []
  /// The moves, in order, each from one index to another. `child` is the final index of the moved child.
  var moves: [(from: Int, to: Int, child: Int)] = []
  /// The new indexes of the inserted children, from the first to the last.
  var insertions: [Int] = []

  /// Finds the steps for a container with `count` old children.
  ///
  /// - Parameter sources: For each child in the new order, the index of its old counterpart; nil if it has none. No
  ///   index occurs twice.
  /// - Complexity: O(*n* log *n*) in the number of children.
  init(of count: Int, sources: [Int?]) {
    var isKept = Array(repeating: false, count: count)
    for case let source? in sources { isKept[source] = true }
    removals = (0..<count).reversed().filter { !isKept[$0] }
    insertions = sources.indices.filter { sources[$0] == nil }
    findMoves(sources.indices.filter { sources[$0] != nil }, sources.compactMap { $0 })
  }

  /// Finds the moves of the remaining children, which are given in their new order by their new and their old indexes.
  private mutating func findMoves(_ children: [Int], _ sources: [Int]) {
    let count = sources.count
    var isStill = Array(repeating: false, count: count)
    for rank in CommonSubsequence.longestIncreasing(sources) { isStill[rank] = true }
    guard isStill.contains(false) else { return }
    // A rank is the final index among the remaining children, an origin the index before the moves.
    var origins = Array(repeating: 0, count: count)
    for (origin, rank) in (0..<count).sorted(by: { sources[$0] < sources[$1] }).enumerated() { origins[rank] = origin }

    // A still child is never moved; a waiting child has not been moved yet. A moved child is inserted after the child
    // that precedes it in the final order. So at any time, the children between two still children are first the ones
    // that have been moved there, by rank, and then the waiting ones, in their old order.
    var settled = PrefixCounts(isStill.map { $0 ? 1 : 0 })
    var waiting = PrefixCounts(Array(repeating: 0, count: count))
    for rank in 0..<count where !isStill[rank] { waiting.add(1, at: origins[rank]) }
    // For each origin, the rank of the first still child at or after it.
    var nextStill = Array(repeating: count, count: count + 1)
    var ranks = Array(repeating: 0, count: count)
    for rank in 0..<count { ranks[origins[rank]] = rank }
    for origin in (0..<count).reversed() {
      nextStill[origin] = isStill[ranks[origin]] ? ranks[origin] : nextStill[origin + 1]
    }
    // The origin of the last still child up to the current rank.
    var stillOrigin: Int?
    for rank in 0..<count {
      if isStill[rank] {
        stillOrigin = origins[rank]
        continue
      }
      let origin = origins[rank]
      let from = waiting.sum(below: origin) + settled.sum(below: nextStill[origin])
      // The target is after all children of a lower rank, and after the waiting ones before the last still child of
      // these.
      let target = settled.sum(below: rank) + (stillOrigin.map { waiting.sum(below: $0) } ?? 0)
      moves.append((from, from < target ? target - 1 : target, children[rank]))
      waiting.add(-1, at: origin)
      settled.add(1, at: rank)
    }
  }
}

/// Counts whose prefix sums can be read and changed in O(log *n*) (Peter Fenwick, 1994).
private struct PrefixCounts {
  private var sums: [Int]

  init(_ counts: [Int]) {
    sums = Array(repeating: 0, count: counts.count + 1)
    for (index, count) in counts.enumerated() where count != 0 { add(count, at: index) }
  }

  mutating func add(_ count: Int, at index: Int) {
    var node = index + 1
    while node < sums.count {
      sums[node] += count
      node += node & -node
    }
  }

  func sum(below index: Int) -> Int {
    var node = index
    var sum = 0
    while node > 0 {
      sum += sums[node]
      node -= node & -node
    }
    return sum
  }
}
