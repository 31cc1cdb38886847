@_spi(Archives) internal import PropertyLists

/// Values of several types.
extension KeyedUnarchiver {
  /// Decodes the value of a key, which is of one of several types.
  ///
  /// Subclasses count only if they are named. The class of the object decides for the first type that it allows.
  ///
  /// - Throws: as ``decode(_:forKey:)``.
  public func decode(of types: [any SecureCoding.Type], forKey key: String) throws -> any SecureCoding {
    try decode((any SecureCoding).self, of: types, forKey: key)
  }

  /// Decodes the value of a key, which is of one of several types; nil if there is none, or if it is nil.
  ///
  /// - Throws: as ``decode(_:forKey:)``.
  public func decodeIfPresent(of types: [any SecureCoding.Type], forKey key: String) throws -> (any SecureCoding)? {
    try decodeIfPresent((any SecureCoding).self, of: types, forKey: key)
  }

  /// Decodes the value of a key, in which the types named stand for the class or the protocol that they have in common:
  ///
  /// ```swift
  /// let shape = try coder.decode((any Shape).self, of: [Circle.self, Square.self], forKey: "shape")
  /// let rows = try coder.decode([String: [any Shape]].self, of: [Circle.self, Square.self], forKey: "rows")
  /// ```
  ///
  /// - Parameters:
  ///   - base: a class, a protocol, or an array, a dictionary, a set or an optional of them, to any depth. Where a
  ///     superclass of some of the types is due, these are allowed, and the superclass itself only if it is among them.
  ///     What has nothing to do with the types, such as the keys of a dictionary, is decoded as it stands in the
  ///     program.
  ///   - types: those that objects may be of. They count for this value, and not for what its objects consist of.
  /// - Throws: as ``decode(_:forKey:)``; ``KeyedArchiveError/Kind/typeMismatch`` for a value that is of one of the
  ///   types, but not of the base.
  public func decode<Base>(_ base: Base.Type, of types: [any SecureCoding.Type], forKey key: String) throws -> Base {
    guard let node = try node(forUserKey: key) else { throw noValue(key) }
    return try value(base, of: types, at: ArchivedReference(node: node))
  }

  /// Decodes the value of a key as ``decode(_:of:forKey:)`` does; nil if there is none, or if it is nil.
  ///
  /// - Throws: as ``decode(_:of:forKey:)``.
  public func decodeIfPresent<Base>(
    _ base: Base.Type, of types: [any SecureCoding.Type], forKey key: String
  ) throws -> Base? {
    guard let node = try node(forUserKey: key) else { return nil }
    return try value(Base?.self, of: types, at: ArchivedReference(node: node))
  }

  /// Decodes a value of one of several types from the top of the archive, also from within an object.
  ///
  /// - Throws: as ``decode(_:of:forKey:)``.
  public func decodeTopLevelObject(of types: [any SecureCoding.Type], forKey key: String) throws -> any SecureCoding {
    try atTop { try decode(of: types, forKey: key) }
  }

  /// A value in which several types stand for what they have in common.
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
      throw failure(.typeMismatch, "\(Swift.type(of: value)), which was asked for, is no \(base)")
    }
    return value
  }
}

/// A type whose parts may be of several types that their static type does not name.
protocol ContainerOfSeveralTypes {
  static func unarchive(
    of types: [any SecureCoding.Type], at reference: ArchivedReference, by coder: KeyedUnarchiver
  ) throws -> Self
}
