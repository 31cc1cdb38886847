internal import OrderedCollections

/// The key sets that dictionaries of a document have had lately.
///
/// Lists of like dictionaries are what large files consist of. Such dictionaries share one set of keys, and the hash table in
/// it; only their values are stored for each.
struct KeySets {
  private struct Slot {
    var place = 0
    var count = -1
    var keys: OrderedSet<String> = []
  }

  private var slots = [Slot](repeating: Slot(), count: 64)

  /// The set that was stored last under `hash`, and a place in the document where its keys stand. The caller compares.
  @inline(__always)
  func candidate(_ hash: UInt64, count: Int) -> (place: Int, keys: OrderedSet<String>)? {
    let slot = slots[Int(truncatingIfNeeded: hash >> 58)]
    return slot.count == count ? (slot.place, slot.keys) : nil
  }

  mutating func store(_ keys: OrderedSet<String>, at place: Int, _ hash: UInt64) {
    slots[Int(truncatingIfNeeded: hash >> 58)] = Slot(place: place, count: keys.count, keys: keys)
  }

  /// Spreads what tells key sets apart over the high bits, which choose the slot.
  @inline(__always)
  static func hash(_ count: Int, _ first: UInt64, _ last: UInt64) -> UInt64 {
    (UInt64(truncatingIfNeeded: count) ^ first &* 31 ^ last &* 0x0100_0193) &* 0x9E37_79B9_7F4A_7C15
  }

  static func duplicate(_ key: String, at offset: Int) -> PropertyListError {
    PropertyListError(.duplicateKey, "the key \"\(key)\" stands twice in a dictionary", byteOffset: offset)
  }
}
