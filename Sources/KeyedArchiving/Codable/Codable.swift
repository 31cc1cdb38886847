/// A `Codable` type conforms with no code. The keys of its archive are the names of its coding keys.
///
/// Numbers and truth values stand in the object itself. Properties of types that conform to ``SecureCoding`` are archived as
/// those are: dates as `NSDate`, and so on. Other `Codable` types have no class: those with keys are archived as `NSDictionary`,
/// with strings as keys, those without as `NSArray`.
extension SecureCoding where Self: Encodable {
  public func encode(with coder: KeyedArchiver) throws {
    let encoder = ArchiveEncoder(path: [])
    try encode(to: encoder)
    try coder.encode(contents: encoder.box)
  }
}

extension SecureCoding where Self: Decodable {
  public init(coder: KeyedUnarchiver) throws { try self.init(from: ArchiveDecoder(.object, coder, path: [])) }
}

extension KeyedArchiver {
  /// Encodes a value of a type that is `Encodable` but not ``SecureCoding``.
  ///
  /// What has keys is archived as `NSDictionary` with strings as keys, what has none as `NSArray`, and what is one value as that.
  ///
  /// - Throws: ``KeyedArchiveError``, or what the type's own `encode(to:)` throws.
  public func encodeEncodable<T: Encodable>(_ value: T, forKey key: String) throws {
    try encode(userKey: key) { coder in
      try EncodedBox.box(value, path: []).reference(by: coder).node
    }
  }
}

extension KeyedUnarchiver {
  /// Decodes a value that ``KeyedArchiver/encodeEncodable(_:forKey:)`` has encoded.
  ///
  /// - Throws: ``KeyedArchiveError``, or what the type's own `init(from:)` throws.
  public func decodeDecodable<T: Decodable>(_ type: T.Type = T.self, forKey key: String) throws -> T {
    guard let node = try node(forUserKey: key) else {
      throw failure(.valueNotFound, "no value for the key \(key.quoted)")
    }
    return try decodable(type, at: ArchivedReference(node: node), path: [])
  }

  /// Decodes a value of any `Decodable` type: as it is archived, if it says so.
  func decodable<T: Decodable>(
    _ type: T.Type, at reference: ArchivedReference, path: [any CodingKey]
  ) throws -> T {
    if let archivable = type as? any SecureCoding.Type {
      guard let value = try unarchive(archivable, reference) as? T else {
        throw failure(.typeMismatch, "\(archivable), where \(type) is due")
      }
      return value
    }
    // Types that are only `Decodable` may nest, and lead back to themselves, as far as an archive says.
    let object = try resolve(reference.node)
    try spend(0)
    return try once(reference.node) {
      try inside(object, uid: reference.node.kind == .uid ? reference.node.uid : nil) {
        try T(from: ArchiveDecoder(.reference(reference), self, path: path))
      }
    }
  }
}
