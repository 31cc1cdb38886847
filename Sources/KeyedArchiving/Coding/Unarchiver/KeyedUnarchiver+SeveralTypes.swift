@_spi(Archives) internal import PropertyLists

/// Functions that decode values of several possible types.
extension KeyedUnarchiver {
  /// Decodes the value of a key as one of several types.
  ///
  /// The first type that matches the class of the object is used. An object of a subclass is decoded only if you name
  /// the subclass.
  ///
  /// ```swift
  /// switch try coder.decode(of: [Photo.self, Video.self], forKey: "attachment") {
  /// case let photo as Photo: show(photo)
  /// case let video as Video: play(video)
  /// default: break
  /// }
  /// ```
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

  /// Decodes the value of a key as `base`: a class or a protocol, or a collection of it. Objects of the class or
  /// protocol may have any of several types:
  ///
  /// ```swift
  /// let shape = try coder.decode((any Shape).self, of: [Circle.self, Square.self], forKey: "shape")
  /// let rows = try coder.decode([String: [any Shape]].self, of: [Circle.self, Square.self], forKey: "rows")
  /// ```
  ///
  /// - Parameters:
  ///   - base: a class, a protocol, or an array, a dictionary, a set or an optional of them, to any depth. If it is
  ///     or contains a superclass of some of the types, these types are allowed in its position. The superclass itself
  ///     is allowed only if it is one of the types. A part that is unrelated to the types, such as a dictionary key, is
  ///     decoded as its static type.
  ///   - types: the types that objects may have. They apply to this value, but not to the contents of its objects.
  /// - Throws: The errors of ``decode(_:forKey:)``; ``KeyedArchiveError/Kind/typeMismatch`` if an object has one of the
  ///   types, but cannot be cast to the class or protocol.
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

  /// Decodes the value of a top-level key of the archive as one of several types, even while an object is being
  /// decoded.
  ///
  /// - Throws: The errors of ``decode(_:of:forKey:)``.
  public func decodeTopLevelObject(of types: [any SecureCoding.Type], forKey key: String) throws -> any SecureCoding {
    try atTop { try decode(of: types, forKey: key) }
  }

  /// Decodes the value at a reference as `base`; see ``decode(_:of:forKey:)``.
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
      throw failure(.typeMismatch, "\(Swift.type(of: value)) is one of the types to decode, but is not a \(base)")
    }
    return value
  }
}

/// A container, such as an array, whose elements can be decoded as types that are chosen at run time.
protocol ContainerOfSeveralTypes {
  static func unarchive(
    of types: [any SecureCoding.Type], at reference: ArchivedReference, by coder: KeyedUnarchiver
  ) throws -> Self
}
