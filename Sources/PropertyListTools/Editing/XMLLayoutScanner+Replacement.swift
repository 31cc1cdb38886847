@_spi(Archives) internal import PropertyLists

/// Values that replace others in XML.
extension XMLLayoutScanner {
  /// A scalar of the same kind, between the tags that there are; nil if it is another element.
  static func replacement(
    of kind: NodeKind, at range: Range<Int>, by new: PropertyList, _ bytes: RawSpan, _ fragments: FragmentWriter,
    _ text: inout EditedText
  ) throws(PropertyListError) -> [EditedText.Piece]? {
    let name: StaticString
    switch (kind, new) {
    case (.string, .string): name = "string"
    case (.integer, .integer), (.unsignedInteger, .integer): name = "integer"
    case (.real, .real), (.real, .float): name = "real"
    case (.date, .date): name = "date"
    case (.data, .data(let data)):
      if let pieces = dataReplacement(at: range, by: data.bytes, bytes, fragments, &text) { return pieces }
      name = "data"
    case (.uid, .uid(let uid)): return try uidReplacement(at: range, by: uid, bytes, fragments, &text)
    default: return nil
    }
    guard let content = Element(bytes, at: range.lowerBound)?.content(bytes) else { return nil }
    let element = try fragments.value(new)
    let length = name.utf8CodeUnitCount
    // Without `<name>` and `</name>`.
    let new = text.add(Array(element[(length + 2)..<(element.count - length - 3)]))
    return pieces(range, replacing: content, by: [new])
  }

  /// Base64 in lines like those there are.
  private static func dataReplacement(
    at range: Range<Int>, by data: RawSpan, _ bytes: RawSpan, _ fragments: FragmentWriter,
    _ text: inout EditedText
  ) -> [EditedText.Piece]? {
    guard data.byteCount > 0, let lines = Base64Lines(bytes, in: range) else { return nil }
    let indent = Array(bytes, layout: lines.indent)
    var length = lines.length ?? Int.max
    if lines.length == nil, lines.beginsLine {
      length = fragments.layout.base64LineLength ?? TextLayout.base64LineLength(column: TextLayout.width(indent))
    }
    let bytesPerLine = max(min(length, 1 << 40) / 4, 1) * 3
    var output = ByteBuffer()
    for start in stride(from: 0, to: data.byteCount, by: bytesPerLine) {
      if start > 0 {
        output.append(fragments.layout.lineEnd.rawBytes)
        output.append(indent.rawBytes)
      }
      Base64Text.append(data, start..<min(start + bytesPerLine, data.byteCount), to: &output)
    }
    return pieces(range, replacing: lines.start..<lines.ending.lowerBound, by: [text.add(output.bytes)])
  }

  /// The number in a dictionary that stands for a UID.
  private static func uidReplacement(
    at range: Range<Int>, by uid: PropertyList.UID, _ bytes: RawSpan, _ fragments: FragmentWriter,
    _ text: inout EditedText
  ) throws(PropertyListError) -> [EditedText.Piece]? {
    var scanner = XMLLayoutScanner(end: range.upperBound)
    scanner.index = range.lowerBound
    // The opening tag, and the key.
    for _ in 0..<2 {
      guard scanner.token(bytes) != nil else { return nil }
      scanner.skipTrivia(bytes)
    }
    guard let number = scanner.token(bytes)?.range else { return nil }
    let integer = PropertyList.integer(PropertyList.Integer(Int64(uid.value)))
    guard
      let inner = try replacement(of: .integer, at: number, by: integer, bytes, fragments, &text)
    else { return nil }
    return pieces(range, replacing: number, by: inner)
  }

  private static func pieces(
    _ range: Range<Int>, replacing part: Range<Int>, by new: [EditedText.Piece]
  ) -> [EditedText.Piece] {
    var pieces: [EditedText.Piece] = []
    pieces.append(source: range.lowerBound, part.lowerBound)
    pieces += new
    pieces.append(source: part.upperBound, range.upperBound)
    return pieces
  }
}
