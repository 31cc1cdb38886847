public import KeyedArchiving

/// A constant value in a predicate.
///
/// ```swift
/// let limits = PredicateConstant.array([.value(.integer(1)), .value(.integer(10))])
/// let isShort = try ManagedPredicate(format: "pages BETWEEN %@", limits)
/// ```
public enum PredicateConstant: Hashable, Sendable {
  case value(AttributeValue)
  case array([PredicateConstant])
  case set(Set<PredicateConstant>)
  case dictionary([String: PredicateConstant])
  /// An object of a store or a context, by its key.
  case object(RowKey)
  /// An archived object of any other class. It is kept for writing, and equals only itself.
  case opaque(OpaqueObject)

  /// No value.
  public static let null = PredicateConstant.value(.null)

  /// True for an array and for a set.
  var isCollection: Bool {
    switch self {
    case .array, .set: true
    case .value, .dictionary, .object, .opaque: false
    }
  }
}
