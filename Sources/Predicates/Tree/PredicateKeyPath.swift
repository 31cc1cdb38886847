/// The keys from an object to a value, as in `author.name` and `books.@sum.price`. There is at least one.
///
/// ```swift
/// print(PredicateKeyPath("books.@sum.price")?.keys ?? [])   // ["books", "@sum", "price"]
/// ```
///
/// A key that begins with `@` is a collection operator: see ``PredicateCollectionOperator``.
public struct PredicateKeyPath: Hashable, Sendable {
  /// The keys. The first one is a key of the object.
  public let keys: [String]

  /// Creates a key path. Returns nil without keys, or if a key is empty or contains a dot.
  public init?(keys: [String]) {
    if keys.isEmpty || keys.contains(where: { $0.isEmpty || $0.utf8.contains(UInt8(ascii: ".")) }) { return nil }
    self.keys = keys
  }

  /// Creates a key path from keys separated by dots. Returns nil if a key is empty.
  public init?(_ text: String) {
    self.init(keys: text.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
  }

  /// Creates the key path from the argument of a call of `valueForKey:` or `valueForKeyPath:`. Returns nil for other
  /// methods.
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

/// A collection operator in a key path. It follows the path of a collection. The raw values are the keys.
///
/// ``count`` is the last key of its path. The other operators are followed by the path of the values that they use:
/// `books.@sum.price`.
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
