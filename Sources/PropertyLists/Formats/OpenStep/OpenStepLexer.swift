/// A token of an OpenStep text, valid or not. Tokens are adjacent, so every byte of a text belongs to exactly one.
package struct OpenStepToken {
  package enum Kind {
    case space, newline
    /// `/*` up to `*/`.
    case comment
    /// `//` up to the end of the line.
    case lineComment
    case beginDictionary, endDictionary, beginArray, endArray, equals, semicolon, comma
    /// A string without quotation marks.
    case word
    /// A string in quotation marks.
    case quoted
    /// Hexadecimal digits between `<` and `>`.
    case data
    /// Base64 between `<[` and `]>`.
    case base64
    /// A GNUstep value between `<*` and `>`.
    case typedValue
    case invalid
    /// The end of the text, which has no bytes.
    case end
  }

  package let kind: Kind
  package let range: Range<Int>
  /// True if a string has no escapes, or data has only digits.
  package var isPlain = true
  package var defect: OpenStepDefect?
}

/// A defect in a comment, a string or data.
package struct OpenStepDefect {
  package enum Kind {
    case commentWithoutEnd, stringWithoutEnd, dataWithoutEnd, base64WithoutEnd, typedValueWithoutEnd
    /// A single hexadecimal digit where a byte needs two.
    case halfByte
    /// A character in data that is not a hexadecimal digit.
    case noDigit
  }

  package let kind: Kind
  package let offset: Int

  package var message: String {
    switch kind {
    case .commentWithoutEnd: "an unterminated comment"
    case .stringWithoutEnd: "a string without its closing quotation mark"
    case .dataWithoutEnd: #"data without its closing ">""#
    case .base64WithoutEnd: #"data without its closing "]>""#
    case .typedValueWithoutEnd: #"a value without its closing ">""#
    case .halfByte: "a byte with only one hexadecimal digit"
    case .noDigit: "no hexadecimal digit in data"
    }
  }
}

/// A lexer that divides any bytes into tokens of the OpenStep format.
///
/// Only this type knows the grammar, which is that of Core Foundation (`CFOldStylePList.c`) with GNUstep's extensions
/// (`NSPropertyList.m`).
package struct OpenStepLexer: ~Escapable {
  package let bytes: RawSpan
  /// The offset of the next token.
  package var index: Int
  private var angle = ForwardSearch(">")
  private var bracket = ForwardSearch("]")
  private var commentEnd = ForwardSearch("*/")
  /// The lowest known offset of an unterminated string in double quotation marks, or `Int.max`. All strings in double
  /// quotation marks that begin at or after this offset are unterminated, so they are not scanned.
  private var lastDoubleQuote = Int.max
  /// The same as ``lastDoubleQuote``, for strings in single quotation marks.
  private var lastSingleQuote = Int.max

  @_lifetime(copy bytes)
  package init(_ bytes: RawSpan, at index: Int = 0) {
    self.bytes = bytes
    self.index = index
  }

  /// The next byte, or 0 at the end.
  @inline(__always)
  package var byte: UInt8 { index < bytes.byteCount ? bytes[index] : 0 }

  package var isAtEnd: Bool { index >= bytes.byteCount }

  /// Returns the next token. At the end of the text, returns a token of kind `end`.
  ///
  /// - Complexity: O(*n*) in the length of the token. All unterminated tokens together cost O(*n*) in the length of the
  ///   text.
  package mutating func next() -> OpenStepToken {
    let start = index
    guard start < bytes.byteCount else { return OpenStepToken(kind: .end, range: start..<start) }
    switch bytes[start] {
    case 0x20, 0x09, 0x0B, 0x0C:
      while Self.isSpace(byte) { index += 1 }
      return OpenStepToken(kind: .space, range: start..<index)
    case 0x0A, 0x0D: return token(.newline, length: bytes.starts(with: "\r\n", at: start) ? 2 : 1)
    case 0xE2 where isLineSeparator: return token(.newline, length: 3)
    case UInt8(ascii: "{"): return token(.beginDictionary)
    case UInt8(ascii: "}"): return token(.endDictionary)
    case UInt8(ascii: "("): return token(.beginArray)
    case UInt8(ascii: ")"): return token(.endArray)
    case UInt8(ascii: "="): return token(.equals)
    case UInt8(ascii: ";"): return token(.semicolon)
    case UInt8(ascii: ","): return token(.comma)
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return quoted()
    case UInt8(ascii: "<"): return angleBrackets()
    case UInt8(ascii: "/"):
      if bytes.starts(with: "/*", at: start) { return comment() }
      if bytes.starts(with: "//", at: start) {
        passLine()
        return OpenStepToken(kind: .lineComment, range: start..<index)
      }
      return word()
    case let byte: return Self.isUnquoted(byte) ? word() : token(.invalid)
    }
  }

  /// Skips a value of a text that is known to have no defects. Returns false if the next token does not begin a value.
  ///
  /// - Complexity: O(*n*) in the length of the value.
  package mutating func passValue() -> Bool {
    var depth = 0
    repeat {
      passTrivia()
      let token = next()
      guard token.defect == nil else { return false }
      switch token.kind {
      case .beginDictionary, .beginArray: depth += 1
      case .endDictionary, .endArray: depth -= 1
      case .word, .quoted, .data, .base64, .typedValue: break
      case .equals, .semicolon, .comma: guard depth > 0 else { return false }
      default: return false
      }
    } while depth > 0
    return depth == 0
  }

  @inline(__always)
  private mutating func token(_ kind: OpenStepToken.Kind, length: Int = 1) -> OpenStepToken {
    index += length
    return OpenStepToken(kind: kind, range: index - length..<index)
  }

  /// Skips comments and white space as Core Foundation defines it, including U+2028 and U+2029.
  ///
  /// - Returns: False at an unterminated comment.
  @inline(__always)
  @discardableResult
  package mutating func passTrivia() -> Bool {
    while index < bytes.byteCount {
      switch bytes[index] {
      case 0x09...0x0D, 0x20: index += 1
      case 0xE2 where isLineSeparator: index += 3
      case UInt8(ascii: "/"):
        let start = index
        let token = next()
        if token.kind == .word || token.defect != nil { index = start }
        if token.defect != nil { return false }
        if index == start { return true }
      default: return true
      }
    }
    return true
  }

  private mutating func comment() -> OpenStepToken {
    let start = index
    guard let close = commentEnd.next(from: start + 2, in: bytes) else {
      index = bytes.byteCount
      return OpenStepToken(
        kind: .comment, range: start..<index, defect: OpenStepDefect(kind: .commentWithoutEnd, offset: start))
    }
    return token(.comment, length: close + 2 - start)
  }

  /// Skips to the end of the line.
  mutating func passLine() {
    while index < bytes.byteCount, bytes[index] != 0x0A, bytes[index] != 0x0D, !isLineSeparator { index += 1 }
  }

  package static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0B || byte == 0x0C }

  /// True if U+2028 or U+2029 comes next.
  @inline(__always)
  private var isLineSeparator: Bool {
    // E2 80 A8 and E2 80 A9.
    bytes[index] == 0xE2 && index + 2 < bytes.byteCount && bytes[index + 1] == 0x80 && bytes[index + 2] & ~1 == 0xA8
  }

  /// Returns true if a byte may occur in an unquoted string (`isValidUnquotedStringCharacter` of `CFOldStylePList.c`).
  @inline(__always)
  package static func isUnquoted(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// Returns true if a byte begins a string. A `/` may also begin a comment.
  package static func beginsString(_ byte: UInt8) -> Bool {
    isUnquoted(byte) || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
  }

  private mutating func word() -> OpenStepToken {
    let start = index
    while index < bytes.byteCount, Self.isUnquoted(bytes[index]) { index += 1 }
    return OpenStepToken(kind: .word, range: start..<index)
  }

  private mutating func quoted() -> OpenStepToken {
    let start = index
    let quote = bytes[start]
    var isPlain = true
    if start < (quote == UInt8(ascii: "\"") ? lastDoubleQuote : lastSingleQuote) {
      index += 1
      while passPlainText(before: quote) {
        if bytes[index] == quote {
          index += 1
          return OpenStepToken(kind: .quoted, range: start..<index, isPlain: isPlain)
        }
        isPlain = false
        index += 2
      }
      if quote == UInt8(ascii: "\"") { lastDoubleQuote = start } else { lastSingleQuote = start }
    }
    // The token of an unterminated string is the rest of its line, because most strings end on the line on which they
    // begin.
    index = start
    passLine()
    return OpenStepToken(
      kind: .quoted, range: start..<index, defect: OpenStepDefect(kind: .stringWithoutEnd, offset: start))
  }

  /// Skips to the next quotation mark or backslash. Returns false if none follows.
  @inline(__always)
  private mutating func passPlainText(before quote: UInt8) -> Bool {
    while index + 8 <= bytes.byteCount {
      let word = bytes.littleEndianWord(at: index)
      let found = ByteClass.equal(word, quote) | ByteClass.equal(word, UInt8(ascii: "\\"))
      if found != 0 {
        index += found.trailingZeroBitCount / 8
        return true
      }
      index += 8
    }
    while index < bytes.byteCount, bytes[index] != quote, bytes[index] != UInt8(ascii: "\\") { index += 1 }
    return index < bytes.byteCount
  }

  /// Returns a token of data or of a GNUstep value.
  private mutating func angleBrackets() -> OpenStepToken {
    let start = index
    if bytes.starts(with: "<*", at: start) {
      return closed(.typedValue, angle.next(from: start + 2, in: bytes).map { $0 + 1 }, orOpen: .typedValueWithoutEnd)
    }
    if bytes.starts(with: "<[", at: start) {
      let close = bracket.next(from: start + 2, in: bytes).flatMap { bytes.starts(with: "]>", at: $0) ? $0 + 2 : nil }
      return closed(.base64, close, orOpen: .base64WithoutEnd)
    }
    index += 1
    var isPlain = true
    while true {
      let offset = index
      if byte.hexadecimalValue != nil, offset + 1 < bytes.byteCount, bytes[offset + 1].hexadecimalValue != nil {
        index += 2
        continue
      }
      guard passTrivia() else { return data(start, isPlain, OpenStepDefect(kind: .commentWithoutEnd, offset: index)) }
      guard !isAtEnd else { return data(start, isPlain, OpenStepDefect(kind: .dataWithoutEnd, offset: start)) }
      if byte == UInt8(ascii: ">") {
        index += 1
        return data(start, isPlain && index == offset + 1, nil)
      }
      guard index == offset else {
        isPlain = false
        continue
      }
      let defect = OpenStepDefect(kind: byte.hexadecimalValue != nil ? .halfByte : .noDigit, offset: offset)
      passToEndOfData()
      return data(start, isPlain, defect)
    }
  }

  private func data(_ start: Int, _ isPlain: Bool, _ defect: OpenStepDefect?) -> OpenStepToken {
    OpenStepToken(kind: .data, range: start..<index, isPlain: isPlain, defect: defect)
  }

  /// Returns a token that begins with `<`. If its end is missing, the token has the defect `open`.
  ///
  /// - Parameter end: The end of the token; nil if it is missing. In that case, the token is only the `<`, so that the
  ///   text after it is read as other tokens.
  private mutating func closed(
    _ kind: OpenStepToken.Kind, _ end: Int?, orOpen open: OpenStepDefect.Kind
  ) -> OpenStepToken {
    let start = index
    index = end ?? start + 1
    return OpenStepToken(
      kind: kind, range: start..<index, defect: end == nil ? OpenStepDefect(kind: open, offset: start) : nil)
  }

  /// Skips the rest of data that contains an invalid character.
  private mutating func passToEndOfData() {
    while !isAtEnd {
      switch byte {
      case UInt8(ascii: ">"):
        index += 1
        return
      case UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "="), UInt8(ascii: "("), UInt8(ascii: ")"),
        UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "\""), UInt8(ascii: "<"):
        return
      default: index += 1
      }
    }
  }
}
