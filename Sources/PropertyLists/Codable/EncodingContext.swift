internal import FoundationEssentials

/// The state that all encoders of one call of ``PropertyListEncoder`` share: the document being built. A value becomes
/// a node as soon as it is encoded, so that no objects are created for values. Memory-safe: only functions of this
/// package change the properties, and they call no code outside this package meanwhile.
final class EncodingContext {
  let userInfo: [CodingUserInfoKey: Any]
  let depthLimit: Int
  let stack = CallStack.current
  @exclusivity(unchecked) private var nodes = EncodedNodes()
  @exclusivity(unchecked) private var nullText: FlatNode?
  /// The encoders of nested containers, whose values are encoded later.
  @exclusivity(unchecked) private var deferred: [DocumentEncoder] = []
  /// Unused encoders that can be reused.
  @exclusivity(unchecked) private var spare: [DocumentEncoder] = []
  /// A cache of the results of ``valuesPerElement(of:)``. The index depends on the address of the type.
  @exclusivity(unchecked) private var types: [(type: ObjectIdentifier, valuesPerElement: Int)?] = []

  /// True if nil is encoded as null; false if it is encoded as the string `$null`, for formats without null.
  private let hasNull: Bool

  init(depth: Int, hasNull: Bool, userInfo: [CodingUserInfoKey: Any]) {
    depthLimit = depth
    self.hasNull = hasNull
    self.userInfo = userInfo
  }

  /// Encodes the value that was passed to ``PropertyListEncoder``.
  func document<T: Encodable>(of value: T) throws -> PropertyListDocument {
    // Encoders retain this context and their parents. The innermost encoders are released first. Otherwise, releasing
    // one of them would release all its parents recursively.
    defer {
      unsafe spare.removeAll()
      while let encoder = unsafe deferred.popLast() { _ = encoder }
    }
    guard let root = try DocumentEncoder(self).node(of: value, .same) else {
      throw EncodingError.invalidValue(
        value, .init(codingPath: [], debugDescription: "\(T.self) did not encode any value"))
    }
    var options = PropertyListReadingOptions()
    options.limits.depth = depthLimit
    var taken = EncodedNodes()
    unsafe swap(&taken, &nodes)
    return PropertyListDocument(taken.finish(root: root), .binary, options)
  }

  @inline(__always)
  func string(_ value: String) -> FlatNode {
    var node = FlatNode.null
    value.withRawUTF8 { node = unsafe nodes.string($0) }
    return node
  }

  @inline(__always)
  func key(_ value: String, after last: inout Int) -> FlatNode { unsafe nodes.key(value, after: &last) }

  func data(_ value: Data) -> FlatNode { unsafe nodes.data(value.bytes) }

  /// Returns the node of nil: null or, for formats without null, the string `$null`, as Foundation does.
  func null() -> FlatNode {
    if hasNull { return .null }
    if let nullText = unsafe nullText { return nullText }
    let node = string("$null")
    unsafe nullText = node
    return node
  }

  /// Adds a container. Sorts the children of a collection whose order depends on hashing.
  ///
  /// - Parameters:
  ///   - lastKey: The index of a dictionary's last key in ``EncodedKeys``. The children of a dictionary are keys and
  ///     values in turn.
  ///   - valuesPerElement: The result of ``valuesPerElement(of:)`` for the type of the encoded value.
  func container(_ kind: NodeKind, _ children: [FlatNode], lastKey: Int, valuesPerElement: Int) -> FlatNode {
    let groupSize = kind == .dictionary ? 2 : valuesPerElement
    let children = valuesPerElement > 0 ? unsafe nodes.sorted(children, groupSize: groupSize) : children
    if kind == .dictionary { return unsafe nodes.dictionary(children, lastKey: lastKey) }
    return unsafe nodes.container(.array, children[...])
  }

  /// Returns the number of values that each element of a `Set` (1) or a `Dictionary` (2) encodes into an unkeyed
  /// container; 0 for all other types.
  func valuesPerElement(of type: Any.Type) -> Int {
    if unsafe types.isEmpty { unsafe types = Array(repeating: nil, count: 64) }
    let identifier = ObjectIdentifier(type)
    let slot = Int(truncatingIfNeeded: UInt(bitPattern: identifier) >> 4) & (unsafe types.count - 1)
    if let known = unsafe types[slot], known.type == identifier { return known.valuesPerElement }
    let count = (type as? any HashedCollection.Type)?.valuesPerElement ?? 0
    unsafe types[slot] = (identifier, count)
    return count
  }

  @inline(__always)
  func takeEncoder() -> DocumentEncoder { unsafe spare.popLast() ?? DocumentEncoder(self) }

  /// Keeps an encoder for reuse, unless other code has a reference to it.
  @inline(__always)
  func giveBack(_ encoder: consuming DocumentEncoder) {
    guard isKnownUniquelyReferenced(&encoder) else { return }
    encoder.reset()
    unsafe spare.append(encoder)
  }

  /// Keeps the encoder of a nested container until all its values have been encoded.
  ///
  /// - Returns: The number to pass to ``deferredEncoder(_:)``.
  func deferEncoder(_ encoder: DocumentEncoder) -> Int {
    unsafe deferred.append(encoder)
    return unsafe deferred.count - 1
  }

  func deferredEncoder(_ number: Int) -> DocumentEncoder { unsafe deferred[number] }
}
