extension PropertyListDocument {
  /// Returns errors for keys of one dictionary that are canonically equivalent in Unicode, and therefore equal in
  /// Swift, but do not have the same bytes. The document must have passed ``validate()``.
  ///
  /// - Parameter limit: The maximum number of errors.
  /// - Returns: Errors of kind ``PropertyListError/Kind/duplicateKey``, in the order of the document.
  /// - Complexity: O(*n*) in the size of the document.
  package func equivalentKeys(limit: Int) -> [PropertyListError] {
    switch index {
    case .binary(let layout): EquivalentKeySearch(source: layout).found(from: rootIndex, limit: limit, in: bytes)
    case .table(let table): EquivalentKeySearch(source: table).found(from: rootIndex, limit: limit, in: bytes)
    }
  }
}

/// A search for keys of one dictionary that are canonically equivalent in Unicode but have different bytes. It visits
/// every container of a document once.
private struct EquivalentKeySearch<Source: NodeSource> {
  let source: Source

  private typealias Frame = (node: FlatNode, next: Int)

  func found(from root: Int, limit: Int, in bytes: RawSpan) -> [PropertyListError] {
    var found: [PropertyListError] = []
    var frames: [Frame] = []
    // Needed only for nodes that several containers can reference.
    var isVisited = Array(repeating: false, count: source.sharedNodeCount)
    var next = Optional(root)
    do {
      while found.count < limit {
        if let index = next {
          next = nil
          let node = try source.node(at: index, in: bytes)
          guard node.kind.isContainer else { continue }
          if index < isVisited.count {
            guard !isVisited[index] else { continue }
            isVisited[index] = true
          }
          if node.kind == .dictionary {
            for (key, former) in try pairs(node, in: bytes) {
              found.append(.duplicateKey(key, former).below(path(frames, in: bytes)))
            }
          }
          frames.append((node, 0))
        }
        guard let frame = frames.last else { break }
        guard frame.next < frame.node.count else {
          frames.removeLast()
          continue
        }
        frames[frames.count - 1].next += 1
        next = try source.value(frame.next, of: frame.node, in: bytes)
      }
    } catch {
      // Does not happen, because the document has been validated.
    }
    return found
  }

  private func pairs(
    _ dictionary: FlatNode, in bytes: RawSpan
  ) throws(PropertyListError) -> [(key: String, former: String)] {
    var keys: Set<String> = []
    var pairs: [(key: String, former: String)] = []
    for entry in 0..<dictionary.count {
      let node = try source.key(entry, of: dictionary, in: bytes)
      guard node.encoding != .ascii else { continue }
      let key = try NodeContent.string(node, in: bytes)
      // ASCII text is equivalent only to itself.
      guard !key.utf8.allSatisfy({ $0 < 0x80 }) else { continue }
      let (isNew, former) = keys.insert(key)
      if !isNew { pairs.append((key, former)) }
    }
    return pairs
  }

  private func path(_ frames: [Frame], in bytes: RawSpan) -> [PropertyListKeyPath.Component] {
    frames.compactMap { source.step(to: $0.next - 1, of: $0.node, in: bytes) }
  }
}
