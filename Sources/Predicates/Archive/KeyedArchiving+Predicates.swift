public import KeyedArchiving

extension KeyedArchiver {
  /// Encodes a predicate as the `NSPredicate` that it is in Apple's files.
  ///
  /// - Throws: as for any value.
  public func encode(_ predicate: ManagedPredicate?, forKey key: String) throws {
    try encode(predicate.map { ArchivedPredicate($0.withoutDeepRows) }, forKey: key)
  }

  /// Encodes an expression as the `NSExpression` that it is in Apple's files.
  ///
  /// - Throws: as for any value.
  public func encode(_ expression: ManagedExpression?, forKey key: String) throws {
    try encode(expression.map { ArchivedExpression($0) }, forKey: key)
  }

  /// Encodes an array of predicates.
  ///
  /// - Throws: as for any value.
  public func encode(_ predicates: [ManagedPredicate], forKey key: String) throws {
    try encode(predicates.map { ArchivedPredicate($0.withoutDeepRows) }, forKey: key)
  }
}

extension KeyedUnarchiver {
  /// Decodes an `NSPredicate`; nil if there is none. No other class than those of predicates and expressions is made,
  /// and constants are values of Foundation or opaque.
  ///
  /// - Throws: ``KeyedArchiveError``, also for more levels than ``ManagedPredicate/greatestDepth``.
  public func decodePredicateIfPresent(forKey key: String) throws -> ManagedPredicate? {
    try decodeIfPresent(ArchivedPredicate.self, forKey: key)?.predicate
  }

  /// Decodes an array of `NSPredicate`; empty if there is none.
  ///
  /// - Throws: as ``decodePredicateIfPresent(forKey:)``.
  public func decodePredicates(forKey key: String) throws -> [ManagedPredicate] {
    (try decodeIfPresent([ArchivedPredicate].self, forKey: key) ?? []).map(\.predicate)
  }

  /// Decodes an `NSExpression`; nil if there is none.
  ///
  /// - Throws: as ``decodePredicateIfPresent(forKey:)``.
  public func decodeExpressionIfPresent(forKey key: String) throws -> ManagedExpression? {
    try decodeIfPresent(ArchivedExpression.self, forKey: key)?.expression
  }

  func checkedHeight(_ height: Int) throws -> Int {
    guard height <= ManagedPredicate.greatestDepth else {
      throw failure(.nestedTooDeeply, ManagedPredicateError.nestedTooDeeply.message)
    }
    return height
  }

  func height(of constant: PredicateConstant) throws -> Int {
    do { return try constant.height(within: ManagedPredicate.greatestDepth) } catch {
      throw failure(.nestedTooDeeply, error.message)
    }
  }
}
