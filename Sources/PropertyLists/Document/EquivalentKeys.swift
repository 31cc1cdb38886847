extension PropertyListDocument {
  /// Keys of one dictionary that are canonically equivalent in Unicode, and so one to Swift, but not the same bytes.
  /// - Returns: at most `limit` errors of kind ``PropertyListError/Kind/duplicateKey``, in the order of the document.
  /// - Complexity: O(*n*) in the size of the document, which has passed ``validate()``.
  package func equivalentKeys(limit: Int) -> [PropertyListError] {
    var found: [PropertyListError] = []
    var walk = NodeWalk(root)
    // Several containers can refer to one.
    var visited: Set<Int> = []
    do throws(PropertyListError) {
      while found.count < limit, let node = try walk.next() {
        guard node.flat.kind.isContainer else { continue }
        guard visited.insert(node.index).inserted else {
          walk.skipChildren()
          continue
        }
        guard node.flat.kind == .dictionary else { continue }
        for (key, former) in try equivalentKeys(of: node.flat) {
          found.append(.duplicateKey(key, former).below(walk.path))
        }
      }
      return found
    } catch {
      return []
    }
  }

  private func equivalentKeys(of dictionary: FlatNode) throws(PropertyListError) -> [(key: String, former: String)] {
    var keys: Set<String> = []
    var pairs: [(key: String, former: String)] = []
    for entry in 0..<dictionary.count {
      let node = try keyNode(ofEntry: entry, of: dictionary)
      guard node.encoding != .ascii else { continue }
      let key = try text(of: node)
      // Nothing is equivalent to ASCII but itself.
      guard !key.utf8.allSatisfy({ $0 < 0x80 }) else { continue }
      let (isNew, former) = keys.insert(key)
      if !isNew { pairs.append((key, former)) }
    }
    return pairs
  }
}
