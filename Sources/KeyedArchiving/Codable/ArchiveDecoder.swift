internal import OrderedCollections
internal import PropertyLists

/// Gets a `Codable` value out of an archive.
///
/// What it reads must be one of three things: the object that is being decoded, whose keys are the coding keys; an
/// `NSDictionary` with strings as keys, or an `NSArray`; a single value. Whatever else there is, is an error.
struct ArchiveDecoder: Decoder {
  enum Source {
    /// The object that is being decoded.
    case object
    case reference(ArchivedReference)
  }

  private let source: Source
  private let coder: KeyedUnarchiver
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]

  init(_ source: Source, _ coder: KeyedUnarchiver, path: [any CodingKey]) {
    self.source = source
    self.coder = coder
    codingPath = path
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let fields: ArchiveFields
    switch source {
    case .object: fields = .object(coder.current)
    case .reference(let reference): fields = .dictionary(try coder.entries(at: reference))
    }
    return KeyedDecodingContainer(KeyedContainer<Key>(fields: fields, coder: coder, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let elements: [ArchivedReference]
    switch source {
    case .object: elements = try coder.valuesWithoutKeys()
    case .reference(let reference): elements = try coder.elements(of: reference) { $0 }
    }
    return UnkeyedContainer(elements: elements, coder: coder, codingPath: codingPath)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    switch source {
    case .object:
      guard let reference = try coder.valuesWithoutKeys().first else {
        throw coder.failure(.valueNotFound, "no value without a key")
      }
      return SingleValueContainer(reference: reference, coder: coder, codingPath: codingPath)
    case .reference(let reference):
      return SingleValueContainer(reference: reference, coder: coder, codingPath: codingPath)
    }
  }
}

/// Where a keyed container finds its values.
private enum ArchiveFields {
  case object(KeyedUnarchiver.Frame)
  case dictionary([String: ArchivedReference])
}

extension KeyedUnarchiver {
  /// What the current object has encoded without keys.
  fileprivate func valuesWithoutKeys() throws -> [ArchivedReference] {
    var values: [ArchivedReference] = []
    while let node = try node(forRawKey: "$\(values.count)") { values.append(ArchivedReference(node: node)) }
    return values
  }

  /// The references in an `NSDictionary` whose keys are strings.
  fileprivate func entries(at reference: ArchivedReference) throws -> [String: ArchivedReference] {
    let object = try resolve(reference.node)
    if isNull(reference.node, object) { throw failure(.valueNotFound, "nothing, where a value with keys is due") }
    _ = try type(of: object, behind: reference.node, among: [OrderedDictionary<String, String>.self])
    return try inside(object, uid: reference.node.uid) {
      let keys = try self.decodeElements(forRawKey: "NS.keys") { try String._unarchive($0, by: self) }
      let values = try self.decodeElements(forRawKey: "NS.objects") { $0 }
      guard keys.count == values.count else {
        throw self.failure(.invalidContents, "a dictionary with \(keys.count) keys and \(values.count) values")
      }
      return try Dictionary(zip(keys, values)) { _, _ in
        throw self.failure(.invalidContents, "a dictionary with a key that stands twice")
      }
    }
  }

  /// Whether a reference leads to nothing.
  fileprivate func isNothing(_ reference: ArchivedReference) throws -> Bool {
    isNull(reference.node, try resolve(reference.node))
  }
}

private struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let fields: ArchiveFields
  let coder: KeyedUnarchiver
  let codingPath: [any CodingKey]

  var allKeys: [Key] {
    switch fields {
    case .object(let frame):
      frame.shape.keys.filter { $0 != "$class" }.compactMap { Key(stringValue: KeyedUnarchiver.unescaped($0)) }
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

  private func required(_ key: any CodingKey) throws -> ArchivedReference {
    coder.current.step = .key(key.stringValue)
    guard let reference = try reference(key) else {
      throw coder.failure(.valueNotFound, "no value for the key \(key.stringValue.quoted)")
    }
    return reference
  }

  func decodeNil(forKey key: Key) throws -> Bool { try coder.isNothing(required(key)) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try coder.decodable(type, at: required(key), path: codingPath + [key])
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
    ArchiveDecoder(.reference(try required(key)), coder, path: codingPath + [key])
  }
}

private struct UnkeyedContainer: UnkeyedDecodingContainer {
  let elements: [ArchivedReference]
  let coder: KeyedUnarchiver
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  init(elements: [ArchivedReference], coder: KeyedUnarchiver, codingPath: [any CodingKey]) {
    self.elements = elements
    self.coder = coder
    self.codingPath = codingPath
  }

  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  private func next() throws -> ArchivedReference {
    coder.current.step = .index(currentIndex)
    guard currentIndex < elements.count else {
      throw coder.failure(.valueNotFound, "no element \(currentIndex) in an array of \(elements.count)")
    }
    return elements[currentIndex]
  }

  mutating func decodeNil() throws -> Bool {
    guard try coder.isNothing(next()) else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let value = try coder.decodable(type, at: next(), path: codingPath + [IndexKey(currentIndex)])
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try nested().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try nested().unkeyedContainer() }

  mutating func superDecoder() throws -> any Decoder { try nested() }

  private mutating func nested() throws -> ArchiveDecoder {
    let decoder = ArchiveDecoder(.reference(try next()), coder, path: codingPath + [IndexKey(currentIndex)])
    currentIndex += 1
    return decoder
  }
}

private struct SingleValueContainer: SingleValueDecodingContainer {
  let reference: ArchivedReference
  let coder: KeyedUnarchiver
  let codingPath: [any CodingKey]

  func decodeNil() -> Bool { (try? coder.isNothing(reference)) ?? false }

  func decode<T: Decodable>(_ type: T.Type) throws -> T { try coder.decodable(type, at: reference, path: codingPath) }
}
