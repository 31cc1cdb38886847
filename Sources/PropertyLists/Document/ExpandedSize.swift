/// A counter of the size of a binary document with all shared references expanded, without expanding them. It counts
/// like a writer: for each value, one plus its nesting level, and the bytes of keys, strings and data.
private struct ExpandedSize: ~Copyable {
  private let layout: BinaryLayout
  /// The maximum size. Counting stops above it.
  private let limit: Int
  /// For each container, the number of references to it: 0, 1, or 2 for more.
  private var references: [UInt8]
  /// The sizes of the visited containers that are referenced more than once, by object index.
  private var known: [Int: Size] = [:]
  private var frames: [Frame] = []

  struct Size {
    /// The number of values.
    var values = 1
    /// The size that the value would have as the root of a document. Within another value, it counts more, because each
    /// value in it is one level deeper: see ``add(_:)``.
    var total = 1

    /// Adds the size of a child. The values in the child are one level deeper in the outer value, so their number is
    /// added, too.
    mutating func add(_ child: Size) {
      values += child.values
      total += child.total + child.values
    }
  }

  private struct Frame {
    let object: Int
    let node: FlatNode
    var next = 0
    var size: Size
  }

  init(_ layout: BinaryLayout, limit: Int) {
    self.layout = layout
    self.limit = limit
    references = Array(repeating: 0, count: layout.objectCount)
  }

  /// Throws ``PropertyListError/Kind/limitExceeded`` if the size of the root exceeds the limit. Visits each container
  /// once. The document must have passed ``PropertyListDocument/validate()``, so that no container contains itself.
  mutating func check(_ root: Int, in bytes: RawSpan) throws(PropertyListError) {
    try countReferences(root, in: bytes)
    var finished = try visit(root, in: bytes)
    while let last = frames.indices.last {
      if let child = finished { frames[last].size.add(child) }
      finished = nil
      guard frames[last].size.total <= limit else { throw ParsingLimits.expandsTooFar(limit: limit) }
      let frame = frames[last]
      if frame.next < frame.node.count {
        frames[last].next += 1
        finished = try visit(layout.value(frame.next, of: frame.node, in: bytes), in: bytes)
      } else {
        frames.removeLast()
        finished = frame.size
        if references[frame.object] > 1 { known[frame.object] = frame.size }
      }
    }
  }

  private mutating func countReferences(_ root: Int, in bytes: RawSpan) throws(PropertyListError) {
    var pending = [root]
    while let object = pending.popLast() {
      let node = try layout.node(at: object, in: bytes)
      guard node.kind.isContainer else { continue }
      if references[object] < 2 { references[object] += 1 }
      guard references[object] == 1 else { continue }
      for position in 0..<node.count { pending.append(try layout.value(position, of: node, in: bytes)) }
    }
  }

  /// Returns the size of a scalar, or of a container whose size is known. Returns nil for any other container, and
  /// makes it the innermost one, so that its children are visited next.
  private mutating func visit(_ object: Int, in bytes: RawSpan) throws(PropertyListError) -> Size? {
    let node = try layout.node(at: object, in: bytes)
    var size = Size()
    switch node.kind {
    case .string, .data: size.total += node.length
    case .array, .dictionary:
      if let size = known[object] { return size }
      size.total += node.count
      if node.kind == .dictionary {
        for entry in 0..<node.count {
          size.total += 1 + (try layout.key(entry, of: node, in: bytes).length)
          guard size.total <= limit else { throw ParsingLimits.expandsTooFar(limit: limit) }
        }
      }
      frames.append(Frame(object: object, node: node, size: size))
      return nil
    default: break
    }
    return size
  }
}

extension PropertyListDocument {
  /// Checks the whole document as ``validate()`` does, and also that its expansion is small enough for writing it or
  /// creating a ``PropertyList``.
  ///
  /// - Throws: The errors of ``validate()``, and ``PropertyListError/Kind/limitExceeded``.
  /// - Complexity: O(*n*) in the length of a binary document; O(1) for text formats.
  package func validateWhole() throws(PropertyListError) {
    try validate()
    guard case .binary(let layout) = index else { return }
    // The limit ensures that two sizes can be added without overflow.
    var size = ExpandedSize(layout, limit: min(expandedSizeLimit, .max / 8))
    try size.check(rootIndex, in: bytes)
  }
}
