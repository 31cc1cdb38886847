/// Functions that read the tags that property list writers emit. They compare 8 bytes at once.
///
/// This is the fast path of the lexer. It recognizes only tags without attributes and without white space.
extension XMLLexer {
  enum PlainTag: UInt8 {
    case key, endDict
    case string, emptyString, integer, real, date, data, emptyData, `true`, `false`
    case dict, emptyDict, array, emptyArray, endArray
    /// Any other token.
    case other
  }

  /// Skips the next tag and returns it. If the next token is not one of the plain tags, returns `other` and skips
  /// nothing.
  @inline(__always)
  mutating func plainTag() -> PlainTag {
    let word = word
    let tag: PlainTag
    let length: Int
    switch UInt8(truncatingIfNeeded: word >> 8) {
    case UInt8(ascii: "k") where begins(word, "<key>"): (tag, length) = (.key, 5)
    case UInt8(ascii: "s") where begins(word, "<string>"): (tag, length) = (.string, 8)
    case UInt8(ascii: "s") where begins(word, "<string/") && isFollowedByEnd: (tag, length) = (.emptyString, 9)
    case UInt8(ascii: "i") where begins(word, "<integer") && isFollowedByEnd: (tag, length) = (.integer, 9)
    case UInt8(ascii: "r") where begins(word, "<real>"): (tag, length) = (.real, 6)
    case UInt8(ascii: "t") where begins(word, "<true/>"): (tag, length) = (.true, 7)
    case UInt8(ascii: "f") where begins(word, "<false/>"): (tag, length) = (.false, 8)
    case UInt8(ascii: "d") where begins(word, "<dict>"): (tag, length) = (.dict, 6)
    case UInt8(ascii: "d") where begins(word, "<date>"): (tag, length) = (.date, 6)
    case UInt8(ascii: "d") where begins(word, "<data>"): (tag, length) = (.data, 6)
    case UInt8(ascii: "d") where begins(word, "<dict/>"): (tag, length) = (.emptyDict, 7)
    case UInt8(ascii: "d") where begins(word, "<data/>"): (tag, length) = (.emptyData, 7)
    case UInt8(ascii: "a") where begins(word, "<array>"): (tag, length) = (.array, 7)
    case UInt8(ascii: "a") where begins(word, "<array/>"): (tag, length) = (.emptyArray, 8)
    case UInt8(ascii: "/") where begins(word, "</dict>"): (tag, length) = (.endDict, 7)
    case UInt8(ascii: "/") where begins(word, "</array>"): (tag, length) = (.endArray, 8)
    default: return .other
    }
    index &+= length
    return tag
  }

  /// Skips the end tag of the plain tag at `start`, which has `length` bytes. Returns false if another token comes
  /// next.
  @inline(__always)
  mutating func passEndTag(ofTagAt start: Int, length: Int) -> Bool {
    guard index &+ 10 <= bytes.byteCount, bytes[index] == UInt8(ascii: "<"), bytes[index + 1] == UInt8(ascii: "/")
    else { return false }
    // The name and the `>` equal those of the start tag. A name has at most seven bytes.
    let difference = bytes.littleEndianWord(at: index + 2) ^ bytes.littleEndianWord(at: start + 1)
    guard difference << UInt64(8 * (9 - length)) == 0 else { return false }
    index &+= length + 1
    return true
  }

  /// Skips a text. Returns false if it does not come next.
  mutating func pass(_ text: StaticString) -> Bool {
    guard bytes.starts(with: text, at: index) else { return false }
    index += text.utf8CodeUnitCount
    return true
  }

  /// Skips to the next `<`. Returns false if none follows.
  @inline(__always)
  mutating func passPlainText() -> Bool {
    while true {
      let found = ByteClass.equal(word, UInt8(ascii: "<"))
      if found != 0 {
        index &+= found.trailingZeroBitCount / 8
        return true
      }
      index &+= 8
      guard index < bytes.byteCount else { return false }
    }
  }

  /// The next eight bytes, the first in the lowest bits, or 0 near the end of the text. No tag equals 0.
  @inline(__always)
  private var word: UInt64 { index &+ 8 <= bytes.byteCount ? bytes.littleEndianWord(at: index) : 0 }

  /// Returns true if a word begins with a text of at most eight bytes.
  @inline(__always)
  private func begins(_ word: UInt64, _ text: StaticString) -> Bool {
    var expected: UInt64 = 0
    // Memory-safe: reads only as many bytes as the static string has.
    for index in 0..<text.utf8CodeUnitCount { unsafe expected |= UInt64(text.utf8Start[index]) << UInt64(8 * index) }
    return (word ^ expected) << UInt64(8 * (8 - text.utf8CodeUnitCount)) == 0
  }

  /// True if the ninth of the next bytes is `>`.
  @inline(__always)
  private var isFollowedByEnd: Bool { index &+ 8 < bytes.byteCount && bytes[index &+ 8] == UInt8(ascii: ">") }
}
