internal import FoundationEssentials

/// Compares a document with the values it is told, without a tree of the document.
package struct ValueComparison: NodeSink, ~Copyable {
  private let document: PropertyListDocument
  private let nodes: [FlatNode]
  /// The indexes of the children, keys counted, of the innermost container that is open.
  private var children: Range<Int>
  /// Those of the containers around it that are not used up.
  private var outer: [Range<Int>] = []
  private var scratch: [UInt8] = []
  /// What a value becomes that the format has no form for.
  private let coerced: (PropertyList) throws(PropertyListError) -> PropertyList

  /// What is thrown to end the comparison.
  private static var difference: PropertyListError { PropertyListError(.noSuchValue, "the values differ") }

  /// Whether a document of a text format has a value, or what is read back of its scalars by `coerced`.
  package static func isEqual(
    _ document: PropertyListDocument, _ value: PropertyList, depth: Int,
    coerced: @escaping (PropertyList) throws(PropertyListError) -> PropertyList
  ) -> Bool {
    guard case .table(let table) = document.index else { return false }
    var comparison = ValueComparison(
      document: document, nodes: table.nodes, children: table.root..<table.nodes.count, coerced: coerced)
    do {
      try value.walk(into: &comparison, sortsKeys: false, depth: depth)
      return true
    } catch {
      return false
    }
  }

  /// The next value of the document, or the next key.
  @inline(__always)
  private mutating func take() throws(PropertyListError) -> FlatNode {
    guard let index = children.first else { throw Self.difference }
    children = index + 1..<children.upperBound
    return nodes[index]
  }

  /// Compares the value that was taken last with what becomes of one in this format.
  private func compareLast(_ value: PropertyList) throws(PropertyListError) {
    let index = children.lowerBound - 1
    let node = PropertyListDocument.Node(document: document, index: index, flat: nodes[index])
    guard try coerced(value) == PropertyList(node) else { throw Self.difference }
  }

  mutating func scalar(_ expected: FlatNode) throws(PropertyListError) {
    let node = try take()
    guard node.kind == expected.kind, node.payload == expected.payload else {
      return try compareLast(PropertyList(scalar: expected))
    }
  }

  mutating func string(_ utf8: RawSpan) throws(PropertyListError) {
    let node = try take()
    guard node.kind == .string, try has(utf8, node) else {
      return try compareLast(.string(String(knownUTF8: utf8, isASCII: false)))
    }
  }

  mutating func data(_ bytes: RawSpan) throws(PropertyListError) {
    let node = try take()
    guard node.kind == .data, try has(bytes, node) else {
      return try compareLast(.data(Data(Array(bytes, 0..<bytes.byteCount))))
    }
  }

  mutating func key(_ utf8: RawSpan) throws(PropertyListError) {
    guard try has(utf8, take()) else { throw Self.difference }
  }

  /// Whether a string or data of the document has these bytes.
  private mutating func has(_ bytes: RawSpan, _ node: FlatNode) throws(PropertyListError) -> Bool {
    let document = document
    if node.encoding == .verbatim {
      let content = document.bytes.extracting(node.range)
      return content.byteCount == bytes.byteCount && content.hasSameBytes(as: bytes)
    }
    scratch.removeAll(keepingCapacity: true)
    if node.kind == .data {
      NodeContent.appendData(node, in: document.bytes, to: &scratch)
    } else {
      try NodeContent.appendText(node, in: document.bytes, to: &scratch)
    }
    return scratch.count == bytes.byteCount && bytes.hasSameBytes(as: scratch.rawBytes)
  }

  mutating func begin(_ kind: NodeKind, count: Int) throws(PropertyListError) {
    let node = try take()
    guard node.kind == kind, node.count == count else { throw Self.difference }
    outer.append(children)
    children = node.offset..<node.offset + (kind == .dictionary ? 2 * count : count)
  }

  mutating func end(_ kind: NodeKind) throws(PropertyListError) {
    guard let next = outer.popLast() else { throw Self.difference }
    children = next
  }
}
