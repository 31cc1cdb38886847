internal import FoundationEssentials

/// The encoder of one value, with its step on the coding path.
final class DocumentEncoder: Encoder, NestedCoder {
  private enum Content {
    case nothing
    case value(FlatNode)
    /// An array or a dictionary.
    case container(NodeKind)
  }

  let context: EncodingContext
  private(set) var parent: DocumentEncoder?
  private(set) var step = CodingStep.same
  /// The number of containers around the value.
  private var depth = 0
  @exclusivity(unchecked) private var content = Content.nothing
  /// The children of a container so far: elements, or keys and values in turn. Memory-safe: only functions of this
  /// package change them, and they call no code outside this package meanwhile.
  @exclusivity(unchecked) private var children: [FlatNode] = []
  /// The index of the last key; see ``EncodedKeys``.
  @exclusivity(unchecked) private var lastKey = 0
  /// The nested containers and superclasses whose values are encoded later. Until this container is finished,
  /// ``children`` has a null for each of them: `child` is its index, and `number` is the number of the encoder in the
  /// context.
  private var deferred: [(child: Int, number: Int)] = []
  /// For each key of a nested container or a superclass, as UTF-8 bytes: the number of its encoder in the context.
  private var nestedByKey: [[UInt8]: Int] = [:]
  /// The message about an invalid request, for example for a keyed container after an unkeyed one; nil if all requests
  /// were valid. The error is thrown when the value is finished.
  private var defect: String?

  init(_ context: EncodingContext) { self.context = context }

  /// Makes this new encoder the child of another one.
  @inline(__always)
  private func enter(_ parent: DocumentEncoder, _ step: CodingStep) {
    self.parent = parent
    self.step = step
    if case .same = step { depth = parent.depth } else { depth = parent.depth + 1 }
  }

  /// Resets this encoder for reuse. Keeps the capacity of ``children``.
  @inline(__always)
  func reset() {
    parent = nil
    step = .same
    unsafe content = .nothing
    unsafe children.removeAll(keepingCapacity: true)
    if !deferred.isEmpty {
      deferred = []
      nestedByKey = [:]
    }
    defect = nil
  }

  var userInfo: [CodingUserInfoKey: Any] { context.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .nothing = unsafe content { unsafe lastKey = EncodedKeys.start(type) }
    begin(.dictionary, "a keyed container was requested after another value was encoded")
    return KeyedEncodingContainer(KeyedDocumentEncodingContainer(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    begin(.array, "an unkeyed container was requested after another value was encoded")
    return UnkeyedDocumentEncodingContainer(encoder: self)
  }

  private func begin(_ kind: NodeKind, _ defect: String) {
    switch unsafe content {
    case .nothing: unsafe content = .container(kind)
    case .container(kind): break
    case .container, .value: self.defect = defect
    }
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  var childCount: Int { unsafe children.count }

  @inline(__always)
  func append(_ value: FlatNode, forKey key: some CodingKey) {
    unsafe children.append(context.key(key.stringValue, after: &lastKey))
    unsafe children.append(value)
  }

  @inline(__always)
  func append(_ value: FlatNode) { unsafe children.append(value) }

  /// Adds null as a placeholder for a nested container or a superclass. Returns the encoder that its values are passed
  /// to later.
  func nested(_ step: CodingStep) -> DocumentEncoder {
    let encoder = DocumentEncoder(context)
    encoder.enter(self, step)
    deferred.append((unsafe children.count, context.deferEncoder(encoder)))
    unsafe children.append(.null)
    return encoder
  }

  /// Returns the encoder for the nested container or the superclass with a key. All calls with equal keys return the
  /// same encoder.
  func nested(_ key: some CodingKey) -> DocumentEncoder {
    let text = key.stringValue
    let bytes = Array(text.utf8)
    if let number = nestedByKey[bytes] { return context.deferredEncoder(number) }
    unsafe children.append(context.key(text, after: &lastKey))
    let encoder = nested(.key(key))
    nestedByKey[bytes] = deferred.last?.number
    return encoder
  }

  /// Encodes the value of this encoder, or a value that is one step below it.
  ///
  /// - Returns: The node of the value, or nil if the value has not encoded anything.
  func node<T: Encodable>(of value: T, _ step: @autoclosure () -> CodingStep) throws -> FlatNode? {
    if Self.isScalar(T.self), let node = try scalar(value, step()) { return node }
    let encoder = context.takeEncoder()
    encoder.enter(self, step())
    guard encoder.depth <= context.depthLimit else { throw nestedTooDeeply(value) }
    guard context.stack.hasRoomHere else { throw failure(value, "values are nested too deeply for the stack") }
    try value.encode(to: encoder)
    let node = try encoder.finish(value)
    context.giveBack(encoder)
    return node
  }

  /// Returns true if values of a type are encoded without a new encoder.
  @inline(__always)
  private static func isScalar(_ type: Any.Type) -> Bool {
    type == String.self || type == Int.self || type == Double.self || type == Date.self || type == Data.self
      || type == Bool.self
  }

  /// Returns the node of a scalar, or nil for a value of another type. Each cast succeeds, because it follows a
  /// comparison that shows that `T` is the type of the cast. The casts use stack space, so they are kept out of the
  /// recursive ``node(of:_:)``.
  @inline(never)
  private func scalar<T>(_ value: T, _ step: @autoclosure () -> CodingStep) throws -> FlatNode? {
    if T.self == String.self, let value = value as? String { return try value.node(in: self, step()) }
    if T.self == Int.self, let value = value as? Int { return .integer(value) }
    if T.self == Double.self, let value = value as? Double { return .real(value) }
    if T.self == Date.self, let value = value as? Date { return .date(value.timeIntervalSinceReferenceDate) }
    if T.self == Data.self, let value = value as? Data { return context.data(value) }
    if T.self == Bool.self, let value = value as? Bool { return .boolean(value) }
    return nil
  }

  /// Returns the node of the value that this encoder has encoded. Call this after all children of the value have been
  /// encoded.
  private func finish<T>(_ value: T) throws -> FlatNode? {
    if let defect { throw failure(value, defect) }
    switch unsafe content {
    case .nothing: return nil
    case .value(let node): return node
    case .container(let kind):
      try finishChildren(value)
      return context.container(
        kind, unsafe children, lastKey: unsafe lastKey, valuesPerElement: context.valuesPerElement(of: T.self))
    }
  }

  private func finishChildren<T>(_ value: T) throws {
    guard depth < context.depthLimit else { throw nestedTooDeeply(value) }
    guard !deferred.isEmpty else { return }
    guard context.stack.hasRoomHere else { throw failure(value, "containers are nested too deeply for the stack") }
    for (child, number) in deferred {
      unsafe children[child] = try context.deferredEncoder(number).finish(value as Any) ?? .emptyDictionary
    }
  }

  private func nestedTooDeeply(_ value: Any) -> EncodingError {
    EncodingError(ParsingLimits.nestedTooDeeply(limit: context.depthLimit), value, at: codingPath)
  }

  func failure(_ value: Any, _ message: String, _ step: CodingStep = .same) -> EncodingError {
    .invalidValue(value, .init(codingPath: codingPath(step), debugDescription: message))
  }
}

extension FlatNode {
  /// The node of a value that has not encoded anything: an empty dictionary, as in Foundation.
  static var emptyDictionary: FlatNode { .container(.dictionary, offset: 0, count: 0) }
}

extension DocumentEncoder: SingleValueEncodingContainer {
  private func set(_ node: @autoclosure () throws -> FlatNode?, _ value: @autoclosure () -> Any) throws {
    guard case .nothing = unsafe content else {
      throw failure(value(), "a single value was encoded after another value")
    }
    if let node = try node() { unsafe content = .value(node) }
  }

  func encodeNil() throws { try set(context.null(), Any?.none as Any) }
  func encode<T: NodeScalar>(_ value: T) throws { try set(value.node(in: self, .same), value) }
  func encode<T: Encodable>(_ value: T) throws { try set(node(of: value, .same), value) }

  // The default implementations of the protocol throw an error for 128-bit integers. Without these functions, they
  // would be used instead of the generic function.
  func encode(_ value: Int128) throws { try set(value.node(in: self, .same), value) }
  func encode(_ value: UInt128) throws { try set(value.node(in: self, .same), value) }
}
