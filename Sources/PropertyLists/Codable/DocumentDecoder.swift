internal import FoundationEssentials

/// The decoder of one value, and its place on the coding path.
final class DocumentDecoder: Decoder, NestedCoder {
  let context: DecodingContext
  let node: FlatNode
  let parent: DocumentDecoder?
  let step: CodingStep
  /// How many containers are around the value.
  private let depth: Int
  /// How many keys were found in a row; see ``DictionaryShape/position(of:found:)``.
  /// Sound: nobody else's code runs while it is changed.
  @exclusivity(unchecked) var foundKeys = 0

  init(_ context: DecodingContext, _ node: FlatNode, _ parent: DocumentDecoder? = nil, _ step: CodingStep = .same) {
    self.context = context
    self.node = node
    self.parent = parent
    self.step = step
    let outerDepth = parent?.depth ?? 0
    if case .same = step { depth = outerDepth } else { depth = outerDepth + 1 }
  }

  var userInfo: [CodingUserInfoKey: Any] { context.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard node.kind == .dictionary else { throw mismatch([String: Any].self, node, .same, "keyed decoding container") }
    do throws(PropertyListError) {
      try context.checkDepth(depth)
      return KeyedDecodingContainer(KeyedDocumentContainer(decoder: self, shape: try context.shape(of: node)))
    } catch {
      throw failure(error, .same)
    }
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard node.kind == .array else { throw mismatch([Any].self, node, .same, "unkeyed decoding container") }
    do throws(PropertyListError) {
      try context.checkDepth(depth)
    } catch {
      throw failure(error, .same)
    }
    return UnkeyedDocumentContainer(decoder: self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension DocumentDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { context.isNull(node) }
  func decode<T: NodeScalar>(_ type: T.Type) throws -> T { try T.value(of: node, in: self, .same) }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decode(type, node, .same) }

  // By itself, the protocol knows no integers of 128 bits.
  func decode(_ type: Int128.Type) throws -> Int128 { try Int128.value(of: node, in: self, .same) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try UInt128.value(of: node, in: self, .same) }
}

/// Values of a node that this decoder has, or that is a step below it.
extension DocumentDecoder {
  private func date(_ node: FlatNode, _ step: CodingStep) throws -> Date {
    guard node.kind == .date else { throw mismatch(Date.self, node, step) }
    return Date(timeIntervalSinceReferenceDate: node.real)
  }

  private func data(_ node: FlatNode, _ step: CodingStep) throws -> Data {
    guard node.kind == .data else { throw mismatch(Data.self, node, step) }
    do throws(PropertyListError) {
      try context.spend(node.length)
    } catch {
      throw failure(error, step)
    }
    return context.document.data(of: node)
  }

  /// A value of any type.
  func decode<T: Decodable>(_ type: T.Type, _ node: FlatNode, _ step: @autoclosure () -> CodingStep) throws -> T {
    // Types that need no decoder of their own. The casts are to the type itself.
    if type == String.self, let value = try String.value(of: node, in: self, step()) as? T { return value }
    if type == Int.self, let value = try Int.value(of: node, in: self, step()) as? T { return value }
    if type == Double.self, let value = try Double.value(of: node, in: self, step()) as? T { return value }
    if type == Date.self, let value = try date(node, step()) as? T { return value }
    if type == Data.self, let value = try data(node, step()) as? T { return value }
    if type == Bool.self, let value = try Bool.value(of: node, in: self, step()) as? T { return value }
    if type == UInt8.self, let value = try UInt8.value(of: node, in: self, step()) as? T { return value }
    if type == Float.self, let value = try Float.value(of: node, in: self, step()) as? T { return value }
    let step = step()
    guard context.stack.hasRoomHere else {
      throw failure(PropertyListError(.nestedTooDeeply, "values are nested too deeply for the stack"), step)
    }
    return try T(from: DocumentDecoder(context, node, self, step))
  }
}

/// What is wrong with a value.
extension DocumentDecoder {
  @inline(never)
  func mismatch(_ type: Any.Type, _ node: FlatNode, _ step: CodingStep, _ wanted: String? = nil) -> DecodingError {
    let path = codingPath(step)
    if context.isNull(node) {
      return .valueNotFound(
        type, .init(codingPath: path, debugDescription: "nil, where a \(wanted ?? "\(type)") is due"))
    }
    return .typeMismatch(
      type,
      .init(codingPath: path, debugDescription: "a value of kind \(node.kind), where a \(wanted ?? "\(type)") is due"))
  }

  @inline(never)
  func corrupted(_ message: String, _ step: CodingStep) -> DecodingError {
    .dataCorrupted(.init(codingPath: codingPath(step), debugDescription: message))
  }

  @inline(never)
  func failure(_ error: PropertyListError, _ step: CodingStep) -> DecodingError {
    DecodingError(error, at: codingPath(step))
  }
}
