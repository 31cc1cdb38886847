/// The text of JSON strings and its escapes.
package enum JSONText {
  /// Appends the content of a JSON string to `text`, with its escapes decoded. `content` is between the quotation
  /// marks, and the reader has validated it.
  package static func decode(_ content: RawSpan, into text: inout [UInt8]) {
    text.reserve(content.byteCount)
    var index = 0
    while index < content.byteCount {
      guard content[index] == UInt8(ascii: "\\"), index + 1 < content.byteCount else {
        text.append(content[index])
        index += 1
        continue
      }
      switch content[index + 1] {
      case UInt8(ascii: "b"): text.append(0x08)
      case UInt8(ascii: "f"): text.append(0x0C)
      case UInt8(ascii: "n"): text.append(0x0A)
      case UInt8(ascii: "r"): text.append(0x0D)
      case UInt8(ascii: "t"): text.append(0x09)
      case UInt8(ascii: "u"):
        index += 6
        guard let unit = unit(content, at: index - 6) else { continue }
        if unit & 0xFC00 == 0xD800, let low = self.unit(content, at: index) {
          text.append(scalar: 0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF)
          index += 6
        } else {
          text.append(scalar: unit)
        }
        continue
      case let mark: text.append(mark)
      }
      index += 2
    }
  }

  /// Returns the UTF-16 unit of the escape `\uXXXX` at `start`, or nil if no such escape is there.
  package static func unit(_ bytes: RawSpan, at start: Int) -> UInt32? {
    guard bytes.starts(with: "\\u", at: start), start + 6 <= bytes.byteCount else { return nil }
    return bytes.extracting(start + 2..<start + 6).hexadecimalNumber.map { UInt32(truncatingIfNeeded: $0) }
  }

  /// Appends text in quotation marks. Escapes quotation marks, backslashes, and the characters that
  /// ``append(printable:to:)`` escapes.
  package static func append(quoted text: RawSpan, to buffer: inout ByteBuffer) {
    buffer.append(byte: UInt8(ascii: "\""))
    append(text, isQuoted: true, to: &buffer)
    buffer.append(byte: UInt8(ascii: "\""))
  }

  /// Appends text. Escapes every character that ``Visibility`` hides: control characters of terminals, line ends
  /// including JavaScript's, and characters that mislead readers.
  package static func append(printable text: RawSpan, to buffer: inout ByteBuffer) {
    append(text, isQuoted: false, to: &buffer)
  }

  private static func append(_ text: RawSpan, isQuoted: Bool, to buffer: inout ByteBuffer) {
    var start = 0
    var index = endOfCleanText(text, from: 0)
    while index < text.byteCount {
      let (scalar, length) = text.scalar(at: index)
      if isQuoted && (scalar == "\"" || scalar == "\\") || scalar.isHidden(after: text.scalar(before: index)) {
        buffer.append(text.extracting(start..<index))
        append(escaped: scalar, to: &buffer)
        start = index + length
      }
      index = endOfCleanText(text, from: index + length)
    }
    buffer.append(text.extracting(start..<index))
  }

  private static func append(escaped scalar: Unicode.Scalar, to buffer: inout ByteBuffer) {
    switch scalar {
    case "\"": buffer.append("\\\"")
    case "\\": buffer.append("\\\\")
    case "\u{8}": buffer.append("\\b")
    case "\u{C}": buffer.append("\\f")
    case "\n": buffer.append("\\n")
    case "\r": buffer.append("\\r")
    case "\t": buffer.append("\\t")
    default:
      for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
        buffer.append("\\u")
        buffer.append(hexadecimal: UInt8(unit >> 8))
        buffer.append(hexadecimal: UInt8(truncatingIfNeeded: unit))
      }
    }
  }

  /// Returns the index, from `start`, of the next character that may need an escape, or the end.
  @inline(__always)
  private static func endOfCleanText(_ text: RawSpan, from start: Int) -> Int {
    var index = start
    while index &+ 8 <= text.byteCount {
      let word = text.littleEndianWord(at: index)
      let found =
        ByteClass.equal(word, UInt8(ascii: "\"")) | ByteClass.equal(word, UInt8(ascii: "\\"))
        | ByteClass.below(word, 0x20) | ByteClass.equal(word, 0x7F) | ByteClass.beyondASCII(word)
      if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
      index &+= 8
    }
    while index < text.byteCount {
      switch text[index] {
      case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F...: return index
      default: index += 1
      }
    }
    return index
  }
}
