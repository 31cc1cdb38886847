/// A condition on objects, as used in Core Data's fetch requests, request templates and validation rules.
///
/// A predicate is a tree of plain values. Create it from text (``init(format:_:)``), decode it from an archived
/// `NSPredicate`, or build it by hand. To test many objects with it, prepare it once: ``PreparedPredicate``.
///
/// A tree can have up to ``greatestDepth`` levels. An `AND` directly inside an `AND` does not count as a level, nor
/// does an `OR` inside an `OR`. A loop can therefore add any number of conditions one at a time:
///
/// ```swift
/// for word in words { predicate = .and([predicate, try ManagedPredicate(format: "title CONTAINS[cd] %@", word)]) }
/// ```
public indirect enum ManagedPredicate: Hashable, Sendable {
  /// `TRUEPREDICATE` or `FALSEPREDICATE`.
  case constant(Bool)
  case comparison(PredicateComparison)
  /// True if all parts are true. True without parts.
  case and([ManagedPredicate])
  /// True if any part is true. False without parts.
  case or([ManagedPredicate])
  case not(ManagedPredicate)

  /// Returns a comparison of two expressions.
  ///
  /// ```swift
  /// if let title = PredicateKeyPath("title") {
  ///   let predicate = ManagedPredicate.comparing(
  ///     .keyPath(title), .contains, .value(.string("milk")), options: [.caseInsensitive, .diacriticInsensitive])
  ///   print(predicate)   // title CONTAINS[cd] "milk"
  /// }
  /// ```
  public static func comparing(
    _ left: ManagedExpression, _ comparator: PredicateComparator, _ right: ManagedExpression,
    modifier: PredicateModifier = .direct, options: PredicateOptions = []
  ) -> ManagedPredicate {
    .comparison(
      PredicateComparison(left: left, comparator: comparator, right: right, modifier: modifier, options: options))
  }

  /// The predicate itself, or an equivalent one with fewer levels if conditions are nested deeper than
  /// ``greatestDepth``. Each `AND` directly inside an `AND`, which a loop creates if it adds one condition at a time,
  /// is merged into the outer one. The same is done for `OR`. `(a AND b) AND c` becomes `a AND b AND c`.
  ///
  /// - Complexity: O(*n*) in the number of conditions.
  package var withoutDeepRows: ManagedPredicate { isDeep ? joiningRows() : self }

  /// The direct parts of a condition.
  private var parts: [ManagedPredicate] {
    switch self {
    case .and(let parts), .or(let parts): parts
    case .not(let part): [part]
    case .constant, .comparison: []
    }
  }

  /// True if conditions are nested deeper than ``greatestDepth``. It does not recurse, because the tree could be too
  /// deep for the stack.
  private var isDeep: Bool {
    var waiting = [(predicate: self, depth: 1)]
    while let (predicate, depth) = waiting.popLast() {
      let parts = predicate.parts
      if !parts.isEmpty, depth > Self.greatestDepth { return true }
      for part in parts { waiting.append((part, depth + 1)) }
    }
    return false
  }

  /// Returns the predicate with each `AND` inside an `AND`, and each `OR` inside an `OR`, merged into the outer one.
  ///
  /// - Parameter depth: The number of conditions around this one. Beyond ``greatestDepth``, the tree is returned
  ///   unchanged. It is rejected when it is used.
  private func joiningRows(depth: Int = 0) -> ManagedPredicate {
    guard depth <= Self.greatestDepth else { return self }
    switch self {
    case .constant, .comparison: return self
    case .not(let part): return .not(part.joiningRows(depth: depth + 1))
    case .and: return .and(joinedParts(depth) { if case .and(let parts) = $0 { parts } else { nil } })
    case .or: return .or(joinedParts(depth) { if case .or(let parts) = $0 { parts } else { nil } })
    }
  }

  /// Returns the parts of an `AND` or `OR` condition. A part of the same kind is replaced by its own parts.
  ///
  /// - Parameter row: A function that returns the parts of a condition, if the condition is of the same kind as this
  ///   one; otherwise nil.
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
