internal import FoundationEssentials

/// Writes the binary format. Objects are numbered as Core Foundation numbers them (`CFBinaryPList.c`): depth first, a
/// dictionary followed by all its keys and then its values.
/// Each scalar is written once. The bytes of scalars are made at once, in order, and double as the keys by which equal
/// ones are found; those of containers, with the narrowest references, are made at the end.
struct BinaryWriter: FileWriter, NodeSink, ~Copyable {
  static var takesKeysFirst: Bool { true }

  private struct Container {
    let marker: UInt8
    /// Its number among all objects.
    let object: UInt32
    /// Where its references begin, counted in references.
    let start: Int
    /// The elements or entries.
    let count: Int

    var referenceCount: Int { marker == BinaryMarker.dictionary ? 2 * count : count }
  }

  private var objectCount = 0
  private var scalars = UniqueBytes()
  /// The numbers that the scalars have among all objects.
  private var scalarObjects: [UInt32] = []
  /// In the order of their numbers. All objects between two of them are scalars, in order too.
  private var containers: [Container] = []
  /// The references of all containers, four bytes each, side by side. They are filled in as children are told.
  private var references = ByteBuffer()
  /// Where the reference to the next value goes, for each open container, counted in references.
  private var open: [Int] = []

  // The values that need no look-up.
  private var booleans: (UInt32?, UInt32?) = (nil, nil)
  private var smallIntegers = [UInt32](repeating: .max, count: 256)
  private var uids: [UInt32] = []
  private var uidCount = 0
  /// Whether there were UIDs that the list would have had to grow for too far.
  private var hasDistantUIDs = false

  init() {}

  /// Refers to an object with the next reference of the innermost container.
  @inline(__always)
  private mutating func refer(to object: UInt32) {
    guard let reference = open.last else { return }
    references.store(object, at: 4 * reference)
    open[open.count - 1] = reference + 1
  }

  @inline(__always)
  private mutating func newObject() throws(PropertyListError) -> UInt32 {
    guard objectCount < Int(UInt32.max) - 1 else {
      throw PropertyListError(.notRepresentable, "more than 4294967294 objects")
    }
    objectCount += 1
    return UInt32(truncatingIfNeeded: objectCount - 1)
  }

  /// Refers to the scalar whose bytes stand at the end of the table: to an equal one if there is one, else to this one.
  @inline(__always) @discardableResult
  private mutating func referToScalar() throws(PropertyListError) -> UInt32 {
    let scalar = scalars.find()
    if scalar == scalarObjects.count { scalarObjects.append(try newObject()) }
    refer(to: scalarObjects[scalar])
    return scalarObjects[scalar]
  }

  @inline(__always)
  mutating func scalar(_ node: FlatNode) throws(PropertyListError) {
    switch node.kind {
    case .boolean:
      if let known = node.boolean ? booleans.1 : booleans.0 { return refer(to: known) }
      scalars.bytes.append(object: node)
      let object = try referToScalar()
      if node.boolean { booleans.1 = object } else { booleans.0 = object }
    case .integer where node.payload < 256:
      let value = Int(node.payload)
      if smallIntegers[value] != .max { return refer(to: smallIntegers[value]) }
      scalars.bytes.append(object: node)
      smallIntegers[value] = try referToScalar()
    case .uid: try refer(toUID: node.uid)
    default:
      scalars.bytes.append(object: node)
      try referToScalar()
    }
  }

  /// The UIDs of an archive count its objects, so a list of them by value is shorter than a search.
  private mutating func refer(toUID value: UInt32) throws(PropertyListError) {
    let value = Int(value)
    if value < uids.count, uids[value] != .max { return refer(to: uids[value]) }
    let object = try newUID(UInt32(value))
    if value < uidReach { uids.extend(to: value, with: .max) }
    if value < uids.count { uids[value] = object }
    uidCount += 1
  }

  /// How far the list goes: no further than there are UIDs to fill half of it.
  private var uidReach: Int { 2 * uidCount + 4096 }

  private mutating func newUID(_ value: UInt32) throws(PropertyListError) -> UInt32 {
    scalars.bytes.append(objectOfUID: value)
    hasDistantUIDs = hasDistantUIDs || Int(value) >= uidReach
    guard !hasDistantUIDs else { return try referToScalar() }
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

  mutating func key(_ utf8: RawSpan) throws(PropertyListError) { try string(utf8) }

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
    open.append(start)
    references.append(repeating: 0, count: 4 * container.referenceCount)
  }

  mutating func end(_ kind: NodeKind) { open.removeLast() }

  /// The file, once the one root value has been told.
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
      // As many objects before it as are no containers are scalars.
      appendScalars(&scalar, until: Int(container.object) - number, to: &file)
      append(container, referenceWidth, to: &file)
    }
    appendScalars(&scalar, until: scalars.count, to: &file)
    return file.finish()
  }

  /// Appends the scalars from number `scalar` to the one before `end`, whose bytes go over in one piece.
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

extension Format {
  static let binary = Format(
    name: "binary",
    writeTree: { value, options throws(PropertyListError) in try value.written(by: BinaryWriter(), options) },
    writeNode: { node, options, output throws(PropertyListError) in
      try node.written(by: BinaryWriter(), options, to: nil)
    },
    text: nil)
}
