/// A cache of values that depend only on the keys of a dictionary and their order, such as a ``DictionaryShape``.
/// Dictionaries with the same keys share a value. This saves time, because large files consist of lists of similar
/// dictionaries.
struct DictionaryCache<Known> {
  /// For each slot, the last dictionary stored in it, and its value. The array is empty until something is stored.
  private var slots: [(node: FlatNode, known: Known)?] = []

  private static var slotCount: Int { 64 }

  /// Returns the value that was stored for a dictionary with the same keys in the same order, or nil if not found.
  @inline(__always)
  func find(_ node: FlatNode, _ source: some NodeSource, in bytes: RawSpan) throws(PropertyListError) -> Known? {
    guard !slots.isEmpty, let slot = slots[try Self.slotNumber(node, source, in: bytes)],
      slot.node.count == node.count, source.haveSameKeys(slot.node, node, in: bytes)
    else { return nil }
    return slot.known
  }

  mutating func store(
    _ known: Known, of node: FlatNode, _ source: some NodeSource, in bytes: RawSpan
  ) throws(PropertyListError) {
    if slots.isEmpty { slots = Array(repeating: nil, count: Self.slotCount) }
    slots[try Self.slotNumber(node, source, in: bytes)] = (node, known)
  }

  /// Returns the index of the slot for a dictionary, which must not be empty. It depends on the number of keys, and on
  /// the object index or the length of the first and last key.
  @inline(__always)
  private static func slotNumber(
    _ node: FlatNode, _ source: some NodeSource, in bytes: RawSpan
  ) throws(PropertyListError) -> Int {
    let first = try source.child(source.keyPosition(0, of: node), of: node, in: bytes)
    let last = try source.child(source.keyPosition(node.count - 1, of: node), of: node, in: bytes)
    var mix = UInt64(truncatingIfNeeded: node.count)
    if source.sharedNodeCount > 0 {
      mix ^= UInt64(truncatingIfNeeded: first) &* 31 ^ UInt64(truncatingIfNeeded: last) &* 0x0100_0193
    } else {
      mix ^= UInt64(truncatingIfNeeded: try source.node(at: first, in: bytes).length) &* 31
      mix ^= UInt64(truncatingIfNeeded: try source.node(at: last, in: bytes).length) &* 0x0100_0193
    }
    return Int(truncatingIfNeeded: (mix &* 0x9E37_79B9_7F4A_7C15) >> 58)
  }
}

extension PropertyListError {
  static func duplicateKey(_ key: String, _ former: String) -> PropertyListError {
    key.utf8.elementsEqual(former.utf8)
      ? PropertyListError(.duplicateKey, "duplicate key \(key.quoted)")
      : PropertyListError(
        .duplicateKey,
        "duplicate key \(key.quoted): another key is spelled differently, but is equal in Unicode and Swift")
  }
}
