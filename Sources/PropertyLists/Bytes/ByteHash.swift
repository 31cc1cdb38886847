/// A hash of short byte strings that somebody else chose.
///
/// Two 64-bit words at a time are folded by a full multiplication, with a secret that is drawn when the process starts:
/// inputs that are made to collide do not collide here. It decides no order, so output does not depend on it.
package enum ByteHash {
  package struct Seed: Sendable {
    fileprivate let first: UInt64
    fileprivate let second: UInt64
  }

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
      let word =
        UInt64(bytes[start]) | UInt64(bytes[start + count >> 1]) << 8 | UInt64(bytes[start + count - 1]) << 16
      return finish(word, 0, state, seed)
    }
    return finish(0, 0, state, seed)
  }

  /// The hash of a text's bytes, and whether all its characters are ASCII.
  package static func hash(_ text: String) -> (hash: UInt64, isASCII: Bool) {
    let bytes = text.utf8Span.rawBytes
    return (hash(bytes, from: 0, count: bytes.byteCount, seed: seed), bytes.isASCII)
  }

  /// A hash of two numbers, in this order.
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
}
