internal import Predicates
internal import SystemFiles

/// The objects of a context by their keys.
///
/// The map does not retain the objects: an object removes itself when it is released.
///
/// Like ``KeyTable``, it is an open-addressing hash table with groups of 16 slots for 16 consecutive numbers. Unlike
/// it, a slot has no key, because the object has one: 12 bytes for each slot instead of 24. It is a class, because each
/// access to a structure in ``ContextState`` would count the references to its arrays.
final class IdentityMap {
  /// The number of objects that makes a map large. Only a large map returns memory to the system when objects are
  /// removed.
  private let largeCount: Int

  /// A reference to an object. It is valid while the entry is in the map, because ``ManagedObject/deinit`` removes the
  /// entry.
  fileprivate struct Entry {
    unowned var object: ManagedObject?
  }

  /// The hash of the key in each slot: 0 if the slot is free, 1 if its object was removed. The count is a multiple of
  /// 16. The table is rebuilt from the hashes, because an object that is being released cannot be asked for its key.
  @safe @exclusivity(unchecked) private var hashes: [UInt32] = []
  @safe @exclusivity(unchecked) private var entries: [Entry] = []
  /// The number of slots that are not free.
  @safe @exclusivity(unchecked) private var usedCount = 0
  @safe @exclusivity(unchecked) private(set) var count = 0
  /// The greatest number of objects since memory was last returned to the system.
  @safe @exclusivity(unchecked) private var greatestCount = 0
  /// True if memory was returned to the system since the map was last empty.
  @safe @exclusivity(unchecked) private var wasLarge = false
  /// The number of times that memory was returned. For tests.
  @safe @exclusivity(unchecked) private(set) var releaseCount = 0

  init(largeCount: Int = 1 << 17) { self.largeCount = largeCount }

  /// All objects, in the order of their keys.
  var objects: [ManagedObject] {
    var objects: [ManagedObject] = []
    objects.reserveCapacity(count)
    visit { objects.append($0) }
    return objects.sorted { $0.key < $1.key }
  }

  /// Calls a function with each object, in any order. Unlike ``objects``, this creates no array.
  func visit(_ body: (ManagedObject) -> Void) {
    let entries = entries
    // Iterating over the entries themselves does not end, because the compiler confuses an entry without an object with
    // the end.
    for slot in entries.indices { if let object = entries[slot].object { body(object) } }
  }

  subscript(key: RowKey) -> ManagedObject? {
    if count == 0 { return nil }
    let hash = Self.hash(key)
    var slot = home(of: hash)
    while hashes[slot] != Self.free {
      if hashes[slot] == hash, let object = entries[slot].object, object.key == key { return object }
      slot = next(slot)
    }
    return nil
  }

  /// The number of objects that the map has room for. For tests.
  var capacity: Int { hashes.count }

  /// Adds an object, in place of an object with the same key.
  func insert(_ object: ManagedObject) {
    if 16 * (usedCount + 1) > 11 * hashes.count { grow(for: count + count / 2 + 1) }
    let key = object.key
    let hash = Self.hash(key)
    var slot = home(of: hash)
    while hashes[slot] != Self.free {
      if hashes[slot] == hash, entries[slot].object?.key == key {
        entries[slot].object = object
        return
      }
      slot = next(slot)
    }
    hashes[slot] = hash
    entries[slot].object = object
    usedCount += 1
    count += 1
    if count > greatestCount { greatestCount = count }
  }

  /// Removes an object, if the map contains it.
  ///
  /// If the map is large, the memory of the map and of the objects is returned to the system twice: when 15 of 16
  /// objects have been removed, and when all have been removed. The work is proportional to the number of removed
  /// objects.
  func remove(_ object: ManagedObject) {
    guard let slot = slot(of: object) else { return }
    entries[slot].object = nil
    count -= 1
    if count == 0 {
      usedCount = 0
      // Keeps the memory of a small map for the next object.
      if hashes.count > Self.smallCapacity {
        (hashes, entries) = ([], [])
      } else {
        for slot in hashes.indices { hashes[slot] = Self.free }
      }
    } else {
      // A search for the object in the next slot may pass this slot. So if the next slot is used, this slot is marked
      // as removed instead of free.
      let isLast = hashes[next(slot)] == Self.free
      hashes[slot] = isLast ? Self.free : Self.removed
      if isLast { usedCount -= 1 }
    }
    if greatestCount >= largeCount, count <= greatestCount / 16 {
      wasLarge = count > 0
    } else if wasLarge, count == 0 {
      wasLarge = false
    } else {
      return
    }
    greatestCount = count
    releaseCount += 1
    grow(for: count + count / 2 + 1)
    SystemMemory.giveBackFreeMemory()
  }

  /// Removes all objects.
  func removeAll() {
    (hashes, entries) = ([], [])
    (usedCount, count, greatestCount) = (0, 0, 0)
    wasLarge = false
  }

  func reserveCapacity(_ count: Int) {
    guard 16 * (count + usedCount - self.count) > 11 * hashes.count else { return }
    // Grows by at least a half, so that many small steps do not rebuild the table each time.
    grow(for: max(count, self.count + self.count / 2 + 1))
  }
}

/// The hash table.
extension IdentityMap {
  private static let smallCapacity = 64
  private static let free: UInt32 = 0
  private static let removed: UInt32 = 1

  /// Returns 28 bits of the hash of a key's group, and the 4 lowest bits of its number.
  private static func hash(_ key: RowKey) -> UInt32 {
    let hash = UInt32(truncatingIfNeeded: key.groupHash >> 36) << 4 | UInt32(truncatingIfNeeded: key.number & 15)
    return hash > removed ? hash : hash + 16
  }

  /// Returns the slot where the search for a hash begins.
  private func home(of hash: UInt32) -> Int {
    let group = (UInt64(hash >> 4) * UInt64(hashes.count >> 4)) >> 28
    return Int(truncatingIfNeeded: group) << 4 | Int(hash & 15)
  }

  /// Returns the slot to search after `slot`, as in ``KeyTable``: one group and one slot further. The number of slots
  /// is never a multiple of 17, so the search visits each slot once.
  @inline(__always)
  private func next(_ slot: Int) -> Int { slot + 17 < hashes.count ? slot + 17 : slot + 17 - hashes.count }

  /// Returns the slot of an object, which may be in its `deinit`.
  private func slot(of object: ManagedObject) -> Int? {
    if count == 0 { return nil }
    let hash = Self.hash(object.key)
    var slot = home(of: hash)
    while hashes[slot] != Self.free {
      if hashes[slot] == hash, entries.hasObject(object, at: slot) { return slot }
      slot = next(slot)
    }
    return nil
  }

  /// Rebuilds the table with room for a number of objects.
  private func grow(for count: Int) {
    // At most 11 of 16 slots are used. If the count were a multiple of 17, a search would not visit some slots.
    var capacity = max((count / 11 + 1) * 16, 32)
    if capacity % 17 == 0 { capacity += 16 }
    let oldHashes = hashes
    var oldEntries = entries
    hashes = Array(repeating: Self.free, count: capacity)
    entries = Array(repeating: Entry(object: nil), count: capacity)
    usedCount = self.count
    for (oldSlot, hash) in oldHashes.enumerated() where hash > Self.removed {
      var slot = home(of: hash)
      while hashes[slot] != Self.free { slot = next(slot) }
      hashes[slot] = hash
      // Moves the reference: reading that of an object that is being released would stop the program.
      swap(&entries[slot], &oldEntries[oldSlot])
    }
  }
}

extension [IdentityMap.Entry] {
  /// Returns true if the entry at an index refers to an object. Compares the addresses, because reading the reference
  /// to an object that is being released would stop the program.
  @safe
  fileprivate func hasObject(_ object: ManagedObject, at index: Int) -> Bool {
    unsafe withUnsafeBytes { bytes in
      unsafe bytes.load(fromByteOffset: index * MemoryLayout<IdentityMap.Entry>.stride, as: UInt.self)
        == UInt(bitPattern: ObjectIdentifier(object))
    }
  }
}

/// Methods for tests.
extension IdentityMap {
  /// Returns the first defect of the table; nil if all objects are found and counted. For tests.
  func _checkInvariants() -> String? {
    if hashes.count != entries.count { return "\(hashes.count) hashes and \(entries.count) entries" }
    if hashes.count % 16 != 0 { return "the number of slots, \(hashes.count), is not a multiple of 16" }
    if 16 * usedCount > 11 * hashes.count { return "\(usedCount) of \(hashes.count) slots are used" }
    var (used, found) = (0, 0)
    for (slot, hash) in hashes.enumerated() {
      guard hash > Self.removed else {
        if hash == Self.removed { used += 1 }
        if entries[slot].object != nil { return "the slot \(slot) without a hash has an object" }
        continue
      }
      used += 1
      found += 1
      guard let object = entries[slot].object else { return "the slot \(slot) has no object" }
      if self.slot(of: object) != slot { return "\(object.key) is not found at its slot \(slot)" }
    }
    if used == usedCount, found == count { return nil }
    return "found \(used) used slots and \(found) objects, expected \(usedCount) and \(count)"
  }
}
