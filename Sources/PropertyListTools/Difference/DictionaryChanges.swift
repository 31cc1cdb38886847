private import OrderedCollections
@_spi(Archives) internal import PropertyLists

/// Many removals from one dictionary, or many insertions into one. They are applied together, because each alone takes
/// O(*n*).
struct DictionaryChanges {
  private let parent: ArraySlice<PropertyListKeyPath.Component>
  private let changes: ArraySlice<PropertyListDifference.Change>
  private let isRemoval: Bool

  var count: Int { changes.count }

  /// The minimum number of changes that are applied together. Fewer are applied one by one.
  private static let leastCount = 8

  /// Finds the changes at the beginning of a list that are all removals from one dictionary, or all insertions into
  /// one. Returns nil if there are only a few.
  init?(_ list: ArraySlice<PropertyListDifference.Change>) {
    guard let first = list.first, let isRemoval = first.isRemoval else { return nil }
    let parent = first.path.components.dropLast()
    (self.isRemoval, self.parent) = (isRemoval, parent)
    // If each change is in another dictionary, the prefix ends early and costs nothing.
    changes = list.prefix { change in
      change.isRemoval == isRemoval && change.path.components.count == parent.count + 1
        && change.path.components.dropLast() == parent
    }
    guard changes.count >= Self.leastCount else { return nil }
  }

  /// Applies the changes to a value.
  ///
  /// - Returns: False, without changing anything, if the changes must be applied one by one.
  func make(in value: inout PropertyList) throws(PropertyListError) -> Bool {
    let path = PropertyListKeyPath(Array(parent))
    guard let entries = (try? value.value(at: path))?.dictionary else { return false }
    guard let changed = try isRemoval ? removing(from: entries) : inserting(into: entries) else { return false }
    try value.replace(.dictionary(changed), at: path)
    return true
  }

  /// Returns the remaining entries, or nil if an entry to be removed is missing or differs.
  private func removing(
    from entries: OrderedDictionary<String, PropertyList>
  ) -> OrderedDictionary<String, PropertyList>? {
    var removed: Set<String> = []
    for case .removal(let path, let value, _) in changes {
      guard let key = path.components.last?.text, entries[key] == value, removed.insert(key).inserted else {
        return nil
      }
    }
    return entries.filter { !removed.contains($0.key) }
  }

  /// Returns the old and the new entries, or nil if a key exists already, or if the positions are not sorted.
  private func inserting(
    into entries: OrderedDictionary<String, PropertyList>
  ) throws(PropertyListError) -> OrderedDictionary<String, PropertyList>? {
    var new: [(key: String, value: PropertyList, position: Int)] = []
    for case .insertion(let path, let value, let position) in changes {
      guard let key = path.components.last?.text, entries[key] == nil else { return nil }
      try value.checkDepth(below: path)
      new.append((key, value, position.flatMap { $0 < 0 ? nil : $0 } ?? .max))
    }
    let positions = zip(new, new.dropFirst()).map { ($0.position, $1.position) }
    // In ascending order, a position counts the new entries before it. In descending order, as when removals are
    // undone, it does not.
    let isAscending = positions.allSatisfy { $0 < $1 || $1 == .max }
    if !isAscending {
      guard positions.allSatisfy({ $0 >= $1 }), positions.allSatisfy({ $0.0 <= entries.count }) else { return nil }
      new.reverse()
    }
    var result: OrderedDictionary<String, PropertyList> = [:]
    result.reserveCapacity(entries.count + new.count)
    var old = entries.elements[...]
    for (count, entry) in new.enumerated() {
      guard result[entry.key] == nil else { return nil }
      while result.count - (isAscending ? 0 : count) < entry.position, let (key, value) = old.popFirst() {
        result[key] = value
      }
      result[entry.key] = entry.value
    }
    for (key, value) in old { result[key] = value }
    return result
  }
}

extension PropertyListDifference.Change {
  /// True for a removal, false for an insertion, nil for any other change.
  fileprivate var isRemoval: Bool? {
    switch self {
    case .removal: true
    case .insertion: false
    default: nil
    }
  }
}
