/// Base64 (RFC 4648) with white space, the form of data in text formats.
package enum Base64Text {
  private static let alphabet: [UInt8] = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  private static let space: UInt8 = 64
  private static let padding: UInt8 = 65
  private static let invalid: UInt8 = 255

  /// The meaning of each byte: a value of six bits, or one of the three constants above.
  private static let meaning: [UInt8] = {
    var table = [UInt8](repeating: invalid, count: 256)
    for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
    for character in " \t\n\r".utf8 { table[Int(character)] = space }
    table[Int(UInt8(ascii: "="))] = padding
    return table
  }()

  /// Returns a message about the first defect of a base64 text; nil if the text is valid. A defect is a character
  /// outside the alphabet, or padding that is missing, wrong or followed by more text. `name` is the element that the
  /// message mentions.
  package static func defect(in text: RawSpan, called name: StaticString) -> String? {
    let meaning = meaning
    var digits = 0
    var index = 0
    let end = text.byteCount
    while index < end {
      let value = meaning[Int(text[index])]
      if value < 64 {
        digits += 1
      } else if value == padding {
        break
      } else if value == invalid {
        return "a character in \(name) is not base64"
      }
      index += 1
    }
    var paddings = 0
    while index < end {
      let value = meaning[Int(text[index])]
      if value == padding {
        paddings += 1
      } else if value != space {
        return "extra text after the end of the base64 in \(name)"
      }
      index += 1
    }
    let isComplete =
      switch digits & 3 {
      case 0: paddings == 0
      case 2: paddings == 2
      case 3: paddings == 1
      default: false
      }
    return isComplete ? nil : "the base64 in \(name) is incomplete or has wrong padding"
  }

  /// Decodes text without defects and appends the bytes.
  package static func decode(_ text: RawSpan, into bytes: inout [UInt8]) {
    bytes.reserve(text.byteCount / 4 * 3 + 2)
    let meaning = meaning
    var collected: UInt32 = 0
    var digits = 0
    for index in 0..<text.byteCount {
      let value = meaning[Int(text[index])]
      guard value < 64 else { continue }
      collected = collected << 6 | UInt32(value)
      digits += 1
      if digits == 4 {
        bytes.append(UInt8(truncatingIfNeeded: collected >> 16))
        bytes.append(UInt8(truncatingIfNeeded: collected >> 8))
        bytes.append(UInt8(truncatingIfNeeded: collected))
        collected = 0
        digits = 0
      }
    }
    if digits == 2 {
      bytes.append(UInt8(truncatingIfNeeded: collected >> 4))
    } else if digits == 3 {
      bytes.append(UInt8(truncatingIfNeeded: collected >> 10))
      bytes.append(UInt8(truncatingIfNeeded: collected >> 2))
    }
  }

  /// Appends a range of bytes as one line of base64, with padding if the length of the range is not a multiple of
  /// three.
  package static func append(_ bytes: RawSpan, _ range: Range<Int>, to buffer: inout ByteBuffer) {
    let alphabet = alphabet
    buffer.reserve((range.count + 2) / 3 * 4 + 8)
    var index = range.lowerBound
    while index + 3 <= range.upperBound {
      let group = Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
      let word =
        UInt64(alphabet[group >> 18]) | UInt64(alphabet[group >> 12 & 63]) << 8
        | UInt64(alphabet[group >> 6 & 63]) << 16 | UInt64(alphabet[group & 63]) << 24
      buffer.append(littleEndianWord: word, length: 4)
      index += 3
    }
    let rest = range.upperBound - index
    if rest > 0 {
      let group = Int(bytes[index]) << 16 | (rest == 2 ? Int(bytes[index + 1]) << 8 : 0)
      buffer.append(byte: alphabet[group >> 18])
      buffer.append(byte: alphabet[group >> 12 & 63])
      buffer.append(byte: rest == 2 ? alphabet[group >> 6 & 63] : UInt8(ascii: "="))
      buffer.append(byte: UInt8(ascii: "="))
    }
  }
}
