/// Strings of bytes, each once, one behind the other, by number: the scalars of a binary property list in the making. A
/// new string is written behind the others, and taken away again if an equal one is found.
struct UniqueBytes: ~Copyable {
  package var bytes = ByteBuffer()
  /// Where each string ends; it begins where the one before ends.
  private(set) var ends: [Int] = []
  /// The number of a string plus one in the low half, its hash in the high half; 0 for none. The low bits of that hash
  /// choose the slot. A power of two of slots, at most five of eight in use.
  private var slots = SparseNumbers<UInt64>(count: 64)
  private var usedSlots = 0
  private let seed = ByteHash.seed

  init() {}

  var count: Int { ends.count }

  /// Where a string stands.
  @inline(__always)
  func range(of number: Int) -> Range<Int> { (number == 0 ? 0 : ends[number - 1])..<ends[number] }

  /// The number of the string at the end of the bytes, which is taken away if there is an equal one.
  @inline(__always)
  mutating func find() -> Int {
    let start = ends.last ?? 0
    let length = bytes.count - start
    let hash = ByteHash.hash(bytes.bytes, from: start, count: length, seed: seed) >> 32
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while slots[index] != 0 {
      let slot = slots[index]
      if slot >> 32 == hash {
        let number = Int(truncatingIfNeeded: slot & 0xFFFF_FFFF) - 1
        let other = range(of: number)
        if other.count == length, bytes.bytes.equalBytes(other.lowerBound, start, count: length) {
          bytes.truncate(to: start)
          return number
        }
      }
      index = (index + 1) & mask
    }
    _ = add()
    slots[index] = hash << 32 | UInt64(truncatingIfNeeded: ends.count)
    usedSlots += 1
    if 8 * usedSlots > 5 * slots.count { grow() }
    return ends.count - 1
  }

  /// Keeps the string that stands at the end of the bytes, which is known to be new, and is not looked for again.
  @inline(__always)
  mutating func add() -> Int {
    ends.makeRoom(for: 1)
    ends.append(bytes.count)
    return ends.count - 1
  }

  /// No string is looked for any more: gives back the memory that took.
  mutating func endSearch() { slots = SparseNumbers(count: 0) }

  private mutating func grow() {
    // Few of them are too small for the caches, where each step costs; of many, memory counts.
    let larger = SparseNumbers<UInt64>(count: slots.count < 1 << 16 ? 4 * slots.count : 2 * slots.count, isDense: true)
    let mask = larger.count - 1
    for old in 0..<slots.count {
      let slot = slots[old]
      if slot == 0 { continue }
      var index = Int(truncatingIfNeeded: slot >> 32) & mask
      while larger[index] != 0 { index = (index + 1) & mask }
      larger[index] = slot
    }
    slots = larger
  }
}
