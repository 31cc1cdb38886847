@_spi(Archives) internal import PropertyLists

/// The layout of the base64 in a `<data>` element.
struct Base64Lines {
  /// True if the base64 begins on a line of its own, after the tag.
  let beginsLine: Bool
  /// The offset of the base64.
  let start: Int
  /// The indent of the first line, if the base64 begins on a line of its own.
  let indent: Range<Int>
  /// The number of characters in the first line, or nil if it is the only one.
  let length: Int?
  /// The range between the base64 and the closing tag.
  let ending: Range<Int>

  /// Finds the base64 in an element.
  ///
  /// - Parameter element: The range of the element, including its tags.
  /// - Returns: Nil for an element that contains comments or no base64.
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
