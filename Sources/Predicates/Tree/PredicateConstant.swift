public import KeyedArchiving

/// A value that is written into a predicate.
public enum PredicateConstant: Hashable, Sendable {
  case value(AttributeValue)
  case array([PredicateConstant])
  case set(Set<PredicateConstant>)
  case dictionary([String: PredicateConstant])
  /// An object of a store or a context.
  case object(RowKey)
  /// An archived object of a class that has no case here. It is kept for writing, and equals nothing but itself.
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
