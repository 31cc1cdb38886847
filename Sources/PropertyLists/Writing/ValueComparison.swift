internal import FoundationEssentials

/// Compares a document with the values it is told, without a tree of the document.
package struct ValueComparison: PropertyListSink, ~Copyable {
  static var takesKeysFirst: Bool { false }

  private let document: PropertyListDocument
  private let nodes: [FlatNode]
  /// The places of the children, keys counted, of the innermost container that is open.
  private var places: Range<Int>
  /// Those of the containers around it that are not used up.
  private var outer: [Range<Int>] = []
  private var scratch: [UInt8] = []
  /// What a value becomes that the format has no form for.
  private let coerced: (PropertyList) throws(PropertyListError) -> PropertyList

  /// What is thrown to end the comparison.
  private static var difference: PropertyListError { PropertyListError(.noSuchValue, "the values differ") }

  /// Whether a document has a value, or what the format makes of it.
  ///
  /// - Parameters:
  ///   - document: one of a text format.
  ///   - coerced: what is read back of a scalar that is written.
  /// - Complexity: O(*n*) in the size of the value.
  package static func isEqual(
    _ document: PropertyListDocument, _ value: PropertyList, depth: Int,
    coerced: @escaping (PropertyList) throws(PropertyListError) -> PropertyList
  ) -> Bool {
    guard case .table(let table) = document.index else { return false }
    var comparison = ValueComparison(document, table, coerced)
    do throws(PropertyListError) {
      try value.walk(into: &comparison, sortsKeys: false, depth: depth)
      return true
    } catch {
      return false
    }
  }

  private init(
    _ document: PropertyListDocument, _ table: NodeTable,
    _ coerced: @escaping (PropertyList) throws(PropertyListError) -> PropertyList
  ) {
    self.document = document
    self.coerced = coerced
    nodes = table.nodes
    places = table.root..<nodes.count
  }

  /// The next value of the document, or the next key.
  @inline(__always)
  private mutating func take() throws(PropertyListError) -> FlatNode {
    guard let place = places.first else { throw Self.difference }
    places = place + 1..<places.upperBound
    return nodes[place]
  }

  /// Compares the next value of the document.
  ///
  /// - Parameter value: the one that it is to be, if another look is needed.
  @inline(__always)
  private mutating func compare(
    _ kind: NodeKind, _ payload: UInt64, _ value: @autoclosure () -> PropertyList
  ) throws(PropertyListError) {
    let node = try take()
    guard node.kind == kind, node.payload == payload else { return try compareLast(value()) }
  }

  /// Compares the value that was taken last with what becomes of one in this format.
  private func compareLast(_ value: PropertyList) throws(PropertyListError) {
    let place = places.lowerBound - 1
    let node = PropertyListDocument.Node(document: document, index: place, flat: nodes[place])
    guard try coerced(value) == PropertyList(node) else { throw Self.difference }
  }

  mutating func null() throws(PropertyListError) { try compare(.null, 0, .null) }

  mutating func boolean(_ value: Bool) throws(PropertyListError) {
    try compare(.boolean, value ? 1 : 0, .boolean(value))
  }

  mutating func integer(_ value: PropertyList.Integer) throws(PropertyListError) {
    let node = FlatNode.integer(value)
    try compare(node.kind, node.payload, .integer(value))
  }

  mutating func real(_ value: Double) throws(PropertyListError) {
    try compare(.real, value.bitPattern, .real(value))
  }

  mutating func float(_ value: Float) throws(PropertyListError) {
    try compare(.float, UInt64(value.bitPattern), .float(value))
  }

  mutating func date(_ seconds: Double) throws(PropertyListError) {
    try compare(.date, seconds.bitPattern, .date(Date(timeIntervalSinceReferenceDate: seconds)))
  }

  mutating func uid(_ value: UInt32) throws(PropertyListError) {
    try compare(.uid, UInt64(value), .uid(PropertyList.UID(value)))
  }

  mutating func string(_ utf8: RawSpan) throws(PropertyListError) {
    let node = try take()
    guard node.kind == .string, try has(utf8, node) else {
      return try compareLast(.string(String(knownUTF8: utf8, isASCII: false)))
    }
  }

  mutating func data(_ bytes: RawSpan) throws(PropertyListError) {
    let node = try take()
    if node.kind == .data {
      if node.encoding == .verbatim, node.length == bytes.byteCount,
        document.bytes.extracting(node.offset..<node.offset + bytes.byteCount).hasSameBytes(as: bytes)
      {
        return
      }
      let document = document
      scratch.removeAll(keepingCapacity: true)
      NodeContent.appendData(node, in: document.bytes, to: &scratch)
      if scratchHasBytes(bytes) { return }
    }
    try compareLast(.data(Data(Array(bytes, 0..<bytes.byteCount))))
  }

  mutating func key(_ utf8: RawSpan) throws(PropertyListError) {
    let node = try take()
    guard try has(utf8, node) else { throw Self.difference }
  }

  /// Whether a string of the document has a text.
  private mutating func has(_ utf8: RawSpan, _ node: FlatNode) throws(PropertyListError) -> Bool {
    if node.encoding == .verbatim {
      return node.length == utf8.byteCount
        && document.bytes.extracting(node.offset..<node.offset + node.length).hasSameBytes(as: utf8)
    }
    let document = document
    scratch.removeAll(keepingCapacity: true)
    try NodeContent.appendText(node, in: document.bytes, to: &scratch)
    return scratchHasBytes(utf8)
  }

  private func scratchHasBytes(_ bytes: RawSpan) -> Bool {
    scratch.count == bytes.byteCount && bytes.hasSameBytes(as: scratch.rawBytes)
  }

  mutating func beginArray(count: Int) throws(PropertyListError) { try begin(.array, count) }

  mutating func beginDictionary(count: Int) throws(PropertyListError) { try begin(.dictionary, count) }

  private mutating func begin(_ kind: NodeKind, _ count: Int) throws(PropertyListError) {
    let node = try take()
    guard node.kind == kind, node.count == count else { throw Self.difference }
    outer.append(places)
    places = node.offset..<node.offset + (kind == .dictionary ? 2 * count : count)
  }

  mutating func endArray() throws(PropertyListError) { try end() }
  mutating func endDictionary() throws(PropertyListError) { try end() }

  private mutating func end() throws(PropertyListError) {
    guard let next = outer.popLast() else { throw Self.difference }
    places = next
  }
}
