internal import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// The object table of an archive in the making.
///
/// Objects are numbered when they are first reached, and filled in when their contents are known. Equal contents of
/// values are kept once, so that whether two have equal contents is one comparison of numbers.
struct ObjectPool: ~Copyable {
  private var values: ValuePool
  /// The objects by UID. An element that nobody filled is `$null`.
  private var objects: [ValuePool.Reference]
  private let null: ValuePool.Reference
  /// The UIDs of the objects that are scalars, and of the values that stand for all with the same contents, by the
  /// numbers of those in the pool of values; 0 for none.
  private var scalarObjects: [UInt32] = []
  private var sharedObjects: [UInt32] = []

  init() {
    var values = ValuePool()
    guard let text = try? values.string("$null"), let null = try? values.reference(to: text) else {
      // An empty pool has room for a billion values.
      preconditionFailure("a pool has room for one value")
    }
    self.values = values
    self.null = null
    objects = [null]
  }

  /// A number for an object whose contents follow.
  @inline(__always)
  mutating func reserve() throws -> UInt32 {
    guard objects.count < ValuePool.greatestCount else {
      throw KeyedArchiveError(.invalidValue, "more than \(ValuePool.greatestCount) objects")
    }
    objects.makeRoom(for: 1)
    objects.append(null)
    return UInt32(truncatingIfNeeded: objects.count - 1)
  }

  mutating func fill(_ uid: UInt32, with contents: FlatNode) throws {
    objects[Int(uid)] = try translated(values.reference(to: contents))
  }

  mutating func fill(_ uid: UInt32, as other: UInt32) { objects[Int(uid)] = objects[Int(other)] }

  // Values that stand in the table, or in the contents of an object, as themselves.

  /// The UID of a string; the text `$null` needs a box, which this does not make.
  @inline(__always)
  mutating func string(_ text: String) throws -> UInt32 { try object(ofScalar: inline(text)) }

  mutating func data(_ data: Data) throws -> UInt32 { try object(ofScalar: inline(data)) }

  /// The UID of a number, a truth value, or a text or data of this pool.
  mutating func object(ofScalar node: FlatNode) throws -> UInt32 {
    let number = try translated(values.number(ofScalar: node))
    scalarObjects.extend(to: number, with: 0)
    if scalarObjects[number] == 0 {
      let uid = try reserve()
      try fill(uid, with: node)
      scalarObjects[number] = uid
    }
    return scalarObjects[number]
  }

  @inline(__always)
  mutating func inline(_ text: String) throws -> FlatNode { try translated(values.string(text)) }

  mutating func inline(_ data: Data) throws -> FlatNode { try translated(values.data(data)) }

  /// The contents of an array, or of a dictionary whose children are keys and values in turn; shared if they are to be
  /// compared with others.
  mutating func container(_ kind: NodeKind, _ children: Span<FlatNode>, isShared: Bool = true) throws -> FlatNode {
    try translated(values.container(kind, children, isShared: isShared))
  }

  /// The UID of an object with these contents, if there is a value that may stand for all equal ones.
  func value(with contents: FlatNode) -> UInt32? {
    guard contents.offset < sharedObjects.count, sharedObjects[contents.offset] != 0 else { return nil }
    return sharedObjects[contents.offset]
  }

  /// From now on the object stands for all values with these contents.
  mutating func share(_ uid: UInt32, as contents: FlatNode) {
    sharedObjects.extend(to: contents.offset, with: 0)
    sharedObjects[contents.offset] = uid
  }

  /// Takes back an object, if it was numbered last. If not, an equal one is among its own contents, and has to stay.
  mutating func withdraw(_ uid: UInt32) -> Bool {
    guard Int(uid) == objects.count - 1 else { return false }
    objects.removeLast()
    return true
  }

  /// The whole archive in the binary format, with `$top`; the pool is empty after that.
  mutating func finish(top: FlatNode) throws -> Data {
    scalarObjects = []
    sharedObjects = []
    let list = try translated(values.array(objects))
    objects = []
    let entries: [(String, FlatNode)] = [
      ("$version", .integer(ArchiveLayout.version)), ("$objects", list),
      ("$archiver", try inline(ArchiveLayout.archiverName)), ("$top", top),
    ]
    var nodes: [FlatNode] = []
    for (key, value) in entries { nodes += [try inline(key), value] }
    let root = try container(.dictionary, nodes.span)
    var taken = ValuePool()
    swap(&taken, &values)
    do { return try taken.binaryData(root: root) } catch { throw KeyedArchiveError(error) }
  }
}
