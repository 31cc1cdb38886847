private import OrderedCollections
@_spi(Archives) public import PropertyLists

/// What makes one property list another: a list of changes, each at a path.
///
/// ```swift
/// let difference = PropertyListDifference(from: old, to: new)
/// print(difference)
/// let same = try difference.applied(to: old) == new
/// ```
///
/// The changes are in the order in which they are made: the path of each is that of the value at that point, after the
/// changes before it. In an array, elements that went are removed from the last to the first, then elements move to
/// their index among those that stay, then new ones are inserted from the first to the last; in a dictionary it is the
/// same with entries, from the first to the last. What has changed in an element or an entry that stays comes after
/// that.
public struct PropertyListDifference: Hashable, Sendable {
  /// One change.
  public enum Change: Hashable, Sendable {
    /// A new entry or element. `position` is the index of the entry among those of the dictionary; nil if it follows
    /// all of them, and for an array, where the last component of the path is the index.
    case insertion(PropertyListKeyPath, PropertyList, position: Int?)
    /// An entry or element that is gone. `position` as for an insertion; nil if the order of keys does not matter.
    case removal(PropertyListKeyPath, PropertyList, position: Int?)
    /// Another value at the same path.
    case replacement(PropertyListKeyPath, old: PropertyList, new: PropertyList)
    /// An element of an array that is at the index `to` when it has been taken out and put in again.
    case move(PropertyListKeyPath, to: Int, PropertyList)
    /// The keys of the dictionary at the path that stand in another order: before and after it.
    case reordering(PropertyListKeyPath, from: [String], to: [String])
  }

  /// The changes, from the first to make to the last.
  public var changes: [Change]

  /// A difference of changes that are known.
  public init(_ changes: [Change] = []) { self.changes = changes }

  /// Finds what makes one value another.
  ///
  /// Values are equal as ``PropertyList`` has it: two spellings of a string that Unicode holds equivalent are no
  /// difference. Dictionaries are compared key by key. Elements of arrays that are equal are matched by a longest
  /// common subsequence, and then wherever they are, as moves. What is left is matched with what is like it: a
  /// container of the same kind with most entries in common is descended into. For arrays so large and so different
  /// that this would take long, the matching is coarser, and the array is replaced as a whole where the changes would
  /// take longer to make than it takes to write it.
  ///
  /// - Parameter ignoresKeyOrder: whether dictionaries with the same entries are equal in whatever order they are. Then
  ///   what the difference makes of the one value is the other up to that order.
  /// - Complexity: O(*n* + *m*) in the sizes of the values, and O(*k* · *d*) in the elements and the differences of
  ///   each array, where *d* is bounded.
  public init(from old: PropertyList, to new: PropertyList, ignoresKeyOrder: Bool = false) {
    self.init(DifferenceFinder.changes(from: old, to: new, ignoresKeyOrder: ignoresKeyOrder))
  }

  /// Whether the two values are the same.
  public var isEmpty: Bool { changes.isEmpty }

  /// The difference the other way: the changes undone, from the last to the first.
  ///
  /// - Complexity: O(*n*) in the number of changes.
  public var inverse: PropertyListDifference { PropertyListDifference(changes.reversed().map(\.inverse)) }
}

extension PropertyListDifference.Change {
  /// The path of the change, as the value is before it.
  public var path: PropertyListKeyPath {
    switch self {
    case .insertion(let path, _, _), .removal(let path, _, _), .replacement(let path, _, _), .move(let path, _, _),
      .reordering(let path, _, _):
      path
    }
  }

  /// The change that undoes this one.
  public var inverse: PropertyListDifference.Change {
    switch self {
    case .insertion(let path, let value, let position): return .removal(path, value, position: position)
    case .removal(let path, let value, let position): return .insertion(path, value, position: position)
    case .replacement(let path, let old, let new): return .replacement(path, old: new, new: old)
    case .move(let path, let index, let value):
      let origin = path.components.last?.arrayIndex ?? 0
      let target = PropertyListKeyPath(path.components.dropLast() + [.index(index)])
      return .move(target, to: origin, value)
    case .reordering(let path, let old, let new): return .reordering(path, from: new, to: old)
    }
  }
}

extension PropertyListDifference: CustomStringConvertible {
  /// The changes as people read them, a line each. The form may change.
  public var description: String { changes.map(\.description).joined(separator: "\n") }
}

extension PropertyListDifference.Change: CustomStringConvertible {
  /// The change as people read it, on one line; the values are whole.
  ///
  /// | change | line |
  /// |---|---|
  /// | insertion | `+ items.0: "new"` |
  /// | removal | `- items.0: "old"` |
  /// | replacement | `~ items.0: "old" -> "new"` |
  /// | move | `> items.0 -> items.3: "moved"` |
  /// | reordering | `# items: the order of keys is "b", "a"` |
  ///
  /// Real numbers that only differ in their width have it behind them: `~ items.0: 24.0 (4 bytes) -> 24.0 (8 bytes)`.
  public var description: String {
    let location = path.components.isEmpty ? "the root" : path.description
    switch self {
    case .insertion(_, let value, _): return "+ \(location): \(value.line)"
    case .removal(_, let value, _): return "- \(location): \(value.line)"
    case .replacement(_, let old, let new):
      return "~ \(location): \(Self.distinct(old, from: new)) -> \(Self.distinct(new, from: old))"
    case .move(let path, let index, let value):
      let target = PropertyListKeyPath(path.components.dropLast() + [.index(index)])
      return "> \(location) -> \(target): \(value.line)"
    case .reordering(_, _, let keys):
      return "# \(location): the order of keys is \(keys.map { PropertyList.string($0).line }.joined(separator: ", "))"
    }
  }

  /// A value as it can be told from another: real numbers of different widths look alike.
  private static func distinct(_ value: PropertyList, from other: PropertyList) -> String {
    guard value.line == other.line else { return value.line }
    switch value {
    case .float: return value.line + " (4 bytes)"
    case .real: return value.line + " (8 bytes)"
    default: return value.line
    }
  }
}

extension PropertyListDifference {
  /// The value that the changes make of another.
  ///
  /// Every change looks at what it changes: what it removes, replaces or moves must be there and be equal, and where it
  /// inserts a key there must be none. What no change touches may be different, and so may the order of the other keys.
  ///
  /// - Throws: ``PropertyListError/Kind/conflict`` with the path of the first change that cannot be made;
  ///   ``PropertyListError/Kind/nestedTooDeeply`` beyond ``ParsingLimits/greatestDepth``.
  /// - Complexity: O(*c* · (*d* + *k*)) in the changes, the components of their paths and the children of the
  ///   containers they are in, and O(*n*) in the values that they hold.
  public func applied(to value: PropertyList) throws(PropertyListError) -> PropertyList {
    var value = value
    var rest = changes[...]
    while !rest.isEmpty {
      let entries = DictionaryChanges(rest)
      if try entries?.make(in: &value) != true {
        for change in rest.prefix(entries?.count ?? 1) {
          do { try value.make(change) } catch {
            guard error.kind != .nestedTooDeeply else { throw error }
            throw PropertyListError(
              .conflict, "a change does not fit: \(error.message)", keyPath: error.keyPath ?? change.path)
          }
        }
      }
      rest = rest.dropFirst(entries?.count ?? 1)
    }
    return value
  }
}

extension PropertyList {
  mutating func make(_ change: PropertyListDifference.Change) throws(PropertyListError) {
    switch change {
    case .insertion(let path, let value, let position): try insert(value, at: path, position: position)
    case .removal(let path, let value, _):
      try expect(value, at: path)
      try remove(at: path)
    case .replacement(let path, let old, let new):
      try expect(old, at: path)
      try replace(new, at: path)
    case .move(let path, let target, let value):
      try expect(value, at: path)
      let array = PropertyListKeyPath(path.components.dropLast())
      try edit(at: array.components[...]) { container throws(PropertyListError) in
        guard let count = container.array?.count, let origin = path.components.last?.arrayIndex else {
          throw PropertyListError(.conflict, "only elements of arrays move", keyPath: array)
        }
        guard (0..<count).contains(target) else {
          throw PropertyListError(.conflict, "\(target) is no index of an array of \(count)", keyPath: array)
        }
        if let moved = container.array?.remove(at: origin) { container.array?.insert(moved, at: target) }
      }
    case .reordering(let path, _, let keys):
      try edit(at: path.components[...]) { dictionary throws(PropertyListError) in try dictionary.reorder(keys) }
    }
  }

  /// - Throws: ``PropertyListError/Kind/conflict`` if the value at the path is another.
  func expect(_ expected: PropertyList, at path: PropertyListKeyPath) throws(PropertyListError) {
    let found = try value(at: path)
    guard found == expected else {
      throw PropertyListError(
        .conflict, "another value than the one of kind \(expected.kind.rawValue) that it was made for", keyPath: path)
    }
  }

  /// As ``insert(_:at:)``, with the index of a new entry, which is the last if the dictionary has fewer.
  private mutating func insert(
    _ value: PropertyList, at path: PropertyListKeyPath, position: Int?
  ) throws(PropertyListError) {
    try insert(value, at: path)
    guard let position, position >= 0, let key = path.components.last?.text else { return }
    try edit(at: path.components.dropLast()) { container in
      guard let last = container.dictionary?.count, position < last - 1 else { return }
      container.dictionary?.removeValue(forKey: key)
      container.dictionary?.updateValue(value, forKey: key, insertingAt: position)
    }
  }

  /// Puts entries in an order, at the indices that they have among the others.
  private mutating func reorder(_ keys: [String]) throws(PropertyListError) {
    guard let entries = dictionary else {
      throw PropertyListError(.conflict, "only the keys of dictionaries have an order")
    }
    let wanted = OrderedSet(keys)
    for key in wanted where entries[key] == nil { throw PropertyListError(.conflict, "no key \(key.quoted)") }
    guard wanted.count == keys.count else { throw PropertyListError(.conflict, "a key stands twice in an order") }
    var next = 0
    var reordered: OrderedDictionary<String, PropertyList> = [:]
    reordered.reserveCapacity(entries.count)
    for (key, value) in entries {
      guard wanted.contains(key) else {
        reordered[key] = value
        continue
      }
      reordered[wanted[next]] = entries[wanted[next]]
      next += 1
    }
    dictionary = reordered
  }
}
