extension BinaryWriter {
  /// Appends a string that is not all ASCII as an object of the binary format: marker, count of units, units.
  ///
  /// - Parameter utf8: valid UTF-8.
  static func append(utf16 utf8: RawSpan, to buffer: inout ByteBuffer) {
    // Each scalar is one unit but for those of four bytes, which are two; so the units are counted by lead bytes.
    var units = 0
    for index in 0..<utf8.byteCount {
      let byte = utf8[index]
      if byte & 0xC0 != 0x80 { units += byte >= 0xF0 ? 2 : 1 }
    }
    append(BinaryMarker.utf16String, count: units, to: &buffer)
    buffer.reserve(2 * units + 8)
    var index = 0
    while index < utf8.byteCount {
      let lead = UInt32(utf8[index])
      if lead < 0x80 {
        buffer.append(bigEndian: UInt64(lead), width: 2)
        index += 1
      } else if lead < 0xE0 {
        buffer.append(bigEndian: UInt64((lead & 0x1F) << 6 | continuation(utf8, index + 1)), width: 2)
        index += 2
      } else if lead < 0xF0 {
        let scalar = (lead & 0x0F) << 12 | continuation(utf8, index + 1) << 6 | continuation(utf8, index + 2)
        buffer.append(bigEndian: UInt64(scalar), width: 2)
        index += 3
      } else {
        let scalar =
          (lead & 0x07) << 18 | continuation(utf8, index + 1) << 12 | continuation(utf8, index + 2) << 6
          | continuation(utf8, index + 3)
        let pair = (0xD800 + (scalar - 0x10000) >> 10) << 16 | 0xDC00 + (scalar - 0x10000) & 0x3FF
        buffer.append(bigEndian: UInt64(pair), width: 4)
        index += 4
      }
    }
  }

  @inline(__always)
  private static func continuation(_ utf8: RawSpan, _ index: Int) -> UInt32 { UInt32(utf8[index]) & 0x3F }
}
