internal import OrderedCollections
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

  /// The dictionary of a key, whose keys and values are of several types each.
  func dictionary<Key: Hashable, Value>(
    _ keyType: Key.Type, of keyTypes: [any SecureCoding.Type], _ valueType: Value.Type,
    of valueTypes: [any SecureCoding.Type], forKey key: String
  ) throws -> OrderedDictionary<Key, Value> {
    guard let node = try node(forUserKey: key) else { throw noValue(key) }
    return try dictionary(keyType, of: keyTypes, valueType, of: valueTypes, at: ArchivedReference(node: node))
  }

  fileprivate func dictionary<Key: Hashable, Value>(
    _ key: Key.Type, of keyTypes: [any SecureCoding.Type], _ value: Value.Type, of valueTypes: [any SecureCoding.Type],
    at reference: ArchivedReference
  ) throws -> OrderedDictionary<Key, Value> {
    try severalTypes(of: reference, OrderedDictionary<String, String>.self) {
      let (keys, values) = try decodeEntries {
        try self.value(key, of: keyTypes, at: $0)
      } _: {
        try self.value(value, of: valueTypes, at: $0)
      }
      var dictionary: OrderedDictionary<Key, Value> = [:]
      for (key, value) in zip(keys, values) {
        if dictionary.updateValue(value, forKey: key) != nil { throw standsTwice(key) }
      }
      return dictionary
    }
  }

  /// Decodes the contents of a collection of a class, unless that is going on already.
  fileprivate func severalTypes<T>(
    of reference: ArchivedReference, _ type: any SecureCoding.Type, _ decode: () throws -> T
  ) throws -> T {
    try once(reference.node) { try contents(of: reference, type, decode) }
  }

  private func cast<Base>(_ value: Any, to base: Base.Type) throws -> Base {
    guard let value = value as? Base else {
      throw failure(.typeMismatch, "\(Swift.type(of: value)), which was asked for, is no \(base)")
    }
    return value
  }
}

/// A type whose parts may be of several types that their static type does not name.
private protocol ContainerOfSeveralTypes {
  static func unarchive(
    of types: [any SecureCoding.Type], at reference: ArchivedReference, by coder: KeyedUnarchiver
  ) throws -> Self
}

extension Optional: ContainerOfSeveralTypes {
  fileprivate static func unarchive(
    of types: [any SecureCoding.Type], at reference: ArchivedReference, by coder: KeyedUnarchiver
  ) throws -> Wrapped? {
    let object = try coder.resolve(reference.node)
    if coder.isNull(reference.node, object) { return nil }
    if object.kind == .dictionary, Wrapped.self != Archived.Null.self, try coder.isNullObject(object, reference.node) {
      return nil
    }
    return try coder.value(Wrapped.self, of: types, at: reference)
  }
}

extension Array: ContainerOfSeveralTypes {
  fileprivate static func unarchive(
    of types: [any SecureCoding.Type], at reference: ArchivedReference, by coder: KeyedUnarchiver
  ) throws -> [Element] {
    try coder.severalTypes(of: reference, ArchivedArray.self) {
      try coder.decodeElements(forRawKey: "NS.objects") { try coder.value(Element.self, of: types, at: $0) }
    }
  }
}

extension Set: ContainerOfSeveralTypes {
  fileprivate static func unarchive(
    of types: [any SecureCoding.Type], at reference: ArchivedReference, by coder: KeyedUnarchiver
  ) throws -> Set<Element> {
    try coder.severalTypes(of: reference, Set<String>.self) {
      var set: Set<Element> = []
      let elements = try coder.decodeHashedElements(forRawKey: "NS.objects") {
        try coder.value(Element.self, of: types, at: $0)
      }
      for element in elements {
        if !set.insert(element).inserted { throw coder.standsTwice(element) }
      }
      return set
    }
  }
}

extension OrderedSet: ContainerOfSeveralTypes {
  fileprivate static func unarchive(
    of types: [any SecureCoding.Type], at reference: ArchivedReference, by coder: KeyedUnarchiver
  ) throws -> OrderedSet<Element> {
    try coder.severalTypes(of: reference, OrderedSet<String>.self) {
      try OrderedSet(decodedBy: coder) { try coder.value(Element.self, of: types, at: $0) }
    }
  }
}

extension Dictionary: ContainerOfSeveralTypes {
  fileprivate static func unarchive(
    of types: [any SecureCoding.Type], at reference: ArchivedReference, by coder: KeyedUnarchiver
  ) throws -> [Key: Value] {
    let entries = try coder.dictionary(Key.self, of: types, Value.self, of: types, at: reference)
    return Dictionary(uniqueKeysWithValues: Array(entries))
  }
}

extension OrderedDictionary: ContainerOfSeveralTypes {
  fileprivate static func unarchive(
    of types: [any SecureCoding.Type], at reference: ArchivedReference, by coder: KeyedUnarchiver
  ) throws -> OrderedDictionary<Key, Value> {
    try coder.dictionary(Key.self, of: types, Value.self, of: types, at: reference)
  }
}
