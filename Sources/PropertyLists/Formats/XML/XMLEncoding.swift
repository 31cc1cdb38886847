internal import FoundationEssentials

/// The encoding that an XML file declares. As with Apple's reader (`CFPropertyList.c`), it counts where
/// ``UnicodeEncoding`` detects none.
package enum XMLEncoding {
  /// - Parameter defects: where bytes go that are not in the encoding.
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

  /// The name in `<?xml … encoding="name" …?>`, if the document begins with such a declaration.
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

  /// The characters of XML 1.0's `EncName`. It has no slash, so a name cannot carry options to iconv.
  private static func isNameByte(_ byte: UInt8) -> Bool { XMLText.isNameByte(byte) && byte != UInt8(ascii: ":") }

  /// What is wrong with the name of an encoding that the first bytes would have told.
  private static func falseName(_ name: String) -> PropertyListError? {
    guard
      ["utf-16", "utf-32", "iso-10646-ucs"].contains(where: name.lowercased().hasPrefix)
    else { return nil }
    return PropertyListError(
      .malformed, "declared as \(name.printable(limit: 80)), but without that encoding's byte order mark",
      byteOffset: 0, position: .init(line: 1, column: 1))
  }

  /// What is called Shift_JIS in files is Microsoft's, with a backslash and a tilde where the standard has a yen sign
  /// and an overline. Apple reads it so, and so do browsers.
  static func iconvName(_ name: String) -> String {
    ["shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji", "csshiftjis"].contains(name.lowercased()) ? "CP932" : name
  }
}
