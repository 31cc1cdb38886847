@_spi(Archives) internal import PropertyLists

/// Nil is archived as a reference to `$null`, and in a collection as `NSNull`. Any other value is archived like its
/// wrapped value.
extension Optional: SecureCoding where Wrapped: SecureCoding {
  public static var archivedClass: ArchivedClass { Wrapped.archivedClass }

  public func encode(with coder: KeyedArchiver) throws { try self?.encode(with: coder) }

  public init(coder: KeyedUnarchiver) throws { self = try Wrapped(coder: coder) }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Wrapped? {
    guard try isNil(reference, coder) else { return try Wrapped._unarchive(reference, by: coder) }
    try coder.weigh(1)
    return nil
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference {
    guard let self else { return ArchivedReference(node: .uid(0)) }
    return try self._archive(by: coder)
  }
}

extension Optional: ContainerOfSeveralTypes {
  static func unarchive(
    of types: [any SecureCoding.Type], at reference: ArchivedReference, by coder: KeyedUnarchiver
  ) throws -> Wrapped? {
    try isNil(reference, coder) ? nil : coder.value(Wrapped.self, of: types, at: reference)
  }

  /// Returns true for a reference to `$null`. Returns true for a reference to `NSNull` too, unless `Wrapped` represents
  /// `NSNull`.
  @inline(__always)
  private static func isNil(_ reference: ArchivedReference, _ coder: KeyedUnarchiver) throws -> Bool {
    let object = try coder.resolve(reference.node)
    if coder.isNull(reference.node, object) { return true }
    guard object.kind == .dictionary, reference.node.kind == .uid, Wrapped.self != Archived.Null.self else {
      return false
    }
    return try coder.classRecord(of: object, behind: reference.node).0.name == Archived.Null.archivedClass.name
  }
}
