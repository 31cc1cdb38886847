extension PropertyListDocument.Node {
  /// Returns the node at a path that begins at this node.
  ///
  /// ```swift
  /// let path = try PropertyListKeyPath("notes.-1.title")   // the title of the last note
  /// let title = try document.root.descendant(at: path).string
  /// ```
  ///
  /// - Throws: ``PropertyListError/Kind/noSuchValue`` if the path leads to no node, or the error of a damaged binary
  ///   document. The error's key path begins at this node.
  /// - Complexity: O(1) for each index, and that of ``value(forKey:)`` for each key.
  public func descendant(at path: PropertyListKeyPath) throws(PropertyListError) -> PropertyListDocument.Node {
    let (node, depth) = try descend(path)
    guard depth < path.components.count else { return node }
    throw node.missing(path.components[depth]).located(at: path.components[..<depth])
  }

  /// Returns the node at a path that begins at this node, or nil if the path leads to no node.
  ///
  /// - Throws: ``PropertyListError`` for a binary document that is damaged along the path.
  package func descendant(ifAt path: PropertyListKeyPath) throws(PropertyListError) -> PropertyListDocument.Node? {
    let (node, depth) = try descend(path)
    return depth < path.components.count ? nil : node
  }

  /// Follows a path as far as it exists. Returns the last node, and the number of components that lead to it.
  private func descend(_ path: PropertyListKeyPath) throws(PropertyListError) -> (node: Self, depth: Int) {
    var node = self
    for (depth, component) in path.components.enumerated() {
      let child: Self?
      do { child = try node.child(at: component) } catch { throw error.located(at: path.components[...depth]) }
      guard let child else { return (node, depth) }
      node = child
    }
    return (node, path.components.count)
  }

  private func child(at component: PropertyListKeyPath.Component) throws(PropertyListError) -> Self? {
    switch kind {
    case .dictionary: return try value(forKey: component.text)
    case .array:
      guard let index = component.arrayIndex(in: count), index < count else { return nil }
      return try child(at: index)
    default: return nil
    }
  }

  private func missing(_ component: PropertyListKeyPath.Component) -> PropertyListError {
    switch kind {
    case .dictionary: .noKey(component)
    case .array: .noIndex(component, count: count)
    default: .below(component, kind)
    }
  }
}

extension PropertyListError {
  static func noKey(_ component: PropertyListKeyPath.Component) -> PropertyListError {
    PropertyListError(.noSuchValue, "no key \(component.text.quoted)")
  }

  static func noIndex(_ component: PropertyListKeyPath.Component, count: Int) -> PropertyListError {
    PropertyListError(.noSuchValue, "\(component.text.quoted) is not an index of an array of \(count)")
  }

  static func below(_ component: PropertyListKeyPath.Component, _ kind: PropertyList.Kind) -> PropertyListError {
    PropertyListError(.noSuchValue, "no \(component.text.quoted) in a value of kind \(kind.rawValue)")
  }
}
