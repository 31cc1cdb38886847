/// Goes through all values of a document, each container before what is in it, in the order of the file.
package struct NodeWalk {
  package typealias Component = PropertyListKeyPath.Component

  /// The containers on the way to the current value, and the next child of each.
  private var open: [(node: PropertyListDocument.Node, next: Int)] = []
  /// The way to the current value.
  package private(set) var path: [Component] = []
  private var isBegun = false
  private let root: PropertyListDocument.Node
  /// How many values may still come, since shared references can stand for more than anybody waits for.
  private var budget: WorkBudget

  package init(_ root: PropertyListDocument.Node) {
    self.root = root
    budget = WorkBudget(root.document.expandedSizeLimit)
  }

  /// The next value, whose path is ``path`` then; nil after the last. Throws what is wrong with a binary document, and
  /// ``PropertyListError/Kind/limitExceeded``.
  package mutating func next() throws(PropertyListError) -> PropertyListDocument.Node? {
    guard isBegun else {
      isBegun = true
      if root.count > 0 { open.append((root, 0)) }
      return root
    }
    // The path has one component more than containers are open, if the last value was none that was opened.
    while let (container, position) = open.last {
      if path.count == open.count { path.removeLast() }
      guard position < container.count else {
        open.removeLast()
        continue
      }
      open[open.count - 1].next += 1
      guard budget.spend(1) else {
        throw PropertyListError(
          .limitExceeded, "shared references expand to too many values", keyPath: PropertyListKeyPath(path))
      }
      let child: PropertyListDocument.Node
      if container.kind == .array {
        path.append(.index(position))
        child = try container.child(at: position)
      } else {
        let entry = try container.entry(at: position)
        path.append(.key(entry.key))
        child = entry.value
      }
      if child.count > 0 { open.append((child, 0)) }
      return child
    }
    return nil
  }

  /// Leaves out what is in the current value.
  package mutating func skipChildren() {
    if path.count < open.count { open.removeLast() }
  }
}
