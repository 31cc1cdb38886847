import FoundationEssentials
import PropertyLists

/// The part of a line around a defect, for display.
struct SourceExcerpt: Hashable, Sendable {
  /// A line or a part of it. Invalid bytes are shown as U+FFFD.
  let text: String
  /// The position of the defect in the text, in Unicode scalars from 0. At the end of a line, it is after the last
  /// scalar.
  let position: Int
  let isCutBefore: Bool
  let isCutAfter: Bool
}

extension PropertyListDocument {
  /// Returns an excerpt for each position in a text, with at most `radius` bytes on each side. The positions must be in
  /// the order of the text. Returns an empty array if the input is not text.
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
    // Does not cut a character in the middle.
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
