import FoundationEssentials
import PropertyLists

/// The encoding, byte order mark and line ends of a text.
struct TextTraits {
  /// The name of the encoding, such as `UTF-16`.
  let encoding: String
  let hasByteOrderMark: Bool
  /// The first line end that differs from the line end of the first line; nil if all line ends are the same.
  let lineEndChange: LineEndChange?

  /// `start` is the position of the line end, after the last character of the line.
  typealias LineEndChange = (start: TextSource.Position, lineEnd: LineEnd, firstLineEnd: LineEnd)

  enum LineEnd: String {
    case lineFeed = "LF"
    case carriageReturn = "CR"
    case both = "CR LF"
  }

  /// Examines a text. Returns nil for a binary file.
  ///
  /// - Parameter data: a valid input in a text format.
  /// - Complexity: O(*n*) in the length of the data.
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
      if let first, first != lineEnd { return (source.position(at: index), lineEnd, first) }
      first = lineEnd
      index += isBoth ? 2 : 1
    }
    return nil
  }
}
