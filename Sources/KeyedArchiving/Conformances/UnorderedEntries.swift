internal import OrderedCollections

/// Comparison and hashing that ignore the order of entries. Decoded dictionaries keep the order of the file, but
/// Apple's dictionaries have no order.
extension OrderedDictionary where Value: Hashable {
  /// Returns true if both dictionaries have the same keys with the same values, in any order.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  func hasSameEntries(as other: OrderedDictionary) -> Bool {
    count == other.count && allSatisfy { other[$0.key] == $0.value }
  }

  /// Adds the entries to a hasher. The order of the entries does not change the hash.
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

extension Optional {
  func hasSameEntries<Key, Value: Hashable>(as other: Wrapped?) -> Bool where Wrapped == OrderedDictionary<Key, Value> {
    guard let self, let other else { return self == nil && other == nil }
    return self.hasSameEntries(as: other)
  }
}
