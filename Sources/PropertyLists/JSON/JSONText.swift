/// The text of JSON strings: escapes.
enum JSONText {
  /// Text with its escapes replaced.
  ///
  /// - Parameter content: what stands between quotation marks, whose escapes a reader has checked.
  static func decode(_ content: RawSpan, into text: inout [UInt8]) {
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

  /// The unit of UTF-16 that the escape `\uXXXX` at `start` names; nil if none stands there.
  static func unit(_ bytes: RawSpan, at start: Int) -> UInt32? {
    guard bytes.starts(with: "\\u", at: start), start + 6 <= bytes.byteCount else { return nil }
    var unit: UInt32 = 0
    for index in start + 2..<start + 6 {
      let digit: UInt8
      switch bytes[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = bytes[index] - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = bytes[index] - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = bytes[index] - UInt8(ascii: "A") + 10
      default: return nil
      }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }
}

extension JSONText {
  /// Appends text between quotation marks, with every control character escaped, also those from U+007F to U+009F,
  /// which terminals obey, and U+2028 and U+2029, which end a line in JavaScript.
  static func append(quoted text: RawSpan, to buffer: inout ByteBuffer) {
    buffer.append(byte: UInt8(ascii: "\""))
    var start = 0
    var index = endOfCleanText(text, from: 0)
    while index < text.byteCount {
      if let (escape, length) = escape(text, index) {
        buffer.append(text.extracting(start..<index))
        buffer.append(byte: UInt8(ascii: "\\"))
        switch escape {
        case .mark(let mark): buffer.append(byte: mark)
        case .unit(let unit):
          buffer.append(byte: UInt8(ascii: "u"))
          for shift in [12, 8, 4, 0] as [UInt16] { buffer.append(byte: hexadecimalDigits[Int(unit >> shift & 15)]) }
        }
        start = index + length
        index = start
      } else {
        index += 1
      }
      index = endOfCleanText(text, from: index)
    }
    buffer.append(text.extracting(start..<index))
    buffer.append(byte: UInt8(ascii: "\""))
  }

  private static let hexadecimalDigits = Array("0123456789abcdef".utf8)

  private enum Escape {
    case mark(UInt8)
    case unit(UInt16)
  }

  /// How the character at `index` is escaped and how many bytes it has; nil if it stands for itself.
  private static func escape(_ text: RawSpan, _ index: Int) -> (Escape, length: Int)? {
    let byte = text[index]
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): return (.mark(byte), 1)
    case 0x08: return (.mark(UInt8(ascii: "b")), 1)
    case 0x0C: return (.mark(UInt8(ascii: "f")), 1)
    case 0x0A: return (.mark(UInt8(ascii: "n")), 1)
    case 0x0D: return (.mark(UInt8(ascii: "r")), 1)
    case 0x09: return (.mark(UInt8(ascii: "t")), 1)
    case 0..<0x20, 0x7F: return (.unit(UInt16(byte)), 1)
    case 0xC2 where index + 1 < text.byteCount && text[index + 1] < 0xA0: return (.unit(UInt16(text[index + 1])), 2)
    case 0xE2 where text.starts(with: "\u{2028}", at: index): return (.unit(0x2028), 3)
    case 0xE2 where text.starts(with: "\u{2029}", at: index): return (.unit(0x2029), 3)
    default: return nil
    }
  }

  /// Where a character that may have to be escaped comes next from `start` on, or the end.
  @inline(__always)
  private static func endOfCleanText(_ text: RawSpan, from start: Int) -> Int {
    var index = start
    while index &+ 8 <= text.byteCount {
      let word = text.littleEndianWord(at: index)
      let found =
        ByteClass.equal(word, UInt8(ascii: "\"")) | ByteClass.equal(word, UInt8(ascii: "\\"))
        | ByteClass.below(word, 0x20) | ByteClass.equal(word, 0x7F) | ByteClass.equal(word, 0xC2)
        | ByteClass.equal(word, 0xE2)
      if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
      index &+= 8
    }
    while index < text.byteCount {
      switch text[index] {
      case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F, 0xC2, 0xE2: return index
      default: index += 1
      }
    }
    return index
  }
}
