/// Finds which elements of two lists are the same ones, by their hashes.
enum Alignment {
  /// An element of a list.
  struct Element {
    let hash: UInt64
    let kind: NodeKind
    /// How many values there are in it, itself included.
    let size: Int
    /// Of the hashes of its children, the smallest, in order: two containers that have many of them in common are alike.
    let features: [UInt64]

    /// Whether the one may be the other after a change. Of a scalar that became a container, nothing is left.
    func canBecome(_ other: Element) -> Bool { kind.isContainer == other.kind.isContainer }
  }

  /// For each element of `old` the element of `new` that it is, or -1, in the same order.
  ///
  /// Of short lists, the elements that changed are found too, by what they have in common; of long ones, only those that
  /// are the same: the longest common subsequence, or where the lists are very long and differ at many places, a long one.
  ///
  /// - Complexity: O(*n* log *n*), and O(1) more for each pair up to four million.
  ///
  /// - Parameters:
  ///   - oldElement: the element of `old` at a place; asked for only where the lists differ.
  ///   - newElement: as `oldElement`.
  static func match(
    _ old: [UInt64], _ new: [UInt64], oldElement: (Int) -> Element, newElement: (Int) -> Element
  ) -> [Int] {
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
    let (oldMiddle, newMiddle) = (Array(old[start..<oldEnd]), Array(new[start..<newEnd]))
    guard !oldMiddle.isEmpty, !newMiddle.isEmpty else { return match }
    let (product, overflow) = oldMiddle.count.multipliedReportingOverflow(by: newMiddle.count)
    let middle: [Int]
    if !overflow, product <= mostWeighed {
      middle = matchByWeight((start..<oldEnd).map(oldElement), (start..<newEnd).map(newElement))
    } else if !overflow, product <= mostCompared {
      middle = matchByLength(oldMiddle, newMiddle)
    } else {
      middle = matchByOccurrence(oldMiddle, newMiddle)
    }
    for (place, target) in middle.enumerated() where target >= 0 { match[start + place] = start + target }
    return match
  }

  /// How many pairs of elements are looked at one by one, and how many of them closely.
  private static var mostCompared: Int { 1 << 22 }
  private static var mostWeighed: Int { 1 << 18 }

  /// The pairs in the same order that have the most in common.
  private static func matchByWeight(_ old: [Element], _ new: [Element]) -> [Int] {
    var match = [Int](repeating: -1, count: old.count)
    // What is found again elsewhere was moved, and is no other value that changed.
    let oldHashes = Set(old.map(\.hash))
    let newHashes = Set(new.map(\.hash))
    let width = new.count + 1
    var weights = [Int32](repeating: 0, count: (old.count + 1) * width)
    func weight(_ row: Int, _ column: Int) -> Int32 {
      let (first, second) = (old[row], new[column])
      if first.hash == second.hash { return 10 + 2 * Int32(min(first.size, 1000)) }
      guard first.canBecome(second), !newHashes.contains(first.hash), !oldHashes.contains(second.hash) else { return 0 }
      return 1 + (first.kind == second.kind ? 1 + 2 * commonCount(first.features, second.features) : 0)
    }
    for row in (0..<old.count).reversed() {
      for column in (0..<new.count).reversed() {
        let place = row * width + column
        let weight = weight(row, column)
        weights[place] = max(
          weights[place + width], weights[place + 1], weight > 0 ? weights[place + width + 1] + weight : 0)
      }
    }
    var (row, column) = (0, 0)
    while row < old.count, column < new.count {
      let place = row * width + column
      let weight = weight(row, column)
      if weight > 0, weights[place] == weights[place + width + 1] + weight {
        match[row] = column
        row += 1
        column += 1
      } else if weights[place] == weights[place + width] {
        row += 1
      } else {
        column += 1
      }
    }
    return match
  }

  private static func commonCount(_ first: [UInt64], _ second: [UInt64]) -> Int32 {
    var (count, left, right) = (0 as Int32, 0, 0)
    while left < first.count, right < second.count {
      if first[left] == second[right] {
        count += 1
        left += 1
        right += 1
      } else if first[left] < second[right] {
        left += 1
      } else {
        right += 1
      }
    }
    return count
  }

  private static func matchByLength(_ old: [UInt64], _ new: [UInt64]) -> [Int] {
    var match = [Int](repeating: -1, count: old.count)
    // The length of the longest common subsequence of what stands from each pair on. The shorter list has at most 2048
    // elements.
    let width = new.count + 1
    var lengths = [UInt16](repeating: 0, count: (old.count + 1) * width)
    for row in old.indices.reversed() {
      for column in new.indices.reversed() {
        let place = row * width + column
        lengths[place] =
          old[row] == new[column] ? lengths[place + width + 1] + 1 : max(lengths[place + width], lengths[place + 1])
      }
    }
    var (row, column) = (0, 0)
    while row < old.count, column < new.count {
      let place = row * width + column
      if old[row] == new[column] {
        match[row] = column
        row += 1
        column += 1
      } else if lengths[place + width] >= lengths[place + 1] {
        row += 1
      } else {
        column += 1
      }
    }
    return match
  }

  /// The first occurrence of each hash is the first of the other list, the second the second; of these pairs, the most
  /// that are in the same order in both lists.
  private static func matchByOccurrence(_ old: [UInt64], _ new: [UInt64]) -> [Int] {
    var places = Occurrences(new[...])
    let pairs = old.map { places.take($0) }
    return zip(pairs, increasing(pairs)).map { $1 ? $0 : -1 }
  }

  /// Which numbers make the longest increasing sequence; those below 0 do not count. All others are distinct.
  ///
  /// - Complexity: O(*n* log *n*).
  static func increasing(_ numbers: [Int]) -> [Bool] {
    var stays = [Bool](repeating: false, count: numbers.count)
    let places = numbers.indices.filter { numbers[$0] >= 0 }
    for position in CommonSubsequence.longestIncreasing(places.map { numbers[$0] }) { stays[places[position]] = true }
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
