@_spi(Archives) internal import PropertyLists

/// The default implementation for `Codable` types. The keys in the archive are the names of the coding keys.
///
/// Numbers and Booleans are stored inline in the object. Properties of types that conform to ``SecureCoding`` are
/// archived as those types are, for example dates as `NSDate`. Other `Codable` types have no class: a value with a
/// keyed container is archived as an `NSDictionary` with strings as keys, a value with an unkeyed container as an
/// `NSArray`.
extension SecureCoding where Self: Encodable {
  public func encode(with coder: KeyedArchiver) throws {
    if let foundation = FoundationType.of(Self.self) { return try foundation.counterpart(of: self).encode(with: coder) }
    let encoder = ArchiveEncoder(coder, nil, depth: 0)
    try encode(to: encoder)
    try coder.encode(contents: encoder.box)
  }
}

extension SecureCoding where Self: Decodable {
  public init(coder: KeyedUnarchiver) throws {
    if let foundation = FoundationType.of(Self.self) {
      self = try foundation.decode(Self.self, by: coder)
    } else {
      try self.init(from: ArchiveDecoder(.object, coder, nil, for: Self.self))
    }
  }
}

extension KeyedArchiver {
  /// Encodes a value of a type that is `Encodable` but not ``SecureCoding``.
  ///
  /// A value with a keyed container is archived as an `NSDictionary` with strings as keys, a value with an unkeyed
  /// container as an `NSArray`. A value with a single-value container is archived as that single value.
  ///
  /// ```swift
  /// struct Preset: Codable { var name: String; var gain: Double }
  ///
  /// try archiver.encodeEncodable([Preset(name: "Rock", gain: 3.5)], forKey: "presets")
  /// ```
  ///
  /// - Throws: ``KeyedArchiveError``, or an error of the type's own `encode(to:)`.
  public func encodeEncodable<T: Encodable>(_ value: T, forKey key: String) throws {
    try encode(userKey: key) { coder in
      try EncodedBox.box(value, coder, nil, depth: 0).reference(by: coder).node
    }
  }
}

extension KeyedUnarchiver {
  /// Decodes a value that was encoded by ``KeyedArchiver/encodeEncodable(_:forKey:)``.
  ///
  /// ```swift
  /// let presets = try unarchiver.decodeDecodable([Preset].self, forKey: "presets")
  /// ```
  ///
  /// - Throws: ``KeyedArchiveError``, or an error of the type's own `init(from:)`.
  public func decodeDecodable<T: Decodable>(_ type: T.Type = T.self, forKey key: String) throws -> T {
    guard let node = try node(forUserKey: key) else { throw noValue(key) }
    return try decodable(type, at: ArchivedReference(node: node), nil, .same)
  }

  /// Decodes the value at a reference as any `Decodable` type. A type that is also ``SecureCoding`` is decoded with its
  /// `init(coder:)`.
  func decodable<T: Decodable>(
    _ type: T.Type, at reference: ArchivedReference, _ trail: CodingTrail?, _ step: CodingStep
  ) throws -> T {
    if let archivable = type as? any SecureCoding.Type { return try archived(archivable, at: reference) }
    if let foundation = FoundationType.of(type) { return try foundation.decode(type, at: reference, by: self) }
    // An archive can nest values of types that are not `SecureCoding` to any depth, and in cycles.
    let object = try resolve(reference.node)
    guard reference.node.kind == .uid else {
      return try decodable(type, at: reference, object, uid: nil, CodingTrail(trail, step))
    }
    let uid = reference.node.uid
    if let value = try keptDecodable(type, uid) { return value }
    guard table.beginDecodable(type, uid) else {
      throw failure(.circularReference, "the object is a part of itself", at: reference.node)
    }
    defer { table.endDecodable(type, uid) }
    let before = decodableObjectCount
    let (weightAround, deepestAround) = (weight, deepest)
    weight = 1
    deepest = depth
    do {
      let value = try decodable(type, at: reference, object, uid: uid, CodingTrail(trail, step))
      // A value that contains a class instance is not kept, so each reference to the value gets its own instance.
      if type is AnyObject.Type { decodableObjectCount += 1 }
      if decodableObjectCount == before { _ = table.keep(uid, value, weight: weight, height: deepest &- depth) }
      deepest = max(deepest, deepestAround)
      try weigh(weightAround)
      return value
    } catch {
      weight = weightAround
      deepest = max(deepest, deepestAround)
      throw error
    }
  }

  private func decodable<T: Decodable>(
    _ type: T.Type, at reference: ArchivedReference, _ object: FlatNode, uid: UInt32?, _ trail: CodingTrail
  ) throws -> T {
    try spend(32)
    return try inside(object, uid: uid) {
      if type is any StandardCollection.Type { noteCollection() }
      return try T(from: ArchiveDecoder(.reference(reference), self, trail, for: type))
    }
  }

  /// Decodes the value at a reference as a ``SecureCoding`` type, and casts it to `T`, which is the same type.
  private func archived<Archivable: SecureCoding, T>(
    _ type: Archivable.Type, at reference: ArchivedReference
  ) throws -> T {
    guard let value = try Archivable._unarchive(reference, by: self) as? T else { throw otherType(type, T.self) }
    return value
  }

  @inline(never)
  private func keptDecodable<T>(_ type: T.Type, _ uid: UInt32) throws -> T? {
    guard let kept = table.kept(type, uid) else { return nil }
    try weigh(kept.weight)
    try note(height: kept.height)
    return kept.value
  }

  @inline(never)
  private func otherType(_ type: Any.Type, _ asked: Any.Type) -> any Error {
    failure(.typeMismatch, "expected \(asked), found \(type)")
  }
}

/// A collection of elements of one type, which does not count as a nesting level.
protocol StandardCollection {}

extension Array: StandardCollection {}
extension Set: StandardCollection {}
extension Dictionary: StandardCollection {}

/// The coding path to a value that is being decoded or encoded, as a linked list from the last step to the first. It
/// becomes an array of coding keys only when it is read.
final class CodingTrail {
  private let before: CodingTrail?
  private let step: CodingStep

  init(_ before: CodingTrail?, _ step: CodingStep) {
    self.before = before
    self.step = step
  }

  var path: [any CodingKey] {
    var path: [any CodingKey] = []
    var trail: CodingTrail? = self
    while let current = trail {
      if let key = current.step.key { path.append(key) }
      trail = current.before
    }
    path.reverse()
    return path
  }
}
