internal import FoundationEssentials
private import OrderedCollections

/// The nodes of a document in a text format. The children of a container are adjacent and precede it; the root is last.
/// The children of a dictionary are key, value, key, value, and so on.
struct NodeTable: Sendable {
  fileprivate(set) var nodes: [FlatNode] = []

  init(nodes: [FlatNode] = []) { self.nodes = nodes }

  var root: Int { nodes.count - 1 }
}

/// The result of reading a text format: the node table of the values, and the text that it refers to.
struct TextContent {
  /// The text in UTF-8, and the bytes of data. The offsets of strings and data in the table refer to it.
  let text: Data
  let table: NodeTable
}

/// A builder that creates a node table from the values in the order of the text. The children of an open container are
/// kept on a stack and are moved to the table together when it is closed. They are then adjacent, so that a child can
/// be found by its index in one step.
struct NodeTableBuilder: ~Copyable {
  /// An open container.
  struct Frame {
    let kind: NodeKind
    /// The index in ``pending`` of the container's first child.
    let start: Int
  }

  /// The open containers, the outermost first.
  private(set) var frames: [Frame] = []
  /// The stack: the keys and values of the open containers, and finally the root.
  private(set) var pending: [FlatNode] = []
  private var table = NodeTable()
  /// Recently closed dictionaries, by the number of their keys modulo 16. `first` is the index of the first key in the
  /// table, `count` the number of keys.
  private var shapes = [(first: Int, count: Int)](repeating: (0, 0), count: 16)
  private var keyIndex = KeyIndex()
  /// The keys of the last path that was requested, so that the next path can share their strings.
  private var pathKeys: [FlatNode: String] = [:]
  let options: PropertyListReadingOptions

  init(options: PropertyListReadingOptions, expectedNodes: Int) {
    self.options = options
    pending.reserveCapacity(256)
    table.nodes.makeRoom(for: expectedNodes)
  }

  /// The number of open containers.
  var depth: Int { frames.count }

  /// True if the next value must be a key.
  var expectsKey: Bool {
    guard let frame = frames.last, frame.kind == .dictionary else { return false }
    return (pending.count - frame.start) & 1 == 0
  }

  @inline(__always)
  mutating func append(_ node: FlatNode) { pending.append(node) }

  /// Opens a container. The caller has checked the depth.
  mutating func open(_ kind: NodeKind) { frames.append(Frame(kind: kind, start: pending.count)) }

  /// Finds the duplicate keys of the innermost container, and keeps only the last entry of each. The last key of the
  /// container must have a value.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that the offsets of the strings refer to.
  ///   - defects: The log that will receive the errors. If it has room for one only, the search stops at the first
  ///     duplicate key that is an error.
  /// - Returns: The duplicate keys if the options reject them, else an empty array. The indexes are those in
  ///   ``pending`` before entries were removed.
  /// - Complexity: O(1) for an array; O(*n*) in the keys of a dictionary.
  mutating func resolveDuplicates(in bytes: RawSpan, _ defects: DefectLog) -> [(index: Int, key: FlatNode)] {
    guard let frame = frames.last, !hasKnownKeys(in: bytes) else { return [] }
    let isError = options.duplicateKeys == .reject
    let limit = isError && defects.limit == 1 ? 1 : Int.max
    let duplicates = duplicates(from: frame.start, limit: limit, in: bytes).map { ($0, pending[$0]) }
    if duplicates.isEmpty || limit == 1 { return duplicates }
    dropDuplicates(in: bytes)
    return isError ? duplicates : []
  }

  /// Returns true if the keys of the innermost container are known to be distinct, or if it has fewer than two.
  @inline(__always)
  func hasKnownKeys(in bytes: RawSpan) -> Bool {
    guard let frame = frames.last, frame.kind == .dictionary else { return true }
    let count = (pending.count - frame.start) / 2
    return count < 2 || hasKnownShape(from: frame.start, count: count, in: bytes)
  }

  /// Closes the innermost container, whose keys are distinct. A dictionary that represents a UID is replaced by the
  /// UID.
  mutating func close(in bytes: RawSpan) {
    if let uid = uidDictionary(in: bytes) { close(as: uid) } else { close() }
  }

  /// Closes the innermost container, whose keys are distinct.
  mutating func close() {
    guard let frame = frames.popLast() else { return }
    let childCount = pending.count - frame.start
    let count = frame.kind == .dictionary ? childCount / 2 : childCount
    let first = table.nodes.count
    table.nodes.makeRoom(for: childCount)
    table.nodes.append(contentsOf: pending[frame.start...])
    pending.removeLast(childCount)
    if frame.kind == .dictionary { shapes[count & 15] = (first, count) }
    pending.append(.container(frame.kind, offset: first, count: count))
  }

  /// Closes the innermost container and replaces it by a node: the value that it represents, such as a UID.
  mutating func close(as node: FlatNode) {
    guard let frame = frames.popLast() else { return }
    pending.removeLast(pending.count - frame.start)
    pending.append(node)
  }

  /// The entry of the innermost container, if that is a dictionary with one entry; else nil.
  var onlyEntry: (key: FlatNode, value: FlatNode)? {
    guard let frame = frames.last, frame.kind == .dictionary, pending.count - frame.start == 2 else { return nil }
    return (pending[frame.start], pending[frame.start + 1])
  }

  /// Replaces the key of the only entry of the innermost container.
  mutating func replaceOnlyKey(with key: FlatNode) {
    guard onlyEntry != nil else { return }
    pending[pending.count - 2] = key
  }

  /// Returns the table. The root value must be complete.
  mutating func finish() -> NodeTable {
    table.nodes.append(contentsOf: pending)
    return table
  }

  /// Returns the path of the next value. Consecutive paths share the strings of their keys.
  mutating func currentPath(in bytes: RawSpan) -> PropertyListKeyPath {
    var path = PropertyListKeyPath()
    var keys: [FlatNode: String] = [:]
    for (depth, frame) in frames.enumerated() {
      let end = depth + 1 < frames.count ? frames[depth + 1].start : pending.count
      let children = end - frame.start
      if frame.kind == .array {
        path.components.append(.index(children))
      } else if children & 1 == 1, pending[end - 1].kind == .string {
        let node = pending[end - 1]
        let key = pathKeys[node] ?? NodeContent.text(node, in: bytes)
        keys[node] = key
        path.components.append(.key(key))
      }
    }
    pathKeys = keys
    return path
  }

  /// Returns an error with a position and with the path of the next value.
  mutating func failure(
    _ message: String, _ kind: PropertyListError.Kind = .malformed, at position: TextSource.Position, in bytes: RawSpan
  ) -> PropertyListError {
    let path = currentPath(in: bytes)
    return PropertyListError(
      kind, message.printable(limit: 300), byteOffset: position.byteOffset, position: position.position,
      keyPath: path.components.isEmpty ? nil : path)
  }

  /// Returns the UID that the innermost container represents. Returns nil if it does not represent a UID, or if the
  /// options do not allow dictionaries to represent UIDs.
  private func uidDictionary(in bytes: RawSpan) -> FlatNode? {
    guard options.recognizesUIDDictionaries, let (key, value) = onlyEntry, value.kind == .integer else { return nil }
    let isUID =
      key.encoding.hasEscapes
      ? NodeContent.text(key, in: bytes) == "CF$UID"
      : key.length == 6 && bytes.starts(with: "CF$UID", at: key.offset)
    guard isUID, let uid = UInt32(exactly: value.integer) else { return nil }
    return .uid(uid)
  }

  /// Returns true if the keys that begin at an index in ``pending`` equal the keys of a recently closed dictionary, in
  /// the same order. The keys are then known to be distinct.
  private func hasKnownShape(from start: Int, count: Int, in bytes: RawSpan) -> Bool {
    let shape = shapes[count & 15]
    guard count == shape.count else { return false }
    var index = 0
    while index < 2 * count {
      let key = pending[start + index]
      let other = table.nodes[shape.first + index]
      guard key.length == other.length, bytes.equalBytes(key.offset, other.offset, count: key.length) else {
        return false
      }
      index += 2
    }
    return true
  }

  /// Returns the indexes in ``pending`` of repeated keys of the dictionary that begins at `start`: every occurrence of
  /// a key after the first.
  ///
  /// - Parameter limit: The maximum number of indexes to return.
  private mutating func duplicates(from start: Int, limit: Int, in bytes: RawSpan) -> [Int] {
    keyIndex.trim()
    keyIndex.beginDictionary()
    var duplicates: [Int] = []
    for index in stride(from: start, to: pending.count, by: 2) where !insert(pending[index], in: bytes) {
      duplicates.append(index)
      if duplicates.count == limit { break }
    }
    return duplicates
  }

  /// Adds a key to the current dictionary of ``keyIndex``. Returns false if the dictionary has it already.
  @inline(__always)
  private mutating func insert(_ key: FlatNode, in bytes: RawSpan) -> Bool {
    let number =
      if key.encoding.hasEscapes {
        // Compares the decoded text, because the same text can be encoded in several ways.
        keyIndex.number(of: Array(NodeContent.text(key, in: bytes).utf8).rawBytes)
      } else {
        keyIndex.number(of: bytes.extracting(key.range))
      }
    return keyIndex.insert(number)
  }

  /// Keeps the last entry of each key of the innermost dictionary.
  private mutating func dropDuplicates(in bytes: RawSpan) {
    guard let frame = frames.last, frame.kind == .dictionary else { return }
    var entries: OrderedDictionary<[UInt8], (FlatNode, FlatNode)> = [:]
    for index in stride(from: frame.start, to: pending.count, by: 2) {
      let text = Array(NodeContent.text(pending[index], in: bytes).utf8)
      entries[text] = (pending[index], pending[index + 1])
    }
    pending.removeLast(pending.count - frame.start)
    for (key, value) in entries.values {
      pending.append(key)
      pending.append(value)
    }
  }

  // Error recovery, so that a reader that lists defects can continue. A null stands in for an invalid key or value.

  /// Removes the last node.
  mutating func removeLast() { pending.removeLast() }

  /// Removes the entries of the innermost dictionary that have an invalid key: a null in the position of a key, or a
  /// string that `isKey` rejects. Also removes a last key without a value. Returns the previous indexes in ``pending``
  /// of the nodes that were kept, or nil if no node was removed.
  @discardableResult
  mutating func dropStandIns(isKey: (FlatNode) -> Bool = { _ in true }) -> [Int]? {
    guard let frame = frames.last, frame.kind == .dictionary else { return nil }
    let kept = (frame.start..<pending.count - (pending.count - frame.start) % 2).filter { index in
      let key = pending[index - ((index - frame.start) & 1)]
      return key.kind == .string && isKey(key)
    }
    guard kept.count < pending.count - frame.start else { return nil }
    let nodes = kept.map { pending[$0] }
    pending.removeLast(pending.count - frame.start)
    pending.append(contentsOf: nodes)
    return kept
  }

  /// Removes the entries whose keys are null, as ``dropStandIns(isKey:)`` does, and their offsets. `offsets` has one
  /// offset for each node of ``pending``.
  mutating func dropStandIns(offsets: inout [Int]) {
    guard let kept = dropStandIns() else { return }
    let start = pending.count - kept.count
    let keptOffsets = kept.map { offsets[$0] }
    offsets.removeLast(offsets.count - start)
    offsets.append(contentsOf: keptOffsets)
  }
}
