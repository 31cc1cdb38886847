/// Functions that read quoted and unquoted strings.
extension OpenStepTokenReader {
  /// Reads the string that begins at the next byte; see ``OpenStepLexer/beginsString(_:)``.
  mutating func readString() throws(PropertyListError) -> FlatNode {
    let token = lexer.next()
    if let defect = token.defect {
      lexer.index = token.range.lowerBound
      throw failure(defect)
    }
    let start = text.count
    if token.kind == .word {
      text.append(bytes: lexer.bytes.extracting(token.range))
      unquotedEnd = lexer.index
    } else {
      mending.lastQuoted = token.range
      try decode(token.range.lowerBound + 1..<token.range.upperBound - 1, isPlain: token.isPlain)
    }
    // The content of a string with invalid UTF-8 is unknown, so a null replaces the string.
    if !defects.defects.isEmpty, hasReplacedBytes(in: token.range) { return .null }
    return .string(.verbatim, offset: start, length: text.count - start)
  }

  /// Appends the content of a string to ``text``.
  private mutating func decode(_ content: Range<Int>, isPlain: Bool) throws(PropertyListError) {
    guard !isPlain else { return text.append(bytes: lexer.bytes.extracting(content)) }
    let bytes = lexer.bytes.extracting(..<content.upperBound)
    var index = content.lowerBound
    while let escape = bytes.firstIndex(of: UInt8(ascii: "\\"), from: index) {
      text.append(bytes: bytes.extracting(index..<escape))
      index = escape
      try decodeEscape(bytes, &index)
    }
    text.append(bytes: bytes.extracting(index...))
  }

  /// Decodes the escape at `index`, and advances `index` past it. The escape has at least two bytes.
  private mutating func decodeEscape(_ bytes: RawSpan, _ index: inout Int) throws(PropertyListError) {
    let mark = bytes[index + 1]
    switch mark {
    case UInt8(ascii: "0")...UInt8(ascii: "7"): return try decodeOctalEscape(bytes, &index)
    case UInt8(ascii: "U"), UInt8(ascii: "u"): return try decodeUnicodeEscape(bytes, &index)
    case UInt8(ascii: "a"): text.append(0x07)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "v"): text.append(0x0B)
    // All other characters represent themselves, including quotation marks, the backslash and the newline. The
    // remaining bytes of a non-ASCII character follow as plain text.
    default: text.append(mark)
    }
    index += 2
  }

  /// Decodes one to three octal digits: a code of the NeXTSTEP character set.
  private mutating func decodeOctalEscape(_ bytes: RawSpan, _ index: inout Int) throws(PropertyListError) {
    let start = index
    var number = 0
    index += 1
    while index < bytes.byteCount, index <= start + 3, bytes[index] & ~7 == UInt8(ascii: "0") {
      number = number << 3 | Int(bytes[index] & 7)
      index += 1
    }
    guard let scalar = NeXTSTEPEncoding.scalar(number) else {
      try defects.report(failure(#"the NeXTSTEP encoding has no character \\#(String(number, radix: 8))"#, at: start))
      return text.append(scalar: 0xFFFD)
    }
    text.append(scalar: scalar)
  }

  /// Decodes the escape of a UTF-16 unit, or two escapes that form a surrogate pair.
  private mutating func decodeUnicodeEscape(_ bytes: RawSpan, _ index: inout Int) throws(PropertyListError) {
    let start = index
    guard let unit = Self.utf16Unit(bytes, &index) else {
      let escape = "\\\(Unicode.Scalar(bytes[start + 1]))"
      try defects.report(failure("an escape \"\(escape)\" without hexadecimal digits", at: start))
      return text.append(scalar: 0xFFFD)
    }
    guard unit & 0xF800 == 0xD800 else { return text.append(scalar: unit) }
    let behind = index
    guard unit < 0xDC00, let low = Self.utf16Unit(bytes, &index), low & 0xFC00 == 0xDC00 else {
      index = behind
      try defects.report(failure("an unpaired UTF-16 surrogate in a string", at: start))
      return text.append(scalar: 0xFFFD)
    }
    text.append(scalar: 0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF)
  }

  /// Parses `\U` and one to four hexadecimal digits, and returns the UTF-16 unit. Returns nil for other text. As in
  /// GNUstep, `\u` has the same meaning.
  private static func utf16Unit(_ bytes: RawSpan, _ index: inout Int) -> UInt32? {
    guard index + 1 < bytes.byteCount, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] | 0x20 == UInt8(ascii: "u")
    else { return nil }
    let start = index + 2
    index = start
    var unit: UInt32 = 0
    while index < bytes.byteCount, index < start + 4, let digit = bytes[index].hexadecimalValue {
      unit = unit << 4 | UInt32(digit)
      index += 1
    }
    return index > start ? unit : nil
  }
}
