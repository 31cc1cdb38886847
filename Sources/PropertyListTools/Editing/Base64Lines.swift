@_spi(Archives) internal import PropertyLists

/// How the base64 in an element `<data>` is set out.
struct Base64Lines {
  /// Whether the base64 begins on a line of its own, behind the tag.
  let beginsLine: Bool
  /// Where the base64 begins.
  let start: Int
  /// With what the first line begins, if it is one of its own.
  let indent: Range<Int>
  /// The characters of the first line, if there are others.
  let length: Int?
  /// What stands between the base64 and the closing tag.
  let ending: Range<Int>

  /// - Parameter element: from tag to tag.
  /// - Returns: nil for an element with comments in it, and for one without base64.
  init?(_ bytes: RawSpan, in element: Range<Int>) {
    guard let content = XMLLayoutScanner.Element(bytes, at: element.lowerBound)?.content(bytes),
      bytes.firstIndex(of: UInt8(ascii: "<"), from: content.lowerBound) == content.upperBound
    else { return nil }
    var start = content.lowerBound
    var line = start
    while start < content.upperBound, bytes[start].isWhiteSpace {
      if bytes[start] == 0x0A || bytes[start] == 0x0D { line = start + 1 }
      start += 1
    }
    var end = content.upperBound
    while end > start, bytes[end - 1].isWhiteSpace { end -= 1 }
    var lineEnd = start
    while lineEnd < end, !bytes[lineEnd].isWhiteSpace { lineEnd += 1 }
    guard start < end else { return nil }
    self.start = start
    beginsLine = line > content.lowerBound
    indent = beginsLine ? line..<start : start..<start
    length = lineEnd < end ? lineEnd - start : nil
    ending = end..<content.upperBound
  }
}
