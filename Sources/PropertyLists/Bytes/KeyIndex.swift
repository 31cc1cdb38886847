/// Numbers the distinct keys of a document, to find a key that stands twice in one dictionary.
///
/// Each key is hashed once for each place it is looked at; whether a dictionary had it before is then one comparison.
struct KeyIndex {
  private var bytes: [UInt8] = []
  /// Where the key of each number ends in ``bytes``.
  private var ends: [Int] = []
  /// Key numbers plus one, by hash; a power of two of them, at most half in use.
  private var slots = [UInt32](repeating: 0, count: 64)
  /// The last dictionary that had the key of each number.
  private var lastDictionary: [UInt32] = []
  private var dictionary: UInt32 = 0

  /// The keys from now on are those of another dictionary.
  mutating func beginDictionary() { dictionary += 1 }

  /// Forgets all keys once they take more memory than keeping them is worth. Numbers given out before are void then.
  mutating func trim() {
    if bytes.count > 1 << 20 { self = KeyIndex() }
  }

  /// Whether the dictionary that began last meets the key of this number for the first time.
  mutating func isFirst(_ number: Int) -> Bool {
    defer { lastDictionary[number] = dictionary }
    return lastDictionary[number] != dictionary
  }

  /// The number of a key.
  mutating func number(of key: RawSpan) -> Int {
    let count = key.byteCount
    let hash = ByteHash.hash(key, from: 0, count: count, seed: ByteHash.seed)
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[slot] != 0 {
      let found = Int(slots[slot]) - 1
      if matches(key, found) { return found }
      slot = (slot + 1) & (slots.count - 1)
    }
    let number = ends.count
    bytes.append(bytes: key)
    ends.append(bytes.count)
    lastDictionary.append(0)
    slots[slot] = UInt32(number + 1)
    if 2 * ends.count > slots.count { grow() }
    return number
  }

  private func start(_ number: Int) -> Int { number == 0 ? 0 : ends[number - 1] }

  private func matches(_ key: RawSpan, _ number: Int) -> Bool {
    let start = start(number)
    guard ends[number] - start == key.byteCount else { return false }
    return key.hasSameBytes(as: bytes.rawBytes.extracting(start..<ends[number]))
  }

  private mutating func grow() { slots = slots(count: 4 * slots.count) }

  private func slots(count: Int) -> [UInt32] {
    var slots = [UInt32](repeating: 0, count: count)
    let all = bytes.rawBytes
    for number in ends.indices {
      let start = start(number)
      let hash = ByteHash.hash(all, from: start, count: ends[number] - start, seed: ByteHash.seed)
      var slot = Int(truncatingIfNeeded: hash) & (count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (count - 1) }
      slots[slot] = UInt32(number + 1)
    }
    return slots
  }
}
