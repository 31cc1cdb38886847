/// The text of XML elements: white space, character references and line ends.
package enum XMLText {
  /// The document type that Apple's writer uses.
  package static let documentType: StaticString =
    #"<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">"#

  package static func beginsDeclaration(_ bytes: RawSpan, at index: Int) -> Bool {
    bytes.starts(with: "<?xml", at: index) && index + 5 < bytes.byteCount && bytes[index + 5].isWhiteSpace
  }

  /// Appends the text of an element to `text`. Decodes the references, which the reader has validated, and replaces CR
  /// LF and CR by LF (XML 1.0 section 2.11).
  package static func decode(_ content: RawSpan, into text: inout [UInt8]) {
    text.reserve(content.byteCount)
    var index = 0
    while let stop = content.firstIndexToDecode(from: index) {
      text.append(bytes: content.extracting(index..<stop))
      if let (scalar, length) = reference(in: content, at: stop) {
        text.append(scalar: scalar)
        index = stop + length
      } else {
        let isLineEnd = content[stop] == 0x0D
        text.append(isLineEnd ? 0x0A : content[stop])
        index = isLineEnd && content.starts(with: "\r\n", at: stop) ? stop + 2 : stop + 1
      }
    }
    text.append(bytes: content.extracting(index...))
  }

  /// Appends text that has no references, such as CDATA, to `text`. Replaces CR LF and CR by LF.
  package static func decodeLines(_ content: RawSpan, into text: inout [UInt8]) {
    var index = 0
    while let end = content.firstIndex(of: 0x0D, from: index) {
      text.append(bytes: content.extracting(index..<end))
      text.append(0x0A)
      index = content.starts(with: "\r\n", at: end) ? end + 2 : end + 1
    }
    text.append(bytes: content.extracting(index...))
  }

  /// Returns the scalar and the length of the reference at `start`: one of the five entities, `&#…;` or `&#x…;`.
  /// Returns nil for other text, and for characters that XML 1.0 does not allow.
  package static func reference(in bytes: RawSpan, at start: Int) -> (scalar: UInt32, length: Int)? {
    if bytes.starts(with: "&amp;", at: start) { return (0x26, 5) }
    if bytes.starts(with: "&lt;", at: start) { return (0x3C, 4) }
    if bytes.starts(with: "&gt;", at: start) { return (0x3E, 4) }
    if bytes.starts(with: "&quot;", at: start) { return (0x22, 6) }
    if bytes.starts(with: "&apos;", at: start) { return (0x27, 6) }
    guard bytes.starts(with: "&#", at: start) else { return nil }
    var index = start + 2
    let isHexadecimal = index < bytes.byteCount && bytes[index] == UInt8(ascii: "x")
    if isHexadecimal { index += 1 }
    let radix: UInt32 = isHexadecimal ? 16 : 10
    let first = index
    var scalar: UInt32 = 0
    while index < bytes.byteCount, bytes[index] != UInt8(ascii: ";") {
      guard let digit = bytes[index].hexadecimalValue, digit < radix else { return nil }
      scalar = scalar * radix + UInt32(digit)
      guard scalar <= 0x10FFFF else { return nil }
      index += 1
    }
    guard index < bytes.byteCount, index > first, isAllowed(scalar) else { return nil }
    return (scalar, index + 1 - start)
  }

  /// Returns true if XML 1.0 allows a scalar value in a document (production 2, `Char`).
  package static func isAllowed(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }

  /// Returns the length of the character at an index, in bytes, or nil for invalid UTF-8 and for a character that XML
  /// 1.0 does not allow.
  static func characterLength(in bytes: RawSpan, at index: Int) -> Int? {
    let first = bytes[index]
    guard first >= 0x80 else { return first >= 0x20 || first.isWhiteSpace ? 1 : nil }
    let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard !bytes.beginsNoCharacter(at: index), index + length <= bytes.byteCount else { return nil }
    let character = bytes.extracting(index..<index + length)
    guard character.isValidUTF8 else { return nil }
    // U+FFFE and U+FFFF.
    return first == 0xEF && character[1] == 0xBF && character[2] >= 0xBE ? nil : length
  }

  /// Returns true if an ASCII character may occur in a name (XML 1.0, production 4a).
  static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: ":"):
      true
    default: false
    }
  }
}

extension RawSpan {
  /// Returns the first index from `start` of `&` or CR, or nil if neither occurs.
  @inline(__always)
  fileprivate func firstIndexToDecode(from start: Int) -> Int? {
    var index = start
    while index + 8 <= byteCount {
      let word = littleEndianWord(at: index)
      let found = ByteClass.equal(word, UInt8(ascii: "&")) | ByteClass.equal(word, 0x0D)
      if found != 0 { return index + found.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < byteCount {
      if self[index] == UInt8(ascii: "&") || self[index] == 0x0D { return index }
      index += 1
    }
    return nil
  }
}
