/// A traversal of all values of a document, in the order of the file. Each container precedes its children.
package struct NodeWalk {
  package typealias Component = PropertyListKeyPath.Component

  /// The containers on the path to the current value, and the position of the next child of each.
  private var open: [(node: PropertyListDocument.Node, next: Int)] = []
  /// The path to the current value.
  package private(set) var path: [Component] = []
  private var isBegun = false
  private let root: PropertyListDocument.Node
  /// The number of values that may still be visited, because shared references can expand to a huge number.
  private var budget: WorkBudget

  package init(_ root: PropertyListDocument.Node) {
    self.root = root
    budget = WorkBudget(root.document.expandedSizeLimit)
  }

  /// Returns the next value and updates ``path``. Returns nil after the last one. Throws the errors of a binary
  /// document, and ``PropertyListError/Kind/limitExceeded``.
  package mutating func next() throws(PropertyListError) -> PropertyListDocument.Node? {
    guard isBegun else {
      isBegun = true
      if root.count > 0 { open.append((root, 0)) }
      return root
    }
    // If the last component of the path leads to an open container, the path has one component less than there are open
    // containers. Otherwise, the two numbers are equal, and the component is removed.
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

  /// Skips the values in the current value.
  package mutating func skipChildren() {
    if path.count < open.count { open.removeLast() }
  }
}
