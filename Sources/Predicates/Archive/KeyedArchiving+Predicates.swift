public import KeyedArchiving

extension KeyedArchiver {
  /// Encodes a predicate as an `NSPredicate`, in the form of Apple's files.
  ///
  /// ```swift
  /// let archiver = KeyedArchiver()
  /// try archiver.encode(ManagedPredicate(format: "isPaid == NO"), forKey: "filter")
  /// let data = try archiver.encodedData()
  /// ```
  ///
  /// - Throws: The errors of encoding any value.
  public func encode(_ predicate: ManagedPredicate?, forKey key: String) throws {
    try encode(predicate.map { ArchivedPredicate($0.withoutDeepRows) }, forKey: key)
  }

  /// Encodes an expression as an `NSExpression`, in the form of Apple's files.
  ///
  /// - Throws: The errors of encoding any value.
  public func encode(_ expression: ManagedExpression?, forKey key: String) throws {
    try encode(expression.map { ArchivedExpression($0) }, forKey: key)
  }

  /// Encodes an array of predicates.
  ///
  /// - Throws: The errors of encoding any value.
  public func encode(_ predicates: [ManagedPredicate], forKey key: String) throws {
    try encode(predicates.map { ArchivedPredicate($0.withoutDeepRows) }, forKey: key)
  }
}

extension KeyedUnarchiver {
  /// Decodes an `NSPredicate`. Returns nil if the key is missing. Only the classes of predicates and expressions are
  /// instantiated. Constants become Foundation values or opaque objects.
  ///
  /// ```swift
  /// let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
  /// let filter = try unarchiver.decodePredicateIfPresent(forKey: "filter")
  /// ```
  ///
  /// - Throws: ``KeyedArchiveError``, also for more levels than ``ManagedPredicate/greatestDepth``.
  public func decodePredicateIfPresent(forKey key: String) throws -> ManagedPredicate? {
    try decodeIfPresent(ArchivedPredicate.self, forKey: key)?.predicate
  }

  /// Decodes an array of `NSPredicate`. Returns an empty array if the key is missing.
  ///
  /// - Throws: The errors of ``decodePredicateIfPresent(forKey:)``.
  public func decodePredicates(forKey key: String) throws -> [ManagedPredicate] {
    (try decodeIfPresent([ArchivedPredicate].self, forKey: key) ?? []).map(\.predicate)
  }

  /// Decodes an `NSExpression`. Returns nil if the key is missing.
  ///
  /// - Throws: The errors of ``decodePredicateIfPresent(forKey:)``.
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
