/// Finds which elements of two lists are the same ones, by their hashes.
enum Alignment {
  /// For each element of `old` the element of `new` that it is, or -1: the longest common subsequence, as long as the
  /// lists differ in no more than a few thousand places; else a long one.
  ///
  /// - Complexity: O(*n* log *n*), and O(1) more for each pair up to ``mostCompared``.
  static func match(_ old: [UInt64], _ new: [UInt64]) -> [Int] {
    var match = [Int](repeating: -1, count: old.count)
    var start = 0
    while start < old.count, start < new.count, old[start] == new[start] {
      match[start] = start
      start += 1
    }
    var (oldEnd, newEnd) = (old.count, new.count)
    while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
      oldEnd -= 1
      newEnd -= 1
      match[oldEnd] = newEnd
    }
    let (oldMiddle, newMiddle) = (old[start..<oldEnd], new[start..<newEnd])
    guard !oldMiddle.isEmpty, !newMiddle.isEmpty else { return match }
    let (product, overflow) = oldMiddle.count.multipliedReportingOverflow(by: newMiddle.count)
    if !overflow, product <= mostCompared {
      matchByTable(oldMiddle, newMiddle, &match)
    } else {
      matchByOccurrence(oldMiddle, newMiddle, &match)
    }
    return match
  }

  /// How many pairs of elements are looked at one by one.
  private static var mostCompared: Int { 1 << 22 }

  private static func matchByTable(_ old: ArraySlice<UInt64>, _ new: ArraySlice<UInt64>, _ match: inout [Int]) {
    // The length of the longest common subsequence of what stands from each pair on. The shorter list has at most 2048
    // elements.
    let width = new.count + 1
    var lengths = [UInt16](repeating: 0, count: (old.count + 1) * width)
    for row in (0..<old.count).reversed() {
      for column in (0..<new.count).reversed() {
        let place = row * width + column
        lengths[place] =
          old[old.startIndex + row] == new[new.startIndex + column]
          ? lengths[place + width + 1] + 1 : max(lengths[place + width], lengths[place + 1])
      }
    }
    var (row, column) = (0, 0)
    while row < old.count, column < new.count {
      let place = row * width + column
      if old[old.startIndex + row] == new[new.startIndex + column] {
        match[old.startIndex + row] = new.startIndex + column
        row += 1
        column += 1
      } else if lengths[place + width] >= lengths[place + 1] {
        row += 1
      } else {
        column += 1
      }
    }
  }

  /// The first occurrence of each hash is the first of the other list, the second the second; of these pairs, the most
  /// that are in the same order in both lists.
  private static func matchByOccurrence(_ old: ArraySlice<UInt64>, _ new: ArraySlice<UInt64>, _ match: inout [Int]) {
    var places = Occurrences(new)
    let pairs = old.indices.map { places.take(old[$0]) }
    let stays = increasing(pairs)
    for (position, place) in pairs.enumerated() where stays[position] { match[old.startIndex + position] = place }
  }

  /// Which numbers make the longest increasing sequence; those below 0 do not count. All others are distinct.
  ///
  /// - Complexity: O(*n* log *n*).
  static func increasing(_ numbers: [Int]) -> [Bool] {
    var stays = [Bool](repeating: false, count: numbers.count)
    // For each length, where the sequence of that length ends whose last number is the smallest.
    var ends: [Int] = []
    var former = [Int](repeating: -1, count: numbers.count)
    for (place, number) in numbers.enumerated() where number >= 0 {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      if low > 0 { former[place] = ends[low - 1] }
      if low == ends.count { ends.append(place) } else { ends[low] = place }
    }
    var place = ends.last ?? -1
    while place >= 0 {
      stays[place] = true
      place = former[place]
    }
    return stays
  }
}

/// The places of each hash in a list, from the first on.
struct Occurrences {
  private var first: [UInt64: Int] = [:]
  /// For each place the next one of the same hash, or -1.
  private var next: [Int]
  private let start: Int

  init(_ hashes: ArraySlice<UInt64>) {
    start = hashes.startIndex
    next = Array(repeating: -1, count: hashes.count)
    for place in hashes.indices.reversed() {
      next[place - start] = first.updateValue(place, forKey: hashes[place]) ?? -1
    }
  }

  /// The first place of a hash that was not taken yet, or -1.
  mutating func take(_ hash: UInt64) -> Int {
    guard let place = first[hash], place >= 0 else { return -1 }
    first[hash] = next[place - start]
    return place
  }
}
