/// Strict conversion from UTF-16 to UTF-8. An unpaired surrogate is an error, because a Swift string cannot represent
/// it.
enum UTF16Text {
  /// Appends big-endian UTF-16 to `text`, as UTF-8.
  ///
  /// - Parameter offset: The offset of `bytes` in the input, for the error.
  /// - Throws: ``PropertyListError/Kind/malformed`` for an unpaired surrogate or an incomplete unit.
  static func decodeBigEndian(_ bytes: RawSpan, offset: Int, into text: inout [UInt8]) throws(PropertyListError) {
    guard let defect = decode(bytes, isBigEndian: true, into: &text) else { return }
    throw .malformed("an unpaired UTF-16 surrogate in a string", at: offset + defect)
  }

  /// Appends UTF-16 to `text`, as UTF-8. Stops at the first defect.
  ///
  /// - Returns: The offset of the first unpaired surrogate or incomplete unit, or nil if not found.
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
  /// Appends a Unicode scalar value as UTF-8.
  @inline(__always)
  package mutating func append(scalar: UInt32) {
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
