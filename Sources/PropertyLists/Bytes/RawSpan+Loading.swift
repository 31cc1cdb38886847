/// Functions that load integers from bytes. The unsafe loads are sound: the standard library checks their bounds, and
/// every bit pattern is valid for an integer.
extension RawSpan {
  @inlinable @inline(__always)
  package subscript(offset: Int) -> UInt8 { unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

  /// Returns eight bytes, the first in the lowest bits.
  @inline(__always)
  package func littleEndianWord(at offset: Int) -> UInt64 {
    unsafe UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Returns 0 to 7 bytes, the first in the lowest bits, with zeros above. The bytes must exist.
  @inline(__always)
  func littleEndianWord(at offset: Int, length: Int) -> UInt64 {
    if length >= 4 {
      let first = UInt64(littleEndianUInt32(at: offset))
      let last = UInt64(littleEndianUInt32(at: offset + length - 4))
      return first | last << UInt64(8 * (length - 4))
    }
    if length == 0 { return 0 }
    let middle = length / 2
    return UInt64(self[offset]) | UInt64(self[offset + middle]) << UInt64(8 * middle)
      | UInt64(self[offset + length - 1]) << UInt64(8 * (length - 1))
  }

  /// Returns a big-endian integer of 1 to 8 bytes. It must begin at least 8 bytes before the end of the span, because 8
  /// bytes are always read.
  @inline(__always)
  func bigEndian(at offset: Int, width: Int) -> UInt64 {
    unsafe UInt64(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)) >> UInt64(64 - 8 * width)
  }

  @inline(__always)
  func bigEndianUInt16(at offset: Int) -> UInt16 {
    unsafe UInt16(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  @inline(__always)
  package func littleEndianUInt32(at offset: Int) -> UInt32 {
    unsafe UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  package func starts(with prefix: StaticString, at offset: Int = 0) -> Bool {
    let length = prefix.utf8CodeUnitCount
    guard offset >= 0, offset <= byteCount - length else { return false }
    // Memory-safe: a static string has as many bytes as its count says.
    let text = unsafe UnsafeBufferPointer(start: prefix.utf8Start, count: length)
    for index in 0..<length where unsafe text[index] != self[offset + index] { return false }
    return true
  }

  /// Returns true if two ranges of this span have the same bytes.
  @inline(__always)
  func equalBytes(_ first: Int, _ second: Int, count: Int) -> Bool { hasBytes(of: self, at: second, first, count) }

  /// Returns true if this span and another one of the same length have the same bytes.
  @inline(__always)
  package func hasSameBytes(as other: RawSpan) -> Bool { hasBytes(of: other, at: 0, 0, byteCount) }

  @inline(__always)
  private func hasBytes(of other: RawSpan, at otherStart: Int, _ start: Int, _ count: Int) -> Bool {
    var index = 0
    while index + 8 <= count {
      if littleEndianWord(at: start + index) != other.littleEndianWord(at: otherStart + index) { return false }
      index += 8
    }
    if index == count { return true }
    // Compares some bytes again if there are at least eight.
    return if count > 8 {
      littleEndianWord(at: start + count - 8) == other.littleEndianWord(at: otherStart + count - 8)
    } else {
      littleEndianWord(at: start, length: count) == other.littleEndianWord(at: otherStart, length: count)
    }
  }

  /// True if all bytes are below 0x80.
  @inline(__always)
  package var isASCII: Bool {
    var index = 0
    var seen: UInt64 = 0
    while index + 8 <= byteCount {
      seen |= littleEndianWord(at: index)
      index += 8
    }
    while index < byteCount {
      seen |= UInt64(self[index])
      index += 1
    }
    return seen & 0x8080_8080_8080_8080 == 0
  }
}

extension String {
  /// Copies bytes. The caller guarantees that they are valid UTF-8.
  @inline(__always)
  package init(knownUTF8 bytes: RawSpan, isASCII: Bool) {
    let text = unsafe UTF8Span(unchecked: Span<UInt8>(_bytes: bytes), isKnownASCII: isASCII)
    self.init(copying: text)
  }
}

extension RawSpan {
  /// True if the bytes are valid UTF-8.
  package var isValidUTF8: Bool { (try? UTF8Span(validating: Span<UInt8>(_bytes: self))) != nil }

  /// Returns the character that begins at `index`, and its length in bytes. Invalid UTF-8 is U+FFFD with a length of 1.
  package func scalar(at index: Int) -> (scalar: Unicode.Scalar, length: Int) {
    let first = self[index]
    if first < 0x80 { return (Unicode.Scalar(first), 1) }
    let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard index + length <= byteCount else { return ("\u{FFFD}", 1) }
    var value = UInt32(first) & (0x7F >> UInt32(length))
    for offset in 1..<length { value = value << 6 | UInt32(self[index + offset] & 0x3F) }
    return Unicode.Scalar(value).map { ($0, length) } ?? ("\u{FFFD}", 1)
  }

  /// Returns the character that ends before `index`, or nil at the beginning.
  package func scalar(before index: Int) -> Unicode.Scalar? {
    guard index > 0 else { return nil }
    var start = index - 1
    while start > max(0, index - 4), self[start] & 0xC0 == 0x80 { start -= 1 }
    return scalar(at: start).scalar
  }
}
