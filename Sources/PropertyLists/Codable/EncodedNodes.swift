internal import FoundationEssentials

/// A builder of a node table (see ``NodeTable``) and its text. Containers can be added in any order.
struct EncodedNodes: ~Copyable {
  private var nodes: [FlatNode] = []
  /// The text of all strings, and all data, concatenated.
  private var text = ByteBuffer()
  private var keys = EncodedKeys()

  init() {}

  /// Returns the nodes and their text, in the form that the readers of text formats return.
  consuming func finish(root: FlatNode) -> TextContent {
    nodes.append(root)
    return TextContent(text: text.takeData(), table: NodeTable(nodes: nodes))
  }

  /// Adds a string and returns its node.
  ///
  /// - Parameter utf8: Valid UTF-8.
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

  /// Adds a dictionary key and returns its node.
  ///
  /// - Parameter last: The index of the preceding key, which is replaced with the index of this key; see
  ///   ``EncodedKeys``.
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

  /// Returns the bytes of a string or data.
  @inline(__always) @_lifetime(borrow self)
  func bytes(of node: FlatNode) -> RawSpan { text.bytes.extracting(node.range) }

  /// Returns the children of a container, including keys.
  func children(of container: FlatNode) -> ArraySlice<FlatNode> {
    let count = container.kind == .dictionary ? 2 * container.count : container.count
    return nodes[container.offset..<container.offset + count]
  }

  /// Adds a dictionary. If a key occurs more than once, the dictionary has its last value, at the position of the
  /// first.
  ///
  /// - Parameters:
  ///   - children: Keys and values in turn.
  ///   - lastKey: The index of the last key in ``EncodedKeys``.
  mutating func dictionary(_ children: [FlatNode], lastKey: Int) -> FlatNode {
    if children.count < 4 || keys.areDistinct(lastKey) { return container(.dictionary, children[...]) }
    return container(.dictionary, withoutDuplicates(children)[...])
  }

  /// Adds a container.
  ///
  /// - Parameter children: The elements, or distinct keys and values in turn.
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
      // Distinct keys are numbered in the order of their first occurrence. So the number of a key is the index of its
      // entry in `distinct`.
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

  // Functions that sort set elements and dictionary entries by value, because the order of Swift's sets and
  // dictionaries differs from process to process.

  /// Returns values in ascending order: by kind, then numbers by value, and strings by UTF-16 code units. Each group of
  /// `groupSize` values, such as a key and its value, stays together.
  func sorted(_ values: [FlatNode], groupSize: Int) -> [FlatNode] {
    let groups = stride(from: 0, through: values.count - groupSize, by: groupSize)
    return groups.sorted { precedes(values[$0..<$0 + groupSize], values[$1..<$1 + groupSize]) }
      .flatMap { values[$0..<$0 + groupSize] }
  }

  /// Returns true if one group of values sorts before another. Does not recurse.
  private func precedes(_ first: ArraySlice<FlatNode>, _ second: ArraySlice<FlatNode>) -> Bool {
    let order = compare(first[first.startIndex], second[second.startIndex])
    if order != 0 { return order < 0 }
    // A stack of the pairs to compare. The next pair is the last one.
    var pairs = Array(zip(first, second).reversed())
    while let (a, b) = pairs.popLast() {
      let order = compare(a, b)
      if order != 0 { return order < 0 }
      guard a.kind.isContainer else { continue }
      pairs += zip(children(of: a), children(of: b)).reversed()
    }
    return false
  }

  /// Returns a negative number, 0 or a positive number if the first value sorts before, equal to or after the second.
  /// Containers are compared only by their count.
  private func compare(_ first: FlatNode, _ second: FlatNode) -> Int {
    guard first.kind == second.kind else { return Int(first.kind.rawValue) - Int(second.kind.rawValue) }
    switch first.kind {
    case .null: return 0
    case .boolean, .unsignedInteger, .uid: return order(first.payload, second.payload)
    case .integer: return order(Int64(bitPattern: first.payload), Int64(bitPattern: second.payload))
    case .real, .date:
      if first.payload == second.payload { return 0 }
      return first.real.isTotallyOrdered(belowOrEqualTo: second.real) ? -1 : 1
    case .float:
      if first.payload == second.payload { return 0 }
      return first.float.isTotallyOrdered(belowOrEqualTo: second.float) ? -1 : 1
    case .string, .data: return KeyOrder.compare(bytes(of: first), bytes(of: second))
    case .array, .dictionary: return order(first.count, second.count)
    }
  }

  private func order<T: Comparable>(_ first: T, _ second: T) -> Int { first < second ? -1 : first == second ? 0 : 1 }
}

/// A collection whose order depends on hashing, and therefore differs from process to process.
package protocol HashedCollection {
  /// The number of values that one element of the collection encodes into an unkeyed container.
  static var valuesPerElement: Int { get }
}

extension Set: HashedCollection {
  package static var valuesPerElement: Int { 1 }
}

extension Dictionary: HashedCollection {
  package static var valuesPerElement: Int { 2 }
}
