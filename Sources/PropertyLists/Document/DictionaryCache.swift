/// A cache of facts about recent dictionaries, keyed by their keys and the order of these. It helps because large files
/// consist of lists of similar dictionaries.
struct DictionaryCache<Known> {
  /// The slots. Empty until something is stored.
  private var slots: [(node: FlatNode, known: Known)?] = []

  private static var slotCount: Int { 64 }

  /// Returns the fact stored for a dictionary with the same keys, which are compared by their bytes, or nil.
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

  /// Returns the slot for a dictionary, from its number of keys, which must not be 0, and cheap facts about the first
  /// and last key.
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
        "duplicate key \(key.quoted): two spellings that are equal in Unicode and Swift")
  }
}
