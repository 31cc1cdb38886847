/// A hash of short byte strings from untrusted input.
///
/// Folds two 64-bit words at a time by a full multiplication, with a secret seed that is chosen when the process
/// starts, so that inputs cannot be constructed to collide. Hashes do not affect the order of anything, so the output
/// of a program does not depend on the seed.
package enum ByteHash {
  package struct Seed: Sendable {
    fileprivate let first: UInt64
    fileprivate let second: UInt64
  }

  /// A seed that is the same in all processes, for hashes in files.
  package static let stableSeed = Seed(first: 0x9E37_79B9_7F4A_7C15, second: 0xD1B5_4A32_D192_ED03)

  package static let seed = Seed(first: .random(in: .min ... .max) | 1, second: .random(in: .min ... .max) | 1)

  @inline(__always)
  package static func hash(_ bytes: RawSpan, from start: Int, count: Int, seed: Seed) -> UInt64 {
    var state = seed.first ^ UInt64(truncatingIfNeeded: count)
    if count >= 16 {
      var offset = start
      let last = start + count - 16
      while offset < last {
        state = fold(bytes.littleEndianWord(at: offset) ^ state, bytes.littleEndianWord(at: offset + 8) ^ seed.second)
        offset += 16
      }
      return finish(bytes.littleEndianWord(at: last), bytes.littleEndianWord(at: last + 8), state, seed)
    }
    if count >= 8 {
      return finish(bytes.littleEndianWord(at: start), bytes.littleEndianWord(at: start + count - 8), state, seed)
    }
    if count >= 4 {
      let low = UInt64(bytes.littleEndianUInt32(at: start))
      let high = UInt64(bytes.littleEndianUInt32(at: start + count - 4))
      return finish(low, high, state, seed)
    }
    if count > 0 {
      let word = UInt64(bytes[start]) | UInt64(bytes[start + count >> 1]) << 8 | UInt64(bytes[start + count - 1]) << 16
      return finish(word, 0, state, seed)
    }
    return finish(0, 0, state, seed)
  }

  /// Returns a hash of two numbers. Their order matters.
  @inline(__always)
  package static func combine(_ first: UInt64, _ second: UInt64, seed: Seed) -> UInt64 {
    fold(first ^ seed.first, second ^ seed.second)
  }

  @inline(__always)
  private static func finish(_ low: UInt64, _ high: UInt64, _ state: UInt64, _ seed: Seed) -> UInt64 {
    fold(fold(low ^ state, high ^ seed.second) ^ seed.first, state ^ seed.second)
  }

  @inline(__always)
  private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }

  private struct TextHashing: Sendable {
    let seed = ByteHash.seed
    /// The four highest bits in the second word of a `String` that stores ASCII text of up to 15 bytes in its own two
    /// words (`StringObject.swift`). If Swift uses another layout, this is a number that four bits cannot have.
    let shortTag: UInt64

    init() {
      guard MemoryLayout<String>.size == 16 else {
        shortTag = .max
        return
      }
      let short = ByteHash.words(of: String(decoding: 0x61...0x6F as ClosedRange<UInt8>, as: UTF8.self))
      let long = ByteHash.words(of: String(repeating: "a", count: 16))
      let isKnown = short == (0x6867_6665_6463_6261, 0xEF6F_6E6D_6C6B_6A69) && long.1 >> 60 != 0xE
      shortTag = isKnown ? 0xE : .max
    }
  }

  private static let textHashing = TextHashing()

  /// Returns the two words that represent a string in memory. Memory-safe: callers check that a `String` has 16 bytes,
  /// and all bits are valid for two integers.
  @inline(__always)
  private static func words(of text: String) -> (UInt64, UInt64) {
    unsafe unsafeBitCast(text, to: (UInt64, UInt64).self)
  }

  /// Returns the hash of a string's bytes, and true if all its characters are ASCII.
  package static func hash(_ text: String) -> (hash: UInt64, isASCII: Bool) {
    let hashing = textHashing
    if MemoryLayout<String>.size == 16 {
      let (low, high) = words(of: text)
      if high >> 60 == hashing.shortTag {
        return (hash(low, high & 0x00FF_FFFF_FFFF_FFFF, count: high >> 56 & 15, hashing.seed), true)
      }
    }
    let bytes = text.utf8Span.rawBytes
    let count = bytes.byteCount
    guard count < 16 else { return (hash(bytes, from: 0, count: count, seed: hashing.seed), bytes.isASCII) }
    // Computes the same hash as above, because Swift may also store the same text outside the two words of the string.
    var words = SIMD2<UInt64>()
    for index in 0..<count { words[index >> 3] |= UInt64(bytes[index]) << UInt64((index & 7) << 3) }
    return (hash(words[0], words[1], count: UInt64(count), hashing.seed), bytes.isASCII)
  }

  /// Returns the hash of up to 15 bytes. The first is in the lowest bits of the first word.
  @inline(__always)
  private static func hash(_ low: UInt64, _ high: UInt64, count: UInt64, _ seed: Seed) -> UInt64 {
    finish(low, high, seed.first ^ count, seed)
  }
}
