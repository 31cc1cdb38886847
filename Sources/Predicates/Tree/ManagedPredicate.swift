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

  /// A comparison of two expressions.
  public static func comparing(
    _ left: ManagedExpression, _ comparator: PredicateComparator, _ right: ManagedExpression,
    modifier: PredicateModifier = .direct, options: PredicateOptions = []
  ) -> ManagedPredicate {
    .comparison(
      PredicateComparison(left: left, comparator: comparator, right: right, modifier: modifier, options: options))
  }

  /// The predicate itself, or one with fewer levels if conditions are nested deeper than ``greatestDepth``: a row of
  /// `AND` in a row of `AND`, as a loop makes it that adds a condition at a time, is joined to it then, and the same
  /// for `OR`. `(a AND b) AND c` becomes `a AND b AND c`, which means the same.
  ///
  /// - Complexity: O(*n*) in the number of conditions.
  package var withoutDeepRows: ManagedPredicate { isDeep ? joiningRows() : self }

  /// The conditions that a condition is made of.
  private var parts: [ManagedPredicate] {
    switch self {
    case .and(let parts), .or(let parts): parts
    case .not(let part): [part]
    case .constant, .comparison: []
    }
  }

  /// True if conditions are nested deeper than ``greatestDepth``. It does not call itself: the tree could be too deep.
  private var isDeep: Bool {
    var waiting = [(predicate: self, depth: 1)]
    while let (predicate, depth) = waiting.popLast() {
      let parts = predicate.parts
      if !parts.isEmpty, depth > Self.greatestDepth { return true }
      for part in parts { waiting.append((part, depth + 1)) }
    }
    return false
  }

  /// The predicate with each row in one of its own kind joined to that.
  ///
  /// - Parameter depth: the number of conditions around it. A tree that is deeper than the greatest depth even so is
  ///   refused where it is used, and stays as it is from there on.
  private func joiningRows(depth: Int = 0) -> ManagedPredicate {
    guard depth <= Self.greatestDepth else { return self }
    switch self {
    case .constant, .comparison: return self
    case .not(let part): return .not(part.joiningRows(depth: depth + 1))
    case .and: return .and(joinedParts(depth) { if case .and(let parts) = $0 { parts } else { nil } })
    case .or: return .or(joinedParts(depth) { if case .or(let parts) = $0 { parts } else { nil } })
    }
  }

  /// - Parameter row: the parts of a row of the same kind; nil for other conditions.
  private func joinedParts(_ depth: Int, _ row: (ManagedPredicate) -> [ManagedPredicate]?) -> [ManagedPredicate] {
    var joined: [ManagedPredicate] = []
    var waiting = [self]
    while let part = waiting.popLast() {
      if let inner = row(part) {
        waiting += inner.reversed()
      } else {
        joined.append(part.joiningRows(depth: depth + 1))
      }
    }
    return joined
  }
}
