extension PropertyListDocument.Node {
  /// The node that a path leads to from here.
  ///
  /// - Throws: ``PropertyListError/Kind/noSuchValue`` where the path leaves the document, or what is wrong with a
  ///   binary document on the way, with the key path from here to there.
  /// - Complexity: O(1) for an index, that of ``value(forKey:)`` for a key.
  public func descendant(at path: PropertyListKeyPath) throws(PropertyListError) -> PropertyListDocument.Node {
    var node = self
    for (depth, component) in path.components.enumerated() {
      do { node = try node.child(at: component) } catch {
        // Either the container that has no such value, or the value that is damaged.
        throw error.located(at: path.components[..<(error.kind == .noSuchValue ? depth : depth + 1)])
      }
    }
    return node
  }

  private func child(at component: PropertyListKeyPath.Component) throws(PropertyListError) -> Self {
    switch kind {
    case .dictionary:
      guard let value = try value(forKey: component.text) else { throw .noKey(component) }
      return value
    case .array:
      guard let index = component.arrayIndex(in: count), index < count else { throw .noIndex(component, count: count) }
      return try child(at: index)
    default: throw .below(component, kind)
    }
  }
}

extension PropertyListError {
  static func noKey(_ component: PropertyListKeyPath.Component) -> PropertyListError {
    PropertyListError(.noSuchValue, "no key \(component.text.quoted)")
  }

  static func noIndex(_ component: PropertyListKeyPath.Component, count: Int) -> PropertyListError {
    PropertyListError(.noSuchValue, "\(component.text.quoted) is no index of an array of \(count)")
  }

  static func below(_ component: PropertyListKeyPath.Component, _ kind: PropertyList.Kind) -> PropertyListError {
    PropertyListError(.noSuchValue, "\(component.text.quoted) below a value of kind \(kind.rawValue)")
  }
}
