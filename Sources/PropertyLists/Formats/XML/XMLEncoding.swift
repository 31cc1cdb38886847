internal import FoundationEssentials

/// The encoding that an XML file declares. It is used if ``UnicodeEncoding`` does not detect an encoding, as in Apple's
/// reader (`CFPropertyList.c`).
package enum XMLEncoding {
  /// Decodes an input in the encoding that its XML declaration names.
  ///
  /// - Parameter defects: Receives the byte sequences that are invalid in the encoding.
  static func decode(
    _ data: Data, from name: String, defects: inout DefectLog
  ) throws(PropertyListError) -> TextSource {
    guard !["utf-8", "utf8"].contains(name.lowercased()) else { return TextSource(text: data) }
    if let defect = falseName(name) {
      try defects.report(defect)
      return TextSource(text: data)
    }
    return try LibXML2.convert(data, from: name, defects: &defects)
  }

  /// Returns the name in `<?xml … encoding="name" …?>`, or nil if the document does not begin with such a declaration.
  package static func declaredEncoding(_ bytes: RawSpan) -> String? {
    let start = XMLLexer.documentStart(in: bytes)
    guard XMLText.beginsDeclaration(bytes, at: start) else { return nil }
    var lexer = XMLLexer(bytes, at: start + 5)
    while true {
      lexer.passSpace()
      guard case .success(let attribute) = lexer.attribute() else { return nil }
      if attribute.name.count == 8, bytes.starts(with: "encoding", at: attribute.name.lowerBound) {
        let name = [UInt8](bytes, attribute.value)
        return name.isEmpty || !name.allSatisfy(isNameByte) ? nil : String(decoding: name, as: UTF8.self)
      }
    }
  }

  /// Returns true for the characters of XML 1.0's `EncName`. It has no slash, so a name cannot pass options to iconv.
  private static func isNameByte(_ byte: UInt8) -> Bool { XMLText.isNameByte(byte) && byte != UInt8(ascii: ":") }

  /// Returns an error if the declared encoding is UTF-16 or UTF-32. Such a declaration is wrong: a file in such an
  /// encoding is recognized by its first bytes, before its declaration is read.
  private static func falseName(_ name: String) -> PropertyListError? {
    guard
      ["utf-16", "utf-32", "iso-10646-ucs"].contains(where: name.lowercased().hasPrefix)
    else { return nil }
    return PropertyListError(
      .malformed, "declared as \(name.printable(limit: 80)), but without that encoding's byte order mark",
      byteOffset: 0, position: .init(line: 1, column: 1))
  }

  /// Returns the iconv name of an encoding. Files that declare Shift_JIS use Microsoft's variant, which has a backslash
  /// and a tilde instead of the standard's yen sign and overline. Apple's parsers and browsers also read the encoding
  /// as this variant.
  static func iconvName(_ name: String) -> String {
    ["shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji", "csshiftjis"].contains(name.lowercased()) ? "CP932" : name
  }
}
