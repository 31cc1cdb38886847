extension [UInt8] {
  /// Makes a random change: changes a byte or a bit, or inserts, removes or repeats bytes.
  public mutating func damage(using random: inout SeededGenerator) {
    guard count > 40 else { return }
    // Changes the trailer often, because its bytes have the largest effect.
    let offset =
      Int.random(in: 0..<4, using: &random) == 0
      ? count - Int.random(in: 1...32, using: &random) : Int.random(in: 0..<count, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: self[offset] = UInt8.random(in: .min ... .max, using: &random)
    case 1: self[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 2: remove(at: offset)
    case 3: insert(UInt8.random(in: .min ... .max, using: &random), at: offset)
    case 4: self[offset] = [0x00, 0xFF, 0x0F, 0x7F, 0x80, 0xA1, 0xD1, 0x5F, 0x6F].randomElement(using: &random)!
    default:
      let length = Int.random(in: 0..<Swift.min(16, count - offset), using: &random)
      let source = Int.random(in: 0...count - length, using: &random)
      replaceSubrange(offset..<offset + length, with: Array(self[source..<source + length]))
    }
  }
}
