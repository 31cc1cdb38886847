internal import FoundationEssentials

/// SHA-256 and SHA-512 (FIPS 180-4).
///
/// Written here because version hashes are all that needs them: a library would add more to the time of every build
/// than these lines are worth.
enum SHA2 {
  static func sha256(_ message: [UInt8]) -> Data { digest(message, SHA256Words.self) }

  static func sha512(_ message: [UInt8]) -> Data { digest(message, SHA512Words.self) }

  private static func digest<Words: SHA2Words>(_ message: [UInt8], _: Words.Type) -> Data {
    let size = MemoryLayout<Words.Word>.size
    var state = Words.initial
    // A one, zeros, and the length in bits, which has the room of two words. Here it is never more than 64 bits.
    var padded = message + [0x80]
    let block = 16 * size
    padded += [UInt8](repeating: 0, count: (2 * block - 2 * size - padded.count % block) % block + 2 * size - 8)
    padded += bytes(UInt64(message.count) &* 8)
    var schedule = [Words.Word](repeating: 0, count: Words.constants.count)
    for start in stride(from: 0, to: padded.count, by: block) {
      for index in 0..<16 {
        let place = start + index * size
        schedule[index] = 0
        for byte in padded[place..<place + size] { schedule[index] = schedule[index] << 8 | Words.Word(byte) }
      }
      for index in 16..<schedule.count {
        schedule[index] =
          schedule[index - 16] &+ Words.mix(schedule[index - 15], Words.smallSigma0) &+ schedule[index - 7]
          &+ Words.mix(schedule[index - 2], Words.smallSigma1)
      }
      compress(schedule, into: &state, Words.self)
    }
    return Data(state.flatMap(bytes))
  }

  private static func compress<Words: SHA2Words>(
    _ schedule: [Words.Word], into state: inout [Words.Word], _: Words.Type
  ) {
    var word = state
    for index in schedule.indices {
      let choice = (word[4] & word[5]) ^ (~word[4] & word[6])
      let majority = (word[0] & word[1]) ^ (word[0] & word[2]) ^ (word[1] & word[2])
      let first =
        word[7] &+ Words.turn(word[4], Words.bigSigma1) &+ choice &+ Words.constants[index] &+ schedule[index]
      let second = Words.turn(word[0], Words.bigSigma0) &+ majority
      word.insert(first &+ second, at: 0)
      word[4] &+= first
      word.removeLast()
    }
    for index in state.indices { state[index] &+= word[index] }
  }

  private static func bytes<Word: FixedWidthInteger>(_ word: Word) -> [UInt8] {
    (0..<MemoryLayout<Word>.size).reversed().map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
  }
}

/// What SHA-256 and SHA-512 differ in.
private protocol SHA2Words: SendableMetatype {
  associatedtype Word: FixedWidthInteger & UnsignedInteger & SendableMetatype
  static var initial: [Word] { get }
  static var constants: [Word] { get }
  /// Rotations.
  static var bigSigma0: [Int] { get }
  static var bigSigma1: [Int] { get }
  /// Two rotations and a shift.
  static var smallSigma0: [Int] { get }
  static var smallSigma1: [Int] { get }
}

extension SHA2Words {
  static func rotate(_ word: Word, _ count: Int) -> Word { word >> count | word << (Word.bitWidth - count) }

  static func turn(_ word: Word, _ counts: [Int]) -> Word { counts.reduce(0) { $0 ^ rotate(word, $1) } }

  static func mix(_ word: Word, _ counts: [Int]) -> Word {
    rotate(word, counts[0]) ^ rotate(word, counts[1]) ^ word >> counts[2]
  }
}

private enum SHA256Words: SHA2Words {
  static let initial = SHA512Words.fractions(ofRoots: 8, power: 2).map { UInt32($0 >> 32) }
  static let constants = SHA512Words.fractions(ofRoots: 64, power: 3).map { UInt32($0 >> 32) }
  static let bigSigma0 = [2, 13, 22]
  static let bigSigma1 = [6, 11, 25]
  static let smallSigma0 = [7, 18, 3]
  static let smallSigma1 = [17, 19, 10]
}

private enum SHA512Words: SHA2Words {
  static let initial = fractions(ofRoots: 8, power: 2)
  static let constants = fractions(ofRoots: 80, power: 3)
  static let bigSigma0 = [28, 34, 39]
  static let bigSigma1 = [14, 18, 41]
  static let smallSigma0 = [1, 8, 7]
  static let smallSigma1 = [19, 61, 6]

  /// The first 64 bits of the fractions of the square or cube roots of the first primes, as the standard defines its
  /// constants.
  static func fractions(ofRoots count: Int, power: Int) -> [UInt64] {
    var primes: [UInt64] = []
    var candidate: UInt64 = 2
    while primes.count < count {
      if !primes.contains(where: { candidate % $0 == 0 }) { primes.append(candidate) }
      candidate += 1
    }
    return primes.map { fraction(ofRootOf: $0, power: power) }
  }

  /// The greatest number whose power is at most the prime times 2 to 64 times the power, bit by bit; the last 64 bits
  /// of it.
  private static func fraction(ofRootOf prime: UInt64, power: Int) -> UInt64 {
    var root: UInt128 = 0
    for bit in (0..<72).reversed() {
      let larger = root | 1 << UInt128(bit)
      if isPower(power, of: larger, atMost: prime) { root = larger }
    }
    return UInt64(truncatingIfNeeded: root)
  }

  private static func isPower(_ power: Int, of root: UInt128, atMost prime: UInt64) -> Bool {
    // Digits to the base of 2^32, the lowest first.
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
    // Compared with prime · 2^(64 · power).
    let place = 2 * power
    let high = product.dropFirst(place)
    let value = high.reversed().reduce(UInt128(0)) { $0 << 32 | UInt128($1) }
    return value < UInt128(prime) || value == UInt128(prime) && product.prefix(place).allSatisfy { $0 == 0 }
  }
}
