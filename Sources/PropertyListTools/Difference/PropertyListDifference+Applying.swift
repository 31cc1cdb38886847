private import OrderedCollections
@_spi(Archives) public import PropertyLists

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
