internal import FoundationEssentials

/// A sink that compares the values it receives with a document, without creating a ``PropertyList`` from the document.
package struct ValueComparison: NodeSink, ~Copyable {
  private let document: PropertyListDocument
  private let nodes: [FlatNode]
  /// The indexes of the remaining children, including keys, of the innermost open container.
  private var children: Range<Int>
  /// The indexes of the remaining children of each open container around the innermost one.
  private var outer: [Range<Int>] = []
  private var scratch: [UInt8] = []
  /// Returns the value that a reader would get after a scalar was written in the format of the document.
  private let coerced: (PropertyList) throws(PropertyListError) -> PropertyList

  /// The error that ends the comparison when a difference is found.
  private static var difference: PropertyListError { PropertyListError(.noSuchValue, "the values differ") }

  /// Returns true if a document in a text format equals a value. A scalar also counts as equal if the document contains
  /// the value that `coerced` returns for the scalar.
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

  /// Returns the next value or key of the document.
  @inline(__always)
  private mutating func take() throws(PropertyListError) -> FlatNode {
    guard let index = children.first else { throw Self.difference }
    children = index + 1..<children.upperBound
    return nodes[index]
  }

  /// Calls ``coerced`` with a value, and compares the result with the node that ``take()`` returned last. Throws if
  /// they differ.
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

  /// Returns true if a string or data of the document has these bytes.
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
