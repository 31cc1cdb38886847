/// An unkeyed container that decodes the elements of an array.
struct UnkeyedDocumentContainer: UnkeyedDecodingContainer {
  let decoder: DocumentDecoder
  private(set) var currentIndex = 0
  /// The index of the last element that could not be read, because the document is damaged; see ``unreadable(_:)``.
  private var unreadableIndex: Int?

  init(decoder: DocumentDecoder) { self.decoder = decoder }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { decoder.node.count }
  /// True after the last element. Also true after the budget of the call is used up, because a loop that catches errors
  /// would not end otherwise.
  var isAtEnd: Bool { currentIndex >= decoder.node.count || decoder.context.isExhausted }

  /// Returns the next element without advancing.
  @inline(__always)
  private mutating func next(_ type: Any.Type) throws -> FlatNode {
    guard currentIndex < decoder.node.count else { throw decoder.notFound(type, at: currentIndex) }
    do { return try decoder.context.element(currentIndex, of: decoder.node) } catch { throw unreadable(error) }
  }

  /// Returns the error of an element that cannot be read. The second error of the same element advances past it.
  ///
  /// A loop that skips the elements that it cannot decode requests each of them twice: as the expected type, and then
  /// as a type that accepts any value. If the second error did not advance, such a loop would never end at an
  /// unreadable element.
  @inline(never)
  private mutating func unreadable(_ error: PropertyListError) -> DecodingError {
    let index = currentIndex
    if unreadableIndex == index { currentIndex += 1 }
    unreadableIndex = index
    return decoder.failure(error, .index(index))
  }

  mutating func decodeNil() throws -> Bool {
    guard decoder.context.isNull(try next(Any?.self)) else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<T: NodeScalar>(_ type: T.Type) throws -> T { try scalar() }

  // The default implementations of the protocol throw an error for 128-bit integers. Without these functions, they
  // would be used instead of the generic function.
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

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
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

  private mutating func nested(_ type: Any.Type) throws -> DocumentDecoder {
    DocumentDecoder(decoder.context, try next(type), decoder, .index(currentIndex))
  }
}
