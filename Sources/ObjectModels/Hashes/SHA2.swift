package import FoundationEssentials

/// SHA-256 and SHA-512 (FIPS 180-4), for version hashes.
///
/// They are implemented here because nothing else needs them: building a library for them would take longer than these
/// lines are worth.
package enum SHA2 {
  package static func sha256(_ message: [UInt8]) -> Data { digest(message, SHA256Words.self) }

  package static func sha512(_ message: [UInt8]) -> Data { digest(message, SHA512Words.self) }

  private static func digest<Words: SHA2Words>(_ message: [UInt8], _: Words.Type) -> Data {
    let size = MemoryLayout<Words.Word>.size
    var state = Words.initial
    // The padding: a one bit, zeros, and the length in bits in two words. The length always fits in 64 bits here.
    var padded = message + [0x80]
    let block = 16 * size
    padded += [UInt8](repeating: 0, count: (2 * block - 2 * size - padded.count % block) % block + 2 * size - 8)
    padded += bytes(UInt64(message.count) &* 8)
    var schedule = [Words.Word](repeating: 0, count: Words.constants.count)
    for start in stride(from: 0, to: padded.count, by: block) {
      for index in 0..<16 {
        let offset = start + index * size
        schedule[index] = 0
        for byte in padded[offset..<offset + size] { schedule[index] = schedule[index] << 8 | Words.Word(byte) }
      }
      for index in 16..<schedule.count {
        schedule[index] =
          schedule[index - 16] &+ Words.smallSigma0(schedule[index - 15]) &+ schedule[index - 7]
          &+ Words.smallSigma1(schedule[index - 2])
      }
      compress(schedule, into: &state, Words.self)
    }
    return Data(state.flatMap(bytes))
  }

  private static func compress<Words: SHA2Words>(
    _ schedule: [Words.Word], into state: inout [Words.Word], _: Words.Type
  ) {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for index in schedule.indices {
      let first = h &+ Words.bigSigma1(e) &+ ((e & f) ^ (~e & g)) &+ Words.constants[index] &+ schedule[index]
      let second = Words.bigSigma0(a) &+ ((a & b) ^ (a & c) ^ (b & c))
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
  }

  private static func bytes<Word: FixedWidthInteger>(_ word: Word) -> [UInt8] {
    (0..<MemoryLayout<Word>.size).reversed().map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
  }
}

/// The differences between SHA-256 and SHA-512.
private protocol SHA2Words: SendableMetatype {
  associatedtype Word: FixedWidthInteger & UnsignedInteger & SendableMetatype
  static var initial: [Word] { get }
  static var constants: [Word] { get }
  static func bigSigma0(_ word: Word) -> Word
  static func bigSigma1(_ word: Word) -> Word
  static func smallSigma0(_ word: Word) -> Word
  static func smallSigma1(_ word: Word) -> Word
}

extension FixedWidthInteger {
  fileprivate func rotated(_ count: Int) -> Self { self &>> Self(count) | self &<< Self(Self.bitWidth - count) }
}

private enum SHA256Words: SHA2Words {
  static let initial = SHA512Words.fractions(ofRoots: 8, power: 2).map { UInt32($0 >> 32) }
  static let constants = SHA512Words.fractions(ofRoots: 64, power: 3).map { UInt32($0 >> 32) }

  static func bigSigma0(_ word: UInt32) -> UInt32 { word.rotated(2) ^ word.rotated(13) ^ word.rotated(22) }
  static func bigSigma1(_ word: UInt32) -> UInt32 { word.rotated(6) ^ word.rotated(11) ^ word.rotated(25) }
  static func smallSigma0(_ word: UInt32) -> UInt32 { word.rotated(7) ^ word.rotated(18) ^ word >> 3 }
  static func smallSigma1(_ word: UInt32) -> UInt32 { word.rotated(17) ^ word.rotated(19) ^ word >> 10 }
}

private enum SHA512Words: SHA2Words {
  static let initial = fractions(ofRoots: 8, power: 2)
  static let constants = fractions(ofRoots: 80, power: 3)

  static func bigSigma0(_ word: UInt64) -> UInt64 { word.rotated(28) ^ word.rotated(34) ^ word.rotated(39) }
  static func bigSigma1(_ word: UInt64) -> UInt64 { word.rotated(14) ^ word.rotated(18) ^ word.rotated(41) }
  static func smallSigma0(_ word: UInt64) -> UInt64 { word.rotated(1) ^ word.rotated(8) ^ word >> 7 }
  static func smallSigma1(_ word: UInt64) -> UInt64 { word.rotated(19) ^ word.rotated(61) ^ word >> 6 }

  /// Returns the first 64 bits of the fractional parts of the square or cube roots of the first primes. The standard
  /// defines its constants this way.
  static func fractions(ofRoots count: Int, power: Int) -> [UInt64] {
    var primes: [UInt64] = []
    var candidate: UInt64 = 2
    while primes.count < count {
      if !primes.contains(where: { candidate % $0 == 0 }) { primes.append(candidate) }
      candidate += 1
    }
    return primes.map { fraction(ofRootOf: $0, power: power) }
  }

  /// Returns the first 64 bits of the fractional part of a root of a prime. They are the low 64 bits of the greatest
  /// number whose power is at most `prime` · 2^(64 · `power`), which is found bit by bit.
  private static func fraction(ofRootOf prime: UInt64, power: Int) -> UInt64 {
    var root: UInt128 = 0
    for bit in (0..<72).reversed() {
      let larger = root | 1 << UInt128(bit)
      if isPower(power, of: larger, atMost: prime) { root = larger }
    }
    return UInt64(truncatingIfNeeded: root)
  }

  private static func isPower(_ power: Int, of root: UInt128, atMost prime: UInt64) -> Bool {
    // The digits in base 2^32, least significant first.
    let digits = (0..<3).map { UInt64(truncatingIfNeeded: root >> UInt128(32 * $0)) & 0xFFFF_FFFF }
    var product: [UInt64] = [1]
    for _ in 0..<power {
      var next = [UInt64](repeating: 0, count: product.count + digits.count + 1)
      for (i, a) in product.enumerated() {
        var carry: UInt64 = 0
        for (j, b) in digits.enumerated() {
          let sum = a * b + next[i + j] + carry
          next[i + j] = sum & 0xFFFF_FFFF
          carry = sum >> 32
        }
        next[i + digits.count] += carry
      }
      product = next
    }
    // Compares the power with prime · 2^(64 · power).
    let digitCount = 2 * power
    let high = product.dropFirst(digitCount)
    let value = high.reversed().reduce(UInt128(0)) { $0 << 32 | UInt128($1) }
    return value < UInt128(prime) || value == UInt128(prime) && product.prefix(digitCount).allSatisfy { $0 == 0 }
  }
}
