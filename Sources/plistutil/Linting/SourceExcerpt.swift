import FoundationEssentials
import PropertyLists

/// The part of a line of an input in which something is wrong, for people to see.
struct SourceExcerpt: Hashable, Sendable {
  /// One line, or a part of it; U+FFFD stands for what is no character.
  let text: String
  /// The position in the text, counted in Unicode scalars from 0; at the end of a line, after the last.
  let position: Int
  let isCutBefore: Bool
  let isCutAfter: Bool
}

extension PropertyListDocument {
  /// Returns the lines of positions in a text, in its order, with at most `radius` bytes on each side; none for an
  /// input that is no text.
  static func excerpts(
    of positions: [PropertyListError.TextPosition], in data: Data, format: PropertyListFormat?, radius: Int = 400
  ) -> [SourceExcerpt] {
    guard !positions.isEmpty, let source = TextSource(lenient: data, format) else { return [] }
    let bytes = source.text.span
    return source.offsets(of: positions).map { SourceExcerpt(in: bytes, at: $0, radius: max(radius, 0)) }
  }
}

extension SourceExcerpt {
  fileprivate init(in bytes: Span<UInt8>, at offset: Int, radius: Int) {
    func endsLine(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
    var start = offset
    while start > 0, offset - start < radius, !endsLine(bytes[start - 1]) { start -= 1 }
    var end = offset
    while end < bytes.count, end - offset < radius, !endsLine(bytes[end]) { end += 1 }
    // Not in the middle of a character.
    while start < offset, bytes[start] & 0xC0 == 0x80 { start += 1 }
    while end < bytes.count, end > offset, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    isCutBefore = start > 0 && !endsLine(bytes[start - 1])
    isCutAfter = end < bytes.count && !endsLine(bytes[end])
    let before = Self.text(bytes.extracting(start..<offset))
    position = before.unicodeScalars.count
    text = before + Self.text(bytes.extracting(offset..<end))
  }

  private static func text(_ bytes: Span<UInt8>) -> String {
    String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
  }
}
