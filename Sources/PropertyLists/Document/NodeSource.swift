/// The source of the nodes of a document: the objects of a binary file, or a node table.
protocol NodeSource {
  /// Returns the node at an index. Throws only for an invalid object of a binary file.
  func node(at index: Int, in bytes: RawSpan) throws(PropertyListError) -> FlatNode

  /// Returns the index of the child of a container at a position. The children of a dictionary are its keys and values.
  func child(_ position: Int, of container: FlatNode, in bytes: RawSpan) throws(PropertyListError) -> Int

  /// Returns the position of an entry's key among the children of a dictionary.
  func keyPosition(_ entry: Int, of dictionary: FlatNode) -> Int

  /// Returns the position of an entry's value among the children of a dictionary.
  func valuePosition(_ entry: Int, of dictionary: FlatNode) -> Int

  /// Returns true if two dictionaries with the same number of entries have the same keys in the same order. The
  /// comparison is fast but incomplete: it may return false although the keys are equal.
  func haveSameKeys(_ first: FlatNode, _ second: FlatNode, in bytes: RawSpan) -> Bool

  /// The number of nodes that several containers can reference, or 0 if each child has one parent.
  var sharedNodeCount: Int { get }
}

extension BinaryLayout: NodeSource {
  @inline(__always)
  func child(_ position: Int, of container: FlatNode, in bytes: RawSpan) throws(PropertyListError) -> Int {
    try reference(at: container.offset + position * referenceWidth, in: bytes)
  }

  @inline(__always)
  func keyPosition(_ entry: Int, of dictionary: FlatNode) -> Int { entry }

  @inline(__always)
  func valuePosition(_ entry: Int, of dictionary: FlatNode) -> Int { dictionary.count + entry }

  /// Compares references instead of text, because writers normally store equal keys as one object.
  @inline(__always)
  func haveSameKeys(_ first: FlatNode, _ second: FlatNode, in bytes: RawSpan) -> Bool {
    bytes.equalBytes(first.offset, second.offset, count: first.count * referenceWidth)
  }

  var sharedNodeCount: Int { objectCount }
}

extension NodeTable: NodeSource {
  @inline(__always)
  func node(at index: Int, in bytes: RawSpan) throws(PropertyListError) -> FlatNode { nodes[index] }

  @inline(__always)
  func child(_ position: Int, of container: FlatNode, in bytes: RawSpan) throws(PropertyListError) -> Int {
    container.offset + position
  }

  @inline(__always)
  func keyPosition(_ entry: Int, of dictionary: FlatNode) -> Int { 2 * entry }

  @inline(__always)
  func valuePosition(_ entry: Int, of dictionary: FlatNode) -> Int { 2 * entry + 1 }

  @inline(__always)
  func haveSameKeys(_ first: FlatNode, _ second: FlatNode, in bytes: RawSpan) -> Bool {
    for entry in 0..<first.count {
      let key = nodes[first.offset + 2 * entry]
      let other = nodes[second.offset + 2 * entry]
      if key == other { continue }
      guard key.length == other.length, key.encoding == other.encoding,
        bytes.equalBytes(key.offset, other.offset, count: key.length)
      else { return false }
    }
    return true
  }

  var sharedNodeCount: Int { 0 }
}

extension NodeSource {
  /// Returns the index of an element, or of the value of an entry.
  @inline(__always)
  func value(_ position: Int, of container: FlatNode, in bytes: RawSpan) throws(PropertyListError) -> Int {
    try child(container.kind == .array ? position : valuePosition(position, of: container), of: container, in: bytes)
  }

  /// Returns the key of an entry. Throws if it is not a string.
  @inline(__always)
  func key(_ entry: Int, of dictionary: FlatNode, in bytes: RawSpan) throws(PropertyListError) -> FlatNode {
    let index = try child(keyPosition(entry, of: dictionary), of: dictionary, in: bytes)
    let key = try node(at: index, in: bytes)
    guard key.kind == .string else { throw keyIsNoString(index, in: bytes) }
    return key
  }

  /// Returns the path component that leads to an element or an entry of a container, or nil if the key cannot be read.
  func step(to position: Int, of container: FlatNode, in bytes: RawSpan) -> PropertyListKeyPath.Component? {
    guard container.kind == .dictionary else { return .index(position) }
    let key = try? key(position, of: container, in: bytes)
    return key.flatMap { try? NodeContent.string($0, in: bytes) }.map { .key($0) }
  }

  private func keyIsNoString(_ index: Int, in bytes: RawSpan) -> PropertyListError {
    var error = PropertyListError(.malformed, "a dictionary key is not a string")
    if let layout = self as? BinaryLayout { error.byteOffset = try? layout.offset(of: index, in: bytes) }
    return error
  }
}
