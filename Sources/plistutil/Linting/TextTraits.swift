import FoundationEssentials
import PropertyLists

/// How the text of an input is written down, apart from what it says.
struct TextTraits: Sendable {
  /// The name of the encoding, as in `UTF-16`.
  let encoding: String
  let hasByteOrderMark: Bool
  /// The first line that ends otherwise than the first one does.
  let lineEndChange: LineEndChange?

  struct LineEndChange: Sendable {
    /// Behind the last character of the line.
    let position: PropertyListError.TextPosition
    let byteOffset: Int?
    let lineEnd: LineEnd
    let firstLineEnd: LineEnd
  }

  enum LineEnd: String, Sendable {
    case lineFeed = "LF"
    case carriageReturn = "CR"
    case both = "CR LF"
  }

  /// - Parameter data: an input in a text format that can be read.
  /// - Complexity: O(*n*) in its length.
  init?(of data: Data, format: PropertyListFormat) {
    guard format != .binary else { return nil }
    (encoding, hasByteOrderMark) = TextSource.encoding(of: data, format)
    lineEndChange = TextSource(lenient: data, format).flatMap { Self.lineEndChange(in: $0) }
  }

  private static func lineEndChange(in source: TextSource) -> LineEndChange? {
    let bytes = source.text.span
    var first: LineEnd?
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      guard byte == 0x0A || byte == 0x0D else {
        index += 1
        continue
      }
      let isBoth = byte == 0x0D && index + 1 < bytes.count && bytes[index + 1] == 0x0A
      let lineEnd: LineEnd = isBoth ? .both : byte == 0x0A ? .lineFeed : .carriageReturn
      if let first, first != lineEnd {
        let place = source.place(index)
        return LineEndChange(
          position: place.position, byteOffset: place.byteOffset, lineEnd: lineEnd, firstLineEnd: first)
      }
      first = lineEnd
      index += isBoth ? 2 : 1
    }
    return nil
  }
}
