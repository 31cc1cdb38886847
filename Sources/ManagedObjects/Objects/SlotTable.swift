/// The slots of properties in objects, by the key paths of their wrappers.
///
/// A key path that is written in a program is one object, so that its address finds the slot. In generic classes the
/// program makes a new one each time; those are compared, and not kept.
struct SlotTable {
  private struct Entry {
    /// The address of a key path; 0 for none.
    var address: UInt = 0
    /// Negative if there is no property.
    var slot = -1
  }

  /// An open hash table of a power of 2 entries, of which at most half are used.
  private var entries = [Entry](repeating: Entry(), count: 16)
  private(set) var count = 0
  private var slots: [AnyKeyPath: Int] = [:]
  /// The most addresses: more would be of key paths that are made again and again.
  private let limit: Int

  init(slotCount: Int) { limit = 4 * slotCount + 16 }

  /// The slot for a key path; negative if there is no property, and nil if nobody has said yet.
  @inline(__always)
  func slot(_ keyPath: AnyKeyPath) -> Int? {
    let address = UInt(bitPattern: ObjectIdentifier(keyPath))
    var index = firstIndex(address)
    while entries[index].address != address {
      if entries[index].address == 0 { return slots.isEmpty ? nil : slots[keyPath] }
      index = (index + 1) & (entries.count - 1)
    }
    return entries[index].slot
  }

  @inline(__always)
  private func firstIndex(_ address: UInt) -> Int {
    // Objects begin at multiples of 16.
    Int(truncatingIfNeeded: (address >> 4) ^ (address >> 10)) & (entries.count - 1)
  }

  /// Says the slot for a key path that has none yet.
  mutating func insert(_ keyPath: AnyKeyPath, slot: Int) {
    // It keeps the key path, so that the address stays its own.
    slots[keyPath] = slot
    guard count < limit else { return }
    count += 1
    if 2 * count > entries.count {
      let old = entries
      entries = Array(repeating: Entry(), count: 2 * old.count)
      for entry in old where entry.address != 0 { insert(entry) }
    }
    insert(Entry(address: UInt(bitPattern: ObjectIdentifier(keyPath)), slot: slot))
  }

  private mutating func insert(_ entry: Entry) {
    var index = firstIndex(entry.address)
    while entries[index].address != 0 { index = (index + 1) & (entries.count - 1) }
    entries[index] = entry
  }
}
