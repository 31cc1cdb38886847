@_spi(Archives) internal import PropertyLists

/// Values without keys, as `encodeObject:` and its like write them, and libraries of other languages at the top.
///
/// They are numbered from 0 on. In the file their keys are `$0`, `$1` and so on; a user's key of that name has one more
/// dollar.
extension KeyedUnarchiver {
  /// The number of values without a key in the object that is being decoded; outside of objects, at the top of the
  /// archive.
  public var unkeyedCount: Int {
    var count = 0
    while containsRaw("$\(count)") { count += 1 }
    return count
  }

  /// Decodes a value that was encoded without a key.
  ///
  /// - Parameter index: its number, from 0 to below ``unkeyedCount``.
  /// - Throws: as ``decode(_:forKey:)``.
  public func decodeUnkeyed<T: SecureCoding>(_ type: T.Type = T.self, at index: Int) throws -> T {
    try T._unarchive(unkeyedReference(index), by: self)
  }

  /// Decodes a value that was encoded without a key and is of one of several types; see ``decode(_:of:forKey:)``.
  public func decodeUnkeyed<Base>(_ base: Base.Type, of types: [any SecureCoding.Type], at index: Int) throws -> Base {
    try value(base, of: types, at: unkeyedReference(index))
  }

  private func unkeyedReference(_ index: Int) throws -> ArchivedReference {
    guard let node = try node(forRawKey: "$\(index)") else {
      throw failure(.valueNotFound, "no value number \(index) without a key")
    }
    return ArchivedReference(node: node)
  }
}
