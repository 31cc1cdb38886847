@_spi(Archives) internal import PropertyLists

/// Decodes values of several types.
extension KeyedUnarchiver {
  /// Decodes the value of a key as one of several types.
  ///
  /// The first type that matches the class of the object is used. A subclass is decoded only if you name it.
  ///
  /// - Throws: The errors of ``decode(_:forKey:)``.
  public func decode(of types: [any SecureCoding.Type], forKey key: String) throws -> any SecureCoding {
    try decode((any SecureCoding).self, of: types, forKey: key)
  }

  /// Decodes the value of a key as one of several types. Returns nil if the key has no value, or if the value is nil.
  ///
  /// - Throws: The errors of ``decode(_:forKey:)``.
  public func decodeIfPresent(of types: [any SecureCoding.Type], forKey key: String) throws -> (any SecureCoding)? {
    try decodeIfPresent((any SecureCoding).self, of: types, forKey: key)
  }

  /// Decodes the value of a key, with several types in place of the class or the protocol that they have in common:
  ///
  /// ```swift
  /// let shape = try coder.decode((any Shape).self, of: [Circle.self, Square.self], forKey: "shape")
  /// let rows = try coder.decode([String: [any Shape]].self, of: [Circle.self, Square.self], forKey: "rows")
  /// ```
  ///
  /// - Parameters:
  ///   - base: a class, a protocol, or an array, a dictionary, a set or an optional of them, to any depth. In place of
  ///     a superclass of some of the types, these types are allowed, and the superclass itself only if it is one of
  ///     them. A part that is unrelated to the types, such as a dictionary key, is decoded as its static type.
  ///   - types: the types that objects may have. They apply to this value, but not to the contents of its objects.
  /// - Throws: The errors of ``decode(_:forKey:)``; ``KeyedArchiveError/Kind/typeMismatch`` if the value has one of the
  ///   types, but is not a `base`.
  public func decode<Base>(_ base: Base.Type, of types: [any SecureCoding.Type], forKey key: String) throws -> Base {
    guard let node = try node(forUserKey: key) else { throw noValue(key) }
    return try value(base, of: types, at: ArchivedReference(node: node))
  }

  /// Decodes the value of a key as ``decode(_:of:forKey:)`` does. Returns nil if the key has no value, or if the value
  /// is nil.
  ///
  /// - Throws: The errors of ``decode(_:of:forKey:)``.
  public func decodeIfPresent<Base>(
    _ base: Base.Type, of types: [any SecureCoding.Type], forKey key: String
  ) throws -> Base? {
    guard let node = try node(forUserKey: key) else { return nil }
    return try value(Base?.self, of: types, at: ArchivedReference(node: node))
  }

  /// Decodes a top-level value of the archive as one of several types. You can call it while an object is being
  /// decoded.
  ///
  /// - Throws: The errors of ``decode(_:of:forKey:)``.
  public func decodeTopLevelObject(of types: [any SecureCoding.Type], forKey key: String) throws -> any SecureCoding {
    try atTop { try decode(of: types, forKey: key) }
  }

  /// Decodes a value in which several types replace the class or the protocol that they have in common.
  func value<Base>(
    _ base: Base.Type, of types: [any SecureCoding.Type], at reference: ArchivedReference
  ) throws -> Base {
    if let container = base as? any ContainerOfSeveralTypes.Type {
      return try cast(try container.unarchive(of: types, at: reference, by: self), to: base)
    }
    let subtypes = types.filter { $0 is Base.Type }
    if subtypes.isEmpty, !types.isEmpty, let own = base as? any SecureCoding.Type {
      return try cast(try unarchive(own, reference), to: base)
    }
    return try cast(try anyValue(of: subtypes.isEmpty ? types : subtypes, at: reference), to: base)
  }

  private func cast<Base>(_ value: Any, to base: Base.Type) throws -> Base {
    guard let value = value as? Base else {
      throw failure(.typeMismatch, "expected \(base), found \(Swift.type(of: value)), which is one of the given types")
    }
    return value
  }
}

/// A type with parts whose types are chosen at run time.
protocol ContainerOfSeveralTypes {
  static func unarchive(
    of types: [any SecureCoding.Type], at reference: ArchivedReference, by coder: KeyedUnarchiver
  ) throws -> Self
}
