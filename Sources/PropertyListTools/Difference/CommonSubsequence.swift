@_spi(Archives) internal import PropertyLists

/// Functions that find the elements that two lists have in the same order.
enum CommonSubsequence {
  /// Returns pairs of indexes of equal elements, ascending in both lists. They are a longest common subsequence if the
  /// lists are similar (Eugene W. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986), else possibly a
  /// shorter one.
  static func pairs(_ first: [UInt64], _ second: [UInt64]) -> [(Int, Int)] {
    var pairs: [(Int, Int)] = []
    let shorter = min(first.count, second.count)
    var start = 0
    while start < shorter, first[start] == second[start] {
      pairs.append((start, start))
      start += 1
    }
    var end = 0
    while end < shorter - start, first[first.count - 1 - end] == second[second.count - 1 - end] { end += 1 }
    // Elements that are in only one of the lists cannot match. Without them, the search is short.
    let inFirst = Set(first[start..<first.count - end])
    let inSecond = Set(second[start..<second.count - end])
    let candidates = (start..<first.count - end).filter { inSecond.contains(first[$0]) }
    let others = (start..<second.count - end).filter { inFirst.contains(second[$0]) }
    let (a, b) = (candidates.map { first[$0] }, others.map { second[$0] })
    for (i, j) in longest(a, b) ?? likely(a, b) { pairs.append((candidates[i], others[j])) }
    for distance in (0..<end).reversed() { pairs.append((first.count - 1 - distance, second.count - 1 - distance)) }
    return pairs
  }

  /// Returns the limit of an exact search: the maximum number of elements that may be in only one of the lists. The
  /// time of the search is proportional to this limit times the length of the lists, and its memory to the square of
  /// the limit.
  private static func distanceLimit(_ length: Int) -> Int { max(64, min(1000, 20_000_000 / max(length, 1))) }

  /// Returns a longest common subsequence, or nil if the lists are too different.
  private static func longest(_ a: [UInt64], _ b: [UInt64]) -> [(Int, Int)]? {
    let limit = min(a.count + b.count, distanceLimit(a.count + b.count))
    // For each diagonal, the furthest index in `a` that has been reached. All pairs of an index in `a` and an index in
    // `b` with the same difference k are on diagonal k, which is stored at index k + limit + 1.
    var reach = Array(repeating: 0, count: 2 * limit + 3)
    // The values of `reach` from diagonal -d to d before step d.
    var history: [[Int]] = []
    for distance in 0...limit {
      history.append(Array(reach[(limit + 1 - distance)...(limit + 1 + distance)]))
      for diagonal in stride(from: -distance, through: distance, by: 2) {
        let center = diagonal + limit + 1
        let isDown = diagonal == -distance || (diagonal != distance && reach[center - 1] < reach[center + 1])
        var x = isDown ? reach[center + 1] : reach[center - 1] + 1
        while x < a.count, x - diagonal < b.count, a[x] == b[x - diagonal] { x += 1 }
        reach[center] = x
        if x >= a.count, x - diagonal >= b.count { return path(a, b, history) }
      }
    }
    return nil
  }

  /// Returns the pairs of the longest common subsequence, which is traced back through `history` from the ends of both
  /// lists.
  private static func path(_ a: [UInt64], _ b: [UInt64], _ history: [[Int]]) -> [(Int, Int)] {
    var pairs: [(Int, Int)] = []
    var (x, y) = (a.count, b.count)
    for distance in history.indices.reversed() {
      let reach = history[distance]
      let diagonal = x - y
      var (previousX, previousY, startX) = (0, 0, 0)
      if distance > 0 {
        // Here, `reach` begins with diagonal -distance, so diagonal k is at index k + distance.
        let before = { (diagonal: Int) in
          diagonal < -distance || diagonal > distance ? -1 : reach[diagonal + distance]
        }
        let isDown = diagonal == -distance || (diagonal != distance && before(diagonal - 1) < before(diagonal + 1))
        let previousDiagonal = isDown ? diagonal + 1 : diagonal - 1
        previousX = before(previousDiagonal)
        previousY = previousX - previousDiagonal
        startX = isDown ? previousX : previousX + 1
      }
      while x > startX {
        x -= 1
        y -= 1
        pairs.append((x, y))
      }
      (x, y) = (previousX, previousY)
    }
    return pairs.reversed()
  }

  /// Returns pairs of indexes of equal elements, ascending in both lists, but not always as many as possible. First
  /// matches equal numbers: the first occurrence in one list with the first occurrence in the other list, the second
  /// with the second, and so on. Then returns a longest ascending subsequence of these pairs.
  private static func likely(_ a: [UInt64], _ b: [UInt64]) -> [(Int, Int)] {
    let partners = equalPairs(a, b)
    return longestIncreasing(partners.map(\.1)).map { partners[$0] }
  }

  /// Returns pairs of indexes of equal elements in any order, ascending in the first list. Each element is used at most
  /// once.
  static func equalPairs(_ a: [UInt64], _ b: [UInt64]) -> [(Int, Int)] {
    // `first` is the first unused index of each element in `b`, or -1 if none is left. `next` is, for each index in
    // `b`, the next index of an equal element, or -1.
    var first = [UInt64: Int](minimumCapacity: b.count)
    var next = Array(repeating: -1, count: b.count)
    for index in b.indices.reversed() { next[index] = first.updateValue(index, forKey: b[index]) ?? -1 }
    var pairs: [(Int, Int)] = []
    for index in a.indices {
      guard let partner = first[a[index]], partner >= 0 else { continue }
      first[a[index]] = next[partner]
      pairs.append((index, partner))
    }
    return pairs
  }

  /// Returns the indexes of a longest increasing subsequence of distinct numbers.
  static func longestIncreasing(_ numbers: [Int]) -> [Int] {
    // For each length, the index of the last number of a subsequence of that length; of all such subsequences, the one
    // whose last number is the smallest.
    var ends: [Int] = []
    var previous = Array(repeating: -1, count: numbers.count)
    for index in numbers.indices {
      let length = ends.partitioningIndex { numbers[$0] >= numbers[index] }
      if length > 0 { previous[index] = ends[length - 1] }
      if length == ends.count { ends.append(index) } else { ends[length] = index }
    }
    var result: [Int] = []
    var index = ends.last ?? -1
    while index >= 0 {
      result.append(index)
      index = previous[index]
    }
    return result.reversed()
  }
}
