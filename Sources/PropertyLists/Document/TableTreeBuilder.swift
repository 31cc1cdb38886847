private import FoundationEssentials
private import OrderedCollections

/// Builds the tree of a document of a text format.
struct TableTreeBuilder: ~Copyable {
  private let table: NodeTable
  private var keySets = KeySets()

  init(_ table: NodeTable) { self.table = table }

  /// Recursion is bounded by the depth limit the document was read with.
  mutating func value(_ node: FlatNode, in bytes: RawSpan) throws(PropertyListError) -> PropertyList {
    switch node.kind {
    case .string: return .string(NodeContent.text(node, in: bytes))
    case .array:
      var elements: [PropertyList] = []
      elements.reserveCapacity(node.count)
      for position in 0..<node.count {
        do throws(PropertyListError) {
          elements.append(try value(table.nodes[node.offset + position], in: bytes))
        } catch {
          throw error.below(.index(position))
        }
      }
      return .array(elements)
    case .dictionary:
      return try KeySets.dictionary(keys(of: node, in: bytes)) { (entry) throws(PropertyListError) in
        try value(table.nodes[node.offset + 2 * entry + 1], in: bytes)
      }
    default: return PropertyList(scalar: node, in: bytes)
    }
  }

  private mutating func keys(of node: FlatNode, in bytes: RawSpan) throws(PropertyListError) -> KeySets.KeySet {
    guard node.count > 0 else { return [:] }
    let first = table.nodes[node.offset]
    let last = table.nodes[node.offset + 2 * node.count - 2]
    let hash = KeySets.hash(node.count, UInt64(first.length), UInt64(last.length))
    if let (place, keys) = keySets.candidate(hash, count: node.count),
      haveSameKeys(place, node.offset, count: node.count, in: bytes)
    {
      return keys
    }
    var keys = KeySets.KeySet(minimumCapacity: node.count)
    for entry in 0..<node.count {
      let key = table.nodes[node.offset + 2 * entry]
      let text = NodeContent.text(key, in: bytes)
      guard keys.updateValue(entry, forKey: text) == nil else { throw KeySets.duplicate(text, at: key.offset) }
    }
    keySets.store(keys, at: node.offset, hash)
    return keys
  }

  private func haveSameKeys(_ first: Int, _ second: Int, count: Int, in bytes: RawSpan) -> Bool {
    for entry in 0..<count {
      let key = table.nodes[first + 2 * entry]
      let other = table.nodes[second + 2 * entry]
      guard key.length == other.length, key.encoding == other.encoding,
        bytes.equalBytes(key.offset, other.offset, count: key.length)
      else { return false }
    }
    return true
  }
}

extension PropertyList {
  /// The value of a node that is no container and no string.
  @inline(__always)
  init(scalar node: FlatNode, in bytes: RawSpan) {
    switch node.kind {
    case .boolean: self = .boolean(node.boolean)
    case .integer, .unsignedInteger: self = .integer(node.integer)
    case .real: self = .real(node.real)
    case .float: self = .float(node.float)
    case .date: self = .date(Date(timeIntervalSinceReferenceDate: node.real))
    case .uid: self = .uid(UID(node.uid))
    case .data: self = .data(NodeContent.data(node, in: bytes))
    case .null, .string, .array, .dictionary: self = .null
    }
  }
}
