internal import FoundationEssentials

/// The encoder of one value, and its place on the coding path.
final class DocumentEncoder: Encoder {
  private enum Content {
    case nothing
    case value(FlatNode)
    case keyed
    case unkeyed
  }

  let context: EncodingContext
  private let parent: DocumentEncoder?
  private let step: CodingStep
  /// How many containers are around the value.
  private let depth: Int
  private var content = Content.nothing
  /// The children of a container so far; of a dictionary, keys and values in turn.
  private var children: [FlatNode] = []
  /// The children that are encoded after their place was taken, by the numbers of their encoders.
  private var deferred: [(child: Int, number: Int)] = []
  /// The numbers of the encoders of nested containers that have a key.
  private var nestedByKey: [String: Int] = [:]
  /// What was asked for that cannot be.
  private var fault: String?

  init(_ context: EncodingContext) {
    self.context = context
    parent = nil
    step = .same
    depth = 0
  }

  private init(_ parent: DocumentEncoder, _ step: CodingStep) {
    context = parent.context
    self.parent = parent
    self.step = step
    if case .same = step { depth = parent.depth } else { depth = parent.depth + 1 }
  }

  var userInfo: [CodingUserInfoKey: Any] { context.userInfo }

  var codingPath: [any CodingKey] { codingPath(.same) }

  /// The path to what is one step below.
  func codingPath(_ step: CodingStep) -> [any CodingKey] {
    var path: [any CodingKey] = []
    if let key = step.key { path.append(key) }
    var encoder: DocumentEncoder? = self
    while let current = encoder {
      if let key = current.step.key { path.append(key) }
      encoder = current.parent
    }
    path.reverse()
    return path
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    switch content {
    case .nothing: content = .keyed
    case .keyed: break
    case .unkeyed, .value: fault = "a container with keys, where another value is already"
    }
    return KeyedEncodingContainer(KeyedDocumentEncodingContainer(self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    switch content {
    case .nothing: content = .unkeyed
    case .unkeyed: break
    case .keyed, .value: fault = "a container without keys, where another value is already"
    }
    return UnkeyedDocumentEncodingContainer(self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

/// What containers do.
extension DocumentEncoder {
  var childCount: Int { children.count }

  @inline(__always)
  func append(_ value: FlatNode, forKey key: some CodingKey) {
    children.append(context.string(key.stringValue))
    children.append(value)
  }

  @inline(__always)
  func append(_ value: FlatNode) { children.append(value) }

  /// The encoder of a container or of a superclass, which is filled later.
  func nested(_ step: CodingStep) -> DocumentEncoder {
    let encoder = DocumentEncoder(self, step)
    deferred.append((children.count, context.deferEncoder(encoder)))
    children.append(.null)
    return encoder
  }

  /// The encoder of a container that has a key: the same again for the same key.
  func nested(_ key: some CodingKey) -> DocumentEncoder {
    let text = key.stringValue
    if let number = nestedByKey[text] { return context.deferredEncoder(number) }
    children.append(context.string(text))
    let encoder = nested(.key(key))
    nestedByKey[text] = deferred.last?.number
    return encoder
  }
}

extension DocumentEncoder {
  /// The node of a value of this encoder, or of one that is a step below it; nil if it has not encoded anything.
  func node<T: Encodable>(of value: T, _ step: @autoclosure () -> CodingStep) throws -> FlatNode? {
    // Types that need no encoder of their own. The casts are from the type itself.
    if T.self == String.self, let value = value as? String { return try string(value, step()) }
    if T.self == Int.self, let value = value as? Int { return .integer(value) }
    if T.self == Double.self, let value = value as? Double { return .real(value) }
    if T.self == Date.self, let value = value as? Date { return .date(value.timeIntervalSinceReferenceDate) }
    if T.self == Data.self, let value = value as? Data { return context.data(value) }
    if T.self == Bool.self, let value = value as? Bool { return .boolean(value) }
    let encoder = DocumentEncoder(self, step())
    guard encoder.depth <= context.depthLimit else { throw encoder.nestedTooDeeply(value) }
    guard context.hasRoom else {
      throw failure(value, "values are nested too deeply for the stack")
    }
    try value.encode(to: encoder)
    return try encoder.finish(value)
  }

  @inline(__always)
  func string(_ value: String, _ step: @autoclosure () -> CodingStep) throws -> FlatNode {
    guard value.utf8.count != 5 || value != "$null" else {
      throw failure(value, "the string \"$null\", which stands for nil in property lists", step())
    }
    return context.string(value)
  }

  func integer<T: FixedWidthInteger>(_ value: T, _ step: @autoclosure () -> CodingStep) throws -> FlatNode {
    guard let integer = PropertyList.Integer(exactly: value) else {
      throw failure(value, "an integer that needs more than 64 bits", step())
    }
    return .integer(integer)
  }

  /// The node of what has been encoded, once all of it has.
  private func finish(_ value: Any) throws -> FlatNode? {
    if let fault { throw failure(value, fault) }
    switch content {
    case .nothing: return nil
    case .value(let node): return node
    case .keyed: return try container(.dictionary, value)
    case .unkeyed: return try container(.array, value)
    }
  }

  private func container(_ kind: NodeKind, _ value: Any) throws -> FlatNode {
    guard depth < context.depthLimit else { throw nestedTooDeeply(value) }
    if !deferred.isEmpty {
      guard context.hasRoom else { throw failure(value, "containers are nested too deeply for the stack") }
      for (child, number) in deferred {
        children[child] = try context.deferredEncoder(number).finish(value) ?? .emptyDictionary
      }
    }
    return context.container(kind, of: children)
  }

  private func nestedTooDeeply(_ value: Any) -> EncodingError {
    EncodingError(ParsingLimits.nestedTooDeeply(limit: context.depthLimit), value, at: codingPath)
  }

  func failure(_ value: Any, _ message: String, _ step: CodingStep = .same) -> EncodingError {
    .invalidValue(value, .init(codingPath: codingPath(step), debugDescription: message))
  }
}

extension FlatNode {
  /// What a value is that has not encoded anything, as Foundation has it.
  static var emptyDictionary: FlatNode { .container(.dictionary, offset: 0, count: 0) }
}

extension DocumentEncoder: SingleValueEncodingContainer {
  private func set(_ node: @autoclosure () throws -> FlatNode, _ value: Any) throws {
    guard case .nothing = content else { throw failure(value, "a single value, where another value is already") }
    content = .value(try node())
  }

  func encodeNil() throws { try set(context.null(), Any?.none as Any) }
  func encode(_ value: Bool) throws { try set(.boolean(value), value) }
  func encode(_ value: String) throws { try set(string(value, .same), value) }
  func encode(_ value: Double) throws { try set(.real(value), value) }
  func encode(_ value: Float) throws { try set(.float(value), value) }
  func encode(_ value: Int) throws { try set(.integer(value), value) }
  func encode(_ value: Int8) throws { try set(.integer(value), value) }
  func encode(_ value: Int16) throws { try set(.integer(value), value) }
  func encode(_ value: Int32) throws { try set(.integer(value), value) }
  func encode(_ value: Int64) throws { try set(.integer(value), value) }
  func encode(_ value: UInt) throws { try set(.integer(value), value) }
  func encode(_ value: UInt8) throws { try set(.integer(value), value) }
  func encode(_ value: UInt16) throws { try set(.integer(value), value) }
  func encode(_ value: UInt32) throws { try set(.integer(value), value) }
  func encode(_ value: UInt64) throws { try set(.integer(value), value) }
  func encode(_ value: Int128) throws { try set(integer(value, .same), value) }
  func encode(_ value: UInt128) throws { try set(integer(value, .same), value) }

  func encode<T: Encodable>(_ value: T) throws {
    guard case .nothing = content else { throw failure(value, "a single value, where another value is already") }
    guard let node = try node(of: value, .same) else { return }
    content = .value(node)
  }
}
