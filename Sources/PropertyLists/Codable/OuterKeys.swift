/// The outer keys of a long coding path. The errors of all values below the last of these keys share the list.
///
/// Types that try one kind after another catch most errors without examining them. If each error had a complete path,
/// an error at depth *d* would cost O(*d*). So the path of an error that a type can catch has at least the
/// ``leastKept`` innermost keys, and one ``Key`` before them can represent all outer keys. The path of the error that
/// the call throws has all keys.
final class OuterKeys: Sendable {
  private let outer: OuterKeys?
  private let keys: [any CodingKey]

  /// The minimum number of innermost keys that are separate in the path of an error.
  static let leastKept = 16

  init(_ outer: OuterKeys?, _ keys: [any CodingKey]) {
    self.outer = outer
    self.keys = keys
  }

  /// All keys, beginning at the root.
  ///
  /// - Complexity: O(*n*) in the number of keys.
  var all: [any CodingKey] {
    var parts = [keys]
    var next = outer
    while let list = next {
      parts.append(list.keys)
      next = list.outer
    }
    return parts.reversed().flatMap { $0 }
  }

  /// A single key that represents the whole list.
  struct Key: CodingKey {
    let outer: OuterKeys

    /// The keys, joined by dots.
    var stringValue: String { outer.all.map(\.stringValue).joined(separator: ".") }
    var intValue: Int? { nil }

    init(outer: OuterKeys) { self.outer = outer }
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
  }
}

extension DecodingError {
  /// The error with its complete coding path.
  var withCompletePath: DecodingError {
    func complete(_ context: Context) -> Context {
      guard let first = context.codingPath.first as? OuterKeys.Key else { return context }
      return Context(
        codingPath: first.outer.all + context.codingPath.dropFirst(), debugDescription: context.debugDescription,
        underlyingError: context.underlyingError)
    }
    return switch self {
    case .typeMismatch(let type, let context): .typeMismatch(type, complete(context))
    case .valueNotFound(let type, let context): .valueNotFound(type, complete(context))
    case .keyNotFound(let key, let context): .keyNotFound(key, complete(context))
    case .dataCorrupted(let context): .dataCorrupted(complete(context))
    @unknown default: self
    }
  }
}
