internal import FoundationEssentials

/// The encoding forms of Unicode that a text file can be in, as its first bytes tell them.
enum UnicodeEncoding {
  case utf8
  case utf16(isBigEndian: Bool)
  case utf32(isBigEndian: Bool)
}

extension UnicodeEncoding {
  /// A byte order mark decides; without one, a NUL among the first two bytes means UTF-16.
  ///
  /// - Returns: nil for bytes that begin with neither.
  static func detect(_ bytes: RawSpan) -> (encoding: UnicodeEncoding, markLength: Int)? {
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

  /// The text of an input in UTF-8, whose own UTF-8 is not checked.
  ///
  /// - Returns: nil if the first bytes tell no encoding.
  static func decode(_ data: Data) throws(PropertyListError) -> TextSource? {
    let bytes = data.bytes
    guard let (encoding, markLength) = detect(bytes) else { return nil }
    switch encoding {
    case .utf8:
      return TextSource(text: data.dropFirst(markLength), start: markLength)
    case .utf16(let isBigEndian):
      var text: [UInt8] = []
      if let fault = UTF16Text.decode(bytes.extracting(markLength...), isBigEndian: isBigEndian, into: &text) {
        throw wrong("UTF-16", after: text, at: markLength + fault)
      }
      return TextSource(text: Data(text), start: markLength, unitWidth: 2)
    case .utf32(let isBigEndian):
      return TextSource(text: try decodeUTF32(bytes, from: markLength, isBigEndian), start: markLength, unitWidth: 4)
    }
  }

  private static func decodeUTF32(
    _ bytes: RawSpan, from start: Int, _ isBigEndian: Bool
  ) throws(PropertyListError) -> Data {
    var text: [UInt8] = []
    var offset = start
    while offset < bytes.byteCount {
      guard offset + 4 <= bytes.byteCount else {
        throw wrong("UTF-32", after: text, at: offset)
      }
      let unit = bytes.littleEndianUInt32(at: offset)
      let scalar = isBigEndian ? unit.byteSwapped : unit
      guard scalar <= 0x10FFFF, scalar & 0xFFFF_F800 != 0xD800 else {
        throw wrong("UTF-32", after: text, at: offset)
      }
      text.append(scalar: scalar)
      offset += 4
    }
    return Data(text)
  }

  /// Appends text in this encoding, without a byte order mark.
  ///
  /// - Parameter text: valid UTF-8.
  func append(_ text: RawSpan, to output: inout ByteBuffer) {
    guard let utf8 = try? UTF8Span(validating: Span<UInt8>(_bytes: text)) else { return }
    switch self {
    case .utf8: output.append(text)
    case .utf16(let isBigEndian):
      var scalars = utf8.makeUnicodeScalarIterator()
      while let scalar = scalars.next() {
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
          output.append(littleEndianWord: UInt64(isBigEndian ? unit.byteSwapped : unit), length: 2)
        }
      }
    case .utf32(let isBigEndian):
      var scalars = utf8.makeUnicodeScalarIterator()
      while let scalar = scalars.next() {
        output.append(littleEndianWord: UInt64(isBigEndian ? scalar.value.byteSwapped : scalar.value), length: 4)
      }
    }
  }

  /// Bytes that are not in the encoding they ought to be in.
  ///
  /// - Parameters:
  ///   - text: what comes before them, in UTF-8.
  ///   - offset: where they stand in the input.
  static func wrong(_ encoding: String, after text: [UInt8], at offset: Int) -> PropertyListError {
    PropertyListError(
      .malformed, "not \(encoding.printable(limit: 80)), as it claims to be", byteOffset: offset,
      position: TextSource(text: Data(text)).place(text.count).position)
  }
}
