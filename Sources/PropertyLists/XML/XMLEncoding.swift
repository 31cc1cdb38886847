internal import FoundationEssentials

/// The encoding of an XML file: found as Apple's reader finds it (`CFPropertyList.c`), and turned into UTF-8.
enum XMLEncoding {
  /// A file in UTF-8, and how places in it are found in the original.
  struct Source {
    let text: Data
    /// Where the text begins in the input, after a byte order mark.
    var start = 0
    /// The bytes of a code unit in the input; nil if places cannot be told in bytes.
    var unitWidth: Int? = 1
  }

  private enum Unicode {
    case utf8
    case utf16(isBigEndian: Bool)
    case utf32(isBigEndian: Bool)
  }

  /// A byte order mark decides; without one, a NUL among the first two bytes means UTF-16; else the declaration counts,
  /// and UTF-8 where it says nothing.
  private static func detect(_ bytes: RawSpan) -> (encoding: Unicode, markLength: Int)? {
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

  static func beginsLikeXML(_ bytes: RawSpan) -> Bool {
    let (encoding, markLength) = detect(bytes) ?? (.utf8, 0)
    let width: Int
    let first: Int
    switch encoding {
    case .utf8: (width, first) = (1, 0)
    case .utf16(let isBigEndian): (width, first) = (2, isBigEndian ? 1 : 0)
    case .utf32(let isBigEndian): (width, first) = (4, isBigEndian ? 3 : 0)
    }
    var offset = markLength
    while offset + width <= bytes.byteCount {
      for index in offset..<offset + width where index != offset + first && bytes[index] != 0 { return false }
      let byte = bytes[offset + first]
      guard XMLText.isSpace(byte) else { return byte == UInt8(ascii: "<") }
      offset += width
    }
    return false
  }

  static func decode(_ data: Data) throws(PropertyListError) -> Source {
    let bytes = data.bytes
    guard let (encoding, markLength) = detect(bytes) else {
      guard let name = declaredEncoding(bytes), !isUTF8(name) else { return Source(text: data) }
      return Source(text: try convert(data, from: name), start: 0, unitWidth: nil)
    }
    switch encoding {
    case .utf8:
      return Source(text: data.dropFirst(markLength), start: markLength)
    case .utf16(let isBigEndian):
      var text: [UInt8] = []
      if let fault = UTF16Text.decode(bytes.extracting(markLength...), isBigEndian: isBigEndian, into: &text) {
        throw wrong("UTF-16", after: text, at: markLength + fault)
      }
      return Source(text: Data(text), start: markLength, unitWidth: 2)
    case .utf32(let isBigEndian):
      return Source(text: try decodeUTF32(bytes, from: markLength, isBigEndian), start: markLength, unitWidth: 4)
    }
  }

  private static func decodeUTF32(_ bytes: RawSpan, from start: Int, _ isBigEndian: Bool) throws(PropertyListError)
    -> Data
  {
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

  /// Bytes that are not in the encoding they ought to be in.
  ///
  /// - Parameters:
  ///   - text: what comes before them, in UTF-8.
  ///   - offset: where they stand in the input.
  static func wrong(_ encoding: String, after text: [UInt8], at offset: Int) -> PropertyListError {
    PropertyListError(
      .malformed, "not \(encoding.printable(limit: 80)), as it claims to be", byteOffset: offset,
      position: Source(text: Data(text)).place(text.count).position)
  }

  private static func isUTF8(_ name: String) -> Bool {
    let name = name.lowercased()
    return name == "utf-8" || name == "utf8"
  }

  /// The name in `<?xml … encoding="name" …?>`, if the file begins with such a declaration.
  private static func declaredEncoding(_ bytes: RawSpan) -> String? {
    guard bytes.starts(with: "<?xml"), bytes.byteCount > 5, XMLText.isSpace(bytes[5]) else { return nil }
    var index = 6
    while index < bytes.byteCount, !bytes.starts(with: "?>", at: index) {
      if bytes.starts(with: "encoding", at: index) {
        index += 8
        while index < bytes.byteCount, XMLText.isSpace(bytes[index]) { index += 1 }
        guard index < bytes.byteCount, bytes[index] == UInt8(ascii: "=") else { return nil }
        index += 1
        while index < bytes.byteCount, XMLText.isSpace(bytes[index]) { index += 1 }
        guard index < bytes.byteCount, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") else {
          return nil
        }
        let quote = bytes[index]
        let start = index + 1
        index = start
        while index < bytes.byteCount, isNameByte(bytes[index]) { index += 1 }
        guard index < bytes.byteCount, bytes[index] == quote, index > start else { return nil }
        return String(knownUTF8: bytes.extracting(start..<index), isASCII: true)
      }
      index += 1
    }
    return nil
  }

  /// The characters of XML 1.0's `EncName`. It has no slash, so a name cannot carry options to iconv.
  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  private static func convert(_ data: Data, from name: String) throws(PropertyListError) -> Data {
    // What these name is told by the first bytes, and was not found there.
    guard !name.lowercased().hasPrefix("utf-16"), !name.lowercased().hasPrefix("utf-32"),
      !name.lowercased().hasPrefix("iso-10646-ucs")
    else {
      throw PropertyListError(
        .malformed, "declared as \(name.printable(limit: 80)), but without that encoding's byte order mark",
        byteOffset: 0,
        position: .init(line: 1, column: 1))
    }
    return try LibXML2.convert(data, from: name)
  }

  /// What is called Shift_JIS in files is Microsoft's, with a backslash and a tilde where the standard has a yen sign
  /// and an overline. Apple reads it so, and so do browsers.
  static func iconvName(_ name: String) -> String {
    ["shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji", "csshiftjis"].contains(name.lowercased()) ? "CP932" : name
  }
}

extension XMLEncoding.Source {
  /// Where the byte number `offset` of the UTF-8 text stands in the input.
  func place(_ offset: Int) -> (byteOffset: Int?, position: PropertyListError.TextPosition) {
    let bytes = text.bytes
    let end = max(0, min(offset, bytes.byteCount))
    var line = 1
    var lineStart = 0
    var index = 0
    while index < end {
      let byte = bytes[index]
      index += 1
      if byte == 0x0A || (byte == 0x0D && !(index < bytes.byteCount && bytes[index] == 0x0A)) {
        line += 1
        lineStart = index
      }
    }
    var column = 1
    for index in lineStart..<max(lineStart, end) where bytes[index] & 0xC0 != 0x80 { column += 1 }
    return (originalOffset(end), PropertyListError.TextPosition(line: line, column: column))
  }

  private func originalOffset(_ offset: Int) -> Int? {
    guard let unitWidth else { return nil }
    if unitWidth == 1 { return start + offset }
    let bytes = text.bytes
    var units = 0
    for index in 0..<offset {
      let byte = bytes[index]
      if byte & 0xC0 != 0x80 { units += unitWidth == 2 && byte >= 0xF0 ? 2 : 1 }
    }
    return start + units * unitWidth
  }
}
