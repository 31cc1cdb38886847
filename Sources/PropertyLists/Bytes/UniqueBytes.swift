/// Distinct byte strings, concatenated and numbered from 0, such as the scalars of a binary property list that is being
/// written. To add a string, append its bytes to ``bytes`` and call ``find()``, which removes them again if an equal
/// string exists.
struct UniqueBytes: ~Copyable {
  package var bytes = ByteBuffer()
  /// The end of each string. Each begins at the end of the one before.
  private(set) var ends: [Int] = []
  /// A hash table. The low half of a slot is the index of a string plus one, the high half its hash; 0 is an empty
  /// slot. The low bits of the hash choose the slot. The number of slots is a power of two, and at most five of eight
  /// are used.
  private var slots = SparseNumbers<UInt64>(count: 64)
  private var usedSlots = 0
  private let seed = ByteHash.seed

  init() {}

  var count: Int { ends.count }

  /// Returns the range of a string in ``bytes``.
  @inline(__always)
  func range(of number: Int) -> Range<Int> { (number == 0 ? 0 : ends[number - 1])..<ends[number] }

  /// Adds the string at the end of ``bytes``, and returns its index. If an equal string exists already, removes the new
  /// one, and returns the index of the existing one.
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

  /// Adds the string at the end of ``bytes`` without a search. The string must be new. Later searches do not find it.
  @inline(__always)
  mutating func add() -> Int {
    ends.makeRoom(for: 1)
    ends.append(bytes.count)
    return ends.count - 1
  }

  /// Releases the memory of the hash table. No string can be searched for after this.
  mutating func endSearch() { slots = SparseNumbers(count: 0) }

  private mutating func grow() {
    // A small table grows faster, because each growth costs time. A large one grows slower, to save memory.
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
