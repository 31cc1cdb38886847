extension PropertyListDocument {
  /// The number of references that lead to each object of a binary document; nil for the text formats.
  ///
  /// - Throws: what is wrong with the document.
  /// - Complexity: O(*n*) in the number of references.
  package func referenceCounts() throws(PropertyListError) -> [Int]? {
    guard case .binary(let layout) = index else { return nil }
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
