/// The contents of the trailer of a binary property list (the number of objects, offsets and widths), with functions
/// that read the objects. Each function checks an offset before it reads, so that no file can make a reader access
/// memory outside of the file's bytes.
struct BinaryLayout: Sendable {
  let objectCount: Int
  let topObject: Int
  let tableOffset: Int
  let offsetWidth: Int
  let referenceWidth: Int

  static let headerLength = 8
  static let trailerLength = 32

  /// Reads the trailer, and checks it and the header by the rules of Apple's reader (`CFBinaryPList.c`,
  /// `__CFBinaryPlistGetTopLevelInfo`).
  init(_ bytes: RawSpan) throws(PropertyListError) {
    guard bytes.starts(with: "bplist") else { throw PropertyListError(.unknownFormat, "not a binary property list") }
    guard bytes.byteCount >= Self.headerLength, bytes[6] == UInt8(ascii: "0") else {
      let version = (6..<min(8, bytes.byteCount)).map { String(UnicodeScalar(bytes[$0])) }.joined()
      throw PropertyListError(
        .unsupportedVersion, "version \(version.quoted) of the binary format is not supported; expected 00",
        byteOffset: 6)
    }
    let trailer = bytes.byteCount - Self.trailerLength
    guard trailer >= Self.headerLength + 1 else {
      throw .malformed("the file is cut off: \(bytes.byteCount) bytes are too few for a trailer", at: bytes.byteCount)
    }
    offsetWidth = Int(bytes[trailer + 6])
    referenceWidth = Int(bytes[trailer + 7])
    let objectCount = bytes.bigEndian(at: trailer + 8, width: 8)
    let topObject = bytes.bigEndian(at: trailer + 16, width: 8)
    let tableOffset = bytes.bigEndian(at: trailer + 24, width: 8)
    guard (1...8).contains(offsetWidth), (1...8).contains(referenceWidth) else {
      throw .malformed(
        "the trailer has offsets of \(offsetWidth) and references of \(referenceWidth) bytes; expected 1 to 8",
        at: trailer + 6)
    }
    guard tableOffset > UInt64(Self.headerLength), tableOffset < UInt64(trailer) else {
      throw .malformed(
        "the offset table cannot begin at \(tableOffset), which is not between the header and the trailer",
        at: trailer + 24)
    }
    let tableLength = trailer - Int(tableOffset)
    guard objectCount > 0, objectCount <= UInt64(tableLength), Int(objectCount) * offsetWidth == tableLength else {
      throw .malformed(
        "expected \(objectCount) offsets of \(offsetWidth) bytes in the offset table, found \(tableLength) bytes",
        at: trailer + 8)
    }
    guard topObject < objectCount else {
      throw .malformed(
        "the root in the trailer is object \(topObject); expected an index below \(objectCount)", at: trailer + 16)
    }
    guard Self.fits(objectCount, width: referenceWidth), Self.fits(tableOffset, width: offsetWidth) else {
      throw .malformed(
        "references or offsets are too narrow for \(objectCount) objects in \(tableOffset) bytes", at: trailer + 6)
    }
    self.objectCount = Int(objectCount)
    self.topObject = Int(topObject)
    self.tableOffset = Int(tableOffset)
  }

  private static func fits(_ value: UInt64, width: Int) -> Bool { width == 8 || value >> UInt64(8 * width) == 0 }

  /// Returns the offset of the object with an index below ``objectCount``.
  @inline(__always)
  func offset(of index: Int, in bytes: RawSpan) throws(PropertyListError) -> Int {
    let entry = tableOffset + index * offsetWidth
    let offset = bytes.bigEndian(at: entry, width: offsetWidth)
    guard offset >= UInt64(Self.headerLength), offset < UInt64(tableOffset) else {
      throw .malformed("the offset of object \(index) is \(offset), outside the object table", at: entry)
    }
    return Int(truncatingIfNeeded: offset)
  }

  /// Returns the object index that is stored as a reference at `offset`, which must be before the offset table.
  @inline(__always)
  func reference(at offset: Int, in bytes: RawSpan) throws(PropertyListError) -> Int {
    let index = bytes.bigEndian(at: offset, width: referenceWidth)
    guard index < UInt64(objectCount) else {
      throw .malformed("a reference to object \(index); expected an index below \(objectCount)", at: offset)
    }
    return Int(truncatingIfNeeded: index)
  }

  /// Returns the node of an object. Checks that the bytes of the object are in the file. Does not check the text of a
  /// string, or the objects that a container refers to.
  @inline(__always)
  func node(at index: Int, in bytes: RawSpan) throws(PropertyListError) -> FlatNode {
    let offset = try offset(of: index, in: bytes)
    let marker = bytes[offset]
    let low = Int(marker & 0x0F)
    switch marker & 0xF0 {
    case BinaryMarker.asciiString:
      let (start, count) = try extent(low, at: offset, unit: 1, in: bytes)
      return .string(.ascii, offset: start, length: count)
    case BinaryMarker.integer: return .integer(try integer(at: offset, in: bytes))
    case BinaryMarker.utf16String:
      let (start, count) = try extent(low, at: offset, unit: 2, in: bytes)
      return .string(.utf16, offset: start, length: 2 * count)
    case BinaryMarker.data:
      let (start, count) = try extent(low, at: offset, unit: 1, in: bytes)
      return .data(.verbatim, offset: start, length: count)
    case BinaryMarker.array, BinaryMarker.set:
      let (start, count) = try extent(low, at: offset, unit: referenceWidth, in: bytes)
      return .container(.array, offset: start, count: count)
    case BinaryMarker.dictionary:
      let (start, count) = try extent(low, at: offset, unit: 2 * referenceWidth, in: bytes)
      return .container(.dictionary, offset: start, count: count)
    case BinaryMarker.uid: return .uid(try uid(width: low + 1, at: offset, in: bytes))
    default: return try simpleNode(marker, at: offset, in: bytes)
    }
  }

  private func simpleNode(_ marker: UInt8, at offset: Int, in bytes: RawSpan) throws(PropertyListError) -> FlatNode {
    switch marker {
    case BinaryMarker.null: return .null
    case BinaryMarker.false: return .boolean(false)
    case BinaryMarker.true: return .boolean(true)
    case BinaryMarker.float:
      try require(4, after: offset, in: bytes)
      return .float(Float(bitPattern: UInt32(truncatingIfNeeded: bytes.bigEndian(at: offset + 1, width: 4))))
    case BinaryMarker.real:
      try require(8, after: offset, in: bytes)
      return .real(Double(bitPattern: bytes.bigEndian(at: offset + 1, width: 8)))
    case BinaryMarker.date:
      try require(8, after: offset, in: bytes)
      return .date(Double(bitPattern: bytes.bigEndian(at: offset + 1, width: 8)))
    default: throw .malformed("0x\(String(marker, radix: 16)) is not an object marker of the binary format", at: offset)
    }
  }

  private func uid(width: Int, at offset: Int, in bytes: RawSpan) throws(PropertyListError) -> UInt32 {
    try require(width, after: offset, in: bytes)
    var value: UInt64 = 0
    for index in 0..<width {
      guard value >> 32 == 0 else { break }
      value = value << 8 | UInt64(bytes[offset + 1 + index])
    }
    guard let uid = UInt32(exactly: value) else { throw .malformed("a UID above 4294967295", at: offset) }
    return uid
  }

  /// Returns the integer at `offset`. An integer of 16 bytes must have a high half of zero, or have all bits set: one
  /// of Apple's writers writes `UInt64.max` in this way. Apple's reader also accepts all others, but drops their high
  /// half.
  private func integer(at offset: Int, in bytes: RawSpan) throws(PropertyListError) -> PropertyList.Integer {
    let exponent = Int(bytes[offset] & 0x0F)
    guard exponent <= 4 else { throw .malformed("an integer of 2^\(exponent) bytes; expected at most 16", at: offset) }
    let width = 1 << exponent
    try require(width, after: offset, in: bytes)
    switch width {
    case 8: return PropertyList.Integer(Int64(bitPattern: bytes.bigEndian(at: offset + 1, width: 8)))
    case 16:
      let high = bytes.bigEndian(at: offset + 1, width: 8)
      let low = bytes.bigEndian(at: offset + 9, width: 8)
      guard high == 0 || (high == .max && low == .max) else {
        throw .malformed("an integer that needs more than 64 bits", at: offset)
      }
      return PropertyList.Integer(low)
    default: return PropertyList.Integer(bytes.bigEndian(at: offset + 1, width: width))
    }
  }

  /// Returns the offset and the count of an object's content.
  ///
  /// - Parameters:
  ///   - low: The low half of the object's first byte.
  ///   - unit: The number of bytes for each unit of the count: a character, a byte, or the references of one element or
  ///     entry.
  @inline(__always)
  private func extent(
    _ low: Int, at offset: Int, unit: Int, in bytes: RawSpan
  ) throws(PropertyListError) -> (start: Int, count: Int) {
    var start = offset + 1
    var count = low
    if low == BinaryMarker.countFollows { (start, count) = try longCount(at: offset, in: bytes) }
    // Compares by division, because the product could overflow.
    guard count <= (tableOffset - start) / unit else {
      throw .malformed("an object of \(count) × \(unit) bytes overlaps the offset table", at: offset)
    }
    return (start, count)
  }

  private func longCount(at offset: Int, in bytes: RawSpan) throws(PropertyListError) -> (start: Int, count: Int) {
    try require(1, after: offset, in: bytes)
    guard bytes[offset + 1] & 0xF0 == BinaryMarker.integer else {
      throw .malformed("the count of an object is not an integer", at: offset + 1)
    }
    let integer = try integer(at: offset + 1, in: bytes)
    guard let count = Int(exactly: integer), count >= 0 else {
      throw .malformed("the count of an object cannot be \(integer)", at: offset + 1)
    }
    return (offset + 2 + 1 << Int(bytes[offset + 1] & 0x0F), count)
  }

  @inline(__always)
  private func require(_ length: Int, after offset: Int, in bytes: RawSpan) throws(PropertyListError) {
    guard length < tableOffset - offset else {
      throw .malformed("an object overlaps the offset table", at: offset)
    }
  }
}

/// The object markers of the binary format (`CFBinaryPList.c`, kCFBinaryPlistMarker…). The high half of an object's
/// first byte is its type, the low half is a size or a value.
enum BinaryMarker {
  static let null: UInt8 = 0x00
  static let `false`: UInt8 = 0x08
  static let `true`: UInt8 = 0x09
  /// The first byte of an integer is this plus the binary logarithm of the width in bytes. Widths 1, 2 and 4 are
  /// unsigned, 8 is signed, and 16 holds unsigned 64-bit values.
  static let integer: UInt8 = 0x10
  static let float: UInt8 = 0x22
  static let real: UInt8 = 0x23
  /// Followed by the seconds since 2001-01-01T00:00:00Z as an 8-byte real.
  static let date: UInt8 = 0x33
  /// The first byte of data is this plus the number of bytes, or plus ``countFollows``. The first byte of a string or
  /// container has the count in the same form.
  static let data: UInt8 = 0x40
  static let asciiString: UInt8 = 0x50
  /// Followed by UTF-16, big-endian. The count is in 2-byte units.
  static let utf16String: UInt8 = 0x60
  /// The first byte of a UID is this plus the width in bytes minus one.
  static let uid: UInt8 = 0x80
  static let array: UInt8 = 0xA0
  static let set: UInt8 = 0xC0
  /// Followed by the references of all keys, then those of all values.
  static let dictionary: UInt8 = 0xD0

  /// The low half of a first byte if the count does not fit into it. The count then follows as an integer object.
  static let countFollows: UInt8 = 0x0F
}
