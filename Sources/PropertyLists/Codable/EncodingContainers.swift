/// A keyed container that encodes the entries of a dictionary.
struct KeyedDocumentEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: DocumentEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) { encoder.append(encoder.context.null(), forKey: key) }

  func encode<T: NodeScalar>(_ value: T, forKey key: Key) throws { try append(value, key) }

  // The default implementations of the protocol throw an error for 128-bit integers. Without these functions, they
  // would be used instead of the generic function.
  func encode(_ value: Int128, forKey key: Key) throws { try append(value, key) }
  func encode(_ value: UInt128, forKey key: Key) throws { try append(value, key) }

  @inline(__always)
  private func append(_ value: some NodeScalar, _ key: Key) throws {
    encoder.append(try value.node(in: encoder, .key(key)), forKey: key)
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

/// An unkeyed container that encodes the elements of an array.
struct UnkeyedDocumentEncodingContainer: UnkeyedEncodingContainer {
  let encoder: DocumentEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.childCount }

  func encodeNil() { encoder.append(encoder.context.null()) }

  func encode<T: NodeScalar>(_ value: T) throws { encoder.append(try value.node(in: encoder, .index(count))) }

  // The default implementations of the protocol throw an error for 128-bit integers. Without these functions, they
  // would be used instead of the generic function.
  func encode(_ value: Int128) throws { encoder.append(try value.node(in: encoder, .index(count))) }
  func encode(_ value: UInt128) throws { encoder.append(try value.node(in: encoder, .index(count))) }

  func encode<T: Encodable>(_ value: T) throws {
    encoder.append(try encoder.node(of: value, .index(count)) ?? .emptyDictionary)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    encoder.nested(.index(count)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.nested(.index(count)).unkeyedContainer() }

  func superEncoder() -> any Encoder { encoder.nested(.index(count)) }
}
