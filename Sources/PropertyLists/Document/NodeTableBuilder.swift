internal import FoundationEssentials
private import OrderedCollections

/// The nodes of a document of a text format: the children of a container side by side and before it, the root last. A
/// dictionary's children are key, value, key, value.
struct NodeTable: Sendable {
  fileprivate(set) var nodes: [FlatNode] = []

  init(nodes: [FlatNode] = []) { self.nodes = nodes }

  var root: Int { nodes.count - 1 }
}

/// What a reader of a text format makes.
struct TextContent {
  /// UTF-8; what the offsets of the table refer to.
  let text: Data
  let table: NodeTable
}

/// Builds a node table out of the values in the order of the text.
/// The children of an open container wait on a stack and move into the table in one piece when it is closed, so that
/// finding a child by its index takes one step.
struct NodeTableBuilder: ~Copyable {
  /// A container that is still open.
  struct Frame {
    let kind: NodeKind
    /// Where its children begin in ``pending``.
    let start: Int
  }

  private(set) var frames: [Frame] = []
  private(set) var pending: [FlatNode] = []
  private var table = NodeTable()
  /// Where the keys of dictionaries that were closed lately stand in the table, by their number.
  private var shapes = [(first: Int, count: Int)](repeating: (0, 0), count: 16)
  private var keyIndex = KeyIndex()
  /// The keys of the path that was asked for last.
  private var pathKeys: [FlatNode: String] = [:]
  let options: PropertyListReadingOptions

  init(options: PropertyListReadingOptions, expectedNodes: Int) {
    self.options = options
    pending.reserveCapacity(256)
    table.nodes.makeRoom(for: expectedNodes)
  }

  /// How many containers are open.
  var depth: Int { frames.count }

  /// Whether the next value has to be a key.
  var expectsKey: Bool {
    guard let frame = frames.last, frame.kind == .dictionary else { return false }
    return (pending.count - frame.start) & 1 == 0
  }

  @inline(__always)
  mutating func append(_ node: FlatNode) { pending.append(node) }

  /// The caller has checked the depth.
  mutating func open(_ kind: NodeKind) { frames.append(Frame(kind: kind, start: pending.count)) }

  /// Resolves duplicate keys of the innermost container, whose last key has its value, as the options say.
  ///
  /// - Parameters:
  ///   - bytes: what the offsets of the strings refer to.
  ///   - defects: where errors will go. If there is room for one only, the others aren't looked for.
  /// - Returns: the keys that are errors, with their former indexes in ``pending``. They are overridden, too.
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

  /// True if the keys of the innermost container were found to be distinct before, or it has no two.
  @inline(__always)
  func hasKnownKeys(in bytes: RawSpan) -> Bool {
    guard let frame = frames.last, frame.kind == .dictionary else { return true }
    let count = (pending.count - frame.start) / 2
    return count < 2 || hasKnownShape(from: frame.start, count: count, in: bytes)
  }

  /// Closes the innermost container, whose keys are distinct. A dictionary that stands for a UID becomes one.
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

  /// Closes the innermost container, which was a way to write another value.
  mutating func close(as node: FlatNode) {
    guard let frame = frames.popLast() else { return }
    pending.removeLast(pending.count - frame.start)
    pending.append(node)
  }

  /// The one entry of the innermost container, if that is a dictionary of one.
  var onlyEntry: (key: FlatNode, value: FlatNode)? {
    guard let frame = frames.last, frame.kind == .dictionary, pending.count - frame.start == 2 else { return nil }
    return (pending[frame.start], pending[frame.start + 1])
  }

  /// Gives the one entry of the innermost container another key.
  mutating func replaceOnlyKey(with key: FlatNode) {
    guard onlyEntry != nil else { return }
    pending[pending.count - 2] = key
  }

  /// The table, once the one root value is complete.
  mutating func finish() -> NodeTable {
    table.nodes.append(contentsOf: pending)
    return table
  }

  /// The way to the value that comes next. Paths that are asked for one after the other share their keys.
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

  /// An error about the value that comes next.
  mutating func failure(
    _ message: String, _ kind: PropertyListError.Kind = .malformed, at position: TextSource.Position, in bytes: RawSpan
  ) -> PropertyListError {
    let path = currentPath(in: bytes)
    return PropertyListError(
      kind, message.printable(limit: 300), byteOffset: position.byteOffset, position: position.position,
      keyPath: path.components.isEmpty ? nil : path)
  }

  /// The UID that the innermost container stands for.
  private func uidDictionary(in bytes: RawSpan) -> FlatNode? {
    guard options.recognizesUIDDictionaries, let (key, value) = onlyEntry, value.kind == .integer else { return nil }
    let isUID =
      key.encoding.hasEscapes
      ? NodeContent.text(key, in: bytes) == "CF$UID"
      : key.length == 6 && bytes.starts(with: "CF$UID", at: key.offset)
    guard isUID, let uid = UInt32(exactly: value.integer) else { return nil }
    return .uid(uid)
  }

  /// Whether the keys are those of a dictionary of the same size that was closed lately, in the same order.
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

  /// The indexes in ``pending`` of keys that the dictionary that begins at `start` has had before: the first `limit` of
  /// them.
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

  /// Notes a key of the dictionary that began last; false if the dictionary has it already.
  @inline(__always)
  private mutating func insert(_ key: FlatNode, in bytes: RawSpan) -> Bool {
    let number =
      if key.encoding.hasEscapes {
        // The same text can be spelled in several ways.
        keyIndex.number(of: Array(NodeContent.text(key, in: bytes).utf8).rawBytes)
      } else {
        keyIndex.number(of: bytes.extracting(key.range))
      }
    return keyIndex.insert(number)
  }

  /// Keeps the last of each key of the innermost dictionary.
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

  // Mending what is wrong, so that a reader that lists defects can go on. A null stands for a key or value that is
  // none.

  /// Removes what was appended last.
  mutating func removeLast() { pending.removeLast() }

  /// Removes the entries of the innermost dictionary whose keys are none, and a last key without a value. Returns the
  /// former indexes in ``pending`` of what is kept; nil if that is all.
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

  /// As ``dropStandIns(isKey:)``; removes the same from `offsets`, which has one for each node of ``pending``.
  mutating func dropStandIns(offsets: inout [Int]) {
    guard let kept = dropStandIns() else { return }
    let start = pending.count - kept.count
    let keptOffsets = kept.map { offsets[$0] }
    offsets.removeLast(offsets.count - start)
    offsets.append(contentsOf: keptOffsets)
  }
}
