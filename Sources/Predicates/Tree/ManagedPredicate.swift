/// A condition on objects, as Core Data's requests, templates and validation rules have it.
///
/// The tree is a plain value. It comes from text (``init(format:_:)``), from an archived `NSPredicate`, or is built by
/// hand. To test many objects with it, prepare it once: ``PreparedPredicate``.
///
/// A tree can have up to ``greatestDepth`` levels. A row of `AND` in a row of `AND` does not count as a level,
/// nor `OR` in `OR`, so that a loop can add any number of conditions one at a time:
///
/// ```swift
/// for word in words { predicate = .and([predicate, try ManagedPredicate(format: "title CONTAINS[cd] %@", word)]) }
/// ```
public indirect enum ManagedPredicate: Hashable, Sendable {
  /// `TRUEPREDICATE` or `FALSEPREDICATE`.
  case constant(Bool)
  case comparison(PredicateComparison)
  /// True if all are. Without any it is true.
  case and([ManagedPredicate])
  /// True if one is. Without any it is false.
  case or([ManagedPredicate])
  case not(ManagedPredicate)
}

extension ManagedPredicate {
  /// A comparison of two expressions.
  public static func comparing(
    _ left: ManagedExpression, _ comparator: PredicateComparator, _ right: ManagedExpression,
    modifier: PredicateModifier = .direct, options: PredicateOptions = []
  ) -> ManagedPredicate {
    .comparison(
      PredicateComparison(left: left, comparator: comparator, right: right, modifier: modifier, options: options))
  }
}
