/// The elements of an array.
struct UnkeyedDocumentContainer: UnkeyedDecodingContainer {
  private let decoder: DocumentDecoder
  private(set) var currentIndex = 0

  init(_ decoder: DocumentDecoder) { self.decoder = decoder }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { decoder.node.count }
  var isAtEnd: Bool { currentIndex >= decoder.node.count }

  /// The next element, which is not passed yet.
  @inline(__always)
  private func next(_ type: Any.Type) throws -> FlatNode {
    guard !isAtEnd else { throw end(type) }
    do throws(PropertyListError) {
      return try decoder.context.element(currentIndex, of: decoder.node)
    } catch {
      throw decoder.failure(error, .index(currentIndex))
    }
  }

  @inline(never)
  private func end(_ type: Any.Type) -> DecodingError {
    .valueNotFound(
      type,
      .init(
        codingPath: decoder.codingPath(.index(currentIndex)),
        debugDescription: "no element \(currentIndex) in an array of \(decoder.node.count)"))
  }

  mutating func decodeNil() throws -> Bool {
    guard decoder.context.isNull(try next(Any?.self)) else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let value = try decoder.decode(type, next(type), .index(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func decodeIfPresent<T: Decodable>(_ type: T.Type) throws -> T? {
    guard !isAtEnd, try !decodeNil() else { return nil }
    return try decode(type)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    let container = try nested(type).container(keyedBy: type)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try nested([Any].self).unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let superDecoder = try nested((any Decoder).self)
    currentIndex += 1
    return superDecoder
  }

  private func nested(_ type: Any.Type) throws -> DocumentDecoder {
    DocumentDecoder(decoder, try next(type), .index(currentIndex))
  }
}

/// What stands in a node. As the protocol has them, one function a type.
extension UnkeyedDocumentContainer {
  mutating func decode(_ type: Bool.Type) throws -> Bool {
    let value = try decoder.boolean(next(type), .index(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func decode(_ type: String.Type) throws -> String {
    let value = try decoder.string(next(type), .index(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func decode(_ type: Double.Type) throws -> Double {
    let value = try decoder.real(next(type), .index(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func decode(_ type: Float.Type) throws -> Float {
    let value = try decoder.float(next(type), .index(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func decode(_ type: Int.Type) throws -> Int {
    let value: Int = try decoder.integer(next(type), .index(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func decode(_ type: Int8.Type) throws -> Int8 {
    let value: Int8 = try decoder.integer(next(type), .index(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func decode(_ type: Int16.Type) throws -> Int16 {
    let value: Int16 = try decoder.integer(next(type), .index(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func decode(_ type: Int32.Type) throws -> Int32 {
    let value: Int32 = try decoder.integer(next(type), .index(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func decode(_ type: Int64.Type) throws -> Int64 {
    let value: Int64 = try decoder.integer(next(type), .index(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func decode(_ type: Int128.Type) throws -> Int128 {
    let value: Int128 = try decoder.integer(next(type), .index(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func decode(_ type: UInt.Type) throws -> UInt {
    let value: UInt = try decoder.integer(next(type), .index(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
    let value: UInt8 = try decoder.integer(next(type), .index(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
    let value: UInt16 = try decoder.integer(next(type), .index(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
    let value: UInt32 = try decoder.integer(next(type), .index(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
    let value: UInt64 = try decoder.integer(next(type), .index(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
    let value: UInt128 = try decoder.integer(next(type), .index(currentIndex))
    currentIndex += 1
    return value
  }
}
