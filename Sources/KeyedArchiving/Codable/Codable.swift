internal import PropertyLists

/// A `Codable` type conforms with no code. The keys of its archive are the names of its coding keys.
///
/// Numbers and truth values stand in the object itself. Properties of types that conform to ``SecureCoding`` are archived as
/// those are: dates as `NSDate`, and so on. Other `Codable` types have no class: those with keys are archived as `NSDictionary`,
/// with strings as keys, those without as `NSArray`.
extension SecureCoding where Self: Encodable {
  public func encode(with coder: KeyedArchiver) throws {
    let encoder = ArchiveEncoder(path: [], depth: 0)
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
    guard reference.node.kind == .uid else { return try decodable(type, at: reference, object, uid: nil, path: path) }
    let uid = reference.node.uid
    if let kept = table.kept(type, uid), let value = kept.value as? T {
      try weigh(kept.weight)
      return value
    }
    guard table.beginDecodable(type, uid) else {
      throw failure(.circularReference, "the object is a part of itself", at: reference.node)
    }
    defer { table.endDecodable(type, uid) }
    let before = decodableObjectCount
    let weightAround = weight
    weight = 1
    do {
      let value = try decodable(type, at: reference, object, uid: uid, path: path)
      // What hashes its elements has taken as long as they are heavy.
      if weight > 4096, value is any HashedCollection { try spend(weight) }
      // Where an object of a class is in it, each place gets its own.
      if type is AnyObject.Type { decodableObjectCount += 1 }
      if decodableObjectCount == before { _ = table.keep(uid, value, weight: weight) }
      try weigh(weightAround)
      return value
    } catch {
      weight = weightAround
      throw error
    }
  }

  private func decodable<T: Decodable>(
    _ type: T.Type, at reference: ArchivedReference, _ object: FlatNode, uid: UInt32?, path: [any CodingKey]
  ) throws -> T {
    try spend(0)
    return try inside(object, uid: uid) {
      try T(from: ArchiveDecoder(.reference(reference), self, path: path))
    }
  }
}
