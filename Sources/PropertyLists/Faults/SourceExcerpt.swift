package import FoundationEssentials

/// The part of a line of an input in which something is wrong, for people to see.
package struct SourceExcerpt: Hashable, Sendable {
  /// One line, or a part of it; U+FFFD stands for what is no character.
  package let text: String
  /// Where in the text the place is, counted in Unicode scalars from 0; at the end of a line, behind the last.
  package let place: Int
  package let isCutBefore: Bool
  package let isCutAfter: Bool
}

extension PropertyListDocument {
  /// The lines in which places of a text stand.
  ///
  /// - Parameters:
  ///   - positions: in the order of the text, as errors name them.
  ///   - format: the format of the input; nil to go by how it begins.
  ///   - radius: how many bytes are shown at most on each side of a place.
  /// - Returns: as many as there are positions; none for an input that is no text.
  /// - Complexity: O(*n*) in the length of the input, once for all positions.
  package static func excerpts(
    of positions: [PropertyListError.TextPosition], in data: Data, format: PropertyListFormat?, radius: Int = 400
  ) -> [SourceExcerpt] {
    guard !positions.isEmpty, let source = TextSource(lenient: data, format) else { return [] }
    let bytes = source.text.bytes
    var walk = TextWalk()
    return positions.map { position in
      walk.advance(to: position, in: bytes)
      return SourceExcerpt(in: bytes, at: walk.offset, radius: max(radius, 0))
    }
  }
}

extension TextSource {
  /// The text of an input, whatever is wrong with its bytes.
  fileprivate init?(lenient data: Data, _ format: PropertyListFormat?) {
    var faults = FaultLog.none
    let source: TextSource?
    switch format ?? PropertyListFormat(detecting: data.bytes) {
    case .binary, nil: return nil
    case .xml: source = try? XMLEncoding.decode(data, faults: &faults)
    case .openStep, .json: source = try? UnicodeEncoding.decode(data, faults: &faults)
    }
    self = source ?? TextSource(text: data)
  }
}

extension TextWalk {
  /// Goes on to a line and column, or to the end of the text.
  fileprivate mutating func advance(to position: PropertyListError.TextPosition, in bytes: RawSpan) {
    while offset < bytes.byteCount, line < position.line || (line == position.line && column < position.column) {
      advance(to: offset + 1, in: bytes)
    }
  }
}

extension SourceExcerpt {
  fileprivate init(in bytes: RawSpan, at offset: Int, radius: Int) {
    func endsLine(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
    var start = offset
    while start > 0, offset - start < radius, !endsLine(bytes[start - 1]) { start -= 1 }
    var end = offset
    while end < bytes.byteCount, end - offset < radius, !endsLine(bytes[end]) { end += 1 }
    // Not in the middle of a character.
    while start < offset, bytes[start] & 0xC0 == 0x80 { start += 1 }
    while end < bytes.byteCount, end > offset, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    isCutBefore = start > 0 && !endsLine(bytes[start - 1])
    isCutAfter = end < bytes.byteCount && !endsLine(bytes[end])
    let before = Self.text(bytes.extracting(start..<offset))
    place = before.unicodeScalars.count
    text = before + Self.text(bytes.extracting(offset..<end))
  }

  private static func text(_ bytes: RawSpan) -> String {
    var content: [UInt8] = []
    content.append(bytes: bytes)
    return String(decoding: content, as: UTF8.self)
  }
}
