@_spi(Archives) internal import PropertyLists

/// How the children of a container become those of another: removals, then moves, then insertions.
struct Rearrangement {
  /// The old indices of what is removed, from the last to the first.
  var removals: [Int] = []
  /// The moves, one after the other: from an index to another one. `child` is its new index when all is done.
  var moves: [(from: Int, to: Int, child: Int)] = []
  /// The new indices of what is inserted, from the first to the last.
  var insertions: [Int] = []

  /// - Parameter sources: for each new child the index of the old one that it was, each at most once; nil if it is new.
  /// - Complexity: O(*n* log *n*) in the number of children.
  init(of count: Int, sources: [Int?]) {
    var isKept = Array(repeating: false, count: count)
    for case let source? in sources { isKept[source] = true }
    removals = (0..<count).reversed().filter { !isKept[$0] }
    insertions = sources.indices.filter { sources[$0] == nil }
    findMoves(sources.indices.filter { sources[$0] != nil }, sources.compactMap { $0 })
  }

  /// The new and the old indices of what stays.
  private mutating func findMoves(_ children: [Int], _ sources: [Int]) {
    let count = sources.count
    var isStill = Array(repeating: false, count: count)
    for rank in CommonSubsequence.longestIncreasing(sources) { isStill[rank] = true }
    guard isStill.contains(false) else { return }
    // A rank is the index among what stays when all is done, an origin the index before that.
    var origins = Array(repeating: 0, count: count)
    for (origin, rank) in (0..<count).sorted(by: { sources[$0] < sources[$1] }).enumerated() { origins[rank] = origin }

    // What moves goes behind the one that it follows in the end. So the list is at any time: what is still and what has
    // moved, by rank; and what has yet to move, which stands before the next thing that is still, behind what has moved
    // there.
    var settled = PrefixCounts(isStill.map { $0 ? 1 : 0 })
    var waiting = PrefixCounts(Array(repeating: 0, count: count))
    for rank in 0..<count where !isStill[rank] { waiting.add(1, at: origins[rank]) }
    // For each origin the rank of the first still one at or behind it.
    var nextStill = Array(repeating: count, count: count + 1)
    var ranks = Array(repeating: 0, count: count)
    for rank in 0..<count { ranks[origins[rank]] = rank }
    for origin in (0..<count).reversed() {
      nextStill[origin] = isStill[ranks[origin]] ? ranks[origin] : nextStill[origin + 1]
    }
    // The origin of the last still one up to the current rank.
    var stillOrigin: Int?
    for rank in 0..<count {
      if isStill[rank] {
        stillOrigin = origins[rank]
        continue
      }
      let origin = origins[rank]
      let from = waiting.sum(below: origin) + settled.sum(below: nextStill[origin])
      // Behind everything of a lower rank, and what waits before the still one of these.
      let target = settled.sum(below: rank) + (stillOrigin.map { waiting.sum(below: $0) } ?? 0)
      moves.append((from, from < target ? target - 1 : target, children[rank]))
      waiting.add(-1, at: origin)
      settled.add(1, at: rank)
    }
  }
}

/// Counts whose sums up to an index are found and changed in O(log *n*) (Peter Fenwick, 1994).
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
