internal import FoundationEssentials

/// The Unicode encoding forms of text files that can be detected from their first bytes.
package enum UnicodeEncoding {
  case utf8
  case utf16(isBigEndian: Bool)
  case utf32(isBigEndian: Bool)

  /// Detects the encoding from a byte order mark. Without one, a NUL among the first two bytes means UTF-16. Returns
  /// nil if the bytes have neither.
  package static func detect(_ bytes: RawSpan) -> (encoding: UnicodeEncoding, markLength: Int)? {
    if bytes.starts(with: "\u{FEFF}") { return (.utf8, 3) }
    guard bytes.byteCount >= 2 else { return nil }
    if bytes.byteCount >= 4 {
      if bytes[0] == 0, bytes[1] == 0, bytes[2] == 0xFE, bytes[3] == 0xFF { return (.utf32(isBigEndian: true), 4) }
      if bytes[0] == 0xFF, bytes[1] == 0xFE, bytes[2] == 0, bytes[3] == 0 { return (.utf32(isBigEndian: false), 4) }
    }
    if bytes[0] == 0xFE, bytes[1] == 0xFF { return (.utf16(isBigEndian: true), 2) }
    if bytes[0] == 0xFF, bytes[1] == 0xFE { return (.utf16(isBigEndian: false), 2) }
    if bytes[0] == 0 { return (.utf16(isBigEndian: true), 0) }
    if bytes[1] == 0 { return (.utf16(isBigEndian: false), 0) }
    return nil
  }

  /// Returns the text of an input as UTF-8, or nil if no encoding is detected. An input in UTF-8 is not validated.
  /// Invalid parts of other encodings become U+FFFD.
  static func decode(_ data: Data, defects: inout DefectLog) throws(PropertyListError) -> TextSource? {
    let bytes = data.bytes
    guard let (encoding, markLength) = detect(bytes) else { return nil }
    guard let text = try encoding.decode(bytes, from: markLength, defects: &defects) else {
      return TextSource(text: data.dropFirst(markLength), start: markLength)
    }
    return TextSource(text: text, start: markLength, unitWidth: encoding.unitWidth)
  }

  /// The number of bytes of a code unit.
  private var unitWidth: Int {
    switch self {
    case .utf8: 1
    case .utf16: 2
    case .utf32: 4
    }
  }

  /// Returns the text from `start` as UTF-8, or nil if it is already UTF-8. Invalid parts become U+FFFD.
  func decode(_ bytes: RawSpan, from start: Int, defects: inout DefectLog) throws(PropertyListError) -> Data? {
    switch self {
    case .utf8: nil
    case .utf16(let isBigEndian):
      try Self.decode(bytes, from: start, unitWidth: unitWidth, "UTF-16", defects: &defects) { units, text in
        UTF16Text.decode(units, isBigEndian: isBigEndian, into: &text)
      }
    case .utf32(let isBigEndian):
      try Self.decode(bytes, from: start, unitWidth: unitWidth, "UTF-32", defects: &defects) { units, text in
        Self.decodeUTF32(units, isBigEndian: isBigEndian, into: &text)
      }
    }
  }

  /// Calls `decoder` until the end of the text. `decoder` decodes the text up to the first invalid unit, appends it as
  /// UTF-8 to its second argument, and returns the offset of the invalid unit, or nil at the end. Each invalid unit
  /// becomes U+FFFD.
  private static func decode(
    _ bytes: RawSpan, from start: Int, unitWidth: Int, _ name: String, defects: inout DefectLog,
    by decoder: (RawSpan, inout [UInt8]) -> Int?
  ) throws(PropertyListError) -> Data {
    var text: [UInt8] = []
    var walk = TextWalk()
    var offset = start
    var lastDefect = -unitWidth
    while let defect = decoder(bytes.extracting(min(offset, bytes.byteCount)...), &text) {
      offset += defect
      // Consecutive invalid units are reported once.
      if offset != lastDefect + unitWidth {
        walk.advance(to: text.count, in: text.rawBytes)
        try defects.report(wrong(name, at: offset, walk))
      }
      lastDefect = offset
      offset += unitWidth
      guard offset < bytes.byteCount else { break }
      text.append(scalar: 0xFFFD)
    }
    return Data(text)
  }

  /// Appends UTF-32 to `text`, as UTF-8. Stops at the first invalid unit.
  ///
  /// - Returns: The offset of the first invalid unit, or nil if not found.
  private static func decodeUTF32(_ bytes: RawSpan, isBigEndian: Bool, into text: inout [UInt8]) -> Int? {
    var offset = 0
    while offset < bytes.byteCount {
      guard offset + 4 <= bytes.byteCount else { return offset }
      let unit = bytes.littleEndianUInt32(at: offset)
      let scalar = isBigEndian ? unit.byteSwapped : unit
      guard scalar <= 0x10FFFF, scalar & 0xFFFF_F800 != 0xD800 else { return offset }
      text.append(scalar: scalar)
      offset += 4
    }
    return nil
  }

  /// Converts UTF-8 to this encoding and appends it to `output`, without a byte order mark.
  package func append(_ text: RawSpan, to output: inout ByteBuffer) {
    guard let utf8 = try? UTF8Span(validating: Span<UInt8>(_bytes: text)) else { return }
    if case .utf8 = self { return output.append(text) }
    var scalars = utf8.makeUnicodeScalarIterator()
    while let scalar = scalars.next() {
      switch self {
      case .utf8: break
      case .utf16(let isBigEndian):
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
          output.append(littleEndianWord: UInt64(isBigEndian ? unit.byteSwapped : unit), length: 2)
        }
      case .utf32(let isBigEndian):
        output.append(littleEndianWord: UInt64(isBigEndian ? scalar.value.byteSwapped : scalar.value), length: 4)
      }
    }
  }

  /// Returns the error for invalid bytes. The line and column are those that `walk` has reached.
  static func wrong(_ encoding: String, at offset: Int, _ walk: TextWalk) -> PropertyListError {
    PropertyListError(
      .malformed, "bytes that are not valid \(encoding.printable(limit: 80))", byteOffset: offset,
      position: .init(line: walk.line, column: walk.column))
  }
}

extension TextSource {
  /// Reports invalid UTF-8. Returns the text with an underscore in place of each invalid byte, because an underscore
  /// can be part of a word in all formats.
  func checkingUTF8(defects: inout DefectLog) throws(PropertyListError) -> TextSource {
    guard let first = text.bytes.firstInvalidUTF8(from: 0) else { return self }
    var walk = TextWalk()
    var checked: [UInt8] = []
    var next: Range<Int>? = first
    var line = 0
    while let range = next {
      walk.advance(to: range.lowerBound, in: text.bytes)
      // Reported once per line. If there are many, the encoding of the file is wrong.
      if walk.line != line {
        line = walk.line
        let position = position(of: walk)
        try defects.report(
          PropertyListError(.malformed, "not UTF-8", byteOffset: position.byteOffset, position: position.position))
      }
      if checked.isEmpty { checked = Array(text) }
      var end = range.upperBound
      while end < checked.count, text.bytes.beginsNoCharacter(at: end) { end += 1 }
      for offset in range.lowerBound..<end { checked[offset] = UInt8(ascii: "_") }
      next = text.bytes.firstInvalidUTF8(from: end)
    }
    return TextSource(text: Data(checked), start: start, unitWidth: unitWidth)
  }
}

extension RawSpan {
  /// Returns true if the byte at an offset and the byte after it cannot be the beginning of a UTF-8 character.
  func beginsNoCharacter(at offset: Int) -> Bool {
    switch self[offset] {
    case 0..<0x80: false
    case 0xC2..<0xF5: offset + 1 >= byteCount || self[offset + 1] & 0xC0 != 0x80
    default: true
    }
  }

  /// Returns the range of the first invalid UTF-8 bytes from `start`, or nil if all bytes are valid.
  func firstInvalidUTF8(from start: Int) -> Range<Int>? {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: Span<UInt8>(_bytes: extracting(start...)))
      return nil
    } catch {
      return start + error.byteOffsets.lowerBound..<start + error.byteOffsets.upperBound
    }
  }
}
