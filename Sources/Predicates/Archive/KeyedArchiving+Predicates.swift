public import KeyedArchiving

extension KeyedArchiver {
  /// Encodes a predicate as an `NSPredicate`, in the form of Apple's files. Nil is encoded as a reference to `$null`.
  ///
  /// ```swift
  /// let archiver = KeyedArchiver()
  /// try archiver.encode(ManagedPredicate(format: "isPaid == NO"), forKey: "filter")
  /// let data = try archiver.encodedData()
  /// ```
  ///
  /// - Throws: The errors of encoding any value. ``KeyedArchiveError`` of the kind `invalidValue` also if the predicate
  ///   contains an object of a store or a context, or compares type identifiers.
  public func encode(_ predicate: ManagedPredicate?, forKey key: String) throws {
    try encode(predicate.map { ArchivedPredicate($0.withoutDeepRows) }, forKey: key)
  }

  /// Encodes an expression as an `NSExpression`, in the form of Apple's files. Nil is encoded as a reference to
  /// `$null`.
  ///
  /// - Throws: The errors of encoding a predicate.
  public func encode(_ expression: ManagedExpression?, forKey key: String) throws {
    try encode(expression.map { ArchivedExpression($0) }, forKey: key)
  }

  /// Encodes an array of predicates as an `NSArray` of `NSPredicate` objects.
  ///
  /// - Throws: The errors of encoding a predicate.
  public func encode(_ predicates: [ManagedPredicate], forKey key: String) throws {
    try encode(predicates.map { ArchivedPredicate($0.withoutDeepRows) }, forKey: key)
  }
}

extension KeyedUnarchiver {
  /// Decodes an `NSPredicate`. Returns nil if the key has no value, or if the value is nil.
  ///
  /// Only the classes of predicates and expressions are instantiated. A constant must be a value that an attribute can
  /// have, a collection of such values, or an object of a class for which you have set the type `OpaqueObject` with
  /// `setClass(_:forClassName:)`. Any other constant causes an error.
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

  /// Decodes an array of `NSPredicate` objects. Returns an empty array if the key has no value, or if the value is nil.
  ///
  /// - Throws: The errors of ``decodePredicateIfPresent(forKey:)``.
  public func decodePredicates(forKey key: String) throws -> [ManagedPredicate] {
    (try decodeIfPresent([ArchivedPredicate].self, forKey: key) ?? []).map(\.predicate)
  }

  /// Decodes an `NSExpression`. Returns nil if the key has no value, or if the value is nil.
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
