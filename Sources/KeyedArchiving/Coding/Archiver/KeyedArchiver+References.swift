@_spi(Archives) internal import PropertyLists

/// Functions that create references to values and objects. The first reference to a value or an object archives it.
extension KeyedArchiver {
  /// Archives a value, unless an equal one is in the archive, and returns a reference to it.
  func reference<T: SecureCoding>(toValue value: T) throws -> ArchivedReference {
    if let replacement = try replacement(of: value) { return try archive(replacement: replacement) }
    return try reference(toValue: value, try record(of: type(of: value)))
  }

  /// Archives a value with the class `archivedClass`, and returns a reference to it. Use it for a type whose values can
  /// have different classes, such as ``Archived/Unit``.
  package func reference<T: SecureCoding>(toValue value: T, as archivedClass: ArchivedClass) throws -> ArchivedReference
  {
    if let replacement = try replacement(of: value) { return try archive(replacement: replacement) }
    return try reference(
      toValue: value, classes.variant(of: type(of: value), as: archivedClass) ?? record(of: type(of: value)))
  }

  @inline(__always)
  private func reference<T: SecureCoding>(
    toValue value: T, _ record: WrittenClasses.Record
  ) throws -> ArchivedReference {
    let uid = try pool.reserve()
    let contents = try contents(of: value, record, isShared: true)
    if let equal = pool.value(with: contents), pool.withdraw(uid) { return ArchivedReference(node: .uid(equal)) }
    try pool.fill(uid, with: contents)
    pool.share(uid, as: contents)
    return ArchivedReference(node: .uid(uid))
  }

  /// Archives an object at its first reference, and returns a reference to it.
  func reference<T: SecureCoding & AnyObject>(toObject object: T) throws -> ArchivedReference {
    if let uid = identities[ObjectIdentifier(object)] {
      if !conditional.isEmpty, let value = conditional.removeValue(forKey: uid) { try archive(value, as: uid) }
      return ArchivedReference(node: .uid(uid))
    }
    if let extent, extent.objectCount <= 0 { return ArchivedReference(node: .uid(0)) }
    if let replacement = try replacement(of: object) {
      let reference = try archive(replacement: replacement)
      remember(object, as: reference.node.uid)
      return reference
    }
    let uid = try pool.reserve()
    remember(object, as: uid)
    try pool.fill(uid, with: objectContents(of: object))
    return ArchivedReference(node: .uid(uid))
  }

  @inline(__always)
  private func objectContents<T: SecureCoding>(of object: T) throws -> FlatNode {
    if extent != nil {
      extent?.objectCount -= 1
      extent?.objectDepth += 1
    }
    let contents = try contents(of: object, try record(of: type(of: object)), isShared: false)
    if extent != nil { extent?.objectDepth -= 1 }
    return contents
  }

  /// Returns a reference to an object without archiving it; see ``encodeConditionalObject(_:forKey:)``.
  func reference<T: SecureCoding & AnyObject>(conditionallyTo object: T) throws -> ArchivedReference {
    if let uid = identities[ObjectIdentifier(object)] { return ArchivedReference(node: .uid(uid)) }
    let value: any SecureCoding = try replacement(of: object) ?? object
    let isObject = type(of: value) is AnyObject.Type
    if isObject, let uid = identities[ObjectIdentifier(value as AnyObject)] {
      remember(object, as: uid)
      return ArchivedReference(node: .uid(uid))
    }
    let uid = try pool.reserve()
    remember(object, as: uid)
    if isObject { remember(value as AnyObject, as: uid) }
    conditional[uid] = value
    return ArchivedReference(node: .uid(uid))
  }

  private func archive(_ value: some SecureCoding, as uid: UInt32) throws {
    if type(of: value) is AnyObject.Type {
      try pool.fill(uid, with: objectContents(of: value))
    } else {
      // The replacement is not a class instance, so an equal value may already have another UID. Both UIDs then have
      // the same contents.
      let other = try archive(replacement: value).node.uid
      pool.fill(uid, as: other)
    }
  }

  @inline(__always)
  private func record(of type: any SecureCoding.Type) throws -> WrittenClasses.Record {
    try classes.record(of: type) ?? newRecord(of: type)
  }

  private func newRecord(of type: any SecureCoding.Type) throws -> WrittenClasses.Record {
    let archivedClass = type.archivedClass
    if className(for: type) == nil, archivedClass.isInherited(by: type) {
      throw KeyedArchiveError(
        .invalidValue,
        "\(type) has the class name of its superclass, \(archivedClass.name.quoted), and would be decoded as that; "
          + "it must override archivedClass", className: archivedClass.name)
    }
    return classes.add(type, archivedClass)
  }

  private func remember(_ object: AnyObject, as uid: UInt32) {
    identities[ObjectIdentifier(object)] = uid
    retained.append(object)
  }

  func replacement(of value: some SecureCoding) throws -> (any SecureCoding)? {
    if isReplacement {
      isReplacement = false
      return nil
    }
    return try value.replacementObject(for: self)
  }

  func archive(replacement: some SecureCoding) throws -> ArchivedReference {
    isReplacement = true
    defer { isReplacement = false }
    return try replacement._archive(by: self)
  }
}
