@_spi(Archives) internal import PropertyLists

/// Functions that format the text around the root value of an XML text.
extension TextFormatter {
  mutating func formatXML(_ bytes: RawSpan) throws(PropertyListError) {
    output += Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>".utf8)
    let plist = try formatProlog(bytes)
    scanner.index = plist.end
    let gap = FormattingGap(&scanner, bytes, mark: nil)
    appendLines(gap.comments.map(\.range), bytes)
    beginLine()
    try formatRoot(bytes)
    if plist.hasTag {
      guard let tag = XMLLayoutScanner.Element(bytes, at: scanner.index)?.tag, tag.kind == .endTag else {
        throw unknownLayout
      }
      scanner.index = tag.range.upperBound
    }
    beginLine()
    output += Array("</plist>".utf8)
    let epilog = FormattingGap(&scanner, bytes, mark: nil)
    guard scanner.index == bytes.byteCount else { throw unknownLayout }
    appendLines(epilog.comments.map(\.range), bytes)
    output.append(0x0A)
  }

  /// Formats the document type and the opening tag, with the comments before each, but not the XML declaration.
  ///
  /// - Returns: True if the text has the `<plist>` tag, and the end of that tag.
  private mutating func formatProlog(_ bytes: RawSpan) throws(PropertyListError) -> (hasTag: Bool, end: Int) {
    var beforeType: [Range<Int>] = []
    var afterType: [Range<Int>] = []
    var lexer = XMLLexer(bytes)
    var end = 0
    var tag = Array("<plist version=\"1.0\">".utf8)
    var hasTag = false
    prolog: while true {
      let token = lexer.next()
      switch token.kind {
      case .text: break
      case .comment: afterType.append(token.range)
      case .instruction:
        if !XMLText.beginsDeclaration(bytes, at: token.range.lowerBound) { afterType.append(token.range) }
      case .declaration:
        beforeType = afterType
        afterType = []
      case .startTag where lexer.hasName(token, "plist"):
        hasTag = true
        end = token.range.upperBound
        // A tag with attributes other than the version, such as namespaces, stays unchanged.
        let attributes = token.range.filter { bytes[$0] == UInt8(ascii: "=") }.count
        let version = bytes.firstIndex(of: "version", from: token.range.lowerBound)
        let isVersion = attributes == 1 && token.range.contains(version ?? -1)
        if attributes > 0, !isVersion { tag = spelling.source(token.range, bytes) }
        break prolog
      case .startTag, .emptyTag:
        end = token.range.lowerBound
        break prolog
      default: throw unknownLayout
      }
    }
    appendLines(beforeType, bytes)
    beginLine()
    output += Array("\(XMLText.documentType)".utf8)
    appendLines(afterType, bytes)
    beginLine()
    output += tag
    return (hasTag, end)
  }

  private mutating func appendLines(_ comments: [Range<Int>], _ bytes: RawSpan) {
    for comment in comments {
      beginLine()
      output += spelling.source(comment, bytes)
    }
  }
}
