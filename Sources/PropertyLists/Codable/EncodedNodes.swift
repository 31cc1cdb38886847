internal import FoundationEssentials

/// The nodes and the text of a document that is being encoded: a node table in the making, as ``NodeTable`` has it, with
/// containers that come in any order.
struct EncodedNodes: ~Copyable {
  private var nodes: [FlatNode] = []
  /// The text of all strings, and data, one behind the other.
  private var text = ByteBuffer()
  /// The keys that were met lately, by their hashes. A key that comes again is the same node, which says quickly that two
  /// dictionaries have the same keys.
  private var keys: [FlatNode] = []
  /// The dictionaries that lately were found to have distinct keys, by their first keys and the numbers of their entries.
  private var shapes: [FlatNode] = []
  private let seed = ByteHash.seed

  init() {}

  /// What readers of text make. Nothing can be added then.
  consuming func finish(root: FlatNode) -> TextContent {
    nodes.append(root)
    return TextContent(text: text.takeData(), table: NodeTable(nodes: nodes))
  }

  /// - Parameter utf8: valid UTF-8.
  mutating func string(_ utf8: RawSpan) -> FlatNode {
    let node = FlatNode.string(.verbatim, offset: text.count, length: utf8.byteCount)
    text.append(utf8)
    return node
  }

  mutating func data(_ bytes: RawSpan) -> FlatNode {
    let node = FlatNode.data(.verbatim, offset: text.count, length: bytes.byteCount)
    text.append(bytes)
    return node
  }

  /// The key of a dictionary.
  ///
  /// - Parameter utf8: valid UTF-8.
  @inline(__always)
  mutating func key(_ utf8: RawSpan) -> FlatNode {
    if keys.isEmpty { keys = Array(repeating: .null, count: 128) }
    let hash = ByteHash.hash(utf8, from: 0, count: utf8.byteCount, seed: seed)
    let slot = Int(truncatingIfNeeded: hash) & (keys.count - 1)
    let known = keys[slot]
    if known.kind == .string, known.length == utf8.byteCount, bytes(of: known).hasSameBytes(as: utf8) { return known }
    let node = string(utf8)
    keys[slot] = node
    return node
  }

  /// The text of a string, or data.
  @inline(__always) @_lifetime(borrow self)
  func bytes(of node: FlatNode) -> RawSpan {
    text.bytes.extracting(node.offset..<node.offset + node.length)
  }

  /// The children of a container, keys counted.
  func children(of container: FlatNode) -> ArraySlice<FlatNode> {
    let count = container.kind == .dictionary ? 2 * container.count : container.count
    return nodes[container.offset..<container.offset + count]
  }

  mutating func array(_ elements: [FlatNode]) -> FlatNode { container(.array, elements[...]) }

  /// - Parameter children: keys and values in turn. The last value of a key counts, at the place of the first.
  mutating func dictionary(_ children: [FlatNode]) -> FlatNode {
    let count = children.count / 2
    guard count > 1 else { return container(.dictionary, children[...]) }
    if shapes.isEmpty { shapes = Array(repeating: .null, count: 64) }
    let slot = (children[0].offset ^ count) & (shapes.count - 1)
    if hasKeys(of: shapes[slot], children, count: count) {
      return container(.dictionary, children[...])
    }
    let distinct = withoutDuplicates(children)
    let node = container(.dictionary, distinct[...])
    shapes[slot] = node
    return node
  }

  /// - Parameter children: of a dictionary, distinct keys and values in turn.
  @inline(__always)
  mutating func container(_ kind: NodeKind, _ children: ArraySlice<FlatNode>) -> FlatNode {
    let count = kind == .dictionary ? children.count / 2 : children.count
    let node = FlatNode.container(kind, offset: nodes.count, count: count)
    nodes.append(contentsOf: children)
    return node
  }

  @inline(__always)
  private func hasKeys(of dictionary: FlatNode, _ children: [FlatNode], count: Int) -> Bool {
    guard dictionary.kind == .dictionary, dictionary.count == count else { return false }
    let start = dictionary.offset
    var position = 0
    while position < 2 * count {
      if nodes[start + position] != children[position] { return false }
      position += 2
    }
    return true
  }

  private func withoutDuplicates(_ children: [FlatNode]) -> [FlatNode] {
    var index = KeyIndex()
    var distinct: [FlatNode] = []
    distinct.reserveCapacity(children.count)
    for position in stride(from: 0, to: children.count, by: 2) {
      // Numbers count the keys in order, so they are the places of the entries.
      let entry = index.number(of: bytes(of: children[position]))
      if 2 * entry < distinct.count {
        distinct[2 * entry + 1] = children[position + 1]
      } else {
        distinct.append(children[position])
        distinct.append(children[position + 1])
      }
    }
    return distinct
  }
}
