@_spi(Archives) internal import PropertyLists

/// Nil is a reference to nothing, and in a collection `NSNull`; anything else is archived as itself.
extension Optional: SecureCoding where Wrapped: SecureCoding {
  public static var archivedClass: ArchivedClass { Wrapped.archivedClass }

  public func encode(with coder: KeyedArchiver) throws { try self?.encode(with: coder) }

  public init(coder: KeyedUnarchiver) throws { self = try Wrapped(coder: coder) }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Wrapped? {
    let object = try coder.resolve(reference.node)
    if coder.isNull(reference.node, object) {
      try coder.weigh(1)
      return nil
    }
    if object.kind == .dictionary, Wrapped.self != Archived.Null.self, try coder.isNullObject(object, reference.node) {
      try coder.weigh(1)
      return nil
    }
    return try Wrapped._unarchive(reference, by: coder)
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference {
    guard let self else { return ArchivedReference(node: .uid(0)) }
    return try self._archive(by: coder)
  }
}
