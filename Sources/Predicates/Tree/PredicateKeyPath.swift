/// The keys that lead from an object to a value, as in `author.name` and `books.@sum.price`. At least one.
///
/// A key that begins with `@` is an operator on a collection: see ``PredicateCollectionOperator``.
public struct PredicateKeyPath: Hashable, Sendable {
  /// The keys, the first of which belongs to the object.
  public let keys: [String]

  /// Nil without keys, or if a key is empty or has a dot.
  public init?(keys: [String]) {
    if keys.isEmpty || keys.contains(where: { $0.isEmpty || $0.utf8.contains(UInt8(ascii: ".")) }) { return nil }
    self.keys = keys
  }

  /// The keys between the dots of `text`. Nil if one is empty.
  public init?(_ text: String) {
    self.init(keys: text.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
  }

  /// The path that a method of key-value coding follows; nil for other methods.
  package init?(method selector: String, _ arguments: [ManagedExpression]) {
    guard selector == "valueForKey:" || selector == "valueForKeyPath:", arguments.count == 1,
      case .constant(.value(.string(let text))) = arguments[0]
    else { return nil }
    self.init(text)
  }
}

extension PredicateKeyPath: CustomStringConvertible {
  public var description: String { keys.joined(separator: ".") }
}

/// An operator that stands in a key path, after the path of a collection. The raw values are the keys.
///
/// ``count`` stands alone. The others are followed by the path of what they work on: `books.@sum.price`.
public enum PredicateCollectionOperator: String, Hashable, Sendable, CaseIterable {
  case count = "@count"
  case sum = "@sum"
  case average = "@avg"
  case minimum = "@min"
  case maximum = "@max"
  case unionOfObjects = "@unionOfObjects"
  case distinctUnionOfObjects = "@distinctUnionOfObjects"
  case unionOfArrays = "@unionOfArrays"
  case distinctUnionOfArrays = "@distinctUnionOfArrays"
  case unionOfSets = "@unionOfSets"
  case distinctUnionOfSets = "@distinctUnionOfSets"
}
