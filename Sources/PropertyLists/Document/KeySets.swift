internal import OrderedCollections

/// The key sets that dictionaries of a document have had lately.
///
/// Lists of like dictionaries are what large files consist of. Such dictionaries share one set of keys, and the hash table in
/// it; only their values are stored for each. A key set is a dictionary from each key to its position, because
/// `OrderedDictionary.mapValues` is how two dictionaries come to share their keys.
struct KeySets {
  typealias KeySet = OrderedDictionary<String, Int>

  private struct Slot {
    var place = 0
    var count = -1
    var keys: KeySet = [:]
  }

  private var slots = [Slot](repeating: Slot(), count: 64)

  /// The set that was stored last under `hash`, and a place in the document where its keys stand. The caller compares.
  @inline(__always)
  func candidate(_ hash: UInt64, count: Int) -> (place: Int, keys: KeySet)? {
    let slot = slots[Int(truncatingIfNeeded: hash >> 58)]
    return slot.count == count ? (slot.place, slot.keys) : nil
  }

  mutating func store(_ keys: KeySet, at place: Int, _ hash: UInt64) {
    slots[Int(truncatingIfNeeded: hash >> 58)] = Slot(place: place, count: keys.count, keys: keys)
  }

  /// Spreads what tells key sets apart over the high bits, which choose the slot.
  @inline(__always)
  static func hash(_ count: Int, _ first: UInt64, _ last: UInt64) -> UInt64 {
    (UInt64(truncatingIfNeeded: count) ^ first &* 31 ^ last &* 0x0100_0193) &* 0x9E37_79B9_7F4A_7C15
  }

  /// A dictionary of these keys, with the values in their order.
  ///
  /// - Parameter value: the value of the entry at a position.
  @inline(__always)
  static func dictionary(
    _ keys: KeySet, _ value: (Int) throws(PropertyListError) -> PropertyList
  ) throws(PropertyListError) -> PropertyList {
    do {
      return .dictionary(
        try keys.mapValues { position in
          do throws(PropertyListError) {
            return try value(position)
          } catch {
            throw error.below(.key(keys.keys[position]))
          }
        })
    } catch let error as PropertyListError {
      throw error
    } catch {
      // `mapValues` passes on what `value` throws, and that is of one type.
      throw PropertyListError(.malformed, "\(error)")
    }
  }

  static func duplicate(_ key: String, at offset: Int) -> PropertyListError {
    PropertyListError(.duplicateKey, "the key \"\(key)\" stands twice in a dictionary", byteOffset: offset)
  }
}
