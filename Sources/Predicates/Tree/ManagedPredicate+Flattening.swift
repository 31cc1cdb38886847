extension ManagedPredicate {
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
    case .and:
      return .and(joinedParts(depth) { if case .and(let parts) = $0 { parts } else { nil } })
    case .or:
      return .or(joinedParts(depth) { if case .or(let parts) = $0 { parts } else { nil } })
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
