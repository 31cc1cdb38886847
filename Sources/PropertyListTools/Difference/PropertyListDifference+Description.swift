@_spi(Archives) internal import PropertyLists

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
