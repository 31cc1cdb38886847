/// Values by the keys of objects.
///
/// Numbers that follow one another, as those of objects that were made or read together do, are neighbours here: work
/// on all of them goes through memory in order. A dictionary would put each somewhere else.
///
/// An open hash table. The places of groups of 16 numbers follow from a number that each process draws anew, so that no
/// file can choose groups that meet. Of two groups that do meet, one moves on to the next places as a whole: each of
/// its numbers needs one step.
package struct KeyTable<Value> {
  /// ``RowKey/none`` in free places, ``RowKey/removed`` in those whose value was removed. Whole groups of places.
  private var keys: [RowKey] = []
  private var values: [Value?] = []
  /// How many places are not free.
  private var usedCount = 0
  /// How many values there are.
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// The number of places.
  var capacity: Int { keys.count }

  package subscript(key: RowKey) -> Value? {
    get {
      let place = place(of: key)
      return place < 0 ? nil : values[place]
    }
    set {
      if let newValue { insert(newValue, for: key) } else { remove(key) }
    }
  }

  /// The place of a key, if no other one was there before.
  func home(of key: RowKey) -> Int {
    let number = UInt64(bitPattern: key.number)
    let group = number >> 4 ^ UInt64(truncatingIfNeeded: key.entityIndex) << 40 ^ UInt64(key.store.rawValue) << 50
    let start = KeySeed.mix(group).multipliedFullWidth(by: UInt64(keys.count >> 4)).high
    return Int(truncatingIfNeeded: start << 4 | number & 15)
  }

  /// The place to look at after another: in the next group, and there one further, so that each place comes once.
  @inline(__always)
  private func next(_ place: Int) -> Int { place + 17 < keys.count ? place + 17 : place + 17 - keys.count }

  /// The place of a key; negative if it is not there.
  func place(of key: RowKey) -> Int {
    if keys.isEmpty { return -1 }
    var place = home(of: key)
    while true {
      let other = keys[place]
      if other == key { return place }
      if other == .none { return -1 }
      place = next(place)
    }
  }

  /// Sets the value of a key.
  ///
  /// - Returns: true if it had none.
  @discardableResult
  package mutating func insert(_ value: consuming Value, for key: RowKey) -> Bool {
    if 16 * (usedCount + 1) > 11 * keys.count { grow(for: count + count / 2 + 1) }
    var place = home(of: key)
    while keys[place] != .none {
      if keys[place] == key {
        values[place] = value
        return false
      }
      place = next(place)
    }
    keys[place] = key
    values[place] = value
    usedCount += 1
    count += 1
    return true
  }

  package mutating func remove(_ key: RowKey) {
    let place = place(of: key)
    guard place >= 0 else { return }
    values[place] = nil
    count -= 1
    if count == 0 {
      self = KeyTable()
      return
    }
    // Keys further along may have been pushed past this place.
    let isLast = keys[next(place)] == .none
    keys[place] = isLast ? .none : .removed
    if isLast { usedCount -= 1 }
  }

  package mutating func reserveCapacity(_ count: Int) {
    guard 16 * (count + usedCount - self.count) > 11 * keys.count else { return }
    // With some room to spare, so that many small steps do not make it anew each time.
    grow(for: max(count, self.count + self.count / 2 + 1))
  }

  /// Takes no more room than the values need.
  mutating func shrink() { grow(for: count + count / 2 + 1) }

  /// Makes room for a number of values.
  mutating func grow(for count: Int) {
    // At most 11 of 16 places are used. A multiple of 17 would have places that others never lead to.
    var capacity = max((count / 11 + 1) * 16, 32)
    if capacity % 17 == 0 { capacity += 16 }
    let oldKeys = keys
    var oldValues = values
    keys = Array(repeating: .none, count: capacity)
    values = Array(repeating: nil, count: capacity)
    usedCount = self.count
    for (oldPlace, key) in oldKeys.enumerated() where key != .none && key != .removed {
      var place = home(of: key)
      while keys[place] != .none { place = next(place) }
      keys[place] = key
      // Moved, not copied.
      swap(&values[place], &oldValues[oldPlace])
    }
  }

  /// Calls a function with all keys and values, in any order.
  package func visit<Failure: Error>(_ body: (RowKey, Value) throws(Failure) -> Void) throws(Failure) {
    for (place, value) in values.enumerated() {
      if let value { try body(keys[place], value) }
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

/// For tests.
extension KeyTable {
  /// The first defect of the table; nil if all values are found and counted.
  func _checkInvariants() -> String? {
    if keys.count != values.count { return "\(keys.count) keys and \(values.count) values" }
    if keys.count % 16 != 0 { return "\(keys.count) places are no whole groups" }
    if 16 * usedCount > 11 * keys.count { return "\(usedCount) of \(keys.count) places are used" }
    var (used, found) = (0, 0)
    for (place, key) in keys.enumerated() where key != .none {
      used += 1
      if key == .removed {
        if values[place] != nil { return "the place \(place) of a removed key has a value" }
        continue
      }
      found += 1
      if values[place] == nil { return "\(key) has no value" }
      if self.place(of: key) != place { return "\(key) is not found at its place \(place)" }
    }
    for (place, key) in keys.enumerated() where key == .none && values[place] != nil {
      return "the free place \(place) has a value"
    }
    return used == usedCount && found == count ? nil : "\(used) places are used for \(found) values"
  }
}

extension KeyTable<RowKey> {
  /// The keys of the values.
  var inverted: KeyTable<RowKey> {
    var inverted = KeyTable()
    visit { inverted[$1] = $0 }
    return inverted
  }
}

extension KeyTable: Sendable where Value: Sendable {}

/// Places in a list, by the keys of what is there.
///
/// A table of its own kind: modules that use it need not know how tables work to be as fast.
package struct RowPositions: Sendable {
  private var table = KeyTable<Int>()

  package init(capacity: Int) { table.reserveCapacity(capacity) }

  package subscript(key: RowKey) -> Int? { table[key] }

  package func contains(_ key: RowKey) -> Bool { table[key] != nil }

  /// Notes a place.
  ///
  /// - Returns: false if the key had one already.
  package mutating func insert(_ place: Int, for key: RowKey) -> Bool { table.insert(place, for: key) }
}

/// What makes the places of keys differ from process to process.
private enum KeySeed {
  private static let seed = UInt64.random(in: .min ... .max)

  /// A number of which each bit depends on all bits of another one, and on the seed.
  static func mix(_ number: UInt64) -> UInt64 {
    var mixed = number ^ seed
    for _ in 0..<2 { mixed = (mixed ^ mixed >> 32) &* 0xD6E8_FEB8_6659_FD93 }
    return mixed ^ mixed >> 32
  }
}

extension RowKey {
  /// The key of no object.
  static let none = RowKey(store: .none, entityIndex: -1, number: 0)
  /// The key of no object either.
  static let removed = RowKey(store: .none, entityIndex: -1, number: 1)
}
