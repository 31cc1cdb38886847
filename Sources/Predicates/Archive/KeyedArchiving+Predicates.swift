public import KeyedArchiving

extension KeyedArchiver {
  /// Encodes a predicate as the `NSPredicate` that it is in Apple's files.
  ///
  /// - Throws: as for any value.
  public func encode(_ predicate: ManagedPredicate?, forKey key: String) throws {
    let object: (any SecureCoding)? = predicate.map { ArchivedPredicates.archived($0.withoutDeepRows) }
    try encode(object, forKey: key)
  }

  /// Encodes an expression as the `NSExpression` that it is in Apple's files.
  ///
  /// - Throws: as for any value.
  public func encode(_ expression: ManagedExpression?, forKey key: String) throws {
    let object: (any SecureCoding)? = expression.map { ArchivedExpressions.archived($0) }
    try encode(object, forKey: key)
  }

  /// Encodes an array of predicates.
  ///
  /// - Throws: as for any value.
  public func encode(_ predicates: [ManagedPredicate], forKey key: String) throws {
    let objects: [any SecureCoding] = predicates.map { ArchivedPredicates.archived($0.withoutDeepRows) }
    try encode(objects, forKey: key)
  }
}

extension KeyedUnarchiver {
  /// Decodes an `NSPredicate`; nil if there is none. No other class than those of predicates and expressions is made,
  /// and constants are values of Foundation or opaque.
  ///
  /// - Throws: ``KeyedArchiveError``, also for more levels than ``ManagedPredicate/greatestDepth``.
  public func decodePredicateIfPresent(forKey key: String) throws -> ManagedPredicate? {
    let object = try decodeIfPresent(of: ArchivedPredicates.types, forKey: key)
    return (object as? any ArchivedPredicate)?.predicate
  }

  /// Decodes an array of `NSPredicate`; empty if there is none.
  ///
  /// - Throws: as ``decodePredicateIfPresent(forKey:)``.
  public func decodePredicates(forKey key: String) throws -> [ManagedPredicate] {
    let objects = try decodeIfPresent([any SecureCoding].self, of: ArchivedPredicates.types, forKey: key) ?? []
    return objects.compactMap { ($0 as? any ArchivedPredicate)?.predicate }
  }

  /// Decodes an `NSExpression`; nil if there is none.
  ///
  /// - Throws: as ``decodePredicateIfPresent(forKey:)``.
  public func decodeExpressionIfPresent(forKey key: String) throws -> ManagedExpression? {
    let object = try decodeIfPresent(of: ArchivedExpressions.types, forKey: key)
    return (object as? any ArchivedExpression)?.content.expression
  }

  func expressionPart(forKey key: String) throws -> ArchivedExpressionContent {
    let object = try decode(of: ArchivedExpressions.types, forKey: key)
    guard let object = object as? any ArchivedExpression else { throw failure(.typeMismatch, "no expression") }
    return object.content
  }

  func expressionParts(forKey key: String) throws -> [ArchivedExpressionContent] {
    let objects = try decodeIfPresent([any SecureCoding].self, of: ArchivedExpressions.types, forKey: key) ?? []
    return objects.compactMap { ($0 as? any ArchivedExpression)?.content }
  }

  func predicatePart(forKey key: String) throws -> any ArchivedPredicate {
    let object = try decode(of: ArchivedPredicates.types, forKey: key)
    guard let object = object as? any ArchivedPredicate else { throw failure(.typeMismatch, "no predicate") }
    return object
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
