internal import FoundationEssentials

#if canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#elseif canImport(Bionic)
  private import Bionic
#elseif canImport(Darwin)
  private import Darwin
#endif

/// Output that grows. It becomes `Data` without a copy.
///
/// Sound: `base` is always null or a block of `capacity` bytes from malloc that this value alone owns, and every write is
/// preceded by `reserve`, which makes room behind `count`.
@safe
struct ByteBuffer: ~Copyable {
  private var base: UnsafeMutableRawPointer?
  private(set) var count = 0
  private var capacity = 0

  init() {}

  deinit { unsafe free(base) }

  /// Makes room for `size` more bytes.
  @inline(__always)
  mutating func reserve(_ size: Int) {
    if size > capacity - count { grow(by: size) }
  }

  @inline(never)
  private mutating func grow(by size: Int) {
    let needed = max(count + size, capacity + capacity / 2, 4096)
    guard let block = unsafe realloc(base, needed) else {
      // As everywhere in Swift, memory that the system does not have ends the process.
      fatalError("out of memory: \(needed) bytes")
    }
    unsafe base = block
    capacity = needed
  }

  @inline(__always)
  mutating func append(byte: UInt8) {
    reserve(1)
    unsafe base.unsafelyUnwrapped.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  @inline(__always)
  mutating func append(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    reserve(length)
    unsafe base.unsafelyUnwrapped.advanced(by: count).copyMemory(from: text.utf8Start, byteCount: length)
    count += length
  }

  @inline(__always)
  mutating func append(_ bytes: RawSpan) {
    let length = bytes.byteCount
    guard length > 0 else { return }
    reserve(length)
    let target = unsafe base.unsafelyUnwrapped.advanced(by: count)
    unsafe bytes.withUnsafeBytes { unsafe target.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: length) }
    count += length
  }

  /// The first `length` bytes of `word`, the lowest first. Writes, but does not count, the others.
  @inline(__always)
  mutating func append(littleEndianWord word: UInt64, length: Int) {
    reserve(8)
    unsafe base.unsafelyUnwrapped.storeBytes(of: word.littleEndian, toByteOffset: count, as: UInt64.self)
    count += length
  }

  /// The lowest `width` bytes of `value`, 1 to 8 of them, the highest first.
  @inline(__always)
  mutating func append(bigEndian value: UInt64, width: Int) {
    append(littleEndianWord: (value << UInt64(64 - 8 * width)).byteSwapped, length: width)
  }

  mutating func append(repeating byte: UInt8, count repetitions: Int) {
    guard repetitions > 0 else { return }
    reserve(repetitions)
    unsafe base.unsafelyUnwrapped.advanced(by: count).initializeMemory(
      as: UInt8.self, repeating: byte, count: repetitions)
    count += repetitions
  }

  /// Forgets what was appended after the first `count` bytes.
  mutating func truncate(to count: Int) { self.count = min(count, self.count) }

  /// The hash of the bytes from `start` on.
  @inline(__always)
  func hash(from start: Int, seed: ByteHash.Seed) -> UInt64 {
    ByteHash.hash(bytes, from: start, count: count - start, seed: seed)
  }

  /// Whether two stretches, which both lie before ``count``, have the same bytes.
  @inline(__always)
  func equalBytes(_ first: Int, _ second: Int, count: Int) -> Bool { bytes.equalBytes(first, second, count: count) }

  /// The bytes so far, until the next change.
  var bytes: RawSpan {
    @_lifetime(borrow self)
    borrowing get {
      let span = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: base, count: count))
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// The bytes, with no copy.
  consuming func takeData() -> Data {
    guard count > 0, let block = unsafe base else { return Data() }
    unsafe base = nil
    let size = count
    return unsafe Data(bytesNoCopy: realloc(block, size) ?? block, count: size, deallocator: .free)
  }
}

extension ByteBuffer {
  /// Pairs of decimal digits, `00` to `99`, each as two bytes.
  private static let digitPairs: [UInt16] = (0..<100).map { value in
    UInt16(UInt8(ascii: "0") + UInt8(value / 10)) | UInt16(UInt8(ascii: "0") + UInt8(value % 10)) << 8
  }

  /// A number in decimal digits, with zeros in front up to `width`.
  mutating func append(decimal value: some FixedWidthInteger & UnsignedInteger, width: Int = 1) {
    var rest = UInt64(value)
    var digitCount = 1
    var bound: UInt64 = 10
    while rest >= bound, digitCount < 20 {
      digitCount += 1
      let (next, overflow) = bound.multipliedReportingOverflow(by: 10)
      if overflow { break }
      bound = next
    }
    digitCount = max(digitCount, width)
    reserve(digitCount)
    var offset = count + digitCount
    while offset > count {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      offset -= 1
      unsafe base.unsafelyUnwrapped.storeBytes(
        of: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit), toByteOffset: offset, as: UInt8.self)
      rest = quotient
    }
    count += digitCount
  }
}
