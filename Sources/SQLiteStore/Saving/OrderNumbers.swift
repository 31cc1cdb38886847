internal import PropertyLists

/// Assigns position numbers to an ordered list, and changes as few of them as possible.
enum OrderNumbers {
  /// Returns true for each number of a longest strictly increasing subsequence. Numbers below 1 mean that an element
  /// has no position yet.
  ///
  /// - Complexity: O(*n* log *n*).
  static func kept(_ numbers: [Int64]) -> [Bool] {
    // For each length, the index of the last number of an increasing subsequence; the one with the least last number.
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

  /// Returns increasing position numbers. Kept numbers stay, unless the gaps between them are too small for the new
  /// ones.
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
