/// The iteration order of Core Foundation's dictionaries and sets: the order of the buckets of a hash table.
///
/// Apple's archiver writes the keys of an object in this order. An archiver must use it to produce the same bytes
/// (`CFBasicHash.c`, `CFString.c`; the sizes were confirmed with archives from macOS 10.14).
enum CoreFoundationOrder {
  /// The possible sizes of the table. For each, `size` is the number of buckets, and `capacity` the number of elements
  /// that the table can hold.
  private static let sizes: [(size: Int, capacity: Int)] = [
    (3, 3), (7, 6), (13, 11), (23, 19), (41, 32), (71, 52), (127, 85), (191, 118), (251, 155), (383, 237), (631, 390),
    (1087, 672), (1723, 1065), (2803, 1732), (4523, 2795), (7351, 4543), (11959, 7391), (19447, 12019), (31231, 19302),
    (50683, 31324), (81919, 50629), (132607, 81956),
  ]

  /// Inserts elements with these hashes into a table one after another, and returns their positions in the order of the
  /// table. If there are more elements than the largest table can hold, returns them in the order of insertion.
  ///
  /// - Parameter grows: true if the table grows as it fills, false if it has its final size from the start.
  static func positions(of hashes: [UInt64], grows: Bool) -> [Int] {
    guard let last = sizes.firstIndex(where: { $0.capacity >= hashes.count }) else { return Array(hashes.indices) }
    var table: [Int] = []
    var next = 0
    for (size, capacity) in sizes[(grows ? 0 : last)...last] {
      let old = table
      table = [Int](repeating: -1, count: size)
      for moved in old where moved >= 0 { insert(moved, hashes, into: &table) }
      while next < min(capacity, hashes.count) {
        insert(next, hashes, into: &table)
        next += 1
      }
    }
    return table.filter { $0 >= 0 }
  }

  private static func insert(_ position: Int, _ hashes: [UInt64], into table: inout [Int]) {
    var bucket = Int(hashes[position] % UInt64(table.count))
    while table[bucket] >= 0 { bucket = bucket + 1 == table.count ? 0 : bucket + 1 }
    table[bucket] = position
  }

  /// Returns the hash of a string, as `CFStringHash` computes it. If the string has more than 96 UTF-16 units, only the
  /// first, the middle and the last 32 are hashed.
  static func hash(_ text: String) -> UInt64 {
    let units = Array(text.utf16)
    var hash = UInt64(units.count)
    if units.count <= 96 {
      mix(units[...], into: &hash)
    } else {
      mix(units[..<32], into: &hash)
      let middle = units.count / 2 - 16
      mix(units[middle..<middle + 32], into: &hash)
      mix(units[(units.count - 32)...], into: &hash)
    }
    return hash &+ (hash << (UInt64(units.count) & 31))
  }

  private static func mix(_ units: ArraySlice<UInt16>, into hash: inout UInt64) {
    var index = units.startIndex
    while index + 4 <= units.endIndex {
      hash =
        hash &* 67_503_105 &+ UInt64(units[index]) &* 16_974_593 &+ UInt64(units[index + 1]) &* 66_049
        &+ UInt64(units[index + 2]) &* 257 &+ UInt64(units[index + 3])
      index += 4
    }
    while index < units.endIndex {
      hash = hash &* 257 &+ UInt64(units[index])
      index += 1
    }
  }

  /// Returns the hash of an integer, as `CFNumberHash` computes it.
  static func hash(_ value: Int64) -> UInt64 { value.magnitude &* 2_654_435_761 }
}
