/// The slow lane: libxml2 reads the XML, decides what is well-formed and words the errors; ``XMLHandler`` makes nodes of
/// its events.
enum XMLParser {
  static func parse(
    _ source: TextSource, options: PropertyListReadingOptions
  ) throws(PropertyListError) -> TextContent {
    try checkBeginning(source)
    let longTag = longTag(source.text.bytes)
    let handler = XMLHandler(source, options, readEnd: longTag.map { $0 + greatestTagLength })
    let isWellFormed = try LibXML2.parse(handler)
    if let longTag, handler.isCutOff {
      throw malformed("a tag of more than \(greatestTagLength) bytes", source.place(longTag), .limitExceeded)
    }
    return try handler.finish(isWellFormed: isWellFormed)
  }

  /// Refuses what libxml2 would guess another encoding from, though the text is UTF-8 by now: it looks for a NUL among
  /// the first bytes, for a byte order mark, and for a `<` of EBCDIC. It also takes a NUL for the end of the text.
  private static func checkBeginning(_ source: TextSource) throws(PropertyListError) {
    let bytes = source.text.bytes
    if let place = bytes.firstIndex(of: 0, from: 0) {
      throw malformed("the character U+0000", source.place(place))
    }
    guard bytes.byteCount > 0, bytes[0] == UInt8(ascii: "<") || XMLText.isSpace(bytes[0]) else {
      throw malformed("text before the first tag", source.place(0))
    }
  }

  private static func malformed(
    _ message: String, _ place: (byteOffset: Int?, position: PropertyListError.TextPosition),
    _ kind: PropertyListError.Kind = .malformed
  ) -> PropertyListError {
    PropertyListError(kind, message, byteOffset: place.byteOffset, position: place.position)
  }

  /// Tags longer than this are refused. libxml2 compares each attribute of a tag with all others, so that the time for
  /// a long tag grows with the square of its length; and no tag of a property list has use for attributes.
  private static let greatestTagLength = 1024

  /// Where the first tag begins that is too long. It counts only if libxml2 comes to it: where the text is not
  /// well-formed, what is taken for a tag here may be none.
  private static func longTag(_ bytes: RawSpan) -> Int? {
    var index = 0
    while let start = bytes.firstIndex(of: UInt8(ascii: "<"), from: index) {
      var close = start
      if bytes.starts(with: "<!--", at: start) {
        close = bytes.firstIndex(of: "-->", from: start + 4) ?? bytes.byteCount
      } else if bytes.starts(with: "<![CDATA[", at: start) {
        close = bytes.firstIndex(of: "]]>", from: start + 9) ?? bytes.byteCount
      } else if bytes.starts(with: "<?", at: start) {
        close = bytes.firstIndex(of: "?>", from: start + 2) ?? bytes.byteCount
      } else {
        var quote: UInt8 = 0
        close = start + 1
        while close < bytes.byteCount, quote != 0 || bytes[close] != UInt8(ascii: ">") {
          let byte = bytes[close]
          if quote != 0 {
            if byte == quote { quote = 0 }
          } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
            quote = byte
          }
          close += 1
          guard close - start <= greatestTagLength else { return start }
        }
      }
      index = close
    }
    return nil
  }
}
