extension PropertyListFormat {
  /// Detects the format of a property list from its first bytes. Returns nil if no format begins in this way.
  ///
  /// ```swift
  /// let text = Data(#"{"title": "Groceries"}"#.utf8)
  /// let format = PropertyListFormat(detecting: text.bytes)   // .json
  /// ```
  ///
  /// | beginning, after a byte order mark, white space and comments | format |
  /// |---|---|
  /// | `bplist` at the very first | binary |
  /// | `<` with two hexadecimal digits, `<>`, `<*` or `<[` | OpenStep |
  /// | any other `<` | XML |
  /// | `[`, `{}` without a comment, `{ "key" :` | JSON |
  /// | `(`, any other `{`, a quotation mark, a comment | OpenStep |
  /// | a word followed by `=` or `;` | OpenStep, as a strings file |
  ///
  /// A single word, such as `42` or `true`, has no format, because it is a string in OpenStep and another value in
  /// JSON. The bytes after the beginning are not examined.
  ///
  /// - Complexity: O(*k*) in the length of the beginning; O(*n*) in the input, if that is UTF-16 or UTF-32.
  public init?(detecting bytes: RawSpan) {
    if bytes.starts(with: "bplist") {
      self = .binary
      return
    }
    let (encoding, markLength) = UnicodeEncoding.detect(bytes) ?? (.utf8, 0)
    var defects = DefectLog.none
    let text = try? encoding.decode(bytes, from: markLength, defects: &defects)
    guard let format = text.map({ Self.textFormat($0.bytes) }) ?? Self.textFormat(bytes.extracting(markLength...))
    else { return nil }
    self = format
  }

  private static func textFormat(_ bytes: RawSpan) -> PropertyListFormat? {
    var lexer = OpenStepLexer(bytes)
    lexer.passTrivia()
    switch lexer.byte {
    case UInt8(ascii: "<"): return lexer.beginsData() ? .openStep : .xml
    case UInt8(ascii: "["): return .json
    case UInt8(ascii: "{"): return beginsObject(bytes, at: lexer.index) ? .json : .openStep
    case UInt8(ascii: "("), UInt8(ascii: "\""), UInt8(ascii: "'"): return .openStep
    default:
      // The text has only comments, or ends with an unterminated comment.
      if lexer.isAtEnd || bytes.starts(with: "/*", at: lexer.index) { return bytes.hasComment ? .openStep : nil }
      guard lexer.next().kind == .word else { return nil }
      lexer.passTrivia()
      return lexer.byte == UInt8(ascii: "=") || lexer.byte == UInt8(ascii: ";") ? .openStep : nil
    }
  }

  /// Returns true if the `{` at an offset begins a JSON object.
  private static func beginsObject(_ bytes: RawSpan, at offset: Int) -> Bool {
    var lexer = OpenStepLexer(bytes, at: offset + 1)
    lexer.passTrivia()
    // JSON has no comments, so an empty pair of braces that contains one is OpenStep.
    if lexer.byte == UInt8(ascii: "}") { return !bytes.extracting(..<lexer.index).hasComment }
    guard lexer.byte == UInt8(ascii: "\"") else { return false }
    var string = JSONLexer(bytes, at: lexer.index)
    lexer.index = string.next().range.upperBound
    lexer.passTrivia()
    return lexer.byte == UInt8(ascii: ":")
  }
}

extension OpenStepLexer {
  /// Returns true if a `<` begins data or a GNUstep value. No tag begins with two hexadecimal digits followed by a
  /// third one or a space.
  fileprivate mutating func beginsData() -> Bool {
    index += 1
    passTrivia()
    if byte == UInt8(ascii: ">") || byte == UInt8(ascii: "*") || byte == UInt8(ascii: "[") { return true }
    for _ in 0..<2 {
      guard byte.hexadecimalValue != nil else { return false }
      index += 1
    }
    return byte.hexadecimalValue != nil || byte == UInt8(ascii: ">") || byte.isWhiteSpace
  }
}

extension RawSpan {
  /// True if the bytes contain a comment. They must consist only of white space, comments and braces.
  fileprivate var hasComment: Bool { firstIndex(of: UInt8(ascii: "/"), from: 0) != nil }
}
