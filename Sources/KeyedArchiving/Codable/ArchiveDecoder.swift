internal import OrderedCollections
@_spi(Archives) internal import PropertyLists

/// A decoder that reads a `Codable` value from an archive.
///
/// It reads the keys of the unarchiver's current object, or the value at a reference: an `NSDictionary` with strings as
/// keys, an `NSArray`, or a single value.
struct ArchiveDecoder: Decoder {
  enum Source {
    case object
    case reference(ArchivedReference)
  }

  private let source: Source
  private let coder: KeyedUnarchiver
  private let trail: CodingTrail?
  /// The type that is being decoded. Nil for a nested container, which is only a part of a type.
  private let type: Any.Type?

  var codingPath: [any CodingKey] { trail?.path ?? [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ source: Source, _ coder: KeyedUnarchiver, _ trail: CodingTrail?, for type: Any.Type?) {
    self.source = source
    self.coder = coder
    self.trail = trail
    self.type = type
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let fields: ArchiveFields =
      switch source {
      case .object: .object(coder.current)
      case .reference(let reference): .dictionary(try coder.entries(at: reference))
      }
    return KeyedDecodingContainer(KeyedContainer<Key>(fields: fields, coder: coder, trail: trail))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let elements =
      switch source {
      case .object: try coder.valuesWithoutKeys()
      case .reference(let reference): try coder.unweighedElements(of: reference)
      }
    return UnkeyedContainer(elements: elements, coder: coder, trail: trail, hashing: HashedValues(type))
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    if case .reference(let reference) = source {
      return SingleValueContainer(reference: reference, coder: coder, trail: trail, hashing: HashedValues(type))
    }
    guard let reference = try coder.valuesWithoutKeys().first else {
      throw coder.failure(.valueNotFound, "the object has no unkeyed value")
    }
    return SingleValueContainer(reference: reference, coder: coder, trail: trail, hashing: nil)
  }
}

private enum ArchiveFields {
  case object(KeyedUnarchiver.Frame)
  case dictionary([String: ArchivedReference])
}

extension KeyedUnarchiver {
  /// Returns references to the values that were encoded without a key in the current object.
  fileprivate func valuesWithoutKeys() throws -> [ArchivedReference] {
    var values: [ArchivedReference] = []
    while let node = try node(forRawKey: "$\(values.count)") { values.append(ArchivedReference(node: node)) }
    return values
  }

  /// Returns references to the values of an `NSDictionary` with strings as keys, by key.
  fileprivate func entries(at reference: ArchivedReference) throws -> [String: ArchivedReference] {
    let object = try resolve(reference.node)
    if isNull(reference.node, object) { throw failure(.valueNotFound, "expected a value with keys, found nil") }
    _ = try type(of: object, behind: reference.node, among: [OrderedDictionary<String, String>.self])
    return try inside(object, uid: reference.node.uid) {
      let keys = try self.decodeElements(forRawKey: "NS.keys") { try String._unarchive($0, by: self) }
      let weight = self.weight
      let values = try self.decodeElements(forRawKey: "NS.objects") { $0 }
      self.weight = weight
      guard keys.count == values.count else {
        throw self.failure(.invalidContents, "a dictionary has \(keys.count) keys, but \(values.count) values")
      }
      return try Dictionary(zip(keys, values)) { _, _ in
        throw self.failure(.invalidContents, "a dictionary has a key twice")
      }
    }
  }

  /// Returns references to the elements of an `NSArray`. Their weight is counted when they are decoded.
  fileprivate func unweighedElements(of reference: ArchivedReference) throws -> [ArchivedReference] {
    let before = weight
    defer { weight = before }
    return try contents(of: reference, ArchivedArray.self) { try decodeElements(forRawKey: "NS.objects") { $0 } }
  }

  fileprivate func isNothing(_ reference: ArchivedReference) throws -> Bool {
    isNull(reference.node, try resolve(reference.node))
  }
}

private struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let fields: ArchiveFields
  let coder: KeyedUnarchiver
  let trail: CodingTrail?

  var codingPath: [any CodingKey] { trail?.path ?? [] }

  var allKeys: [Key] {
    switch fields {
    case .object(let frame): ArchiveKey.userKeys(frame.shape.keys).compactMap { Key(stringValue: $0) }
    case .dictionary(let references): references.keys.sorted().compactMap { Key(stringValue: $0) }
    }
  }

  func contains(_ key: Key) -> Bool {
    switch fields {
    case .object: coder.containsValue(forKey: key.stringValue)
    case .dictionary(let references): references[key.stringValue] != nil
    }
  }

  private func reference(_ key: any CodingKey) throws -> ArchivedReference? {
    switch fields {
    case .object: try coder.node(forUserKey: key.stringValue).map { ArchivedReference(node: $0) }
    case .dictionary(let references): references[key.stringValue]
    }
  }

  @inline(never)
  private func required(_ key: any CodingKey) throws -> ArchivedReference {
    coder.current.step = .key(key.stringValue)
    guard let reference = try reference(key) else { throw coder.noValue(key.stringValue) }
    return reference
  }

  func decodeNil(forKey key: Key) throws -> Bool { try coder.isNothing(required(key)) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try coder.decodable(type, at: required(key), trail, .key(key))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try nested(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try nested(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try nested(SuperKey()) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try nested(key) }

  private func nested(_ key: any CodingKey) throws -> ArchiveDecoder {
    ArchiveDecoder(.reference(try required(key)), coder, CodingTrail(trail, .key(key)), for: nil)
  }
}

/// Counts the work that a `Codable` collection will take to hash its elements; see ``HashCounts``.
private final class HashedValues {
  private let collection: any HashingCollection.Type
  private var counts: HashCounts

  /// Returns nil if the type is not a ``HashingCollection``.
  init?(_ type: Any.Type?) {
    guard let collection = type as? any HashingCollection.Type else { return nil }
    self.collection = collection
    counts = HashCounts(collection.element)
  }

  /// Counts the value at an index of an unkeyed container, if the collection will hash it. A dictionary hashes only
  /// every second value, its keys.
  func add(_ value: some Decodable, at index: Int, weight: Int, _ coder: KeyedUnarchiver) throws {
    guard index % collection.valuesPerElement == 0 else { return }
    try coder.spendHashing(weight)
    if !counts.areEven, let hash = collection.hash(of: value) { try counts.add(hash, weight: weight, coder) }
  }

  /// Counts the elements in an array that the collection decodes as a single value.
  func add(elementsOf value: some Decodable, weight: Int, _ coder: KeyedUnarchiver) throws {
    guard let hashes = collection.hashes(ofElementsIn: value), !hashes.isEmpty else { return }
    try coder.spendHashing(weight)
    if counts.areEven { return }
    for hash in hashes { try counts.add(hash, weight: weight / hashes.count, coder) }
  }
}

private struct UnkeyedContainer: UnkeyedDecodingContainer {
  let elements: [ArchivedReference]
  let coder: KeyedUnarchiver
  let trail: CodingTrail?
  let hashing: HashedValues?
  private(set) var currentIndex = 0

  var codingPath: [any CodingKey] { trail?.path ?? [] }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  @inline(never)
  private func next() throws -> ArchivedReference {
    coder.current.step = .index(currentIndex)
    guard currentIndex < elements.count else {
      throw coder.failure(
        .valueNotFound, "index \(currentIndex) is out of range: the number of elements is \(elements.count)")
    }
    return elements[currentIndex]
  }

  mutating func decodeNil() throws -> Bool {
    guard try coder.isNothing(next()) else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let before = coder.weight
    let value = try coder.decodable(type, at: next(), trail, .index(currentIndex))
    if let hashing { try hashing.add(value, at: currentIndex, weight: coder.weight - before, coder) }
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    try nested().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try nested().unkeyedContainer() }

  mutating func superDecoder() throws -> any Decoder { try nested() }

  private mutating func nested() throws -> ArchiveDecoder {
    let decoder = ArchiveDecoder(.reference(try next()), coder, CodingTrail(trail, .index(currentIndex)), for: nil)
    currentIndex += 1
    return decoder
  }
}

private struct SingleValueContainer: SingleValueDecodingContainer {
  let reference: ArchivedReference
  let coder: KeyedUnarchiver
  let trail: CodingTrail?
  let hashing: HashedValues?

  var codingPath: [any CodingKey] { trail?.path ?? [] }

  func decodeNil() -> Bool { (try? coder.isNothing(reference)) ?? false }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let before = coder.weight
    let value = try coder.decodable(type, at: reference, trail, .same)
    if let hashing { try hashing.add(elementsOf: value, weight: coder.weight - before, coder) }
    return value
  }
}
