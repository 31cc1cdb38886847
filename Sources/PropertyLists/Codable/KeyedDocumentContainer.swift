/// The entries of a dictionary.
struct KeyedDocumentContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let decoder: DocumentDecoder
  private let shape: DictionaryShape

  init(_ decoder: DocumentDecoder, _ shape: DictionaryShape) {
    self.decoder = decoder
    self.shape = shape
  }

  var codingPath: [any CodingKey] { decoder.codingPath }

  var allKeys: [Key] { shape.keys.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool {
    shape.position(of: key.stringValue, found: unsafe decoder.foundKeys) != nil
  }

  /// The value of a key; nil if there is none.
  @inline(__always)
  private func value(_ key: some CodingKey) throws -> FlatNode? {
    let found = unsafe decoder.foundKeys
    guard let position = shape.position(of: key.stringValue, found: found) else { return nil }
    unsafe decoder.foundKeys = found + 1 < shape.keys.count ? found + 1 : 0
    do throws(PropertyListError) {
      return try decoder.context.value(ofEntry: position, of: decoder.node)
    } catch {
      throw decoder.failure(error, .key(key))
    }
  }

  @inline(__always)
  private func required(_ key: some CodingKey) throws -> FlatNode {
    guard let node = try value(key) else { throw notFound(key) }
    return node
  }

  @inline(never)
  private func notFound(_ key: some CodingKey) -> DecodingError {
    .keyNotFound(
      key, .init(codingPath: codingPath, debugDescription: "no value for the key \(key.stringValue.quoted)"))
  }

  /// The value of a key; nil if there is none, or if it stands for nil.
  @inline(__always)
  private func present(_ key: Key) throws -> FlatNode? {
    guard let node = try value(key), !decoder.context.isNull(node) else { return nil }
    return node
  }

  func decodeNil(forKey key: Key) throws -> Bool { decoder.context.isNull(try required(key)) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try decoder.decode(type, required(key), .key(key))
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    try present(key).map { try decoder.decode(type, $0, .key(key)) }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try nested(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try nested(key).unkeyedContainer()
  }

  private func nested(_ key: Key) throws -> DocumentDecoder { DocumentDecoder(decoder, try required(key), .key(key)) }

  func superDecoder() throws -> any Decoder { try superDecoder(SuperKey()) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder(key) }

  /// A superclass that has encoded nothing has nothing to decode.
  private func superDecoder(_ key: some CodingKey) throws -> DocumentDecoder {
    DocumentDecoder(decoder, try value(key) ?? .null, .key(key))
  }
}

/// What stands in a node. As the protocol has them, one function a type.
extension KeyedDocumentContainer {
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder.boolean(required(key), .key(key)) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try decoder.string(required(key), .key(key)) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try decoder.real(required(key), .key(key)) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try decoder.float(required(key), .key(key)) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try decoder.integer(required(key), .key(key)) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try decoder.integer(required(key), .key(key)) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try decoder.integer(required(key), .key(key)) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try decoder.integer(required(key), .key(key)) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try decoder.integer(required(key), .key(key)) }
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try decoder.integer(required(key), .key(key)) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try decoder.integer(required(key), .key(key)) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try decoder.integer(required(key), .key(key)) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try decoder.integer(required(key), .key(key)) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try decoder.integer(required(key), .key(key)) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try decoder.integer(required(key), .key(key)) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try decoder.integer(required(key), .key(key)) }
}

/// The same for optional properties. What the protocol does by itself looks a key up three times.
extension KeyedDocumentContainer {
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try present(key).map { try decoder.boolean($0, .key(key)) }
  }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try present(key).map { try decoder.string($0, .key(key)) }
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try present(key).map { try decoder.real($0, .key(key)) }
  }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try present(key).map { try decoder.float($0, .key(key)) }
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try present(key).map { try decoder.integer($0, .key(key)) }
  }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    try present(key).map { try decoder.integer($0, .key(key)) }
  }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    try present(key).map { try decoder.integer($0, .key(key)) }
  }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    try present(key).map { try decoder.integer($0, .key(key)) }
  }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try present(key).map { try decoder.integer($0, .key(key)) }
  }
  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
    try present(key).map { try decoder.integer($0, .key(key)) }
  }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    try present(key).map { try decoder.integer($0, .key(key)) }
  }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    try present(key).map { try decoder.integer($0, .key(key)) }
  }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try present(key).map { try decoder.integer($0, .key(key)) }
  }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try present(key).map { try decoder.integer($0, .key(key)) }
  }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try present(key).map { try decoder.integer($0, .key(key)) }
  }
  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
    try present(key).map { try decoder.integer($0, .key(key)) }
  }
}
