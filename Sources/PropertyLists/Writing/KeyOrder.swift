/// The order of keys by their UTF-16 code units, on UTF-8 text.
///
/// The two encodings order alike but for one thing: UTF-16 has the scalars above U+FFFF, as surrogates from 0xD800,
/// before those from U+E000 to U+FFFF. In UTF-8 that is the lead bytes 0xF0 and up before 0xEE and 0xEF.
enum KeyOrder {
  static func precedes(_ first: some Sequence<UInt8>, _ second: some Sequence<UInt8>) -> Bool {
    first.lexicographicallyPrecedes(second) { rank($0) < rank($1) }
  }

  /// Below, equal or above 0, as the first text is before, like or behind the second.
  static func compare(_ first: RawSpan, _ second: RawSpan) -> Int {
    for index in 0..<min(first.byteCount, second.byteCount) where first[index] != second[index] {
      return Int(rank(first[index])) - Int(rank(second[index]))
    }
    return first.byteCount - second.byteCount
  }

  private static func rank(_ byte: UInt8) -> UInt8 { byte == 0xEE || byte == 0xEF ? byte + 0x10 : byte }
}
