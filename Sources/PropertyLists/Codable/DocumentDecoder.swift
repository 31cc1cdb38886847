internal import FoundationEssentials

/// The decoder of one value, with its step on the coding path.
final class DocumentDecoder: Decoder, NestedCoder {
  let context: DecodingContext
  let node: FlatNode
  let parent: DocumentDecoder?
  let step: CodingStep
  /// The number of containers around the value.
  private let depth: Int
  /// The number of keys of the dictionary ``node`` that have been found. After the last key, it starts again at 0. It
  /// speeds up the next lookup; see ``DictionaryShape/position(of:found:)``. Memory-safe: no code outside this package
  /// runs while this property is changed.
  @exclusivity(unchecked) var foundKeys = 0
  /// The keys from the root to this value. Nil until they are needed: an error below this value with a long path refers
  /// to them, instead of copying them.
  private var outerKeys: OuterKeys?

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
    guard node.kind == .dictionary else {
      throw mismatch([String: Any].self, node, .same, "a keyed decoding container")
    }
    do {
      try context.checkDepth(depth)
      return KeyedDecodingContainer(KeyedDocumentContainer(decoder: self, shape: try context.shape(of: node)))
    } catch {
      throw failure(error, .same)
    }
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard node.kind == .array else { throw mismatch([Any].self, node, .same, "an unkeyed decoding container") }
    do { try context.checkDepth(depth) } catch { throw failure(error, .same) }
    return UnkeyedDocumentContainer(decoder: self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  /// Returns the coding path of an error one step below this value. At least the ``OuterKeys/leastKept`` innermost keys
  /// are separate. If the path is longer, its outer keys may be combined into one key.
  ///
  /// - Complexity: O(1) on average. Types that try one kind after another catch an error for each kind, at any depth.
  ///   So the time to create an error must not depend on the length of its path.
  func errorPath(_ step: CodingStep) -> [any CodingKey] {
    var keys: [any CodingKey] = []
    keys.reserveCapacity(2 * OuterKeys.leastKept)
    if let key = step.key { keys.append(key) }
    var coder: DocumentDecoder? = self
    while let current = coder {
      if keys.count >= OuterKeys.leastKept, current.depth > 0, current.depth.isMultiple(of: OuterKeys.leastKept) {
        keys.append(OuterKeys.Key(outer: current.keysFromRoot()))
        break
      }
      if let key = current.step.key { keys.append(key) }
      coder = current.parent
    }
    keys.reverse()
    return keys
  }

  /// Returns the keys from the root to this value. The result stores only the innermost keys. For the outer keys, it
  /// refers to the result of an outer value.
  private func keysFromRoot() -> OuterKeys {
    if let outerKeys { return outerKeys }
    var keys: [any CodingKey] = []
    var outer: OuterKeys?
    var coder: DocumentDecoder? = self
    while let current = coder {
      if current !== self, current.depth > 0, current.depth < depth, current.depth.isMultiple(of: OuterKeys.leastKept) {
        outer = current.keysFromRoot()
        break
      }
      if let key = current.step.key { keys.append(key) }
      coder = current.parent
    }
    keys.reverse()
    let made = OuterKeys(outer, keys)
    outerKeys = made
    return made
  }
}

extension DocumentDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { context.isNull(node) }
  func decode<T: NodeScalar>(_ type: T.Type) throws -> T { try T.value(of: node, in: self, .same) }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decode(type, node, .same) }

  // The default implementations of the protocol throw an error for 128-bit integers. Without these functions, they
  // would be used instead of the generic function.
  func decode(_ type: Int128.Type) throws -> Int128 { try Int128.value(of: node, in: self, .same) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try UInt128.value(of: node, in: self, .same) }
}

/// Functions that decode the node of this decoder, or a node one step below it.
extension DocumentDecoder {
  private func date(_ node: FlatNode, _ step: CodingStep) throws -> Date {
    guard node.kind == .date else { throw mismatch(Date.self, node, step) }
    return Date(timeIntervalSinceReferenceDate: node.real)
  }

  private func data(_ node: FlatNode, _ step: CodingStep) throws -> Data {
    guard node.kind == .data else { throw mismatch(Data.self, node, step) }
    do { try context.spend(node.length) } catch { throw failure(error, step) }
    return context.document.data(of: node)
  }

  /// Decodes a value of any type.
  func decode<T: Decodable>(_ type: T.Type, _ node: FlatNode, _ step: @autoclosure () -> CodingStep) throws -> T {
    // Values of these types are decoded without a new decoder. Each cast succeeds, because the comparison before it
    // shows that `T` is the type of the cast.
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

  // The errors of a value. Each of them counts against the budget, because a type may catch any number of them.

  @inline(never)
  func mismatch(_ type: Any.Type, _ node: FlatNode, _ step: CodingStep, _ wanted: String? = nil) -> DecodingError {
    context.countError()
    let path = errorPath(step)
    if context.isNull(node) {
      return .valueNotFound(
        type, .init(codingPath: path, debugDescription: "expected \(wanted ?? "\(type)"), found nil"))
    }
    return .typeMismatch(
      type,
      .init(codingPath: path, debugDescription: "expected \(wanted ?? "\(type)"), found a value of kind \(node.kind)"))
  }

  @inline(never)
  func corrupted(_ message: String, _ step: CodingStep) -> DecodingError {
    context.countError()
    return .dataCorrupted(.init(codingPath: errorPath(step), debugDescription: message))
  }

  @inline(never)
  func notFound(_ key: some CodingKey) -> DecodingError {
    context.countError()
    return .keyNotFound(
      key,
      .init(codingPath: errorPath(.same), debugDescription: "no value for the key \(key.stringValue.quoted)"))
  }

  /// Returns the error for an array that has no element at an index.
  @inline(never)
  func notFound(_ type: Any.Type, at index: Int) -> DecodingError {
    context.countError()
    return .valueNotFound(
      type,
      .init(codingPath: errorPath(.index(index)), debugDescription: "no element \(index) in an array of \(node.count)"))
  }

  /// Returns the error for a document that cannot be read, or that exceeds a limit. An exceeded limit ends the whole
  /// call, even if a type catches the error.
  @inline(never)
  func failure(_ error: PropertyListError, _ step: CodingStep) -> DecodingError {
    context.countError()
    switch error.kind {
    case .limitExceeded, .nestedTooDeeply, .circularReference:
      if context.exceededLimit == nil { context.exceededLimit = DecodingError(error, at: codingPath(step)) }
    default: break
    }
    return DecodingError(error, at: errorPath(step))
  }
}
