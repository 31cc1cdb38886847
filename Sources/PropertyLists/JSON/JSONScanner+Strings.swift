/// Strings.
extension JSONScanner {
  /// The string that begins with the next byte, a quotation mark.
  @inline(__always)
  mutating func scanString(_ bytes: RawSpan) throws(PropertyListError) -> FlatNode {
    let start = index + 1
    index = start
    var isPlain = true
    while true {
      index = Self.endOfPlainText(bytes, from: index)
      guard index < end else { throw unclosed(at: start - 1) }
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") { break }
      guard byte == UInt8(ascii: "\\") else {
        try meetControl(byte, bytes)
        continue
      }
      isPlain = false
      try scanEscape(bytes, ofStringAt: start - 1)
    }
    let length = index - start
    index += 1
    return .string(isPlain ? .verbatim : .jsonText, offset: start, length: length)
  }

  /// Where a quotation mark, a backslash, a control character or the end of the text comes next.
  @inline(__always)
  private static func endOfPlainText(_ bytes: RawSpan, from start: Int) -> Int {
    var index = start
    while index &+ 8 <= bytes.byteCount {
      let word = bytes.littleEndianWord(at: index)
      let found =
        ByteClass.equal(word, UInt8(ascii: "\"")) | ByteClass.equal(word, UInt8(ascii: "\\"))
        | ByteClass.below(word, 0x20)
      if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
      index &+= 8
    }
    while index < bytes.byteCount, bytes[index] >= 0x20, bytes[index] != UInt8(ascii: "\""),
      bytes[index] != UInt8(ascii: "\\")
    { index += 1 }
    return index
  }

  /// The escape that begins with the next byte; it is checked here and replaced when the text is asked for.
  private mutating func scanEscape(_ bytes: RawSpan, ofStringAt place: Int) throws(PropertyListError) {
    guard index + 1 < end else { throw unclosed(at: place) }
    switch bytes[index + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      index += 2
    case UInt8(ascii: "u"):
      guard let unit = JSONText.unit(bytes, at: index) else {
        try report(failure("an escape without its four hexadecimal digits", at: index))
        index += 2
        return
      }
      if unit & 0xF800 == 0xD800 {
        if unit < 0xDC00, let low = JSONText.unit(bytes, at: index + 6), low & 0xFC00 == 0xDC00 {
          index += 6
        } else {
          try report(failure("a UTF-16 surrogate without its partner in a string", at: index))
        }
      }
      index += 6
    case let mark:
      let escape = mark > 0x20 && mark < 0x7F ? " \"\\\(Unicode.Scalar(mark))\"" : ""
      try report(failure("the escape\(escape), which JSON does not have", at: index))
      index += 2
    }
  }

  private mutating func unclosed(at place: Int) -> PropertyListError {
    mending.isAtEnd = true
    return failure("a string without its closing quotation mark", at: place)
  }

  /// A control character in a string. At the end of a line, it is the quotation mark that is missing, unless the next
  /// line goes on with the text.
  private mutating func meetControl(_ byte: UInt8, _ bytes: RawSpan) throws(PropertyListError) {
    let number = String(byte, radix: 16, uppercase: true)
    let message = "the control character U+\(byte < 16 ? "000" : "00")\(number) in a string, not escaped"
    let fault = failure(message, at: index)
    if byte == 0x0A || byte == 0x0D, !goesOnWithText(bytes) {
      mending.due = .quotationMark
      throw fault
    }
    try report(fault)
    index += 1
  }
}
