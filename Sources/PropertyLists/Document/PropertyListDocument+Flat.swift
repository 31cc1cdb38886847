package import FoundationEssentials

/// The document without cursors, for decoding large numbers of values: a flat node is 16 bytes and counts no
/// references. It must come from the document it is used with.
extension PropertyListDocument {
  /// The top value.
  package var flatRoot: FlatNode { root.flat }

  /// How many bytes the input has.
  package var byteCount: Int { source.count }

  /// How large a value may become when shared references are followed, in the sense of ``ParsingLimits/expandedSize``.
  package var expandedSizeLimit: Int {
    let nodeCount = if case .table(let table) = index { table.nodes.count } else { 0 }
    // A document made from a tree has bytes for strings and data only.
    return options.limits.effectiveExpandedSize(inputSize: source.count + nodeCount)
  }

  /// How many values may be decoded from an archive when shared references are followed, in the sense of
  /// ``ParsingLimits/expandedSize``.
  package var expandedValueLimit: Int { options.limits.effectiveValueCount(inputSize: source.count) }

  /// How many bytes may be made of what is shared in an archive.
  package var expandedByteLimit: Int {
    let (bytes, overflow) = expandedValueLimit.multipliedReportingOverflow(by: ParsingLimits.bytesPerValue)
    return overflow ? .max : bytes
  }

  /// The element number `position`, which is below the count of `array`.
  @inline(__always)
  package func element(_ position: Int, of array: FlatNode) throws(PropertyListError) -> FlatNode {
    switch index {
    case .binary(let layout): try layout.node(at: layout.child(position, of: array, in: bytes), in: bytes)
    case .table(let table): table.nodes[array.offset + position]
    }
  }

  /// The value of the entry number `entry`, which is below the count of `dictionary`.
  package func value(ofEntry entry: Int, of dictionary: FlatNode) throws(PropertyListError) -> FlatNode {
    switch index {
    case .binary(let layout):
      try layout.node(
        at: layout.child(layout.valuePosition(entry, of: dictionary), of: dictionary, in: bytes), in: bytes)
    case .table(let table): table.nodes[dictionary.offset + table.valuePosition(entry, of: dictionary)]
    }
  }

  /// The key of the entry number `entry`.
  package func key(ofEntry entry: Int, of dictionary: FlatNode) throws(PropertyListError) -> String {
    try NodeContent.string(keyNode(ofEntry: entry, of: dictionary), in: bytes)
  }

  /// The key of the entry number `entry`: a string, whose text nobody has looked at.
  package func keyNode(ofEntry entry: Int, of dictionary: FlatNode) throws(PropertyListError) -> FlatNode {
    switch index {
    case .binary(let layout): try layout.key(entry, of: dictionary, in: bytes)
    case .table(let table): try table.key(entry, of: dictionary, in: bytes)
    }
  }

  /// The text of a string.
  package func text(of node: FlatNode) throws(PropertyListError) -> String { try NodeContent.string(node, in: bytes) }

  /// The bytes of data.
  package func data(of node: FlatNode) -> Data { NodeContent.data(node, in: bytes) }

  /// Whether a string has this text, which is ASCII.
  package func has(_ text: StaticString, as node: FlatNode) -> Bool {
    let length = text.utf8CodeUnitCount
    switch node.encoding {
    case .ascii, .verbatim: return node.length == length && bytes.starts(with: text, at: node.offset)
    case .utf16, .xmlText, .jsonText, .base64:
      guard node.length >= length, let decoded = try? NodeContent.string(node, in: bytes) else { return false }
      return decoded == text.description
    }
  }

  /// Tells dictionaries with the same keys apart from others; see ``DictionaryShapes``.
  package func shape(
    of dictionary: FlatNode, in shapes: inout DictionaryShapes
  ) throws(PropertyListError) -> DictionaryShape {
    switch index {
    case .binary(let layout): try shapes.shape(of: dictionary, layout, in: bytes, limit: expandedSizeLimit)
    case .table(let table): try shapes.shape(of: dictionary, table, in: bytes, limit: expandedSizeLimit)
    }
  }

  /// The number of references to each object of a binary document, in O(*n*); nil for the text formats.
  package func referenceCounts() throws(PropertyListError) -> [Int]? {
    guard case .binary(let layout) = index else { return nil }
    let bytes = self.bytes
    var references = Array(repeating: 0, count: layout.objectCount)
    references[rootIndex] = 1
    var pending = [rootIndex]
    while let index = pending.popLast() {
      let node = try layout.node(at: index, in: bytes)
      guard node.kind.isContainer else { continue }
      for position in 0..<(node.kind == .dictionary ? 2 : 1) * node.count {
        let child = try layout.child(position, of: node, in: bytes)
        references[child] += 1
        if references[child] == 1 { pending.append(child) }
      }
    }
    return references
  }
}
