/// A token of a JSON text, valid or not. Tokens are adjacent, so every byte of a text belongs to exactly one.
package struct JSONToken {
  package enum Kind {
    case space, newline
    case beginObject, endObject, beginArray, endArray, comma, colon
    case string, number, `true`, `false`, null
    /// A run of letters, digits and similar characters that is not a value.
    case word
    /// Text in single quotation marks.
    case singleQuoted
    /// `//` or `#` up to the end of the line, `/*` up to `*/`.
    case comment
    case invalid
    /// The end of the text, which has no bytes.
    case end
  }

  package let kind: Kind
  package let range: Range<Int>
  /// True if a string has escapes.
  var hasEscapes = false
  /// True if a number has neither a fraction nor an exponent.
  var isInteger = false
  /// The absolute value of an integer; nil if it does not fit into 64 bits, and for other tokens.
  package var magnitude: UInt64?
  /// The first defect of a string or a number. For an unterminated string, it is the missing end.
  var defect: JSONDefect?
}

/// A defect in a string or a number.
struct JSONDefect {
  enum Kind {
    case escape, hexadecimalEscape, surrogate, control
    /// The line ends inside the string, and the next line does not continue its text.
    case endOfLine
    case endOfText
    case leadingZero, missingDigit
  }

  let kind: Kind
  let offset: Int

  /// True if the string is unterminated.
  var isEnd: Bool { kind == .endOfLine || kind == .endOfText }

  func message(_ bytes: RawSpan) -> String {
    switch kind {
    case .escape:
      let mark = bytes[offset + 1]
      let escape = mark > 0x20 && mark < 0x7F ? " \"\\\(Unicode.Scalar(mark))\"" : ""
      return "unknown escape\(escape) in a string"
    case .hexadecimalEscape: return #"an escape "\u" without four hexadecimal digits"#
    case .surrogate: return "an unpaired UTF-16 surrogate in a string"
    case .control, .endOfLine:
      return "the control character \(Unicode.Scalar(bytes[offset]).number) in a string must be escaped"
    case .endOfText: return "a string without its closing quotation mark"
    case .leadingZero: return "a number with a leading zero"
    case .missingDigit: return "a number without a digit"
    }
  }
}

/// A lexer that divides any bytes into JSON tokens (RFC 8259).
///
/// Only this type knows the grammar of JSON.
package struct JSONLexer: ~Escapable {
  package let bytes: RawSpan
  /// The offset of the next token.
  package var index: Int
  private var commentEnd = ForwardSearch("*/")
  /// The range of the last unterminated string. All quotation marks in it follow a backslash. So a string that begins
  /// in this range is unterminated, too, and is not scanned again.
  private var unclosedString = 0..<0
  /// The range of the last unterminated text in single quotation marks; see ``unclosedString``.
  private var unclosedText = 0..<0
  /// The last examined white space after a line end in a string.
  private var lastSpace = 0..<0

  @_lifetime(copy bytes)
  package init(_ bytes: RawSpan, at index: Int = 0) {
    self.bytes = bytes
    self.index = index
  }

  /// The next byte, or 0 at the end.
  @inline(__always)
  package var byte: UInt8 { index < bytes.byteCount ? bytes[index] : 0 }

  package var isAtEnd: Bool { index >= bytes.byteCount }

  @inline(__always)
  mutating func passSpace() {
    while index < bytes.byteCount, bytes[index].isWhiteSpace { index += 1 }
  }

  /// Returns the next token. At the end of the text, returns a token of kind `end`.
  ///
  /// - Complexity: O(*n*) in the length of the token.
  package mutating func next() -> JSONToken {
    let start = index
    guard start < bytes.byteCount else { return JSONToken(kind: .end, range: start..<start) }
    switch bytes[start] {
    case 0x20, 0x09:
      while index < bytes.byteCount, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
      return JSONToken(kind: .space, range: start..<index)
    case 0x0A, 0x0D:
      index += bytes.starts(with: "\r\n", at: start) ? 2 : 1
      return JSONToken(kind: .newline, range: start..<index)
    case UInt8(ascii: "{"): return mark(.beginObject)
    case UInt8(ascii: "}"): return mark(.endObject)
    case UInt8(ascii: "["): return mark(.beginArray)
    case UInt8(ascii: "]"): return mark(.endArray)
    case UInt8(ascii: ","): return mark(.comma)
    case UInt8(ascii: ":"): return mark(.colon)
    case UInt8(ascii: "\""): return string()
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): return number()
    case UInt8(ascii: "t") where bytes.starts(with: "true", at: start): return mark(.true, length: 4)
    case UInt8(ascii: "f") where bytes.starts(with: "false", at: start): return mark(.false, length: 5)
    case UInt8(ascii: "n") where bytes.starts(with: "null", at: start): return mark(.null, length: 4)
    case UInt8(ascii: "'"): return singleQuoted()
    case UInt8(ascii: "/"), UInt8(ascii: "#"): return comment()
    default:
      guard Self.isWord(bytes[start]) else { return mark(.invalid) }
      passWord()
      return JSONToken(kind: .word, range: start..<index)
    }
  }

  /// Skips a value of a text that is known to have no defects. Returns false if the next token does not begin a value.
  ///
  /// - Complexity: O(*n*) in the length of the value.
  package mutating func passValue() -> Bool {
    var depth = 0
    repeat {
      passSpace()
      switch next().kind {
      case .beginObject, .beginArray: depth += 1
      case .endObject, .endArray: depth -= 1
      case .string, .number, .true, .false, .null: break
      case .comma, .colon: guard depth > 0 else { return false }
      default: return false
      }
    } while depth > 0
    return depth == 0
  }

  @inline(__always)
  private mutating func mark(_ kind: JSONToken.Kind, length: Int = 1) -> JSONToken {
    index += length
    return JSONToken(kind: kind, range: index - length..<index)
  }

  private mutating func comment() -> JSONToken {
    let start = index
    if bytes.starts(with: "/*", at: start) {
      guard let close = commentEnd.next(from: start + 2, in: bytes) else { return mark(.invalid) }
      index = close + 2
    } else if bytes[start] == UInt8(ascii: "#") || bytes.starts(with: "//", at: start) {
      while index < bytes.byteCount, bytes[index] != 0x0A, bytes[index] != 0x0D { index += 1 }
    } else {
      return mark(.invalid)
    }
    return JSONToken(kind: .comment, range: start..<index)
  }

  private mutating func singleQuoted() -> JSONToken {
    let start = index
    guard !unclosedText.contains(start) else { return mark(.invalid) }
    var end = start + 1
    while end < bytes.byteCount, bytes[end] != UInt8(ascii: "'"), bytes[end] >= 0x20 {
      end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard end < bytes.byteCount, bytes[end] == UInt8(ascii: "'") else {
      unclosedText = start..<min(end, bytes.byteCount)
      return mark(.invalid)
    }
    return mark(.singleQuoted, length: end + 1 - start)
  }

  /// Skips the characters that can occur in a number or a word.
  mutating func passWord() {
    while index < bytes.byteCount, Self.isWord(bytes[index]) { index += 1 }
  }

  package static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }

  package static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "."),
      UInt8(ascii: "+"), UInt8(ascii: "-"), 0x80...:
      true
    default: isLetter(byte)
    }
  }

  @inline(__always)
  private mutating func number() -> JSONToken {
    let start = index
    if bytes[index] == UInt8(ascii: "-") { index += 1 }
    let firstDigit = index
    var magnitude: UInt64 = 0
    var hasOverflow = false
    while let digit {
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
      if overflow || carry { hasOverflow = true }
      magnitude = sum
      index += 1
    }
    var defect: JSONDefect?
    if index == firstDigit {
      defect = JSONDefect(kind: .missingDigit, offset: index)
    } else if bytes[firstDigit] == UInt8(ascii: "0"), index > firstDigit + 1 {
      defect = JSONDefect(kind: .leadingZero, offset: start)
    }
    let isInteger = byte != UInt8(ascii: ".") && byte | 0x20 != UInt8(ascii: "e")
    if !isInteger, index > firstDigit, let missing = passFraction() { defect = missing }
    return JSONToken(
      kind: .number, range: start..<index, isInteger: isInteger, magnitude: isInteger && !hasOverflow ? magnitude : nil,
      defect: defect)
  }

  /// Skips the fraction and the exponent of a number. Returns the defect, if there is one.
  private mutating func passFraction() -> JSONDefect? {
    if byte == UInt8(ascii: ".") {
      index += 1
      guard passDigits() else { return JSONDefect(kind: .missingDigit, offset: index) }
    }
    if byte | 0x20 == UInt8(ascii: "e") {
      index += 1
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { index += 1 }
      guard passDigits() else { return JSONDefect(kind: .missingDigit, offset: index) }
    }
    return nil
  }

  private mutating func passDigits() -> Bool {
    let start = index
    while digit != nil { index += 1 }
    return index > start
  }

  @inline(__always)
  private var digit: UInt8? {
    let digit = byte &- UInt8(ascii: "0")
    return digit < 10 ? digit : nil
  }

  @inline(__always)
  private mutating func string() -> JSONToken {
    let start = index
    if start > unclosedString.lowerBound, start < unclosedString.upperBound { return mark(.invalid) }
    index += 1
    var hasEscapes = false
    var defect: JSONDefect?
    while true {
      passPlainText()
      guard index < bytes.byteCount else {
        defect = JSONDefect(kind: .endOfText, offset: start)
        break
      }
      if bytes[index] == UInt8(ascii: "\"") {
        index += 1
        break
      }
      if bytes[index] == UInt8(ascii: "\\") { hasEscapes = true }
      guard let found = passSpecial() else { continue }
      if found.isEnd {
        defect = JSONDefect(kind: found.kind, offset: found.kind == .endOfText ? start : found.offset)
        break
      }
      defect = defect ?? found
    }
    if defect?.isEnd == true { unclosedString = start..<index }
    return JSONToken(kind: .string, range: start..<index, hasEscapes: hasEscapes, defect: defect)
  }

  /// Returns all defects of a string, except a missing end.
  mutating func defects(inside string: JSONToken) -> [JSONDefect] {
    let end = index
    defer { index = end }
    index = string.range.lowerBound + 1
    var defects: [JSONDefect] = []
    while true {
      passPlainText()
      guard index < string.range.upperBound, bytes[index] != UInt8(ascii: "\"") else { return defects }
      guard let found = passSpecial() else { continue }
      if found.isEnd { return defects }
      defects.append(found)
    }
  }

  /// Skips to the next quotation mark, backslash or control character, or to the end of the text.
  @inline(__always)
  private mutating func passPlainText() {
    while index &+ 8 <= bytes.byteCount {
      let word = bytes.littleEndianWord(at: index)
      let found =
        ByteClass.equal(word, UInt8(ascii: "\"")) | ByteClass.equal(word, UInt8(ascii: "\\"))
        | ByteClass.below(word, 0x20)
      if found != 0 {
        index &+= found.trailingZeroBitCount / 8
        return
      }
      index &+= 8
    }
    while index < bytes.byteCount, bytes[index] >= 0x20, bytes[index] != UInt8(ascii: "\""),
      bytes[index] != UInt8(ascii: "\\")
    { index += 1 }
  }

  /// Skips an escape or a control character. Returns its defect, if it has one.
  private mutating func passSpecial() -> JSONDefect? {
    let offset = index
    guard bytes[offset] == UInt8(ascii: "\\") else {
      if bytes[offset] == 0x0A || bytes[offset] == 0x0D, !goesOnWithText() {
        return JSONDefect(kind: .endOfLine, offset: offset)
      }
      index += 1
      return JSONDefect(kind: .control, offset: offset)
    }
    guard offset + 1 < bytes.byteCount else {
      index += 1
      return JSONDefect(kind: .endOfText, offset: offset)
    }
    index += 2
    switch bytes[offset + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return nil
    case UInt8(ascii: "u"):
      guard let unit = JSONText.unit(bytes, at: offset) else {
        return JSONDefect(kind: .hexadecimalEscape, offset: offset)
      }
      index = offset + 6
      guard unit & 0xF800 == 0xD800 else { return nil }
      guard unit < 0xDC00, let low = JSONText.unit(bytes, at: index), low & 0xFC00 == 0xDC00 else {
        return JSONDefect(kind: .surrogate, offset: offset)
      }
      index += 6
      return nil
    default: return JSONDefect(kind: .escape, offset: offset)
    }
  }

  /// Returns true if the text of a string seems to continue on the next line. The next byte must be a line end.
  private mutating func goesOnWithText() -> Bool {
    // Scans the white space only once, even if the string has many empty lines.
    if !lastSpace.contains(index) {
      var end = index
      while end < bytes.byteCount, bytes[end].isWhiteSpace { end += 1 }
      lastSpace = index..<end
    }
    let next = lastSpace.upperBound
    guard next < bytes.byteCount else { return false }
    switch bytes[next] {
    case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: ","), UInt8(ascii: ":"):
      return false
    default: return true
    }
  }
}
