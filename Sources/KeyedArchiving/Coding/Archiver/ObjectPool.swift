internal import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// The object table of an archive that is being written.
///
/// An object gets its UID when it is first reached, and its contents when they have been encoded. Equal contents are
/// stored once in a `ValuePool`, where each has a number, so comparing two contents means comparing their numbers.
struct ObjectPool: ~Copyable {
  private var values: ValuePool
  /// The objects by UID. An object whose contents are not known yet is `$null`.
  private var objects: [ValuePool.Reference]
  private let null: ValuePool.Reference
  /// The UID of the object for each scalar, by the number of the scalar in the `ValuePool`; 0 if the archive does not
  /// have an object for the scalar.
  private var scalarObjects: [UInt32] = []
  /// The UID of the value for each contents, by the number of the contents in the `ValuePool`; 0 if the archive does
  /// not have a value with these contents.
  private var sharedObjects: [UInt32] = []

  init() {
    var values = ValuePool()
    guard let text = try? values.string("$null"), let null = try? values.reference(to: text) else {
      // This cannot fail: an empty pool has room for a billion values.
      preconditionFailure("an empty pool must have room for one value")
    }
    self.values = values
    self.null = null
    objects = [null]
  }

  /// Reserves a UID for an object. Its contents are set later by `fill`.
  @inline(__always)
  mutating func reserve() throws -> UInt32 {
    guard objects.count < ValuePool.greatestCount else {
      throw KeyedArchiveError(.invalidValue, "an archive cannot have more than \(ValuePool.greatestCount) objects")
    }
    objects.makeRoom(for: 1)
    objects.append(null)
    return UInt32(truncatingIfNeeded: objects.count - 1)
  }

  mutating func fill(_ uid: UInt32, with contents: FlatNode) throws {
    objects[Int(uid)] = try translated(values.reference(to: contents))
  }

  mutating func fill(_ uid: UInt32, as other: UInt32) { objects[Int(uid)] = objects[Int(other)] }

  // Scalars: strings, data, numbers and Booleans. They are stored without a class, in the object table or inline in an
  // object.

  /// Adds a string to the object table, unless it is there, and returns its UID. Do not call it for the string `$null`,
  /// which would represent nil.
  @inline(__always)
  mutating func string(_ text: String) throws -> UInt32 { try object(ofScalar: inline(text)) }

  mutating func data(_ data: Data) throws -> UInt32 { try object(ofScalar: inline(data)) }

  /// Adds a scalar to the object table, unless it is there, and returns its UID. If the node is a string or data, this
  /// pool must have returned it.
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

  /// Adds an array or a dictionary to the values of the pool, and returns its node. The children of a dictionary are
  /// its keys, each followed by its value.
  ///
  /// - Parameter isShared: true if equal contents are stored once.
  mutating func container(_ kind: NodeKind, _ children: Span<FlatNode>, isShared: Bool = true) throws -> FlatNode {
    try translated(values.container(kind, children, isShared: isShared))
  }

  /// Returns the UID of the value with these contents, or nil if not found.
  func value(with contents: FlatNode) -> UInt32? {
    guard contents.offset < sharedObjects.count, sharedObjects[contents.offset] != 0 else { return nil }
    return sharedObjects[contents.offset]
  }

  /// Records the UID of the value with these contents, for ``value(with:)``. Later values with equal contents then
  /// share the object.
  mutating func share(_ uid: UInt32, as contents: FlatNode) {
    sharedObjects.extend(to: contents.offset, with: 0)
    sharedObjects[contents.offset] = uid
  }

  /// Removes a reserved UID, because an equal object already has another one. Returns false, without removing the UID,
  /// if it is not the one that was reserved last.
  mutating func withdraw(_ uid: UInt32) -> Bool {
    guard Int(uid) == objects.count - 1 else { return false }
    objects.removeLast()
    return true
  }

  /// Returns the complete archive in the binary format. `top` becomes the value of `$top`. The pool is empty
  /// afterwards.
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
