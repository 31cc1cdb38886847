extension PropertyListFormat {
  /// The format that `bytes` begin like, or nil if they begin like none.
  ///
  /// | beginning, after a byte order mark, white space and comments | format |
  /// |---|---|
  /// | `bplist` at the very first | binary |
  /// | `<` with two hexadecimal digits, `<>`, `<*` or `<[` | OpenStep |
  /// | any other `<` | XML |
  /// | `[`, `{}` without a comment, `{ "key" :` | JSON |
  /// | `(`, any other `{`, a quotation mark, a comment | OpenStep |
  /// | a word with `=` or `;` behind it | OpenStep, as a strings file |
  ///
  /// A word alone, such as `42` or `true`, is no format: it is a string in OpenStep, and something else in JSON. What
  /// comes behind the beginning is not looked at.
  ///
  /// - Complexity: O(*k*) in the length of the beginning.
  public init?(detecting bytes: RawSpan) {
    if bytes.starts(with: "bplist") {
      self = .binary
    } else if let format = FormatDetection.textFormat(bytes) {
      self = format
    } else {
      return nil
    }
  }
}

/// Looks at the beginning of a text in any encoding form of Unicode, character by character; what is no ASCII counts as
/// one unknown character.
private struct FormatDetection {
  private let width: Int
  /// Which byte of a code unit has the ASCII character.
  private let lowByte: Int
  private var offset: Int

  private init(_ bytes: RawSpan) {
    let (encoding, markLength) = UnicodeEncoding.detect(bytes) ?? (.utf8, 0)
    switch encoding {
    case .utf8: (width, lowByte) = (1, 0)
    case .utf16(let isBigEndian): (width, lowByte) = (2, isBigEndian ? 1 : 0)
    case .utf32(let isBigEndian): (width, lowByte) = (4, isBigEndian ? 3 : 0)
    }
    offset = markLength
  }

  static func textFormat(_ bytes: RawSpan) -> PropertyListFormat? {
    var text = FormatDetection(bytes)
    let hasComments = text.skipSpace(bytes)
    guard let first = text.character(bytes) else { return hasComments ? .openStep : nil }
    switch first {
    case "<":
      text.advance()
      return text.beginsData(bytes) ? .openStep : .xml
    case "[": return .json
    case "(", "\"", "'": return .openStep
    case "{":
      text.advance()
      return text.beginsObject(bytes, hasComments: hasComments) ? .json : .openStep
    default:
      guard first.isWordCharacter else { return nil }
      while let character = text.character(bytes), character.isWordCharacter { text.advance() }
      text.skipSpace(bytes)
      let next = text.character(bytes)
      return next == "=" || next == ";" ? .openStep : nil
    }
  }

  /// Whether what follows a `<` makes it data of OpenStep or a value of GNUstep. No tag begins with two hexadecimal
  /// digits and a third or a space.
  private mutating func beginsData(_ bytes: RawSpan) -> Bool {
    skipSpace(bytes)
    guard let first = character(bytes) else { return false }
    if first == ">" || first == "*" || first == "[" { return true }
    for _ in 0..<2 {
      guard let digit = character(bytes), digit.properties.isASCIIHexDigit else { return false }
      advance()
    }
    guard let third = character(bytes) else { return false }
    return third.properties.isASCIIHexDigit || third == ">" || third.properties.isWhitespace
  }

  /// Whether what follows a `{` makes it an object of JSON.
  ///
  /// - Parameter hasComments: whether there are comments before it, which JSON has none of.
  private mutating func beginsObject(_ bytes: RawSpan, hasComments: Bool) -> Bool {
    let hasInnerComments = skipSpace(bytes)
    if character(bytes) == "}" { return !hasComments && !hasInnerComments }
    guard character(bytes) == "\"" else { return false }
    advance()
    while let character = character(bytes), character != "\"" {
      advance()
      if character == "\\" { advance() }
    }
    advance()
    skipSpace(bytes)
    return character(bytes) == ":"
  }

  /// - Returns: whether there was a comment.
  @discardableResult
  private mutating func skipSpace(_ bytes: RawSpan) -> Bool {
    var hasComments = false
    while let character = character(bytes) {
      if character.properties.isWhitespace {
        advance()
      } else if character == "/", let mark = self.character(bytes, 1), mark == "/" || mark == "*" {
        hasComments = true
        offset += 2 * width
        skipComment(bytes, isLine: mark == "/")
      } else {
        break
      }
    }
    return hasComments
  }

  private mutating func skipComment(_ bytes: RawSpan, isLine: Bool) {
    while let character = character(bytes) {
      advance()
      if isLine, character == "\n" || character == "\r" { return }
      if !isLine, character == "*", self.character(bytes) == "/" { return advance() }
    }
  }

  private mutating func advance() { offset += width }

  /// The ASCII character `distance` after the current one; U+FFFD for any other, nil at the end.
  private func character(_ bytes: RawSpan, _ distance: Int = 0) -> Unicode.Scalar? {
    let start = offset + distance * width
    guard start + width <= bytes.byteCount else { return nil }
    for index in start..<start + width where index != start + lowByte && bytes[index] != 0 { return "\u{FFFD}" }
    let byte = bytes[start + lowByte]
    return byte < 0x80 ? Unicode.Scalar(byte) : "\u{FFFD}"
  }
}

extension Unicode.Scalar {
  /// Whether it may stand in a string of OpenStep without quotation marks.
  fileprivate var isWordCharacter: Bool { isASCII && OpenStepLexer.isUnquoted(UInt8(truncatingIfNeeded: value)) }
}
