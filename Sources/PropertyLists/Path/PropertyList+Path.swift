private import OrderedCollections

/// Functions that look up and edit values by key path. An edit changes the containers along the path in place. A
/// container is copied only if another value shares it.
extension PropertyList {
  /// Returns the value at a path.
  ///
  /// ```swift
  /// let note: PropertyList = ["title": "Groceries", "tags": ["home", "weekly"]]
  /// let last = try note.value(at: PropertyListKeyPath("tags.-1"))   // "weekly"
  /// ```
  ///
  /// - Throws: ``PropertyListError/Kind/noSuchValue`` if the path leads to no value.
  /// - Complexity: O(*d*) in the number of components.
  public func value(at path: PropertyListKeyPath) throws(PropertyListError) -> PropertyList {
    var value = self
    for (depth, component) in path.components.enumerated() {
      do { value = value.child(try value.position(of: component)) } catch {
        throw error.located(at: path.components[..<depth])
      }
    }
    return value
  }

  /// Inserts a value at a path whose last component is a new key or an array index. A new key is added after the
  /// others. In an array, the value is inserted before the element at the index; an index equal to the count appends
  /// the value.
  ///
  /// ```swift
  /// var note: PropertyList = ["title": "Groceries", "tags": ["home", "weekly"]]
  /// try note.insert("urgent", at: PropertyListKeyPath("tags.0"))   // tags: ["urgent", "home", "weekly"]
  /// try note.insert(true, at: PropertyListKeyPath("pinned"))
  /// ```
  ///
  /// - Throws: ``PropertyListError/Kind/valueExists`` for an existing key and for the root;
  ///   ``PropertyListError/Kind/noSuchValue`` if the path does not lead into a container or the index is greater than
  ///   the count; ``PropertyListError/Kind/nestedTooDeeply`` beyond ``ParsingLimits/greatestDepth``. Nothing is changed
  ///   if an error is thrown.
  /// - Complexity: O(*d* + *k*) in the number of components and of the elements after the index, and O(*n*) in the
  ///   containers of the new value, whose depth is checked.
  public mutating func insert(_ value: PropertyList, at path: PropertyListKeyPath) throws(PropertyListError) {
    guard let last = path.components.last else {
      throw PropertyListError(.valueExists, "the root exists already", keyPath: path)
    }
    try value.checkDepth(below: path)
    try edit(at: path.components.dropLast()) { container throws(PropertyListError) in
      try container.insert(value, at: last)
    }
  }

  /// Replaces the value at a path. A key keeps its position. The path of the root replaces the whole value.
  ///
  /// ```swift
  /// var note: PropertyList = ["title": "Groceries", "tags": ["home", "weekly"]]
  /// try note.replace("monthly", at: PropertyListKeyPath("tags.1"))   // tags: ["home", "monthly"]
  /// ```
  ///
  /// - Throws: ``PropertyListError/Kind/noSuchValue`` if the path leads to no value;
  ///   ``PropertyListError/Kind/nestedTooDeeply`` beyond ``ParsingLimits/greatestDepth``. Nothing is changed if an
  ///   error is thrown.
  /// - Complexity: O(*d*) in the number of components, and O(*n*) in the containers of the new value.
  public mutating func replace(_ value: PropertyList, at path: PropertyListKeyPath) throws(PropertyListError) {
    try value.checkDepth(below: path)
    try edit(at: path.components[...]) { $0 = value }
  }

  /// Removes the value at a path from its container.
  ///
  /// ```swift
  /// var note: PropertyList = ["title": "Groceries", "tags": ["home", "weekly"]]
  /// let tag = try note.remove(at: PropertyListKeyPath("tags.0"))   // "home"; tags: ["weekly"]
  /// ```
  ///
  /// - Returns: The removed value.
  /// - Throws: ``PropertyListError/Kind/noSuchValue`` if the path leads to no value, and for the root, which has no
  ///   container. Nothing is changed if an error is thrown.
  /// - Complexity: O(*d* + *k*) in the number of components and of the elements or entries of the container.
  @discardableResult
  public mutating func remove(at path: PropertyListKeyPath) throws(PropertyListError) -> PropertyList {
    guard let last = path.components.last else {
      throw PropertyListError(
        .noSuchValue, "the root cannot be removed, because it is not in a container", keyPath: path)
    }
    return try edit(at: path.components.dropLast()) { container throws(PropertyListError) in
      container.removeChild(try container.position(of: last))
    }
  }

  /// Appends a value to the array at a path.
  ///
  /// ```swift
  /// var note: PropertyList = ["title": "Groceries", "tags": ["home"]]
  /// try note.append("weekly", at: PropertyListKeyPath("tags"))   // tags: ["home", "weekly"]
  /// ```
  ///
  /// - Throws: ``PropertyListError/Kind/noSuchValue`` if the path leads to no value;
  ///   ``PropertyListError/Kind/wrongKind`` if the value is not an array; ``PropertyListError/Kind/nestedTooDeeply``
  ///   beyond ``ParsingLimits/greatestDepth``. Nothing is changed if an error is thrown.
  /// - Complexity: O(*d*) in the number of components, and O(*n*) in the containers of the new value.
  public mutating func append(_ value: PropertyList, at path: PropertyListKeyPath) throws(PropertyListError) {
    try value.checkDepth(below: path, 1)
    try edit(at: path.components[...]) { array throws(PropertyListError) in
      guard array.kind == .array else {
        throw PropertyListError(
          .wrongKind, "cannot append to a value of kind \(array.kind.rawValue)", keyPath: path)
      }
      array.array?.append(value)
    }
  }

  /// Replaces or inserts the value at a path. Creates dictionaries for missing keys along the path.
  ///
  /// ```swift
  /// var settings: PropertyList = [:]
  /// try settings.set(14, at: PropertyListKeyPath("editor.font.size"))   // ["editor": ["font": ["size": 14]]]
  /// try settings.set(16, at: PropertyListKeyPath("editor.font.size"))   // ["editor": ["font": ["size": 16]]]
  /// ```
  ///
  /// - Throws: ``PropertyListError/Kind/noSuchValue`` if the path continues below a value that is not a container, or
  ///   has an array index greater than the count; ``PropertyListError/Kind/nestedTooDeeply`` beyond
  ///   ``ParsingLimits/greatestDepth``. Nothing is changed if an error is thrown.
  /// - Complexity: O(*d*) in the number of components, and O(*n*) in the containers of the new value.
  public mutating func set(_ value: PropertyList, at path: PropertyListKeyPath) throws(PropertyListError) {
    try value.checkDepth(below: path)
    var existing = 0
    var container = self
    while existing < path.components.count, let position = container.existingPosition(of: path.components[existing]) {
      container = container.child(position)
      existing += 1
    }
    // A second reference would make the edit copy the container.
    container = .null
    guard existing < path.components.count else { return try replace(value, at: path) }
    let new = path.components[(existing + 1)...].reversed().reduce(value) { .dictionary([$1.text: $0]) }
    try edit(at: path.components[..<existing]) { container throws(PropertyListError) in
      try container.insert(new, at: path.components[existing])
    }
  }

  /// Returns the position of the child that a component leads to. Throws ``PropertyListError/Kind/noSuchValue`` if
  /// the child does not exist.
  func position(of component: PropertyListKeyPath.Component) throws(PropertyListError) -> Int {
    if let position = existingPosition(of: component) { return position }
    switch self {
    case .dictionary: throw .noKey(component)
    case .array(let elements): throw .noIndex(component, count: elements.count)
    default: throw .below(component, kind)
    }
  }

  private func existingPosition(of component: PropertyListKeyPath.Component) -> Int? {
    switch self {
    case .dictionary(let entries): entries.index(forKey: component.text)
    case .array(let elements):
      component.arrayIndex(in: elements.count).flatMap { elements.indices.contains($0) ? $0 : nil }
    default: nil
    }
  }

  /// Returns the child at an existing position.
  private func child(_ position: Int) -> PropertyList {
    switch self {
    case .dictionary(let entries): entries.values[position]
    case .array(let elements): elements[position]
    default: self
    }
  }

  /// Exchanges a value with the child at an existing position.
  private mutating func swapChild(_ position: Int, with value: inout PropertyList) {
    if var elements = takeArray() {
      swap(&elements[position], &value)
      self = .array(elements)
    } else if var entries = takeDictionary() {
      // `entries.values` is not used, because changing it copies all values in a build without optimization.
      value = entries.updateValue(value, forKey: entries.keys[position]) ?? .null
      self = .dictionary(entries)
    }
  }

  private mutating func removeChild(_ position: Int) -> PropertyList {
    if var elements = takeArray() {
      let value = elements.remove(at: position)
      self = .array(elements)
      return value
    }
    guard var entries = takeDictionary() else { return self }
    let value = entries.remove(at: position).value
    self = .dictionary(entries)
    return value
  }

  /// Inserts a child into this container. The code does not assign the array or dictionary to a variable, because the
  /// container would then have two references, and changing it would copy all children.
  private mutating func insert(
    _ value: PropertyList, at component: PropertyListKeyPath.Component
  ) throws(PropertyListError) {
    switch kind {
    case .dictionary:
      guard existingPosition(of: component) == nil else {
        throw PropertyListError(.valueExists, "the key \(component.text.quoted) exists already")
      }
      dictionary?[component.text] = value
    case .array:
      let count = array?.count ?? 0
      guard let index = component.arrayIndex(in: count), index <= count else {
        throw PropertyListError(.noSuchValue, "cannot insert at \(component.text.quoted) in an array of \(count)")
      }
      array?.insert(value, at: index)
    default: throw .below(component, kind)
    }
  }

  /// Calls `body` with the value at a path, to change it in place. The value is moved out of its container during the
  /// call, so that a change does not copy it. Does not recurse.
  ///
  /// - Throws: ``PropertyListError/Kind/noSuchValue`` if the path leads to no value, and the errors of `body`, with the
  ///   path added.
  package mutating func edit<Result>(
    at components: ArraySlice<PropertyListKeyPath.Component>,
    _ body: (inout PropertyList) throws(PropertyListError) -> Result
  ) throws(PropertyListError) -> Result {
    // The containers along the path, each without its child on the path.
    var outer: [(container: PropertyList, position: Int)] = []
    var current = PropertyList.null
    swap(&self, &current)
    defer {
      while var parent = outer.popLast() {
        parent.container.swapChild(parent.position, with: &current)
        swap(&parent.container, &current)
      }
      swap(&self, &current)
    }
    do {
      for component in components {
        let position = try current.position(of: component)
        var child = PropertyList.null
        current.swapChild(position, with: &child)
        outer.append((current, position))
        current = child
      }
      return try body(&current)
    } catch {
      throw error.located(at: components.prefix(outer.count))
    }
  }

  /// Checks that this value can be put at a path without exceeding the maximum depth. The depth is limited, because
  /// freeing a value recurses through all its levels.
  ///
  /// - Parameter more: The number of levels between the path and this value, such as 1 for an element of the array at
  ///   the path.
  /// - Throws: ``PropertyListError/Kind/nestedTooDeeply`` beyond ``ParsingLimits/greatestDepth``.
  package func checkDepth(below path: PropertyListKeyPath, _ more: Int = 0) throws(PropertyListError) {
    let limit = ParsingLimits.greatestDepth - path.components.count - more
    guard limit >= 0, !isDeeper(than: limit) else {
      throw ParsingLimits.nestedTooDeeply(limit: ParsingLimits.greatestDepth)
    }
  }

  /// Returns true if containers are nested more than `limit` deep, including this one.
  private func isDeeper(than limit: Int) -> Bool {
    var containers = [(self, depth: 1)]
    while let (container, depth) = containers.popLast() {
      let children: [PropertyList]
      switch container {
      case .array(let elements): children = elements
      case .dictionary(let entries): children = entries.values.elements
      default: continue
      }
      if depth > limit { return true }
      for child in children where child.isContainer { containers.append((child, depth + 1)) }
    }
    return false
  }
}
