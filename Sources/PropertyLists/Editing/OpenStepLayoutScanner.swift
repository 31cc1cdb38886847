/// Finds the values of a text in the OpenStep format.
struct OpenStepLayoutScanner: LayoutScanner {
  var index = 0
  private let end: Int

  init(end: Int) { self.end = end }

  static var assignment: UInt8? { UInt8(ascii: "=") }

  static func separator(in kind: NodeKind) -> LayoutSeparator {
    kind == .dictionary ? .terminator(UInt8(ascii: ";")) : .between(UInt8(ascii: ","))
  }

  mutating func begin(_ bytes: RawSpan) -> LayoutRoot? {
    skipTrivia(bytes)
    let start = index
    var isValue = index < end
    if isValue, OpenStepScanner.beginsString(bytes[index]) {
      // Alone, a string is the value; else it is the first key.
      guard token(bytes) != nil else { return nil }
      skipTrivia(bytes)
      isValue = index == end
    }
    index = isValue ? start : 0
    return isValue ? .value : .entries
  }

  func trivia(_ bytes: RawSpan, at place: Int) -> Trivia? {
    guard place < end else { return nil }
    switch bytes[place] {
    case 0x20, 0x09, 0x0B, 0x0C:
      var close = place + 1
      while close < end, isSpace(bytes[close]) { close += 1 }
      return Trivia(kind: .space, end: close)
    case 0x0A: return Trivia(kind: .newline, end: place + 1)
    case 0x0D: return Trivia(kind: .newline, end: place + 1 < end && bytes[place + 1] == 0x0A ? place + 2 : place + 1)
    case 0xE2 where OpenStepScanner.isLineSeparator(bytes, place): return Trivia(kind: .newline, end: place + 3)
    case UInt8(ascii: "/"): return comment(bytes, at: place)
    default: return nil
    }
  }

  private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0B || byte == 0x0C }

  private func comment(_ bytes: RawSpan, at place: Int) -> Trivia? {
    if bytes.starts(with: "/*", at: place) {
      return bytes.firstIndex(of: "*/", from: place + 2).map { Trivia(kind: .comment, end: $0 + 2) }
    }
    guard bytes.starts(with: "//", at: place) else { return nil }
    var close = place + 2
    while close < end, bytes[close] != 0x0A, bytes[close] != 0x0D, !OpenStepScanner.isLineSeparator(bytes, close) {
      close += 1
    }
    return Trivia(kind: .lineComment, end: close)
  }

  func closes(_ bytes: RawSpan, at place: Int) -> Bool {
    bytes[place] == UInt8(ascii: "}") || bytes[place] == UInt8(ascii: ")")
  }

  mutating func token(_ bytes: RawSpan) -> LayoutToken? {
    guard index < end else { return nil }
    let start = index
    index += 1
    switch bytes[start] {
    case UInt8(ascii: "{"): return LayoutToken(kind: .begin(.dictionary), range: start..<index)
    case UInt8(ascii: "}"): return LayoutToken(kind: .end(.dictionary), range: start..<index)
    case UInt8(ascii: "("): return LayoutToken(kind: .begin(.array), range: start..<index)
    case UInt8(ascii: ")"): return LayoutToken(kind: .end(.array), range: start..<index)
    case UInt8(ascii: "<"):
      guard let behind = endOfAngleBrackets(bytes, from: start) else { return nil }
      index = behind
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      guard let behind = bytes.endOfQuotedText(from: start) else { return nil }
      index = behind
    case let first:
      guard OpenStepScanner.isUnquoted(first) else { return nil }
      while index < end, OpenStepScanner.isUnquoted(bytes[index]) { index += 1 }
    }
    return LayoutToken(kind: .scalar, range: start..<index)
  }

  private func endOfAngleBrackets(_ bytes: RawSpan, from start: Int) -> Int? {
    if bytes.starts(with: "<*", at: start) {
      return bytes.firstIndex(of: UInt8(ascii: ">"), from: start).map { $0 + 1 }
    }
    if bytes.starts(with: "<[", at: start) { return bytes.firstIndex(of: "]>", from: start).map { $0 + 2 } }
    // Hexadecimal digits, between which comments may stand.
    var place = start + 1
    while place < end, bytes[place] != UInt8(ascii: ">") {
      place = trivia(bytes, at: place)?.end ?? place + 1
    }
    return place < end ? place + 1 : nil
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
