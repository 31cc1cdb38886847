package import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// A format for unsigned integers with as many bytes as each integer needs. A byte has 7 bits of the integer, lowest
/// bits first, and its eighth bit is set if more bytes follow. `NSIndexSet`, `NSIndexPath` and `NSAttributedString`
/// store their numbers like this (archives from macOS 10.14).
package enum PackedIntegers {
  package static func data(_ integers: some Sequence<UInt64>) -> Data {
    var data = Data()
    for integer in integers {
      var rest = integer
      while rest > 0x7F {
        data.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      data.append(UInt8(truncatingIfNeeded: rest))
    }
    return data
  }

  /// Returns the integers in the bytes, or nil if the last one is cut off or one has more than 64 bits.
  package static func integers(in data: Data) -> [UInt64]? {
    var integers: [UInt64] = []
    var integer: UInt64 = 0
    var shift: UInt64 = 0
    for byte in data {
      let bits = UInt64(byte & 0x7F)
      // The tenth byte can have only the last of the 64 bits.
      guard shift < 63 || shift == 63 && bits <= 1 else { return nil }
      integer |= bits << shift
      if byte & 0x80 != 0 {
        shift += 7
      } else {
        integers.append(integer)
        integer = 0
        shift = 0
      }
    }
    return shift == 0 ? integers : nil
  }
}

extension KeyedUnarchiver {
  package func decodePackedIntegers(forRawKey key: String) throws -> [UInt64] {
    let data = try decode(Data.self, forRawKey: key)
    // The integers take up to eight times as much memory as the bytes, and many objects may share the bytes.
    try spend(data.count)
    try weigh(data.count)
    guard let integers = PackedIntegers.integers(in: data) else {
      throw failure(.invalidContents, "\(key) does not contain packed 64-bit integers")
    }
    return integers
  }
}

extension KeyedArchiver {
  package func encode(packed integers: some Sequence<UInt64>, forRawKey key: String) throws {
    try encode(asMutable: PackedIntegers.data(integers), forRawKey: key)
  }
}
