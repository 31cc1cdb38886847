internal import OrderedCollections

/// The key sets that dictionaries of a document have had lately.
///
/// Lists of like dictionaries are what large files consist of. Such dictionaries share one set of keys, and the hash
/// table in it; only their values are stored for each. A key set is a dictionary from each key to its position, because
/// `OrderedDictionary.mapValues` is how two dictionaries come to share their keys.
struct KeySets {
  typealias KeySet = OrderedDictionary<String, Int>

  private struct Slot {
    var node = FlatNode.null
    var keys: KeySet = [:]
  }

  private var slots = [Slot](repeating: Slot(), count: slotCount)

  /// The keys of a dictionary, if one before it had the same.
  @inline(__always)
  func find(_ node: FlatNode, _ source: some NodeSource, in bytes: RawSpan) throws(PropertyListError) -> KeySet? {
    let slot = slots[try Self.slotNumber(node, source, in: bytes)]
    guard slot.node.kind == .dictionary, slot.node.count == node.count,
      source.haveSameKeys(slot.node, node, in: bytes)
    else { return nil }
    return slot.keys
  }

  mutating func store(_ keys: KeySet, of node: FlatNode, _ source: some NodeSource, in bytes: RawSpan) {
    guard let number = try? Self.slotNumber(node, source, in: bytes) else { return }
    slots[number] = Slot(node: node, keys: keys)
  }

  static let slotCount = 64

  /// A slot by the number of keys, which is not 0, and by what is quickly known of the first and the last.
  @inline(__always)
  static func slotNumber(
    _ node: FlatNode, _ source: some NodeSource, in bytes: RawSpan
  ) throws(PropertyListError) -> Int {
    let first = try source.child(source.keyPosition(0, of: node), of: node, in: bytes)
    let last = try source.child(source.keyPosition(node.count - 1, of: node), of: node, in: bytes)
    var mix = UInt64(truncatingIfNeeded: node.count)
    if source.sharedPlaceCount > 0 {
      mix ^= UInt64(truncatingIfNeeded: first) &* 31 ^ UInt64(truncatingIfNeeded: last) &* 0x0100_0193
    } else {
      mix ^= UInt64(truncatingIfNeeded: try source.node(at: first, in: bytes).length) &* 31
      mix ^= UInt64(truncatingIfNeeded: try source.node(at: last, in: bytes).length) &* 0x0100_0193
    }
    return Int(truncatingIfNeeded: (mix &* 0x9E37_79B9_7F4A_7C15) >> 58)
  }

  static func duplicate(_ key: String, _ former: String) -> PropertyListError {
    key.utf8.elementsEqual(former.utf8)
      ? PropertyListError(.duplicateKey, "the key \(key.quoted) stands twice in a dictionary")
      : PropertyListError(
        .duplicateKey,
        "the key \(key.quoted) stands in a dictionary in two spellings, which Unicode and Swift take as one")
  }
}
