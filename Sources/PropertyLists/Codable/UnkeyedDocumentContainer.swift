/// The elements of an array.
struct UnkeyedDocumentContainer: UnkeyedDecodingContainer {
  let decoder: DocumentDecoder
  private(set) var currentIndex = 0
  /// The element that was found unreadable; the first failure does not pass it.
  private var unreadableIndex: Int?

  init(decoder: DocumentDecoder) { self.decoder = decoder }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { decoder.node.count }
  /// After a limit was exceeded there is no more, so that a loop that swallows errors ends.
  var isAtEnd: Bool { currentIndex >= decoder.node.count || decoder.context.isExhausted }

  /// The next element, which is not passed yet.
  @inline(__always)
  private mutating func next(_ type: Any.Type) throws -> FlatNode {
    guard currentIndex < decoder.node.count else { throw decoder.notFound(type, at: currentIndex) }
    do { return try decoder.context.element(currentIndex, of: decoder.node) } catch { throw unreadable(error) }
  }

  /// Loops that skip what they cannot decode ask for each such element twice: as what it should be, and as anything.
  /// An element that is unreadable as anything is passed by the second, so that these loops end.
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
