/// The elements of an array in the making.
struct UnkeyedDocumentEncodingContainer: UnkeyedEncodingContainer {
  private let encoder: DocumentEncoder

  init(_ encoder: DocumentEncoder) { self.encoder = encoder }

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.childCount }

  func encodeNil() { encoder.append(encoder.context.null()) }
  func encode(_ value: Bool) { encoder.append(.boolean(value)) }
  func encode(_ value: String) throws { encoder.append(try encoder.string(value, .index(count))) }
  func encode(_ value: Double) { encoder.append(.real(value)) }
  func encode(_ value: Float) { encoder.append(.float(value)) }
  func encode(_ value: Int) { encoder.append(.integer(value)) }
  func encode(_ value: Int8) { encoder.append(.integer(value)) }
  func encode(_ value: Int16) { encoder.append(.integer(value)) }
  func encode(_ value: Int32) { encoder.append(.integer(value)) }
  func encode(_ value: Int64) { encoder.append(.integer(value)) }
  func encode(_ value: UInt) { encoder.append(.integer(value)) }
  func encode(_ value: UInt8) { encoder.append(.integer(value)) }
  func encode(_ value: UInt16) { encoder.append(.integer(value)) }
  func encode(_ value: UInt32) { encoder.append(.integer(value)) }
  func encode(_ value: UInt64) { encoder.append(.integer(value)) }
  func encode(_ value: Int128) throws { encoder.append(try encoder.integer(value, .index(count))) }
  func encode(_ value: UInt128) throws { encoder.append(try encoder.integer(value, .index(count))) }

  func encode<T: Encodable>(_ value: T) throws {
    encoder.append(try encoder.node(of: value, .index(count)) ?? .emptyDictionary)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    encoder.nested(.index(count)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.nested(.index(count)).unkeyedContainer() }

  func superEncoder() -> any Encoder { encoder.nested(.index(count)) }
}
