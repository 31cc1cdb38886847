package import FoundationEssentials

/// A growing output buffer that becomes `Data` without a copy.
///
/// Memory-safe: `base` is always null or a malloc block of `capacity` bytes that only this value owns. Every write is
/// preceded by `reserve`, which ensures enough capacity after `count`.
@safe
package struct ByteBuffer: ~Copyable {
  private var base: UnsafeMutableRawPointer?
  package private(set) var count = 0
  private var capacity = 0

  package init() {}

  deinit { unsafe CLibrary.release(base) }

  /// Reserves capacity for `size` more bytes.
  @inline(__always)
  package mutating func reserve(_ size: Int) {
    if size > capacity - count { grow(by: size) }
  }

  @inline(never)
  private mutating func grow(by size: Int) {
    let larger = capacity < CLibrary.smallBlock ? 4 * capacity : max(2 * capacity, CLibrary.largeBlock)
    var needed = max(count + size, larger, 512)
    unsafe base =
      needed >= CLibrary.largeBlock
      ? CLibrary.reallocateLarge(base, to: &needed) : CLibrary.reallocate(base, to: needed)
    capacity = needed
    precondition(capacity - count >= size)
  }

  @inline(__always)
  package mutating func append(byte: UInt8) {
    reserve(1)
    unsafe base.unsafelyUnwrapped.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  @inline(__always)
  package mutating func append(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    reserve(length)
    unsafe base.unsafelyUnwrapped.advanced(by: count).copyMemory(from: text.utf8Start, byteCount: length)
    count += length
  }

  @inline(__always)
  package mutating func append(_ bytes: RawSpan) {
    let length = bytes.byteCount
    guard length > 0 else { return }
    reserve(length)
    let target = unsafe base.unsafelyUnwrapped.advanced(by: count)
    unsafe bytes.withUnsafeBytes { unsafe target.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: length) }
    count += length
  }

  /// Appends the lowest `length` bytes of `word`, lowest first. All eight bytes are stored, because that is faster, but
  /// only `length` of them become part of the contents.
  @inline(__always)
  package mutating func append(littleEndianWord word: UInt64, length: Int) {
    reserve(8)
    unsafe base.unsafelyUnwrapped.storeBytes(of: word.littleEndian, toByteOffset: count, as: UInt64.self)
    count += length
  }

  /// Appends the lowest `width` bytes of `value`, 1 to 8 of them, highest first.
  @inline(__always)
  package mutating func append(bigEndian value: UInt64, width: Int) {
    append(littleEndianWord: (value << UInt64(64 - 8 * width)).byteSwapped, length: width)
  }

  /// Appends tabs.
  @inline(__always)
  package mutating func append(tabs: Int) {
    reserve(tabs + 8)
    unsafe Self.fill(base.unsafelyUnwrapped.advanced(by: count), tabs: tabs)
    count += tabs
  }

  /// Writes tabs in steps of eight. There must be room for eight bytes more.
  @inline(__always)
  private static func fill(_ target: UnsafeMutableRawPointer, tabs: Int) {
    var written = 0
    repeat {
      unsafe target.storeBytes(of: 0x0909_0909_0909_0909, toByteOffset: written, as: UInt64.self)
      written += 8
    } while written < tabs
  }

  /// Appends a line: tabs, a tag, text, and a tag with the line end. Returns false, without appending, if the text has
  /// a byte that needs an escape in XML.
  @inline(__always)
  package mutating func append(
    tabs: Int, _ opening: StaticString, cleanText text: RawSpan, _ closing: StaticString
  ) -> Bool {
    let textStart = tabs + opening.utf8CodeUnitCount
    let textEnd = textStart + text.byteCount
    reserve(textEnd + closing.utf8CodeUnitCount + 8)
    let target = unsafe base.unsafelyUnwrapped.advanced(by: count)
    unsafe Self.fill(target, tabs: tabs)
    unsafe target.advanced(by: tabs).copyMemory(from: opening.utf8Start, byteCount: opening.utf8CodeUnitCount)
    guard unsafe Self.copyCleanText(of: text, from: 0, to: target.advanced(by: textStart)) == text.byteCount else {
      return false
    }
    unsafe target.advanced(by: textEnd).copyMemory(from: closing.utf8Start, byteCount: closing.utf8CodeUnitCount)
    count += textEnd + closing.utf8CodeUnitCount
    return true
  }

  /// Appends `text` from `start` up to the first byte that may need an escape in XML. Returns the index of that byte,
  /// or the end.
  @inline(__always)
  package mutating func append(cleanTextOf text: RawSpan, from start: Int) -> Int {
    reserve(text.byteCount - start + 8)
    let target = unsafe base.unsafelyUnwrapped.advanced(by: count)
    let end = unsafe Self.copyCleanText(of: text, from: start, to: target)
    count += end - start
    return end
  }

  /// Copies `text` from `start` up to the first byte that may need an escape in XML. Returns the index of that byte, or
  /// the end. There must be room for the whole text and eight more bytes, which may be overwritten, too.
  @inline(never)
  private static func copyCleanText(of text: RawSpan, from start: Int, to target: UnsafeMutableRawPointer) -> Int {
    let end = text.byteCount
    let target = unsafe target - start
    var index = start
    while index + 16 <= end {
      let (first, second) = (text.littleEndianWord(at: index), text.littleEndianWord(at: index + 8))
      if ByteClass.needsLook(first) | ByteClass.needsLook(second) != 0 { break }
      unsafe target.storeBytes(of: first.littleEndian, toByteOffset: index, as: UInt64.self)
      unsafe target.storeBytes(of: second.littleEndian, toByteOffset: index + 8, as: UInt64.self)
      index += 16
    }
    while index < end {
      let length = min(end - index, 8)
      let word = length == 8 ? text.littleEndianWord(at: index) : text.littleEndianWord(at: index, length: length)
      unsafe target.storeBytes(of: word.littleEndian, toByteOffset: index, as: UInt64.self)
      let clean = min(ByteClass.needsLook(word).trailingZeroBitCount / 8, length)
      index += clean
      if clean < length { break }
    }
    return index
  }

  /// Appends the XML reference for a byte: for `&`, `<` and `>`, and for CR, which XML readers would turn into LF.
  /// Returns false, without appending, for other bytes.
  package mutating func append(referenceFor byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"): append("&amp;")
    case UInt8(ascii: "<"): append("&lt;")
    case UInt8(ascii: ">"): append("&gt;")
    case 0x0D: append("&#13;")
    default: return false
    }
    return true
  }

  /// Appends the two hexadecimal digits of a byte, in lower case.
  package mutating func append(hexadecimal byte: UInt8) {
    for digit in [byte >> 4, byte & 15] {
      append(byte: digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }

  package mutating func append(repeating byte: UInt8, count repetitions: Int) {
    guard repetitions > 0 else { return }
    reserve(repetitions)
    unsafe base.unsafelyUnwrapped.advanced(by: count).initializeMemory(
      as: UInt8.self, repeating: byte, count: repetitions)
    count += repetitions
  }

  /// Replaces the four bytes at `offset` with `value`, in little-endian order. They must be before ``count``.
  @inline(__always)
  package mutating func store(_ value: UInt32, at offset: Int) {
    precondition(offset >= 0 && offset + 4 <= count)
    unsafe base.unsafelyUnwrapped.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt32.self)
  }

  /// Removes the bytes after the first `count`.
  package mutating func truncate(to count: Int) { self.count = min(count, self.count) }

  /// The bytes so far, valid until the next change.
  package var bytes: RawSpan {
    @_lifetime(borrow self)
    borrowing get {
      let span = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: base, count: count))
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// Returns the bytes without copying them.
  package consuming func takeData() -> Data {
    guard count > 0, let block = unsafe base else { return Data() }
    unsafe base = nil
    let size = count
    return unsafe Data(bytesNoCopy: CLibrary.reallocate(block, to: size), count: size, deallocator: .free)
  }

  /// The decimal digits of 0 to 99, two bytes each.
  private static let digitPairs: StaticString = """
    00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657\
    585960616263646566676869707172737475767778798081828384858687888990919293949596979899
    """

  /// Appends a number in decimal digits, padded with zeros to `width`, which is at most 20. Memory-safe: 64 bits have
  /// at most 20 digits, and the static string has the pairs of all numbers below 100.
  @inline(__always)
  package mutating func append(decimal value: some FixedWidthInteger & UnsignedInteger, width: Int = 1) {
    reserve(20)
    let base = unsafe self.base.unsafelyUnwrapped.advanced(by: count)
    let pairs = unsafe Self.digitPairs.utf8Start
    var rest = UInt64(truncatingIfNeeded: value)
    var start = max(Self.digitCount(rest), width)
    count += start
    while rest >= 100 {
      let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
      start -= 2
      unsafe base.advanced(by: start).copyMemory(from: pairs.advanced(by: 2 * Int(pair)), byteCount: 2)
      rest = quotient
    }
    if rest >= 10 {
      start -= 2
      unsafe base.advanced(by: start).copyMemory(from: pairs.advanced(by: 2 * Int(rest)), byteCount: 2)
    } else {
      start -= 1
      unsafe base.storeBytes(
        of: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest), toByteOffset: start, as: UInt8.self)
    }
    while start > 0 {
      start -= 1
      unsafe base.storeBytes(of: UInt8(ascii: "0"), toByteOffset: start, as: UInt8.self)
    }
  }

  @inline(__always)
  private static func digitCount(_ value: UInt64) -> Int {
    var rest = value
    var count = 1
    while rest >= 10_000 {
      rest /= 10_000
      count += 4
    }
    return count + (rest >= 1000 ? 3 : rest >= 100 ? 2 : rest >= 10 ? 1 : 0)
  }

  /// Appends the two decimal digits of a number below 100.
  @inline(__always)
  package mutating func append(twoDigits value: Int) {
    precondition(value >= 0 && value < 100)
    reserve(2)
    let pair = unsafe Self.digitPairs.utf8Start.advanced(by: 2 * value)
    unsafe base.unsafelyUnwrapped.advanced(by: count).copyMemory(from: pair, byteCount: 2)
    count += 2
  }
}
