internal import FoundationEssentials

/// A writer of the binary format. The order of objects is that of Core Foundation (`CFBinaryPList.c`): depth first,
/// with a dictionary followed by all its keys and then its values. Equal scalars are written once. The bytes of each
/// scalar are created when the scalar is passed to the writer; they are also the search key for equal scalars.
/// Containers are written at the end, with the narrowest possible references.
struct BinaryWriter: FileWriter, NodeSink, ~Copyable {
  static var takesKeysFirst: Bool { true }

  private struct Container {
    let marker: UInt8
    /// The container's index in the object table.
    let object: UInt32
    /// The index of the container's first reference in ``references``.
    let start: Int
    /// The number of elements or entries.
    let count: Int

    var referenceCount: Int { marker == BinaryMarker.dictionary ? 2 * count : count }
  }

  private var objectCount = 0
  private var scalars = UniqueBytes()
  /// The object index of each scalar.
  private var scalarObjects: [UInt32] = []
  /// The containers in the order of the object table. All objects between two of them are scalars, also in order.
  private var containers: [Container] = []
  /// The references of all containers, four bytes each. They are filled in as children are written.
  private var references = ByteBuffer()
  /// For each open container, the index in ``references`` of its next reference.
  private var open: [Int] = []

  /// The object indexes of false and of true; nil for a value that has not been written. They make a search for these
  /// values unnecessary.
  private var booleans: (UInt32?, UInt32?) = (nil, nil)
  /// The object indexes of the integers from 0 to 255, by value; `UInt32.max` for an integer that has not been written.
  /// They make a search for these integers unnecessary.
  private var smallIntegers = [UInt32](repeating: .max, count: 256)
  /// The object indexes of UIDs, by their values, or `UInt32.max` for a UID that has not been written.
  private var uids: [UInt32] = []
  private var uidCount = 0
  /// True if a UID occurred that is too large for ``uids``. From then on, new UIDs are found by a search, like other
  /// scalars.
  private var hasDistantUIDs = false

  /// The index in ``scalars`` of the last key of the innermost dictionary, or 0 at its beginning.
  private var lastKey = 0
  /// For each index of a key modulo 256, the index of the key after it in a recent dictionary. Similar dictionaries
  /// have the same keys in the same order, so this makes most searches for keys unnecessary.
  private var nextKeys = [Int](repeating: 0, count: 256)

  init() {}

  /// Writes the next reference of the innermost container. Does nothing for the root, which has no reference.
  @inline(__always)
  private mutating func refer(to object: UInt32) {
    guard let reference = open.last else { return }
    references.store(object, at: 4 * reference)
    open[open.count - 1] = reference + 1
  }

  @inline(__always)
  private mutating func newObject() throws(PropertyListError) -> UInt32 {
    guard objectCount < Int(UInt32.max) - 1 else {
      throw PropertyListError(.notRepresentable, "the binary format cannot hold more than 4294967294 objects")
    }
    objectCount += 1
    return UInt32(truncatingIfNeeded: objectCount - 1)
  }

  /// Writes a reference to the scalar whose bytes were just appended to ``scalars``. If an equal scalar exists already,
  /// refers to that one.
  ///
  /// - Returns: The index of the scalar in ``scalars``.
  @inline(__always) @discardableResult
  private mutating func referToScalar() throws(PropertyListError) -> Int {
    let scalar = scalars.find()
    if scalar == scalarObjects.count { scalarObjects.append(try newObject()) }
    refer(to: scalarObjects[scalar])
    return scalar
  }

  @inline(__always)
  mutating func scalar(_ node: FlatNode) throws(PropertyListError) {
    switch node.kind {
    case .boolean:
      if let known = node.boolean ? booleans.1 : booleans.0 { return refer(to: known) }
      scalars.bytes.append(object: node)
      let object = scalarObjects[try referToScalar()]
      if node.boolean { booleans.1 = object } else { booleans.0 = object }
    case .integer where node.payload < 256:
      let value = Int(node.payload)
      if smallIntegers[value] != .max { return refer(to: smallIntegers[value]) }
      scalars.bytes.append(object: node)
      smallIntegers[value] = scalarObjects[try referToScalar()]
    case .uid: try refer(toUID: node.uid)
    default:
      scalars.bytes.append(object: node)
      try referToScalar()
    }
  }

  /// Writes a reference to a UID. The UIDs of an archive are indexes of its objects, so a table that is indexed by UID
  /// finds them faster than a search.
  private mutating func refer(toUID value: UInt32) throws(PropertyListError) {
    let value = Int(value)
    if value < uids.count, uids[value] != .max { return refer(to: uids[value]) }
    let object = try newUID(UInt32(value))
    if value < uidReach { uids.extend(to: value, with: .max) }
    if value < uids.count { uids[value] = object }
    uidCount += 1
  }

  /// The maximum length of ``uids``: about twice the number of UIDs, so that at least half of a large table is used.
  private var uidReach: Int { 2 * uidCount + 4096 }

  private mutating func newUID(_ value: UInt32) throws(PropertyListError) -> UInt32 {
    scalars.bytes.append(objectOfUID: value)
    hasDistantUIDs = hasDistantUIDs || Int(value) >= uidReach
    guard !hasDistantUIDs else { return scalarObjects[try referToScalar()] }
    let object = try newObject()
    _ = scalars.add()
    scalarObjects.append(object)
    refer(to: object)
    return object
  }

  mutating func string(_ utf8: RawSpan) throws(PropertyListError) {
    scalars.bytes.append(objectOfText: utf8)
    try referToScalar()
  }

  mutating func key(_ utf8: RawSpan) throws(PropertyListError) {
    let next = nextKeys[lastKey & 255]
    if next < scalarObjects.count, scalars.isASCIIText(utf8, at: next) {
      lastKey = next
      return refer(to: scalarObjects[next])
    }
    scalars.bytes.append(objectOfText: utf8)
    let key = try referToScalar()
    nextKeys[lastKey & 255] = key
    lastKey = key
  }

  mutating func data(_ bytes: RawSpan) throws(PropertyListError) {
    scalars.bytes.append(objectOfData: bytes)
    try referToScalar()
  }

  mutating func begin(_ kind: NodeKind, count: Int) throws(PropertyListError) {
    let start = references.count / 4
    let marker = kind == .array ? BinaryMarker.array : BinaryMarker.dictionary
    let container = Container(marker: marker, object: try newObject(), start: start, count: count)
    refer(to: container.object)
    containers.append(container)
    lastKey = 0
    open.append(start)
    references.append(repeating: 0, count: 4 * container.referenceCount)
  }

  mutating func end(_ kind: NodeKind) { open.removeLast() }

  /// Returns the file. The root value must have been written.
  consuming func finish() throws(PropertyListError) -> Data {
    scalars.endSearch()
    scalarObjects = []
    let referenceWidth = BinaryLayout.width(objectCount)
    var length = BinaryLayout.headerLength + scalars.bytes.count
    for container in containers {
      length += BinaryLayout.markerLength(count: container.count) + container.referenceCount * referenceWidth
    }
    var file = BinaryFileWriter(objectCount: objectCount, length: length)
    var scalar = 0
    for (number, container) in containers.enumerated() {
      // The number of scalars before a container is its object index minus the number of containers before it.
      appendScalars(&scalar, until: Int(container.object) - number, to: &file)
      append(container, referenceWidth, to: &file)
    }
    appendScalars(&scalar, until: scalars.count, to: &file)
    return file.finish()
  }

  /// Appends the scalars from index `scalar` up to, but not including, `end`. Their bytes are copied in one piece.
  @inline(__always)
  private borrowing func appendScalars(_ scalar: inout Int, until end: Int, to file: inout BinaryFileWriter) {
    guard scalar < end else { return }
    let start = scalar == 0 ? 0 : scalars.ends[scalar - 1]
    let shift = file.output.count - start
    var offset = start
    while scalar < end {
      file.beginObject(at: offset + shift)
      offset = scalars.ends[scalar]
      scalar += 1
    }
    file.output.append(scalars.bytes.bytes.extracting(start..<offset))
  }

  private borrowing func append(_ container: Container, _ width: Int, to file: inout BinaryFileWriter) {
    file.beginObject(at: file.output.count)
    file.output.append(marker: container.marker, count: container.count)
    file.output.reserve(container.referenceCount * width + 8)
    let bytes = references.bytes
    for reference in container.start..<container.start + container.referenceCount {
      file.output.append(bigEndian: UInt64(bytes.littleEndianUInt32(at: 4 * reference)), width: width)
    }
  }
}

extension UniqueBytes {
  /// Returns true if the string at an index is the object of an ASCII text.
  @inline(__always)
  fileprivate func isASCIIText(_ text: RawSpan, at index: Int) -> Bool {
    let range = range(of: index)
    let start = range.lowerBound + BinaryLayout.markerLength(count: text.byteCount)
    return range.upperBound - start == text.byteCount
      && bytes.bytes[range.lowerBound] & 0xF0 == BinaryMarker.asciiString
      && bytes.bytes.extracting(start..<range.upperBound).hasSameBytes(as: text)
  }
}

extension Format {
  static let binary = Format(
    name: "binary",
    writeTree: { value, options throws(PropertyListError) in try value.written(by: BinaryWriter(), options) },
    writeNode: { node, options, output throws(PropertyListError) in
      try node.written(by: BinaryWriter(), options, to: nil)
    },
    text: nil)
}
