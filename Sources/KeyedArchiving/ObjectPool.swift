internal import FoundationEssentials
internal import PropertyLists

/// The object table of an archive in the making.
///
/// Objects are numbered when they are first reached, and filled in when their contents are known. Their contents are runs of
/// flat nodes; equal runs are kept once, so that whether two objects have equal contents is one comparison of places.
struct ObjectPool: ~Copyable {
  /// The objects by UID. A place that nobody filled holds `$null`.
  private(set) var objects: [FlatNode]
  private let null: FlatNode
  /// The contents of containers.
  private var nodes: [FlatNode] = []
  /// The text of strings, the bytes of data, and numbers as the keys by which equal ones are found.
  private var scalars = ScalarTable()
  private var runs = RunTable()

  /// What the first byte of a scalar says. Objects are numbered by UID, keys by the order of their appearance, and texts
  /// that are no objects by where they stand.
  private enum Tag {
    static let string = UInt8(ascii: "S")
    static let data = UInt8(ascii: "D")
    static let signed = UInt8(ascii: "I")
    static let unsigned = UInt8(ascii: "U")
    static let real = UInt8(ascii: "R")
    static let float = UInt8(ascii: "F")
    static let boolean = UInt8(ascii: "B")
    static let key = UInt8(ascii: "K")
    static let text = UInt8(ascii: "T")
    static let bytes = UInt8(ascii: "Y")
  }

  init() {
    let text: StaticString = "$null"
    let bytes = text.description
    _ = scalars.number(of: bytes.utf8Span.rawBytes, tag: Tag.text, orElse: 1)
    null = .string(.verbatim, offset: 1, length: bytes.utf8.count)
    objects = [null]
  }

  var count: Int { objects.count }

  /// A number for an object whose contents follow.
  @inline(__always)
  mutating func reserve() throws -> UInt32 {
    guard objects.count < Int(UInt32.max) else {
      throw KeyedArchiveError(.invalidValue, "more than 4294967295 objects")
    }
    objects.append(null)
    return UInt32(truncatingIfNeeded: objects.count - 1)
  }

  mutating func fill(_ uid: UInt32, with contents: FlatNode) { objects[Int(uid)] = contents }
}

/// Values that stand in the table, or in the contents of an object, as themselves.
extension ObjectPool {
  /// The UID of a string; the text `$null` needs a box, which this does not make.
  @inline(__always)
  mutating func string(_ text: String) throws -> UInt32 {
    try native(text.utf8Span.rawBytes, Tag.string) { .string(.verbatim, offset: $0, length: $1) }
  }

  mutating func data(_ data: Data) throws -> UInt32 {
    try native(data.bytes, Tag.data) { .data(.verbatim, offset: $0, length: $1) }
  }

  @inline(__always)
  private mutating func native(
    _ bytes: RawSpan, _ tag: UInt8, _ node: (_ offset: Int, _ length: Int) -> FlatNode
  ) throws -> UInt32 {
    let offset = scalars.byteCount + 1
    let uid = scalars.number(of: bytes, tag: tag, orElse: UInt32(truncatingIfNeeded: objects.count))
    if uid == objects.count { fill(try reserve(), with: node(offset, bytes.byteCount)) }
    return uid
  }

  /// The UID of a number or a truth value.
  mutating func number(_ node: FlatNode) throws -> UInt32 {
    let (tag, word): (UInt8, UInt64) =
      switch node.kind {
      case .integer: (Tag.signed, UInt64(truncatingIfNeeded: node.integer.int128))
      case .unsignedInteger: (Tag.unsigned, UInt64(truncatingIfNeeded: node.integer.int128))
      case .float: (Tag.float, UInt64(node.float.bitPattern))
      case .boolean: (Tag.boolean, node.boolean ? 1 : 0)
      default: (Tag.real, node.real.bitPattern)
      }
    let uid = scalars.number(ofWord: word, tag: tag, orElse: UInt32(truncatingIfNeeded: objects.count))
    if uid == objects.count { fill(try reserve(), with: node) }
    return uid
  }

  /// A text that stands where it is needed.
  mutating func inline(_ text: String) throws -> FlatNode {
    let bytes = text.utf8Span.rawBytes
    return .string(.verbatim, offset: try place(bytes, Tag.text), length: bytes.byteCount)
  }

  /// Data that stands where it is needed.
  mutating func inline(_ data: Data) throws -> FlatNode {
    .data(.verbatim, offset: try place(data.bytes, Tag.bytes), length: data.count)
  }

  private mutating func place(_ bytes: RawSpan, _ tag: UInt8) throws -> Int {
    let offset = scalars.byteCount + 1
    guard offset < Int(UInt32.max) else {
      throw KeyedArchiveError(.invalidValue, "more than 4294967295 bytes of strings and data")
    }
    return Int(scalars.number(of: bytes, tag: tag, orElse: UInt32(truncatingIfNeeded: offset)))
  }
}

/// Containers.
extension ObjectPool {
  /// The contents of an array or a dictionary, whose nodes `append` adds: of a dictionary keys and values in turn.
  ///
  /// - Parameter count: the elements or entries.
  mutating func container(
    _ kind: NodeKind, count: Int, _ append: (inout [FlatNode]) -> Void
  ) throws -> (contents: FlatNode, run: Int) {
    let start = nodes.count
    append(&nodes)
    let (offset, run) = runs.intern(&nodes, from: start)
    return (.container(kind, offset: offset, count: count), run)
  }

  /// As ``container(_:count:_:)``, for contents that nothing is to be compared with.
  mutating func distinctContainer(_ kind: NodeKind, count: Int, _ append: (inout [FlatNode]) -> Void) -> FlatNode {
    let start = nodes.count
    append(&nodes)
    return .container(kind, offset: start, count: count)
  }

  /// The UID of an object whose contents are the run, if there is a value that may stand for all equal ones.
  func value(withContents run: Int) -> UInt32? { runs.uids[run] == 0 ? nil : runs.uids[run] }

  /// From now on the object stands for all values with these contents.
  mutating func share(_ uid: UInt32, asContents run: Int) { runs.uids[run] = uid }

  /// Takes back an object, if it is the one that was numbered last.
  ///
  /// An object that contains the value may have an equal one among its contents. The equal one was numbered later then, and
  /// what leads to it has to stay.
  mutating func withdraw(_ uid: UInt32) -> Bool {
    guard Int(uid) == objects.count - 1 else { return false }
    objects.removeLast()
    return true
  }

  /// The whole archive as a document, which the pool gives its memory to.
  ///
  /// - Parameter top: the keys and values of `$top`.
  mutating func finish(top: FlatNode, archiver: String, version: Int, format: PropertyListFormat) throws
    -> PropertyListDocument
  {
    let keys = ["$version", "$objects", "$archiver", "$top"]
    let keyNodes = try keys.map { try inline($0) }
    let archiver = try inline(archiver)
    runs = RunTable()
    let list = FlatNode.container(.array, offset: nodes.count, count: objects.count)
    // No more than there are, since an array that grows doubles.
    nodes.reserveCapacity(nodes.count + objects.count + 2 * keys.count + 1)
    nodes.append(contentsOf: objects)
    objects = []
    let values: [FlatNode] = [.integer(PropertyList.Integer(version)), list, archiver, top]
    let root = FlatNode.container(.dictionary, offset: nodes.count, count: keys.count)
    for (key, value) in zip(keyNodes, values) { nodes += [key, value] }
    nodes.append(root)
    var table: [FlatNode] = []
    swap(&table, &nodes)
    return PropertyListDocument(made: NodeTable(nodes: table), text: scalars.takeBytes(), format: format)
  }
}

/// Runs of nodes, each kept once.
private struct RunTable {
  /// The object that stands for a run; 0 for none.
  var uids: [UInt32] = []
  private var offsets: [Int] = []
  private var lengths: [UInt32] = []
  /// The number of a run plus one in the low half, its hash in the high half; 0 for none. A power of two of slots, at most
  /// half in use.
  private var slots = [UInt64](repeating: 0, count: 256)

  /// Drawn for each table, so that nobody can make values that collide.
  private let seed = UInt64.random(in: .min ... .max)

  /// Finds a run equal to the nodes from `start` to the end, and takes these away then.
  ///
  /// - Returns: where the run begins, and its number.
  mutating func intern(_ nodes: inout [FlatNode], from start: Int) -> (offset: Int, run: Int) {
    let length = nodes.count - start
    var place = 0
    var hash: UInt64 = 0
    if let run = find(nodes, from: start, &place, &hash) {
      nodes.removeLast(length)
      return (offsets[run], run)
    }
    let run = offsets.count
    offsets.append(start)
    lengths.append(UInt32(truncatingIfNeeded: length))
    uids.append(0)
    slots[place] = hash << 32 | UInt64(run + 1)
    if 2 * offsets.count > slots.count { grow() }
    return (start, run)
  }

  /// The number of an equal run; if there is none, its hash and where its slot is.
  @inline(__always)
  private func find(_ nodes: [FlatNode], from start: Int, _ place: inout Int, _ hash: inout UInt64) -> Int? {
    let nodes = nodes.span
    let length = nodes.count - start
    hash = seed
    for index in start..<nodes.count { hash = nodes[index].hash(after: hash) }
    hash = (hash ^ hash >> 32) & 0xFFFF_FFFF
    let mask = slots.count - 1
    place = Int(truncatingIfNeeded: hash) & mask
    while slots[place] != 0 {
      if slots[place] >> 32 == hash {
        let run = Int(truncatingIfNeeded: slots[place] & 0xFFFF_FFFF) - 1
        if Int(lengths[run]) == length {
          var index = 0
          while index < length, nodes[offsets[run] + index] == nodes[start + index] { index += 1 }
          if index == length { return run }
        }
      }
      place = (place + 1) & mask
    }
    return nil
  }

  private mutating func grow() {
    var larger = [UInt64](repeating: 0, count: 4 * slots.count)
    let mask = larger.count - 1
    for slot in slots where slot != 0 {
      var place = Int(truncatingIfNeeded: slot >> 32) & mask
      while larger[place] != 0 { place = (place + 1) & mask }
      larger[place] = slot
    }
    slots = larger
  }
}
