/// UTF-16 into UTF-8, strictly: a surrogate without its partner is an error, for a Swift string cannot hold it.
enum UTF16Text {
  /// - Parameter offset: where `bytes` begin in the input, for the error.
  static func decodeBigEndian(
    _ bytes: RawSpan, offset: Int, into text: inout [UInt8]
  ) throws(PropertyListError) {
    guard let fault = decode(bytes, isBigEndian: true, into: &text) else { return }
    throw PropertyListError(
      .malformed, "a UTF-16 surrogate without its partner in a string", byteOffset: offset + fault)
  }

  /// - Returns: nil, or the offset of the first unit that is a surrogate without its partner.
  static func decode(_ bytes: RawSpan, isBigEndian: Bool, into text: inout [UInt8]) -> Int? {
    text.reserve(bytes.byteCount)
    var offset = 0
    let end = bytes.byteCount & ~1
    while offset < end {
      let unit = isBigEndian ? bytes.bigEndianUInt16(at: offset) : bytes.bigEndianUInt16(at: offset).byteSwapped
      var scalar = UInt32(unit)
      var length = 2
      if unit & 0xF800 == 0xD800 {
        guard unit < 0xDC00, offset + 4 <= end else { return offset }
        let low =
          isBigEndian ? bytes.bigEndianUInt16(at: offset + 2) : bytes.bigEndianUInt16(at: offset + 2).byteSwapped
        guard low & 0xFC00 == 0xDC00 else { return offset }
        scalar = 0x10000 + (UInt32(unit) & 0x3FF) << 10 + UInt32(low) & 0x3FF
        length = 4
      }
      text.append(scalar: scalar)
      offset += length
    }
    return end == bytes.byteCount ? nil : end
  }
}

extension [UInt8] {
  /// Appends a Unicode scalar value in UTF-8.
  @inline(__always)
  mutating func append(scalar: UInt32) {
    if scalar < 0x80 {
      append(UInt8(truncatingIfNeeded: scalar))
      return
    }
    if scalar < 0x800 {
      append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
    } else {
      if scalar < 0x10000 {
        append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
      } else {
        append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
        append(UInt8(truncatingIfNeeded: 0x80 | (scalar >> 12) & 0x3F))
      }
      append(UInt8(truncatingIfNeeded: 0x80 | (scalar >> 6) & 0x3F))
    }
    append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
  }
}

extension UTF16Text {
  /// Appends a string that is not all ASCII as an object of the binary format: marker, count of units, units.
  ///
  /// - Parameter utf8: valid UTF-8.
  static func appendObject(_ utf8: RawSpan, to buffer: inout ByteBuffer) {
    // Each scalar is one unit but for those of four bytes, which are two; so the units are counted by lead bytes.
    var units = 0
    for index in 0..<utf8.byteCount {
      let byte = utf8[index]
      if byte & 0xC0 != 0x80 { units += byte >= 0xF0 ? 2 : 1 }
    }
    BinaryWriter.append(BinaryMarker.utf16String, count: units, to: &buffer)
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
