/// A keyed container that decodes the entries of a dictionary.
struct KeyedDocumentContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: DocumentDecoder
  let shape: DictionaryShape

  var codingPath: [any CodingKey] { decoder.codingPath }

  var allKeys: [Key] { shape.keys.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { shape.position(of: key.stringValue, found: unsafe decoder.foundKeys) != nil }

  /// Returns the value for a key, or nil if the key is missing.
  @inline(__always)
  private func value(_ key: some CodingKey) throws -> FlatNode? {
    let found = unsafe decoder.foundKeys
    guard let position = shape.position(of: key.stringValue, found: found) else { return nil }
    unsafe decoder.foundKeys = found + 1 < shape.keys.count ? found + 1 : 0
    do { return try decoder.context.value(ofEntry: position, of: decoder.node) } catch {
      throw decoder.failure(error, .key(key))
    }
  }

  @inline(__always)
  private func required(_ key: some CodingKey) throws -> FlatNode {
    guard let node = try value(key) else { throw decoder.notFound(key) }
    return node
  }

  /// Returns the value for a key, or nil if the key is missing or its value represents nil.
  @inline(__always)
  private func present(_ key: Key) throws -> FlatNode? {
    guard let node = try value(key), !decoder.context.isNull(node) else { return nil }
    return node
  }

  func decodeNil(forKey key: Key) throws -> Bool { decoder.context.isNull(try required(key)) }

  func decode<T: NodeScalar>(_ type: T.Type, forKey key: Key) throws -> T {
    try T.value(of: required(key), in: decoder, .key(key))
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try decoder.decode(type, required(key), .key(key))
  }

  @inline(__always)
  private func scalarIfPresent<T: NodeScalar>(_ key: Key) throws -> T? {
    try present(key).map { try T.value(of: $0, in: decoder, .key(key)) }
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

  private func nested(_ key: Key) throws -> DocumentDecoder {
    DocumentDecoder(decoder.context, try required(key), decoder, .key(key))
  }

  func superDecoder() throws -> any Decoder { try superDecoder(SuperKey()) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder(key) }

  /// Returns the decoder of a superclass. If the dictionary does not have the key, the superclass has encoded nothing,
  /// and the decoder decodes null.
  private func superDecoder(_ key: some CodingKey) throws -> DocumentDecoder {
    DocumentDecoder(decoder.context, try value(key) ?? .null, decoder, .key(key))
  }

  // Without these functions, the default implementations of the protocol would be used instead of the generic
  // functions. The default implementations throw an error for 128-bit integers, and look up the key of an optional
  // property three times.

  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
    try Int128.value(of: required(key), in: decoder, .key(key))
  }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try UInt128.value(of: required(key), in: decoder, .key(key))
  }
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try scalarIfPresent(key) }
}
