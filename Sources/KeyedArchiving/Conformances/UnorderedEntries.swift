internal import OrderedCollections

/// Dictionaries of archives keep the order of the file, which means nothing: Apple's have none.
extension OrderedDictionary where Value: Hashable {
  /// True for the same keys with the same values, in any order.
  func hasSameEntries(as other: OrderedDictionary) -> Bool {
    count == other.count && allSatisfy { other[$0.key] == $0.value }
  }

  /// Feeds a hasher with the entries, whatever order they are in.
  func hashEntries(into hasher: inout Hasher) {
    var hash = 0
    for (key, value) in self {
      var entry = hasher
      entry.combine(key)
      entry.combine(value)
      hash ^= entry.finalize()
    }
    hasher.combine(hash)
    hasher.combine(count)
  }
}

/// Entries that are equal in any order.
struct UnorderedEntries<Key: Hashable, Value: Hashable>: Hashable {
  var entries: OrderedDictionary<Key, Value>

  static func == (first: UnorderedEntries, second: UnorderedEntries) -> Bool {
    first.entries.hasSameEntries(as: second.entries)
  }

  func hash(into hasher: inout Hasher) { entries.hashEntries(into: &hasher) }
}
