internal import FoundationEssentials

extension PropertyListDocument {
  /// The keys that are one to Swift and to other readers that go by Unicode's canonical equivalence, though their
  /// characters differ: two in the same dictionary.
  ///
  /// - Parameter limit: how many are listed at most.
  /// - Returns: errors of kind ``PropertyListError/Kind/duplicateKey``, in the order of the document.
  /// - Complexity: O(*n*) in the size of the document, which has passed ``validate()``.
  package func equivalentKeys(limit: Int) -> [PropertyListError] {
    do throws(PropertyListError) {
      switch index {
      case .binary(let layout):
        var search = EquivalentKeySearch(layout, isVisited: Array(repeating: false, count: layout.objectCount))
        return try search.run(from: rootIndex, limit: limit, in: bytes)
      case .table(let table):
        var search = EquivalentKeySearch(table, isVisited: [])
        return try search.run(from: rootIndex, limit: limit, in: bytes)
      }
    } catch {
      return []
    }
  }
}

/// Visits every container once.
private struct EquivalentKeySearch<Source: NodeSource>: ~Copyable {
  private let source: Source
  /// The containers that were visited, where several can refer to one.
  private var isVisited: [Bool]
  private var found: [PropertyListError] = []

  private struct Frame {
    let node: FlatNode
    var next = 0
  }

  init(_ source: Source, isVisited: [Bool]) {
    self.source = source
    self.isVisited = isVisited
  }

  mutating func run(from root: Int, limit: Int, in bytes: RawSpan) throws(PropertyListError) -> [PropertyListError] {
    var frames: [Frame] = []
    try visit(root, &frames, in: bytes)
    while let frame = frames.last, found.count < limit {
      guard frame.next < frame.node.count else {
        frames.removeLast()
        continue
      }
      frames[frames.count - 1].next += 1
      let position =
        frame.node.kind == .array ? frame.next : source.valuePosition(frame.next, of: frame.node)
      try visit(source.child(position, of: frame.node, in: bytes), &frames, in: bytes)
    }
    return found
  }

  private mutating func visit(_ place: Int, _ frames: inout [Frame], in bytes: RawSpan) throws(PropertyListError) {
    let node = try source.node(at: place, in: bytes)
    guard node.kind.isContainer else { return }
    if place < isVisited.count {
      guard !isVisited[place] else { return }
      isVisited[place] = true
    }
    frames.append(Frame(node: node))
    guard node.kind == .dictionary else { return }
    var keys: Set<String> = []
    for entry in 0..<node.count {
      let keyNode = try source.key(entry, of: node, in: bytes)
      guard keyNode.encoding != .ascii else { continue }
      let key = try NodeContent.string(keyNode, in: bytes)
      // Nothing is equivalent to ASCII but itself.
      guard !key.utf8.allSatisfy({ $0 < 0x80 }) else { continue }
      let (isNew, former) = keys.insert(key)
      if !isNew {
        var error = KeySets.duplicate(key, former)
        error.keyPath = try path(frames, in: bytes)
        found.append(error)
      }
    }
  }

  /// The way to the innermost container.
  private func path(_ frames: [Frame], in bytes: RawSpan) throws(PropertyListError) -> PropertyListKeyPath {
    var path = PropertyListKeyPath()
    for frame in frames.dropLast() {
      if frame.node.kind == .array {
        path.components.append(.index(frame.next - 1))
      } else {
        path.components.append(
          .key(try NodeContent.string(source.key(frame.next - 1, of: frame.node, in: bytes), in: bytes)))
      }
    }
    return path
  }
}
