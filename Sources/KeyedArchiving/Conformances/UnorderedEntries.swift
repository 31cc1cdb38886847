internal import OrderedCollections

/// Dictionaries of archives keep the order of the file, which means nothing: Apple's have none.
extension OrderedDictionary where Value: Hashable {
  /// True for the same keys with the same values, in any order.
  ///
  /// - Complexity: O(*n*).
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

extension Optional {
  func hasSameEntries<Key, Value: Hashable>(as other: Wrapped?) -> Bool where Wrapped == OrderedDictionary<Key, Value> {
    guard let self, let other else { return self == nil && other == nil }
    return self.hasSameEntries(as: other)
  }
}
