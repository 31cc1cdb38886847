/// The tags that property list writers emit, as the words they are compared with.
///
/// This is the fast way through the tokens of XML: it knows tags without attributes and without white space.
extension XMLLexer {
  enum PlainTag: UInt8 {
    case key, endDict
    case string, emptyString, integer, real, date, data, emptyData, `true`, `false`
    case dict, emptyDict, array, emptyArray, endArray
    /// Anything else.
    case other
  }

  /// Passes a tag, if it is plain.
  @inline(__always)
  mutating func plainTag() -> PlainTag {
    let word = word
    switch UInt8(truncatingIfNeeded: word >> 8) {
    case UInt8(ascii: "k"): return pass(word, "<key>") ? .key : .other
    case UInt8(ascii: "s"):
      if pass(word, "<string>") { return .string }
      return pass(word, "<string/>") ? .emptyString : .other
    case UInt8(ascii: "i"): return pass(word, "<integer>") ? .integer : .other
    case UInt8(ascii: "r"): return pass(word, "<real>") ? .real : .other
    case UInt8(ascii: "t"): return pass(word, "<true/>") ? .true : .other
    case UInt8(ascii: "f"): return pass(word, "<false/>") ? .false : .other
    case UInt8(ascii: "d"):
      if pass(word, "<dict>") { return .dict }
      if pass(word, "<date>") { return .date }
      if pass(word, "<data>") { return .data }
      if pass(word, "<dict/>") { return .emptyDict }
      return pass(word, "<data/>") ? .emptyData : .other
    case UInt8(ascii: "a"):
      if pass(word, "<array>") { return .array }
      return pass(word, "<array/>") ? .emptyArray : .other
    case UInt8(ascii: "/"):
      if pass(word, "</dict>") { return .endDict }
      return pass(word, "</array>") ? .endArray : .other
    default: return .other
    }
  }

  /// Passes a tag, if it is the next token.
  @inline(__always)
  mutating func pass(_ tag: StaticString) -> Bool { pass(word, tag) }

  /// Passes the text up to the next `<`; false if that doesn't come.
  @inline(__always)
  mutating func passPlainText() -> Bool {
    while true {
      let found = ByteClass.equal(word, UInt8(ascii: "<"))
      if found != 0 {
        index += found.trailingZeroBitCount / 8
        return true
      }
      index += 8
      guard index < bytes.byteCount else { return false }
    }
  }

  /// The next eight bytes, the first in the lowest bits; 0 near the end of the text, which no tag is equal to.
  @inline(__always)
  private var word: UInt64 { index &+ 8 <= bytes.byteCount ? bytes.littleEndianWord(at: index) : 0 }

  /// - Parameter word: the next eight bytes.
  @inline(__always)
  private mutating func pass(_ word: UInt64, _ tag: StaticString) -> Bool {
    let length = tag.utf8CodeUnitCount
    let mask = length < 8 ? (1 << UInt64(8 * length)) - 1 : UInt64.max
    guard word & mask == Self.word(tag), index + length <= bytes.byteCount else { return false }
    for offset in stride(from: 8, to: length, by: 1) {
      // Sound: the offset is below the count of the static string.
      guard unsafe bytes[index + offset] == tag.utf8Start[offset] else { return false }
    }
    index += length
    return true
  }

  @inline(__always)
  private static func word(_ text: StaticString) -> UInt64 {
    var word: UInt64 = 0
    // Sound: at most as many bytes are read as the static string has.
    for index in 0..<min(8, text.utf8CodeUnitCount) {
      unsafe word |= UInt64(text.utf8Start[index]) << UInt64(8 * index)
    }
    return word
  }
}
