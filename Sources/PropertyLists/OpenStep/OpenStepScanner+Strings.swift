/// Strings, with and without quotation marks.
extension OpenStepScanner {
  /// Whether a string begins with a byte. No slash that begins a comment gets here.
  static func beginsString(_ byte: UInt8) -> Bool {
    isUnquoted(byte) || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
  }

  /// Whether a byte may stand in a string without quotation marks (`isValidUnquotedStringCharacter` of
  /// `CFOldStylePList.c`).
  @inline(__always)
  static func isUnquoted(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// The string that begins with the next byte, which ``beginsString(_:)``.
  mutating func scanString(_ bytes: RawSpan) throws(PropertyListError) -> FlatNode {
    let start = text.count
    let place = index
    if Self.isUnquoted(bytes[index]) {
      scanUnquoted(bytes)
    } else {
      try scanQuoted(bytes)
    }
    // Of what was no UTF-8, nobody knows what it says.
    if !faults.faults.isEmpty, hasReplacedBytes(in: place..<index, bytes) { return .null }
    return .string(.verbatim, offset: start, length: text.count - start)
  }

  private mutating func scanUnquoted(_ bytes: RawSpan) {
    let start = index
    while index < end, Self.isUnquoted(bytes[index]) { index += 1 }
    text.append(bytes: bytes.extracting(start..<index))
    unquotedEnd = index
  }

  private mutating func scanQuoted(_ bytes: RawSpan) throws(PropertyListError) {
    let place = index
    let quote = bytes[index]
    if mending.hasNoEnd(quote, from: place) {
      mending.unclosedString = place
      throw failure("a string without its closing quotation mark", at: place)
    }
    index += 1
    while true {
      let start = index
      index = Self.endOfPlainText(bytes, from: start, quote: quote)
      text.append(bytes: bytes.extracting(start..<index))
      guard index < end, bytes[index] == quote || index + 1 < end else {
        mending.unclosedString = place
        mending.addUnclosed(quote, from: place)
        throw failure("a string without its closing quotation mark", at: place)
      }
      if bytes[index] == quote {
        index += 1
        mending.lastQuoted = place..<index
        return
      }
      try scanEscape(bytes)
    }
  }

  /// Where a backslash, the quotation mark or the end of the text comes next.
  private static func endOfPlainText(_ bytes: RawSpan, from start: Int, quote: UInt8) -> Int {
    var index = start
    while index + 8 <= bytes.byteCount {
      let word = bytes.littleEndianWord(at: index)
      let found = ByteClass.equal(word, quote) | ByteClass.equal(word, UInt8(ascii: "\\"))
      if found != 0 { return index + found.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < bytes.byteCount, bytes[index] != quote, bytes[index] != UInt8(ascii: "\\") { index += 1 }
    return index
  }
}

/// Escapes.
extension OpenStepScanner {
  /// The escape that begins with the next byte, behind which there is another.
  private mutating func scanEscape(_ bytes: RawSpan) throws(PropertyListError) {
    let mark = bytes[index + 1]
    switch mark {
    case UInt8(ascii: "0")...UInt8(ascii: "7"): return try scanOctalEscape(bytes)
    case UInt8(ascii: "U"), UInt8(ascii: "u"): return try scanUnicodeEscape(bytes)
    case UInt8(ascii: "a"): text.append(0x07)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "v"): text.append(0x0B)
    // All others stand for themselves, among them quotation marks, the backslash and the newline. Of a character that
    // is no ASCII, the other bytes follow as plain text.
    default: text.append(mark)
    }
    index += 2
  }

  /// One to three octal digits: a number in the character set of NeXTSTEP.
  private mutating func scanOctalEscape(_ bytes: RawSpan) throws(PropertyListError) {
    let place = index
    var number = 0
    index += 1
    while index < end, index <= place + 3, bytes[index] & ~7 == UInt8(ascii: "0") {
      number = number << 3 | Int(bytes[index] & 7)
      index += 1
    }
    guard let scalar = NeXTSTEPEncoding.scalar(number) else {
      try report(failure(#"no character of NeXTSTEP has the number \\#(String(number, radix: 8))"#, at: place))
      return text.append(scalar: 0xFFFD)
    }
    text.append(scalar: scalar)
  }

  /// A unit of UTF-16, or two that are one character.
  private mutating func scanUnicodeEscape(_ bytes: RawSpan) throws(PropertyListError) {
    let place = index
    guard let unit = scanUTF16Unit(bytes) else {
      try report(failure("no hexadecimal digit after the escape of a character", at: place))
      return text.append(scalar: 0xFFFD)
    }
    guard unit & 0xF800 == 0xD800 else { return text.append(scalar: unit) }
    let behind = index
    guard unit < 0xDC00, let low = scanUTF16Unit(bytes), low & 0xFC00 == 0xDC00 else {
      index = behind
      try report(failure("a UTF-16 surrogate without its partner in a string", at: place))
      return text.append(scalar: 0xFFFD)
    }
    text.append(scalar: 0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF)
  }

  /// `\U` and one to four hexadecimal digits; as in GNUstep, `\u` means the same.
  private mutating func scanUTF16Unit(_ bytes: RawSpan) -> UInt32? {
    guard index + 1 < end, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] | 0x20 == UInt8(ascii: "u") else {
      return nil
    }
    let start = index + 2
    index = start
    var unit: UInt32 = 0
    while index < end, index < start + 4, let digit = Self.hexadecimalDigit(bytes[index]) {
      unit = unit << 4 | UInt32(digit)
      index += 1
    }
    return index > start ? unit : nil
  }

  @inline(__always)
  static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
