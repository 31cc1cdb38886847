internal import FoundationEssentials

/// A node table in the making, as ``NodeTable`` has it, with its text, and with containers that come in any order.
struct EncodedNodes: ~Copyable {
  private var nodes: [FlatNode] = []
  /// The text of all strings, and data, one behind the other.
  private var text = ByteBuffer()
  private var keys = EncodedKeys()

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

  /// The key of a dictionary. The number of the key before it becomes that of this one; see ``EncodedKeys``.
  @inline(__always)
  mutating func key(_ key: String, after last: inout Int) -> FlatNode {
    if let number = keys.number(of: key, after: last) {
      last = number
      return keys.node(number)
    }
    return newKey(key, after: &last)
  }

  @inline(never)
  private mutating func newKey(_ key: String, after last: inout Int) -> FlatNode {
    let node = string(key.utf8Span.rawBytes)
    last = keys.add(key, node, after: last)
    return node
  }

  /// The text of a string, or data.
  @inline(__always) @_lifetime(borrow self)
  func bytes(of node: FlatNode) -> RawSpan { text.bytes.extracting(node.range) }

  /// The children of a container, keys counted.
  func children(of container: FlatNode) -> ArraySlice<FlatNode> {
    let count = container.kind == .dictionary ? 2 * container.count : container.count
    return nodes[container.offset..<container.offset + count]
  }

  /// `children` are keys and values in turn. The last value of a key counts, at the position of the first.
  mutating func dictionary(_ children: [FlatNode], lastKey: Int) -> FlatNode {
    if children.count < 4 || keys.areDistinct(lastKey) { return container(.dictionary, children[...]) }
    return container(.dictionary, withoutDuplicates(children)[...])
  }

  /// - Parameter children: of a dictionary, distinct keys and values in turn.
  @inline(__always)
  mutating func container(_ kind: NodeKind, _ children: ArraySlice<FlatNode>) -> FlatNode {
    let count = kind == .dictionary ? children.count / 2 : children.count
    let node = FlatNode.container(kind, offset: nodes.count, count: count)
    nodes.makeRoom(for: children.count)
    nodes.append(contentsOf: children)
    return node
  }

  private func withoutDuplicates(_ children: [FlatNode]) -> [FlatNode] {
    var index = KeyIndex()
    var distinct: [FlatNode] = []
    distinct.reserveCapacity(children.count)
    for position in stride(from: 0, to: children.count, by: 2) {
      // Numbers count the keys in order, so they are the indexes of the entries.
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
