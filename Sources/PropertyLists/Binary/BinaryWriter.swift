internal import FoundationEssentials

/// Writes the binary format.
///
/// Objects are numbered as Core Foundation numbers them (`CFBinaryPList.c`): depth first from the root, a dictionary
/// followed by all its keys and then its values. Each scalar is written once, whatever refers to it. Containers are
/// written with the narrowest references, so their bytes are known only at the end; the bytes of scalars are made at
/// once, in order, and double as the keys by which equal ones are found.
struct BinaryWriter: PropertyListSink, ~Copyable {
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
  private var scalars = ScalarTable()
  /// In the order of their numbers. All objects between two of them are scalars, in order too.
  private var containers: [Container] = []
  /// The references of all containers, four bytes each. Those of one stand side by side, and are filled in as its
  /// children are told.
  private var references = ByteBuffer()
  /// Where the reference to the next value goes, for each open container, counted in references.
  private var open: [Int] = []

  // The values that need no look-up.
  private var booleans: (UInt32?, UInt32?) = (nil, nil)
  private var smallIntegers = [UInt32](repeating: .max, count: 256)
  private var uids: [UInt32] = []
  /// Whether there were UIDs that the list would have had to grow for too far.
  private var hasDistantUIDs = false

  init() {}

  /// Refers to an object from the place that is next in the innermost container.
  @inline(__always)
  private mutating func refer(to object: UInt32) {
    guard let place = open.last else { return }
    references.store(object, at: 4 * place)
    open[open.count - 1] = place + 1
  }

  private mutating func begin(_ marker: UInt8, count: Int) throws(PropertyListError) {
    let start = references.count / 4
    let container = Container(marker: marker, object: try newObject(), start: start, count: count)
    refer(to: container.object)
    containers.append(container)
    open.append(start)
    references.append(repeating: 0, count: 4 * container.referenceCount)
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
    let object = scalars.find(newObject: UInt32(truncatingIfNeeded: objectCount))
    if object == objectCount { _ = try newObject() }
    refer(to: object)
    return object
  }

  mutating func null() throws(PropertyListError) { try single(BinaryMarker.null) }

  private mutating func single(_ marker: UInt8) throws(PropertyListError) {
    scalars.bytes.append(byte: marker)
    try referToScalar()
  }

  mutating func boolean(_ value: Bool) throws(PropertyListError) {
    if let known = value ? booleans.1 : booleans.0 { return refer(to: known) }
    scalars.bytes.append(byte: value ? BinaryMarker.true : BinaryMarker.false)
    let object = try referToScalar()
    if value { booleans.1 = object } else { booleans.0 = object }
  }

  mutating func integer(_ value: PropertyList.Integer) throws(PropertyListError) {
    let isSmall = !value.isNegative && value.bits < 256
    if isSmall, smallIntegers[Int(value.bits)] != .max { return refer(to: smallIntegers[Int(value.bits)]) }
    Self.append(value, to: &scalars.bytes)
    let object = try referToScalar()
    if isSmall { smallIntegers[Int(value.bits)] = object }
  }

  /// The narrowest form: 1, 2 or 4 bytes without sign, 8 with, 16 for what is above `Int64.max`.
  private static func append(_ value: PropertyList.Integer, to buffer: inout ByteBuffer) {
    if value.isNegative {
      buffer.append(byte: BinaryMarker.integer | 3)
      buffer.append(bigEndian: value.bits, width: 8)
    } else if value.bits < 1 << 8 {
      buffer.append(byte: BinaryMarker.integer)
      buffer.append(byte: UInt8(value.bits))
    } else if value.bits < 1 << 16 {
      buffer.append(byte: BinaryMarker.integer | 1)
      buffer.append(bigEndian: value.bits, width: 2)
    } else if value.bits < 1 << 32 {
      buffer.append(byte: BinaryMarker.integer | 2)
      buffer.append(bigEndian: value.bits, width: 4)
    } else if value.bits < 1 << 63 {
      buffer.append(byte: BinaryMarker.integer | 3)
      buffer.append(bigEndian: value.bits, width: 8)
    } else {
      buffer.append(byte: BinaryMarker.integer | 4)
      buffer.append(bigEndian: 0, width: 8)
      buffer.append(bigEndian: value.bits, width: 8)
    }
  }

  mutating func real(_ value: Double) throws(PropertyListError) {
    try number(BinaryMarker.real, value.bitPattern, width: 8)
  }

  mutating func float(_ value: Float) throws(PropertyListError) {
    try number(BinaryMarker.float, UInt64(value.bitPattern), width: 4)
  }

  mutating func date(_ seconds: Double) throws(PropertyListError) {
    try number(BinaryMarker.date, seconds.bitPattern, width: 8)
  }

  /// The UIDs of an archive count its objects, so a list of them by value is shorter than a search.
  mutating func uid(_ value: UInt32) throws(PropertyListError) {
    let value = Int(value)
    if value < uids.count, uids[value] != .max { return refer(to: uids[value]) }
    let object = try newUID(UInt32(value))
    if value >= uids.count, value < uids.count + 4096 {
      while uids.count <= value { uids.append(.max) }
    }
    if value < uids.count { uids[value] = object }
  }

  private mutating func newUID(_ value: UInt32) throws(PropertyListError) -> UInt32 {
    let width = value < 1 << 8 ? 1 : value < 1 << 16 ? 2 : 4
    scalars.bytes.append(byte: BinaryMarker.uid | UInt8(width - 1))
    scalars.bytes.append(bigEndian: UInt64(value), width: width)
    hasDistantUIDs = hasDistantUIDs || Int(value) >= uids.count + 4096
    guard !hasDistantUIDs else { return try referToScalar() }
    let object = try newObject()
    scalars.add(newObject: object)
    refer(to: object)
    return object
  }

  private mutating func number(_ marker: UInt8, _ bits: UInt64, width: Int) throws(PropertyListError) {
    scalars.bytes.append(byte: marker)
    scalars.bytes.append(bigEndian: bits, width: width)
    try referToScalar()
  }

  mutating func string(_ utf8: RawSpan) throws(PropertyListError) {
    if utf8.isASCII {
      Self.append(BinaryMarker.asciiString, count: utf8.byteCount, to: &scalars.bytes)
      scalars.bytes.append(utf8)
    } else {
      Self.append(utf16: utf8, to: &scalars.bytes)
    }
    try referToScalar()
  }

  mutating func key(_ utf8: RawSpan) throws(PropertyListError) { try string(utf8) }

  mutating func data(_ bytes: RawSpan) throws(PropertyListError) {
    Self.append(BinaryMarker.data, count: bytes.byteCount, to: &scalars.bytes)
    scalars.bytes.append(bytes)
    try referToScalar()
  }

  /// A marker with its count.
  @inline(__always)
  static func append(_ marker: UInt8, count: Int, to buffer: inout ByteBuffer) {
    if count < Int(BinaryMarker.countFollows) {
      buffer.append(byte: marker | UInt8(truncatingIfNeeded: count))
    } else {
      buffer.append(byte: marker | BinaryMarker.countFollows)
      append(PropertyList.Integer(count), to: &buffer)
    }
  }

  mutating func beginArray(count: Int) throws(PropertyListError) {
    try begin(BinaryMarker.array, count: count)
  }

  mutating func endArray() throws(PropertyListError) { open.removeLast() }

  mutating func beginDictionary(count: Int) throws(PropertyListError) {
    try begin(BinaryMarker.dictionary, count: count)
  }

  mutating func endDictionary() throws(PropertyListError) { open.removeLast() }
}

extension BinaryWriter {
  /// The file, once the one root value has been told.
  consuming func finish() throws(PropertyListError) -> Data {
    scalars.endSearch()
    let referenceWidth = Self.width(objectCount)
    var length = BinaryLayout.headerLength + scalars.bytes.count
    for container in containers {
      length += Self.markerLength(count: container.count) + container.referenceCount * referenceWidth
    }
    let offsetWidth = Self.width(length)
    var output = ByteBuffer()
    output.reserve(length + objectCount * offsetWidth + BinaryLayout.trailerLength + 8)
    var table = ByteBuffer()
    table.reserve(objectCount * offsetWidth + 8)

    output.append("bplist00")
    var scalar = 0
    for (number, container) in containers.enumerated() {
      // As many objects before it as are no containers are scalars.
      appendScalars(&scalar, until: Int(container.object) - number, offsetWidth, &output, &table)
      table.append(bigEndian: UInt64(output.count), width: offsetWidth)
      append(container, referenceWidth, to: &output)
    }
    appendScalars(&scalar, until: scalars.ends.count, offsetWidth, &output, &table)
    output.append(table.bytes)
    output.append(repeating: 0, count: 6)
    output.append(byte: UInt8(offsetWidth))
    output.append(byte: UInt8(referenceWidth))
    output.append(bigEndian: UInt64(objectCount), width: 8)
    output.append(bigEndian: 0, width: 8)
    output.append(bigEndian: UInt64(length), width: 8)
    return output.takeData()
  }

  /// Appends the scalars from number `scalar` to the one before `end`, whose bytes go over in one piece, and their
  /// offsets.
  @inline(__always)
  private borrowing func appendScalars(
    _ scalar: inout Int, until end: Int, _ width: Int, _ output: inout ByteBuffer, _ table: inout ByteBuffer
  ) {
    guard scalar < end else { return }
    let start = scalar == 0 ? 0 : scalars.ends[scalar - 1]
    let shift = output.count - start
    var offset = start
    while scalar < end {
      table.append(bigEndian: UInt64(truncatingIfNeeded: offset + shift), width: width)
      offset = scalars.ends[scalar]
      scalar += 1
    }
    output.append(scalars.bytes.bytes.extracting(start..<offset))
  }

  private borrowing func append(_ container: Container, _ width: Int, to output: inout ByteBuffer) {
    Self.append(container.marker, count: container.count, to: &output)
    output.reserve(container.referenceCount * width + 8)
    let bytes = references.bytes
    for place in container.start..<container.start + container.referenceCount {
      output.append(bigEndian: UInt64(bytes.littleEndianUInt32(at: 4 * place)), width: width)
    }
  }

  /// The bytes of a marker with its count.
  private static func markerLength(count: Int) -> Int {
    count < Int(BinaryMarker.countFollows) ? 1 : count < 1 << 8 ? 3 : count < 1 << 16 ? 4 : count < 1 << 32 ? 6 : 10
  }

  /// The least number of bytes that hold `value`. Apple's writer takes only 1, 2, 4 and 8; its reader takes every
  /// width.
  private static func width(_ value: Int) -> Int { max(1, (Int.bitWidth - value.leadingZeroBitCount + 7) / 8) }
}
