/// The first keys of a long coding path, as a list that the errors of all values below share.
///
/// Types that try one kind after the other swallow most errors without looking at them. Were each to have a path of
/// its own, an error in a value at depth *d* would take O(*d*). So an error that a type can catch has at least
/// ``leastKept`` keys that lead to its value, and in front of these one ``Key``. What a call throws at last has all.
final class OuterKeys: Sendable {
  private let outer: OuterKeys?
  private let keys: [any CodingKey]

  /// The number of keys of an error's path that stay as they are.
  static let leastKept = 16

  init(_ outer: OuterKeys?, _ keys: [any CodingKey]) {
    self.outer = outer
    self.keys = keys
  }

  /// All keys from the root on.
  ///
  /// - Complexity: O(*n*) in their number.
  var all: [any CodingKey] {
    var parts = [keys]
    var next = outer
    while let list = next {
      parts.append(list.keys)
      next = list.outer
    }
    return parts.reversed().flatMap { $0 }
  }

  /// One key for all of the list.
  struct Key: CodingKey {
    let outer: OuterKeys

    /// The keys with dots between them.
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
