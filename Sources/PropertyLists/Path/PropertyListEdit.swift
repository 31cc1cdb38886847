/// A change of the value at a key path. Use it to collect changes before you apply them.
///
/// ```swift
/// var note: PropertyList = ["title": "Groceries", "tags": ["home", "weekly"]]
/// let edits: [PropertyListEdit] = [
///   .set("Shopping", at: try PropertyListKeyPath("title")),
///   .remove(at: try PropertyListKeyPath("tags.0")),
/// ]
/// for edit in edits { try note.apply(edit) }   // ["title": "Shopping", "tags": ["weekly"]]
/// ```
public enum PropertyListEdit: Hashable, Sendable {
  /// Inserts a value; see ``PropertyList/insert(_:at:)``.
  case insert(PropertyList, at: PropertyListKeyPath)
  /// Replaces a value; see ``PropertyList/replace(_:at:)``.
  case replace(PropertyList, at: PropertyListKeyPath)
  /// Replaces or inserts a value; see ``PropertyList/set(_:at:)``.
  case set(PropertyList, at: PropertyListKeyPath)
  /// Appends a value to an array; see ``PropertyList/append(_:at:)``.
  case append(PropertyList, at: PropertyListKeyPath)
  /// Removes a value; see ``PropertyList/remove(at:)``.
  case remove(at: PropertyListKeyPath)

  /// The key path of the change.
  public var path: PropertyListKeyPath {
    switch self {
    case .insert(_, let path), .replace(_, let path), .set(_, let path), .append(_, let path), .remove(let path): path
    }
  }
}

extension PropertyList {
  /// Applies a change. An example is at ``PropertyListEdit``.
  ///
  /// - Throws: The errors of the method that the change is named after. Nothing is changed if an error is thrown.
  /// - Complexity: That of the method.
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
