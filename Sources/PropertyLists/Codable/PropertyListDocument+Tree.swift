extension PropertyListDocument {
  /// A tree as a document, so that there is one decoder for both.
  ///
  /// - Complexity: O(*n*) in the size of the tree.
  package convenience init(
    _ tree: PropertyList, options: PropertyListReadingOptions, sortsKeys: Bool = false
  ) throws(PropertyListError) {
    var writer = NodeWriter()
    try tree.walk(into: &writer, sortsKeys: sortsKeys, depth: options.limits.effectiveDepth)
    self.init(writer.finish(), .binary, options)
  }
}

/// Writes a node table.
private struct NodeWriter: NodeSink, ~Copyable {
  private var nodes = EncodedNodes()
  /// The children of the containers that are open, and at last the root.
  private var pending: [FlatNode] = []
  /// Where the children of each open container begin in ``pending``.
  private var starts: [Int] = []

  init() {}

  consuming func finish() -> TextContent { nodes.finish(root: pending.last ?? .null) }

  mutating func scalar(_ node: FlatNode) { pending.append(node) }
  mutating func string(_ utf8: RawSpan) { pending.append(nodes.string(utf8)) }
  mutating func key(_ utf8: RawSpan) { string(utf8) }
  mutating func data(_ bytes: RawSpan) { pending.append(nodes.data(bytes)) }
  mutating func begin(_ kind: NodeKind, count: Int) { starts.append(pending.count) }

  /// The keys of a tree are distinct.
  mutating func end(_ kind: NodeKind) {
    let start = starts.removeLast()
    let node = nodes.container(kind, pending[start...])
    pending.removeLast(pending.count - start)
    pending.append(node)
  }
}
