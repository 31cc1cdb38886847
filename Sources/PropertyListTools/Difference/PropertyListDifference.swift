private import OrderedCollections
@_spi(Archives) public import PropertyLists

/// The difference between two property lists: a list of changes that turn one into the other, each with a path.
///
/// ```swift
/// let difference = PropertyListDifference(from: old, to: new)
/// print(difference)
/// let same = try difference.applied(to: old) == new
/// ```
///
/// The changes are in the order of application: the path of a change is valid after all previous changes. In an array,
/// removals come first, from the last element to the first. Then come moves, each to an index among the remaining
/// elements, and then insertions from the first to the last. In a dictionary the order is the same, but removals go
/// from the first entry to the last. Changes inside the remaining elements and entries follow.
public struct PropertyListDifference: Hashable, Sendable {
  /// One change.
  public enum Change: Hashable, Sendable {
    /// A new entry or element. For a dictionary, `position` is the index of the new entry, or nil if it follows all
    /// others. For an array it is nil, because the last component of the path is the index.
    case insertion(PropertyListKeyPath, PropertyList, position: Int?)
    /// A removed entry or element. For a dictionary, `position` is the index of the entry before its removal, or nil if
    /// the order of keys is ignored. For an array it is nil.
    case removal(PropertyListKeyPath, PropertyList, position: Int?)
    /// A replaced value at the same path.
    case replacement(PropertyListKeyPath, old: PropertyList, new: PropertyList)
    /// A moved element of an array. `to` is its index after it has been removed and inserted again.
    case move(PropertyListKeyPath, to: Int, PropertyList)
    /// A changed order of keys in the dictionary at the path: the keys before and after the change.
    case reordering(PropertyListKeyPath, from: [String], to: [String])
  }

  /// The changes, in the order of application.
  public var changes: [Change]

  /// Creates a difference from its changes.
  public init(_ changes: [Change] = []) { self.changes = changes }

  /// Finds the changes that turn one value into another.
  ///
  /// Values are compared as in ``PropertyList``: canonically equivalent spellings of a string are equal. Dictionaries
  /// are compared key by key. Equal elements of arrays are matched by a longest common subsequence, then at any
  /// position, as moves. The rest is matched by similarity: containers of the same kind that have most of their entries
  /// in common are compared in depth. If arrays are so large and different that this would take too long, the matching
  /// is coarser. An array is replaced as a whole if applying the changes would take longer than writing it.
  ///
  /// - Parameter ignoresKeyOrder: True if dictionaries with the same entries are equal in any order. The result of
  ///   applying the difference then equals the new value except for that order.
  /// - Complexity: O(*n* + *m*) in the sizes of the values, and O(*k* · *d*) in the elements and the differences of
  ///   each array, where *d* is bounded.
  public init(from old: PropertyList, to new: PropertyList, ignoresKeyOrder: Bool = false) {
    self.init(DifferenceFinder.changes(from: old, to: new, ignoresKeyOrder: ignoresKeyOrder))
  }

  /// True if the two values are equal.
  public var isEmpty: Bool { changes.isEmpty }

  /// The inverse difference, which undoes the changes in reverse order.
  ///
  /// - Complexity: O(*n*) in the number of changes.
  public var inverse: PropertyListDifference { PropertyListDifference(changes.reversed().map(\.inverse)) }
}

extension PropertyListDifference.Change {
  /// The path of the change, in the value before the change.
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
  /// A human-readable form, with one change per line. The form may change between versions.
  public var description: String { changes.map(\.description).joined(separator: "\n") }
}

extension PropertyListDifference.Change: CustomStringConvertible {
  /// A human-readable form on one line, with complete values.
  ///
  /// | change | line |
  /// |---|---|
  /// | insertion | `+ items.0: "new"` |
  /// | removal | `- items.0: "old"` |
  /// | replacement | `~ items.0: "old" -> "new"` |
  /// | move | `> items.0 -> items.3: "moved"` |
  /// | reordering | `# items: the order of keys is "b", "a"` |
  ///
  /// If real numbers differ only in their width, the width is added: `~ items.0: 24.0 (4 bytes) -> 24.0 (8 bytes)`.
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

  /// Returns the text of a value. Adds the width of a real number if the texts of both values are equal.
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
  /// Returns the result of applying the changes to a value.
  ///
  /// Each change is checked: the value that it removes, replaces or moves must be at its path, and a key that it
  /// inserts must not exist. Other parts of the value, and the order of other keys, may differ from the value for which
  /// the difference was made.
  ///
  /// - Throws: ``PropertyListError/Kind/conflict`` with the path of the first change that cannot be applied;
  ///   ``PropertyListError/Kind/nestedTooDeeply`` beyond ``ParsingLimits/greatestDepth``.
  /// - Complexity: O(*c* · (*d* + *k*)) in the changes, the components of their paths and the children of their
  ///   containers, and O(*n*) in the values of the changes.
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
              .conflict, "a change cannot be applied: \(error.message)", keyPath: error.keyPath ?? change.path)
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
          throw PropertyListError(.conflict, "only elements of arrays can be moved", keyPath: array)
        }
        guard (0..<count).contains(target) else {
          throw PropertyListError(.conflict, "\(target) is not an index of an array of \(count)", keyPath: array)
        }
        if let moved = container.array?.remove(at: origin) { container.array?.insert(moved, at: target) }
      }
    case .reordering(let path, _, let keys):
      try edit(at: path.components[...]) { dictionary throws(PropertyListError) in try dictionary.reorder(keys) }
    }
  }

  /// Throws ``PropertyListError/Kind/conflict`` if the value at the path is not the expected one.
  func expect(_ expected: PropertyList, at path: PropertyListKeyPath) throws(PropertyListError) {
    let found = try value(at: path)
    guard found == expected else {
      throw PropertyListError(
        .conflict, "expected the change's old value of kind \(expected.kind.rawValue), found another value",
        keyPath: path)
    }
  }

  /// Inserts a value, as ``insert(_:at:)`` does. A new entry gets the index `position`, or is the last if the
  /// dictionary has fewer entries.
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

  /// Sorts the entries with these keys into their new order. All other entries keep their positions.
  private mutating func reorder(_ keys: [String]) throws(PropertyListError) {
    guard let entries = dictionary else {
      throw PropertyListError(.conflict, "only the keys of dictionaries can be reordered")
    }
    let wanted = OrderedSet(keys)
    for key in wanted where entries[key] == nil { throw PropertyListError(.conflict, "no key \(key.quoted)") }
    guard wanted.count == keys.count else { throw PropertyListError(.conflict, "duplicate key in the order of keys") }
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
