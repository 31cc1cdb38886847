internal import PropertyLists

/// Assigns position numbers to the elements of an ordered list, and changes as few numbers as possible.
enum OrderNumbers {
  /// Chooses the position numbers that can stay as they are: the longest strictly increasing subsequence. Returns true
  /// for each of its elements. A number below 1 means that an element has no position yet.
  ///
  /// - Complexity: O(*n* log *n*).
  static func kept(_ numbers: [Int64]) -> [Bool] {
    // For each length, the index of the last number of an increasing subsequence of that length. Of several
    // subsequences, the one with the least last number counts.
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: numbers.count)
    for (index, number) in numbers.enumerated() where number > 0 {
      let length = ends.partitioningIndex { numbers[$0] >= number }
      if length > 0 { before[index] = ends[length - 1] }
      if length < ends.count { ends[length] = index } else { ends.append(index) }
    }
    var kept = [Bool](repeating: false, count: numbers.count)
    var index = ends.last ?? -1
    while index >= 0 {
      kept[index] = true
      index = before[index]
    }
    return kept
  }

  /// Returns increasing position numbers. A number does not change if its element in `kept` is true. If the gaps
  /// between the kept numbers are too small for the other elements, all numbers change: to `first`, `first + step` and
  /// so on.
  static func numbers(_ old: [Int64], _ kept: [Bool], first: Int64, step: Int64) -> [Int64] {
    var new = old
    var next = 0
    while next < old.count {
      if kept[next] {
        next += 1
        continue
      }
      let end = kept[next...].firstIndex(of: true) ?? old.count
      let count = Int64(end - next)
      let lowest = next > 0 ? new[next - 1] : 0
      if end == old.count {
        guard lowest < Int64.max - (count + 1) * step else { return fresh(old.count, first, step) }
        let start = next > 0 ? lowest + step : first
        for index in next..<end { new[index] = start + Int64(index - next) * step }
      } else {
        let room = (old[end] - lowest) / (count + 1)
        guard room > 0 else { return fresh(old.count, first, step) }
        for index in next..<end { new[index] = lowest + Int64(index - next + 1) * room }
      }
      next = end
    }
    return new
  }

  private static func fresh(_ count: Int, _ first: Int64, _ step: Int64) -> [Int64] {
    (0..<count).map { first + Int64($0) * step }
  }
}
