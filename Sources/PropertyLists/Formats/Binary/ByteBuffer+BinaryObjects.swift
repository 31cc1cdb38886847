/// Functions that write the objects of the binary format that have no references: their markers and their bytes.
extension ByteBuffer {
  /// Appends a marker with its count.
  @inline(__always)
  mutating func append(marker: UInt8, count: Int) {
    if count < Int(BinaryMarker.countFollows) {
      append(byte: marker | UInt8(truncatingIfNeeded: count))
    } else {
      append(byte: marker | BinaryMarker.countFollows)
      append(object: PropertyList.Integer(count))
    }
  }

  /// Appends an integer in its narrowest form: 1, 2 or 4 bytes unsigned, 8 bytes signed, or 16 bytes above `Int64.max`.
  mutating func append(object value: PropertyList.Integer) {
    if value.isNegative {
      append(byte: BinaryMarker.integer | 3)
      append(bigEndian: value.bits, width: 8)
    } else if value.bits < 1 << 8 {
      append(byte: BinaryMarker.integer)
      append(byte: UInt8(value.bits))
    } else if value.bits < 1 << 16 {
      append(byte: BinaryMarker.integer | 1)
      append(bigEndian: value.bits, width: 2)
    } else if value.bits < 1 << 32 {
      append(byte: BinaryMarker.integer | 2)
      append(bigEndian: value.bits, width: 4)
    } else if value.bits < 1 << 63 {
      append(byte: BinaryMarker.integer | 3)
      append(bigEndian: value.bits, width: 8)
    } else {
      append(byte: BinaryMarker.integer | 4)
      append(bigEndian: 0, width: 8)
      append(bigEndian: value.bits, width: 8)
    }
  }

  /// Appends a scalar of fixed size.
  @inline(__always)
  mutating func append(object node: FlatNode) {
    switch node.kind {
    case .boolean: append(byte: node.boolean ? BinaryMarker.true : BinaryMarker.false)
    case .integer, .unsignedInteger: append(object: node.integer)
    case .real: append(number: BinaryMarker.real, node.payload, width: 8)
    case .float: append(number: BinaryMarker.float, node.payload, width: 4)
    case .date: append(number: BinaryMarker.date, node.payload, width: 8)
    case .uid: append(objectOfUID: node.uid)
    case .null, .string, .data, .array, .dictionary: append(byte: BinaryMarker.null)
    }
  }

  @inline(__always)
  private mutating func append(number marker: UInt8, _ bits: UInt64, width: Int) {
    append(byte: marker)
    append(bigEndian: bits, width: width)
  }

  @inline(__always)
  mutating func append(objectOfUID value: UInt32) {
    let width = Self.widthOfUID(value)
    append(byte: BinaryMarker.uid | UInt8(width - 1))
    append(bigEndian: UInt64(value), width: width)
  }

  @inline(__always)
  static func widthOfUID(_ value: UInt32) -> Int { value < 1 << 8 ? 1 : value < 1 << 16 ? 2 : 4 }

  @inline(__always)
  mutating func append(objectOfData bytes: RawSpan) {
    append(marker: BinaryMarker.data, count: bytes.byteCount)
    append(bytes)
  }

  /// Appends a string.
  ///
  /// - Parameter utf8: Valid UTF-8.
  @inline(__always)
  mutating func append(objectOfText utf8: RawSpan) {
    guard utf8.isASCII else { return append(utf16: utf8) }
    append(marker: BinaryMarker.asciiString, count: utf8.byteCount)
    append(utf8)
  }

  /// Appends a string that is not all ASCII: the marker, the number of UTF-16 units and the units.
  private mutating func append(utf16 utf8: RawSpan) {
    // Each scalar is one unit, except that scalars of four bytes are two. So the units can be counted by lead bytes.
    var units = 0
    for index in 0..<utf8.byteCount {
      let byte = utf8[index]
      if byte & 0xC0 != 0x80 { units += byte >= 0xF0 ? 2 : 1 }
    }
    append(marker: BinaryMarker.utf16String, count: units)
    reserve(2 * units + 8)
    var index = 0
    while index < utf8.byteCount {
      let lead = UInt32(utf8[index])
      if lead < 0x80 {
        append(bigEndian: UInt64(lead), width: 2)
        index += 1
      } else if lead < 0xE0 {
        append(bigEndian: UInt64((lead & 0x1F) << 6 | Self.continuation(utf8, index + 1)), width: 2)
        index += 2
      } else if lead < 0xF0 {
        let scalar = (lead & 0x0F) << 12 | Self.continuation(utf8, index + 1) << 6 | Self.continuation(utf8, index + 2)
        append(bigEndian: UInt64(scalar), width: 2)
        index += 3
      } else {
        let scalar =
          (lead & 0x07) << 18 | Self.continuation(utf8, index + 1) << 12 | Self.continuation(utf8, index + 2) << 6
          | Self.continuation(utf8, index + 3)
        let pair = (0xD800 + (scalar - 0x10000) >> 10) << 16 | 0xDC00 + (scalar - 0x10000) & 0x3FF
        append(bigEndian: UInt64(pair), width: 4)
        index += 4
      }
    }
  }

  @inline(__always)
  private static func continuation(_ utf8: RawSpan, _ index: Int) -> UInt32 { UInt32(utf8[index]) & 0x3F }
}
