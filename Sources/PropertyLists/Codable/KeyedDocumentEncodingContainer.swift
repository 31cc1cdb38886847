/// The entries of a dictionary in the making.
struct KeyedDocumentEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  private let encoder: DocumentEncoder

  init(_ encoder: DocumentEncoder) { self.encoder = encoder }

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) { encoder.append(encoder.context.null(), forKey: key) }
  func encode(_ value: Bool, forKey key: Key) { encoder.append(.boolean(value), forKey: key) }
  func encode(_ value: String, forKey key: Key) throws {
    encoder.append(try encoder.string(value, .key(key)), forKey: key)
  }
  func encode(_ value: Double, forKey key: Key) { encoder.append(.real(value), forKey: key) }
  func encode(_ value: Float, forKey key: Key) { encoder.append(.float(value), forKey: key) }
  func encode(_ value: Int, forKey key: Key) { encoder.append(.integer(value), forKey: key) }
  func encode(_ value: Int8, forKey key: Key) { encoder.append(.integer(value), forKey: key) }
  func encode(_ value: Int16, forKey key: Key) { encoder.append(.integer(value), forKey: key) }
  func encode(_ value: Int32, forKey key: Key) { encoder.append(.integer(value), forKey: key) }
  func encode(_ value: Int64, forKey key: Key) { encoder.append(.integer(value), forKey: key) }
  func encode(_ value: UInt, forKey key: Key) { encoder.append(.integer(value), forKey: key) }
  func encode(_ value: UInt8, forKey key: Key) { encoder.append(.integer(value), forKey: key) }
  func encode(_ value: UInt16, forKey key: Key) { encoder.append(.integer(value), forKey: key) }
  func encode(_ value: UInt32, forKey key: Key) { encoder.append(.integer(value), forKey: key) }
  func encode(_ value: UInt64, forKey key: Key) { encoder.append(.integer(value), forKey: key) }
  func encode(_ value: Int128, forKey key: Key) throws {
    encoder.append(try encoder.integer(value, .key(key)), forKey: key)
  }
  func encode(_ value: UInt128, forKey key: Key) throws {
    encoder.append(try encoder.integer(value, .key(key)), forKey: key)
  }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    encoder.append(try encoder.node(of: value, .key(key)) ?? .emptyDictionary, forKey: key)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    encoder.nested(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder.nested(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder.nested(SuperKey()) }

  func superEncoder(forKey key: Key) -> any Encoder { encoder.nested(key) }
}
