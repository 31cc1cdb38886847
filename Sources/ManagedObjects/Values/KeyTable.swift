package import Predicates

/// A dictionary from the keys of objects (``RowKey``) to values.
///
/// The keys of objects that were created or read together mostly have consecutive numbers. The table stores them next
/// to each other, so that work on many objects accesses memory in order, unlike with a Swift dictionary.
///
/// It is an open-addressing hash table with groups of 16 slots, for 16 consecutive numbers. The position of a group is
/// a hash that depends on a random number of the process, so that a file cannot cause collisions on purpose. If the
/// slot of a key is in use, the key is stored one group and one slot further, and searching for it takes one more step.
package struct KeyTable<Value> {
  /// The key in each slot: ``RowKey/none`` if the slot is free, ``RowKey/removed`` if its value was removed. The count
  /// is a multiple of 16.
  private var keys: [RowKey] = []
  private var values: [Value?] = []
  /// The number of slots that are not free.
  private var usedCount = 0
  /// The number of values.
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// The number of slots.
  var capacity: Int { keys.count }

  package subscript(key: RowKey) -> Value? {
    get {
      let slot = slot(of: key)
      return slot < 0 ? nil : values[slot]
    }
    set {
      if let newValue { insert(newValue, for: key) } else { remove(key) }
    }
  }

  /// Returns the slot where the search for a key begins.
  func home(of key: RowKey) -> Int {
    let start = key.groupHash.multipliedFullWidth(by: UInt64(keys.count >> 4)).high
    return Int(truncatingIfNeeded: start) << 4 | Int(truncatingIfNeeded: key.number & 15)
  }

  /// Returns the slot to search after `slot`. It is 17 slots further: one group and one slot. The number of slots is
  /// never a multiple of 17, so the search visits each slot once.
  @inline(__always)
  private func next(_ slot: Int) -> Int { slot + 17 < keys.count ? slot + 17 : slot + 17 - keys.count }

  /// Returns the slot of a key; a negative number if the key is missing.
  func slot(of key: RowKey) -> Int {
    if keys.isEmpty { return -1 }
    var slot = home(of: key)
    while true {
      let other = keys[slot]
      if other == key { return slot }
      if other == .none { return -1 }
      slot = next(slot)
    }
  }

  /// Sets the value of a key.
  ///
  /// - Returns: true if the key is new.
  @discardableResult
  package mutating func insert(_ value: consuming Value, for key: RowKey) -> Bool {
    if 16 * (usedCount + 1) > 11 * keys.count { grow(for: count + count / 2 + 1) }
    var slot = home(of: key)
    while keys[slot] != .none {
      if keys[slot] == key {
        values[slot] = value
        return false
      }
      slot = next(slot)
    }
    keys[slot] = key
    values[slot] = value
    usedCount += 1
    count += 1
    return true
  }

  package mutating func remove(_ key: RowKey) {
    let slot = slot(of: key)
    guard slot >= 0 else { return }
    values[slot] = nil
    count -= 1
    if count == 0 {
      self = KeyTable()
      return
    }
    // A search for the key in the next slot may pass this slot. So if the next slot is used, this slot is marked as
    // removed instead of free.
    let isLast = keys[next(slot)] == .none
    keys[slot] = isLast ? .none : .removed
    if isLast { usedCount -= 1 }
  }

  package mutating func reserveCapacity(_ count: Int) {
    guard 16 * (count + usedCount - self.count) > 11 * keys.count else { return }
    // Grows by at least a half, so that many small steps do not rebuild the table each time.
    grow(for: max(count, self.count + self.count / 2 + 1))
  }

  /// Rebuilds the table with room for a number of values.
  mutating func grow(for count: Int) {
    // At most 11 of 16 slots are used. If the count were a multiple of 17, a search would not visit some slots.
    var capacity = max((count / 11 + 1) * 16, 32)
    if capacity % 17 == 0 { capacity += 16 }
    let oldKeys = keys
    var oldValues = values
    keys = Array(repeating: .none, count: capacity)
    values = Array(repeating: nil, count: capacity)
    usedCount = self.count
    for (oldSlot, key) in oldKeys.enumerated() where key != .none && key != .removed {
      var slot = home(of: key)
      while keys[slot] != .none { slot = next(slot) }
      keys[slot] = key
      // Moves the value instead of copying it.
      swap(&values[slot], &oldValues[oldSlot])
    }
  }

  /// Calls a function with all keys and values, in any order.
  package func visit<Failure: Error>(_ body: (RowKey, Value) throws(Failure) -> Void) throws(Failure) {
    for (slot, value) in values.enumerated() {
      if let value { try body(keys[slot], value) }
    }
  }
}

extension KeyTable: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (RowKey, Value)...) {
    for (key, value) in elements { insert(value, for: key) }
  }

  /// All keys and values, in any order.
  package var pairs: [(key: RowKey, value: Value)] {
    var pairs: [(key: RowKey, value: Value)] = []
    visit { pairs.append(($0, $1)) }
    return pairs
  }
}

/// Methods for tests.
extension KeyTable {
  /// Returns the first defect of the table; nil if all values are found and counted. For tests.
  func _checkInvariants() -> String? {
    if keys.count != values.count { return "\(keys.count) keys and \(values.count) values" }
    if keys.count % 16 != 0 { return "the number of slots, \(keys.count), is not a multiple of 16" }
    if 16 * usedCount > 11 * keys.count { return "\(usedCount) of \(keys.count) slots are used" }
    var (used, found) = (0, 0)
    for (slot, key) in keys.enumerated() where key != .none {
      used += 1
      if key == .removed {
        if values[slot] != nil { return "the slot \(slot) of a removed key has a value" }
        continue
      }
      found += 1
      if values[slot] == nil { return "\(key) has no value" }
      if self.slot(of: key) != slot { return "\(key) is not found at its slot \(slot)" }
    }
    for (slot, key) in keys.enumerated() where key == .none && values[slot] != nil {
      return "the free slot \(slot) has a value"
    }
    if used == usedCount, found == count { return nil }
    return "found \(used) used slots and \(found) values, expected \(usedCount) and \(count)"
  }
}

extension KeyTable<RowKey> {
  /// The table with keys and values exchanged.
  var inverted: KeyTable<RowKey> {
    var inverted = KeyTable()
    visit { inverted[$1] = $0 }
    return inverted
  }
}

extension KeyTable: Sendable where Value: Sendable {}

/// The index of each row in a list, by the row's key.
///
/// The type is not generic, so that other modules can use it without a loss of speed.
package struct RowPositions: Sendable {
  private var table = KeyTable<Int>()

  package init(capacity: Int) { table.reserveCapacity(capacity) }

  package subscript(key: RowKey) -> Int? { table[key] }

  package func contains(_ key: RowKey) -> Bool { table[key] != nil }

  /// Sets the index of a key.
  ///
  /// - Returns: false if the key already had an index, which is replaced.
  package mutating func insert(_ index: Int, for key: RowKey) -> Bool { table.insert(index, for: key) }
}

/// The random number of the process that ``KeyTable`` hashes keys with.
private enum KeySeed {
  private static let seed = UInt64.random(in: .min ... .max)

  /// Returns a hash of a number. Each bit of the hash depends on all bits of the number and of the seed.
  static func mix(_ number: UInt64) -> UInt64 {
    var mixed = number ^ seed
    for _ in 0..<2 { mixed = (mixed ^ mixed >> 32) &* 0xD6E8_FEB8_6659_FD93 }
    return mixed ^ mixed >> 32
  }
}

extension RowKey {
  /// The hash of the store, the entity and the number without its 4 lowest bits: keys with consecutive numbers have the
  /// same hash. It depends on a random number of the process.
  var groupHash: UInt64 {
    let number = UInt64(bitPattern: number)
    return KeySeed.mix(number >> 4 ^ UInt64(truncatingIfNeeded: entityIndex) << 40 ^ UInt64(store.rawValue) << 50)
  }

  /// The key that marks a free slot of a ``KeyTable``. No object has it.
  static let none = RowKey(store: .none, entityIndex: -1, number: 0)
  /// The key that marks a slot of a ``KeyTable`` whose value was removed. No object has it.
  static let removed = RowKey(store: .none, entityIndex: -1, number: 1)
}
