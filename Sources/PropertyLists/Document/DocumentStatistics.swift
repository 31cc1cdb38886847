/// What a document is made of, in figures.
package struct DocumentStatistics: Sendable {
  /// How many values of each kind there are, each counted wherever it stands, keys aside.
  package private(set) var counts: [PropertyList.Kind: Int] = [:]
  /// How many levels of containers there are.
  package private(set) var depth = 0
  /// How many entries the dictionaries have.
  package private(set) var keyCount = 0
  /// How many bytes the keys have in UTF-8, together.
  package private(set) var keyByteCount = 0
  /// How many bytes the strings have in UTF-8, keys aside, together.
  package private(set) var stringByteCount = 0
  /// How many bytes the data has, together.
  package private(set) var dataByteCount = 0
  /// The largest strings and data, the largest first.
  package private(set) var largest: [Large] = []
  /// Of a binary document: its object table.
  package fileprivate(set) var objects: Objects?

  /// A string or data.
  package struct Large: Sendable {
    package let path: PropertyListKeyPath
    package let kind: PropertyList.Kind
    package let byteCount: Int
  }

  /// The object table of a binary document.
  package struct Objects: Sendable {
    /// How many objects there are.
    package private(set) var count = 0
    /// How many of them more than one reference leads to.
    package private(set) var sharedCount = 0
    /// How many of them no reference leads to.
    package private(set) var unreferencedCount = 0

    fileprivate init(references: [Int]) {
      count = references.count
      sharedCount = references.count { $0 > 1 }
      unreferencedCount = references.count { $0 == 0 }
    }
  }
}

extension PropertyListDocument {
  /// Counts what is in the document.
  ///
  /// - Parameter largest: how many of the largest values are told.
  /// - Throws: what is wrong with a binary document, or ``PropertyListError/Kind/limitExceeded`` if shared references
  ///   expand too far.
  /// - Complexity: O(*n*) in the size of the value.
  package func statistics(largest: Int) throws(PropertyListError) -> DocumentStatistics {
    try validate()
    var statistics = DocumentStatistics()
    try statistics.count(root, largest: largest)
    if case .binary(let layout) = index { statistics.objects = .init(references: try references(layout)) }
    return statistics
  }

  /// How many references lead to each object.
  private func references(_ layout: BinaryLayout) throws(PropertyListError) -> [Int] {
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

extension DocumentStatistics {
  /// Counts all below a value, whose document has been checked.
  fileprivate mutating func count(
    _ root: PropertyListDocument.Node, largest limit: Int
  ) throws(PropertyListError) {
    var walk = NodeWalk(root)
    while let node = try walk.next() {
      counts[node.kind, default: 0] += 1
      if case .key(let key)? = walk.path.last {
        keyCount += 1
        keyByteCount += key.utf8.count
      }
      switch node.kind {
      case .string:
        let byteCount = try node.string?.utf8.count ?? 0
        stringByteCount += byteCount
        note(walk.path, node.kind, byteCount, limit)
      case .data:
        let byteCount = node.data?.count ?? 0
        dataByteCount += byteCount
        note(walk.path, node.kind, byteCount, limit)
      case .array, .dictionary: depth = max(depth, walk.path.count + 1)
      default: break
      }
    }
  }

  private mutating func note(
    _ path: [PropertyListKeyPath.Component], _ kind: PropertyList.Kind, _ byteCount: Int, _ limit: Int
  ) {
    guard largest.count < limit || byteCount > largest.last?.byteCount ?? .max else { return }
    let place = largest.firstIndex { $0.byteCount < byteCount } ?? largest.count
    largest.insert(Large(path: PropertyListKeyPath(path), kind: kind, byteCount: byteCount), at: place)
    if largest.count > limit { largest.removeLast() }
  }
}
