/// Finds the values of a text in JSON.
struct JSONLayoutScanner: LayoutScanner {
  var index = 0
  private let end: Int

  init(end: Int) { self.end = end }

  static var assignment: UInt8? { UInt8(ascii: ":") }
  static func separator(in kind: NodeKind) -> LayoutSeparator { .between(UInt8(ascii: ",")) }

  mutating func begin(_ bytes: RawSpan) -> LayoutRoot? {
    skipTrivia(bytes)
    return index < end ? .value : nil
  }

  func trivia(_ bytes: RawSpan, at place: Int) -> Trivia? {
    guard place < end else { return nil }
    switch bytes[place] {
    case 0x20, 0x09:
      var close = place + 1
      while close < end, bytes[close] == 0x20 || bytes[close] == 0x09 { close += 1 }
      return Trivia(kind: .space, end: close)
    case 0x0A: return Trivia(kind: .newline, end: place + 1)
    case 0x0D: return Trivia(kind: .newline, end: place + 1 < end && bytes[place + 1] == 0x0A ? place + 2 : place + 1)
    default: return nil
    }
  }

  func closes(_ bytes: RawSpan, at place: Int) -> Bool {
    bytes[place] == UInt8(ascii: "}") || bytes[place] == UInt8(ascii: "]")
  }

  mutating func token(_ bytes: RawSpan) -> LayoutToken? {
    guard index < end else { return nil }
    let start = index
    index += 1
    switch bytes[start] {
    case UInt8(ascii: "{"): return LayoutToken(kind: .begin(.dictionary), range: start..<index)
    case UInt8(ascii: "}"): return LayoutToken(kind: .end(.dictionary), range: start..<index)
    case UInt8(ascii: "["): return LayoutToken(kind: .begin(.array), range: start..<index)
    case UInt8(ascii: "]"): return LayoutToken(kind: .end(.array), range: start..<index)
    case UInt8(ascii: "\""):
      guard let behind = bytes.endOfQuotedText(from: start) else { return nil }
      index = behind
    case UInt8(ascii: ","), UInt8(ascii: ":"): return nil
    default:
      // A number or one of three words.
      while index < end, !isEndOfWord(bytes[index]) { index += 1 }
    }
    return LayoutToken(kind: .scalar, range: start..<index)
  }

  private func isEndOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): true
    default: XMLText.isSpace(byte)
    }
  }
}

extension RawSpan {
  /// Where a text between quotation marks ends, the second one included, in which a backslash escapes the character
  /// behind it.
  ///
  /// - Parameter start: where the first quotation mark stands.
  func endOfQuotedText(from start: Int) -> Int? {
    let quote = self[start]
    var index = start + 1
    while index < byteCount {
      if index + 8 <= byteCount {
        let word = littleEndianWord(at: index)
        let found = ByteClass.equal(word, quote) | ByteClass.equal(word, UInt8(ascii: "\\"))
        guard found != 0 else {
          index += 8
          continue
        }
        index += found.trailingZeroBitCount / 8
      }
      if self[index] == quote { return index + 1 }
      index += self[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }
}
