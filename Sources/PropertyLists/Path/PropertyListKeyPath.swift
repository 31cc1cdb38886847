/// The way from the root of a property list to a value in it.
public struct PropertyListKeyPath: Hashable, Sendable {
  /// One step down.
  public enum Component: Hashable, Sendable {
    /// A key of a dictionary.
    case key(String)
    /// An index of an array, from 0.
    case index(Int)
  }

  /// The steps, from the root on.
  public var components: [Component]

  /// The path of these steps; of none, the root.
  public init(_ components: [Component] = []) { self.components = components }
}

extension PropertyListKeyPath: CustomStringConvertible {
  /// Apple's spelling, as `plutil` takes it: `items.0.CFBundle\.Name`.
  public var description: String {
    components.map { component in
      switch component {
      case .key(let key): key.split(separator: ".", omittingEmptySubsequences: false).joined(separator: #"\."#)
      case .index(let index): String(index)
      }
    }.joined(separator: ".")
  }
}
