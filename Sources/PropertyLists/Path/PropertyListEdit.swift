/// A change of one value, which a path leads to.
public enum PropertyListEdit: Hashable, Sendable {
  /// As ``PropertyList/insert(_:at:)``.
  case insert(PropertyList, at: PropertyListKeyPath)
  /// As ``PropertyList/replace(_:at:)``.
  case replace(PropertyList, at: PropertyListKeyPath)
  /// As ``PropertyList/set(_:at:)``.
  case set(PropertyList, at: PropertyListKeyPath)
  /// As ``PropertyList/append(_:at:)``.
  case append(PropertyList, at: PropertyListKeyPath)
  /// As ``PropertyList/remove(at:)``.
  case remove(at: PropertyListKeyPath)

  /// The path of the change.
  public var path: PropertyListKeyPath {
    switch self {
    case .insert(_, let path), .replace(_, let path), .set(_, let path), .append(_, let path), .remove(let path): path
    }
  }
}

extension PropertyList {
  /// Makes a change.
  ///
  /// - Throws: what the method throws that the change is named after. Nothing is changed then.
  /// - Complexity: that of the method.
  public mutating func apply(_ edit: PropertyListEdit) throws(PropertyListError) {
    switch edit {
    case .insert(let value, let path): try insert(value, at: path)
    case .replace(let value, let path): try replace(value, at: path)
    case .set(let value, let path): try set(value, at: path)
    case .append(let value, let path): try append(value, at: path)
    case .remove(let path): try remove(at: path)
    }
  }
}
