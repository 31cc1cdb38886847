public import FoundationEssentials
@_spi(Archives) public import PropertyLists

/// Functions that encode values, objects and collections of them.
extension KeyedArchiver {
  /// Encodes a value or an object.
  ///
  /// A class instance that was encoded before is not stored again, and neither is a value that is equal to an earlier
  /// one: the key gets a reference to what is already in the archive. Nil is encoded as a reference to `$null`.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/duplicateKey`` if an object in the value encodes a key twice;
  ///   ``KeyedArchiveError/Kind/invalidValue`` if an archive cannot represent the value;
  ///   ``KeyedArchiveError/Kind/nestedTooDeeply`` if objects are nested too deeply for the thread, see
  ///   ``greatestDepth``; ``KeyedArchiveError/Kind/finished`` if the archive is complete; or an error of a type's own
  ///   ``SecureCoding/encode(with:)``.
  public func encode<T: SecureCoding>(_ value: T, forKey key: String) throws {
    try encode(userKey: key) { coder in try value._archive(by: coder).node }
  }

  /// Encodes a reference to an object without archiving the object. If another call, before or after, encodes the
  /// object unconditionally, the reference leads to it. Otherwise the reference is decoded as nil. Use it for the
  /// reference from a child to its parent.
  ///
  /// ```swift
  /// func encode(with coder: KeyedArchiver) throws {
  ///   try coder.encodeConditionalObject(folder, forKey: "folder")
  ///   try coder.encode(text, forKey: "text")
  /// }
  /// ```
  ///
  /// - Throws: The errors of `encode(_:forKey:)`.
  public func encodeConditionalObject<T: SecureCoding & AnyObject>(_ object: T?, forKey key: String) throws {
    try encode(userKey: key) { coder in
      guard let object else { return .uid(0) }
      return try coder.reference(conditionallyTo: object).node
    }
  }

  // Numbers, Booleans and bytes, which are stored inline in the object.

  /// Encodes a Boolean.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/finished`` if the archive is complete; the error of an earlier call, if any.
  public func encode(_ value: Bool, forKey key: String) throws { try encode(userKey: key) { _ in .boolean(value) } }

  /// Encodes an integer. The archive does not store its width.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/finished`` if the archive is complete; the error of an earlier call, if any.
  public func encode(_ value: Int, forKey key: String) throws { try encode(integer: value, forKey: key) }

  /// Encodes an integer. The archive does not store its width.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/finished`` if the archive is complete; the error of an earlier call, if any.
  public func encode(_ value: Int8, forKey key: String) throws { try encode(integer: value, forKey: key) }

  /// Encodes an integer. The archive does not store its width.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/finished`` if the archive is complete; the error of an earlier call, if any.
  public func encode(_ value: Int16, forKey key: String) throws { try encode(integer: value, forKey: key) }

  /// Encodes an integer. The archive does not store its width.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/finished`` if the archive is complete; the error of an earlier call, if any.
  public func encode(_ value: Int32, forKey key: String) throws { try encode(integer: value, forKey: key) }

  /// Encodes an integer. The archive does not store its width.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/finished`` if the archive is complete; the error of an earlier call, if any.
  public func encode(_ value: Int64, forKey key: String) throws { try encode(integer: value, forKey: key) }

  /// Encodes an integer. The archive does not store its width.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/finished`` if the archive is complete; the error of an earlier call, if any.
  public func encode(_ value: UInt, forKey key: String) throws { try encode(integer: value, forKey: key) }

  /// Encodes an integer. The archive does not store its width.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/finished`` if the archive is complete; the error of an earlier call, if any.
  public func encode(_ value: UInt8, forKey key: String) throws { try encode(integer: value, forKey: key) }

  /// Encodes an integer. The archive does not store its width.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/finished`` if the archive is complete; the error of an earlier call, if any.
  public func encode(_ value: UInt16, forKey key: String) throws { try encode(integer: value, forKey: key) }

  /// Encodes an integer. The archive does not store its width.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/finished`` if the archive is complete; the error of an earlier call, if any.
  public func encode(_ value: UInt32, forKey key: String) throws { try encode(integer: value, forKey: key) }

  /// Encodes an integer. The archive does not store its width.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/finished`` if the archive is complete; the error of an earlier call, if any.
  public func encode(_ value: UInt64, forKey key: String) throws { try encode(integer: value, forKey: key) }

  /// Encodes a floating-point number of 4 bytes.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/finished`` if the archive is complete; the error of an earlier call, if any.
  public func encode(_ value: Float, forKey key: String) throws { try encode(userKey: key) { _ in .float(value) } }

  /// Encodes a floating-point number of 8 bytes.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/finished`` if the archive is complete; the error of an earlier call, if any.
  public func encode(_ value: Double, forKey key: String) throws { try encode(userKey: key) { _ in .real(value) } }

  /// Encodes bytes inline, as Apple's `encodeBytes` does, instead of as an object.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/finished`` if the archive is complete; the error of an earlier call, if any.
  public func encodeBytes(_ bytes: Data, forKey key: String) throws {
    try encode(userKey: key) { coder in try coder.pool.inline(bytes) }
  }

  /// Encodes a property list inline, instead of as objects.
  ///
  /// ```swift
  /// try coder.encode(propertyList: ["width": 640, "height": 480], forKey: "window")
  /// ```
  ///
  /// - Throws: ``KeyedArchiveError/Kind/invalidValue`` for a UID, which readers would take for a reference;
  ///   ``KeyedArchiveError/Kind/nestedTooDeeply`` for a property list nested more than 512 deep.
  public func encode(propertyList: PropertyList, forKey key: String) throws {
    try encode(userKey: key) { coder in try coder.inline(propertyList, depth: 0) }
  }

  private func encode<T: FixedWidthInteger>(integer value: T, forKey key: String) throws {
    try encode(userKey: key) { _ in .integer(value) }
  }

  // Methods for types that write the keys of Apple's classes. These keys are written unchanged.

  /// Throws ``KeyedArchiveError/Kind/invalidValue``, with the message `finding`, if `isValid` is false. Use it for
  /// values that an archive cannot represent.
  @inline(__always)
  func require(_ isValid: Bool, _ finding: @autoclosure () -> String) throws {
    if !isValid { throw KeyedArchiveError(.invalidValue, finding()) }
  }

  @inline(__always)
  func encode<T: SecureCoding>(_ value: T, forRawKey key: String) throws {
    try encode(rawKey: key) { coder in try value._archive(by: coder).node }
  }

  @inline(__always)
  func encode(integer value: Int, forRawKey key: String) throws { try encode(rawKey: key) { _ in .integer(value) } }

  @inline(__always)
  func encode(real value: Double, forRawKey key: String) throws { try encode(rawKey: key) { _ in .real(value) } }

  @inline(__always)
  func encode(boolean value: Bool, forRawKey key: String) throws { try encode(rawKey: key) { _ in .boolean(value) } }

  func encode(inline text: String, forRawKey key: String) throws {
    try encode(rawKey: key) { coder in try coder.pool.inline(text) }
  }

  func encode(inline data: Data, forRawKey key: String) throws {
    try encode(rawKey: key) { coder in try coder.pool.inline(data) }
  }

  /// Adds a property list to the object pool as a value that is stored inline, and returns its node.
  func inline(_ value: PropertyList, depth: Int) throws -> FlatNode {
    switch value {
    case .string(let text): return try pool.inline(text)
    case .data(let data): return try pool.inline(data)
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .float(let value): return .float(value)
    case .boolean(let value): return .boolean(value)
    case .date(let value): return .date(value.timeIntervalSinceReferenceDate)
    case .null: return .null
    case .uid: throw KeyedArchiveError(.invalidValue, "a UID in a property list would be read as a reference")
    case .array(let elements):
      try checkPropertyListDepth(depth)
      var nodes: [FlatNode] = []
      for element in elements { nodes.append(try inline(element, depth: depth + 1)) }
      return try pool.container(.array, nodes.span)
    case .dictionary(let entries):
      try checkPropertyListDepth(depth)
      var nodes: [FlatNode] = []
      for (key, value) in entries {
        nodes.append(try pool.inline(key))
        nodes.append(try inline(value, depth: depth + 1))
      }
      return try pool.container(.dictionary, nodes.span)
    }
  }

  private func checkPropertyListDepth(_ depth: Int) throws {
    guard depth < 512 else { throw KeyedArchiveError(.nestedTooDeeply, "a property list is nested more than 512 deep") }
    if depth & 15 == 15 { try checkStack() }
  }
}
