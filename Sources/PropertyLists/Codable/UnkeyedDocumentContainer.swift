/// The elements of an array.
struct UnkeyedDocumentContainer: UnkeyedDecodingContainer {
  let decoder: DocumentDecoder
  private(set) var currentIndex = 0

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

  mutating func decode<T: NodeScalar>(_ type: T.Type) throws -> T { try scalar() }

  // By itself, the protocol knows no integers of 128 bits.
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try scalar() }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try scalar() }

  @inline(__always)
  private mutating func scalar<T: NodeScalar>() throws -> T {
    let value = try T.value(of: next(T.self), in: decoder, .index(currentIndex))
    currentIndex += 1
    return value
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
    DocumentDecoder(decoder.context, try next(type), decoder, .index(currentIndex))
  }
}
