internal import FoundationEssentials

/// The decoder of one value, and its place on the coding path.
final class DocumentDecoder: Decoder {
  let context: DecodingContext
  let node: FlatNode
  private let parent: DocumentDecoder?
  private let step: CodingStep
  /// How many containers are around the value.
  private let depth: Int
  /// How many keys were found one after the other; see ``DictionaryShape/position(of:found:)``.
  ///
  /// Sound: nobody else's code runs while it is changed.
  @exclusivity(unchecked) var foundKeys = 0

  init(_ context: DecodingContext, _ node: FlatNode) {
    self.context = context
    self.node = node
    parent = nil
    step = .same
    depth = 0
  }

  init(_ parent: DocumentDecoder, _ node: FlatNode, _ step: CodingStep) {
    context = parent.context
    self.node = node
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
    var decoder: DocumentDecoder? = self
    while let current = decoder {
      if let key = current.step.key { path.append(key) }
      decoder = current.parent
    }
    path.reverse()
    return path
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard node.kind == .dictionary else { throw mismatch([String: Any].self, node, .same, "keyed decoding container") }
    do throws(PropertyListError) {
      try context.checkDepth(depth)
      return KeyedDecodingContainer(KeyedDocumentContainer(self, try context.shape(of: node)))
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
    return UnkeyedDocumentContainer(self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension DocumentDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { context.isNull(node) }
  func decode(_ type: Bool.Type) throws -> Bool { try boolean(node, .same) }
  func decode(_ type: String.Type) throws -> String { try string(node, .same) }
  func decode(_ type: Double.Type) throws -> Double { try real(node, .same) }
  func decode(_ type: Float.Type) throws -> Float { try float(node, .same) }
  func decode(_ type: Int.Type) throws -> Int { try integer(node, .same) }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer(node, .same) }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer(node, .same) }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer(node, .same) }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer(node, .same) }
  func decode(_ type: Int128.Type) throws -> Int128 { try integer(node, .same) }
  func decode(_ type: UInt.Type) throws -> UInt { try integer(node, .same) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(node, .same) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(node, .same) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(node, .same) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(node, .same) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(node, .same) }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decode(type, node, .same) }
}

/// Values of a node that this decoder has, or that is a step below it. The step is only looked at when something is
/// wrong.
extension DocumentDecoder {
  @inline(__always)
  func boolean(_ node: FlatNode, _ step: @autoclosure () -> CodingStep) throws -> Bool {
    guard node.kind == .boolean else { throw mismatch(Bool.self, node, step()) }
    return node.boolean
  }

  @inline(__always)
  func integer<T: FixedWidthInteger>(_ node: FlatNode, _ step: @autoclosure () -> CodingStep) throws -> T {
    if node.kind == .integer, let value = T(exactly: Int64(bitPattern: node.payload)) { return value }
    return try convert(node, step())
  }

  /// An integer that takes more than a look: a real that is one, a large one, or none.
  private func convert<T: FixedWidthInteger>(_ node: FlatNode, _ step: CodingStep) throws -> T {
    let value: T?
    let text: String
    switch node.kind {
    case .integer, .unsignedInteger: (value, text) = (T(exactly: node.integer), node.integer.description)
    case .real: (value, text) = (T(exactly: node.real), node.real.description)
    case .float: (value, text) = (T(exactly: node.float), node.float.description)
    default: throw mismatch(T.self, node, step)
    }
    guard let value else { throw corrupted("the number \(text) does not fit into \(T.self)", step) }
    return value
  }

  @inline(__always)
  func real(_ node: FlatNode, _ step: @autoclosure () -> CodingStep) throws -> Double {
    switch node.kind {
    case .real: return node.real
    case .float: return Double(node.float)
    case .integer: return Double(Int64(bitPattern: node.payload))
    case .unsignedInteger: return Double(node.payload)
    default: throw mismatch(Double.self, node, step())
    }
  }

  @inline(__always)
  func float(_ node: FlatNode, _ step: @autoclosure () -> CodingStep) throws -> Float {
    switch node.kind {
    case .real:
      let value = Float(node.real)
      guard value.isFinite || !node.real.isFinite else {
        throw corrupted("the number \(node.real) does not fit into Float", step())
      }
      return value
    case .float: return node.float
    case .integer: return Float(Int64(bitPattern: node.payload))
    case .unsignedInteger: return Float(node.payload)
    default: throw mismatch(Float.self, node, step())
    }
  }

  @inline(__always)
  func string(_ node: FlatNode, _ step: @autoclosure () -> CodingStep) throws -> String {
    guard node.kind == .string, !context.isNull(node) else { throw mismatch(String.self, node, step()) }
    do throws(PropertyListError) {
      return try context.text(of: node)
    } catch {
      throw failure(error, step())
    }
  }

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
    if type == String.self, let value = try string(node, step()) as? T { return value }
    if type == Int.self, let value = try integer(node, step()) as Int as? T { return value }
    if type == Double.self, let value = try real(node, step()) as? T { return value }
    if type == Date.self, let value = try date(node, step()) as? T { return value }
    if type == Data.self, let value = try data(node, step()) as? T { return value }
    if type == Bool.self, let value = try boolean(node, step()) as? T { return value }
    if type == UInt8.self, let value = try integer(node, step()) as UInt8 as? T { return value }
    if type == Float.self, let value = try float(node, step()) as? T { return value }
    let step = step()
    guard context.hasRoom else {
      throw failure(PropertyListError(.nestedTooDeeply, "values are nested too deeply for the stack"), step)
    }
    return try T(from: DocumentDecoder(self, node, step))
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
