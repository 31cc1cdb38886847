/// The slots of properties, by the key paths of their wrappers.
///
/// A key path literal creates only one object, so the slot is found by the address of this object. In a generic class,
/// the literal creates a new object on each use. The slot of this object is found by comparing it with the key paths in
/// the table, and its address is not stored.
struct SlotTable {
  private struct Entry {
    /// The address of a key path; 0 for a free entry.
    var address: UInt = 0
    /// The slot, or a negative number: see ``EntityShape``.
    var slot = -1
  }

  /// An open-addressing hash table. Its size is a power of 2, and at most half of the entries are used.
  private var entries = [Entry](repeating: Entry(), count: 16)
  private(set) var count = 0
  private var slots: [AnyKeyPath: Int] = [:]
  /// The maximum number of addresses, so that key paths that are created again and again do not fill the table.
  private let limit: Int

  init(slotCount: Int) { limit = 4 * slotCount + 16 }

  /// Returns the slot for a key path, which can be a negative number with a special meaning; nil if the key path is not
  /// in the table.
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
    // Objects are aligned to 16 bytes.
    Int(truncatingIfNeeded: (address >> 4) ^ (address >> 10)) & (entries.count - 1)
  }

  /// Adds the slot of a key path that is not in the table.
  mutating func insert(_ keyPath: AnyKeyPath, slot: Int) {
    // Retains the key path, so that its address is not reused.
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
