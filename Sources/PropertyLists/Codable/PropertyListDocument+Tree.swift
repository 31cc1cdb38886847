extension PropertyListDocument {
  /// Creates a document from a ``PropertyList``, so that code for documents, such as the decoder, can be used with
  /// property lists, too.
  ///
  /// - Complexity: O(*n*) in the size of the property list.
  package convenience init(
    _ tree: PropertyList, options: PropertyListReadingOptions, sortsKeys: Bool = false
  ) throws(PropertyListError) {
    var writer = NodeWriter()
    try tree.walk(into: &writer, sortsKeys: sortsKeys, depth: options.limits.effectiveDepth)
    self.init(writer.finish(), .binary, options)
  }
}

/// A sink that builds a node table.
private struct NodeWriter: NodeSink, ~Copyable {
  private var nodes = EncodedNodes()
  /// The children of the open containers, and finally the root.
  private var pending: [FlatNode] = []
  /// The index in ``pending`` of the first child of each open container.
  private var starts: [Int] = []

  init() {}

  consuming func finish() -> TextContent { nodes.finish(root: pending.last ?? .null) }

  mutating func scalar(_ node: FlatNode) { pending.append(node) }
  mutating func string(_ utf8: RawSpan) { pending.append(nodes.string(utf8)) }
  mutating func key(_ utf8: RawSpan) { string(utf8) }
  mutating func data(_ bytes: RawSpan) { pending.append(nodes.data(bytes)) }
  mutating func begin(_ kind: NodeKind, count: Int) { starts.append(pending.count) }

  /// Ends a container. The keys of a ``PropertyList`` are distinct, so they are not checked.
  mutating func end(_ kind: NodeKind) {
    let start = starts.removeLast()
    let node = nodes.container(kind, pending[start...])
    pending.removeLast(pending.count - start)
    pending.append(node)
  }
}
