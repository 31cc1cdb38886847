internal import FoundationEssentials

/// What all encoders of one call share: the document in the making. A value is a node as soon as it has been encoded,
/// so that encoding makes no objects of its own.
/// Sound: the properties are changed by functions of this package only, which call nobody else's code meanwhile.
final class EncodingContext {
  let userInfo: [CodingUserInfoKey: Any]
  let depthLimit: Int
  let stack = CallStack.current
  @exclusivity(unchecked) private var nodes = EncodedNodes()
  @exclusivity(unchecked) private var nullText: FlatNode?
  /// Encoders of children that are filled later.
  @exclusivity(unchecked) private var deferred: [DocumentEncoder] = []
  /// Encoders that nobody has any more, to be used again.
  @exclusivity(unchecked) private var spare: [DocumentEncoder] = []
  /// What is known of types, by their addresses.
  @exclusivity(unchecked) private var types: [(type: ObjectIdentifier, valuesPerElement: Int)?] = []

  /// Whether nil is null, and not the string that stands for it in formats without null.
  private let hasNull: Bool

  init(depth: Int, hasNull: Bool, userInfo: [CodingUserInfoKey: Any]) {
    depthLimit = depth
    self.hasNull = hasNull
    self.userInfo = userInfo
  }

  /// Encodes the value that the call is about.
  func document<T: Encodable>(of value: T) throws -> PropertyListDocument {
    // Encoders have this context, and the encoders around them. The innermost goes first, so that each is freed alone
    // and not with all that are around it.
    defer {
      unsafe spare.removeAll()
      while let encoder = unsafe deferred.popLast() { _ = encoder }
    }
    guard let root = try DocumentEncoder(self).node(of: value, .same) else {
      throw EncodingError.invalidValue(
        value, .init(codingPath: [], debugDescription: "\(T.self) has not encoded any value"))
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

  /// Property lists have no nil, so Foundation writes this string.
  func null() -> FlatNode {
    if hasNull { return .null }
    if let nullText = unsafe nullText { return nullText }
    let node = string("$null")
    unsafe nullText = node
    return node
  }

  /// - Parameters:
  ///   - lastKey: the number of the last key of a dictionary, whose children are keys and values in turn.
  ///   - valuesPerElement: of a collection that has its elements in any order; else 0.
  func container(_ kind: NodeKind, _ children: [FlatNode], lastKey: Int, valuesPerElement: Int) -> FlatNode {
    let groupSize = kind == .dictionary ? 2 : valuesPerElement
    let children = valuesPerElement > 0 ? unsafe nodes.sorted(children, groupSize: groupSize) : children
    if kind == .dictionary { return unsafe nodes.dictionary(children, lastKey: lastKey) }
    return unsafe nodes.container(.array, children[...])
  }

  /// How many values stand for one element of a collection without an order of its own; 0 for all other types.
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

  /// Takes an encoder back that nobody else has.
  @inline(__always)
  func giveBack(_ encoder: consuming DocumentEncoder) {
    guard isKnownUniquelyReferenced(&encoder) else { return }
    encoder.reset()
    unsafe spare.append(encoder)
  }

  /// - Returns: the number by which ``deferredEncoder(_:)`` finds it.
  func deferEncoder(_ encoder: DocumentEncoder) -> Int {
    unsafe deferred.append(encoder)
    return unsafe deferred.count - 1
  }

  func deferredEncoder(_ number: Int) -> DocumentEncoder { unsafe deferred[number] }
}
