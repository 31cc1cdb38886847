package import FoundationEssentials

/// How the text of an input is written down, apart from what it says.
package struct TextTraits: Sendable {
  /// The name of the encoding, as in `UTF-16`.
  package let encoding: String
  package let hasByteOrderMark: Bool
  /// The first line that ends otherwise than the first one does.
  package let lineEndChange: LineEndChange?

  package struct LineEndChange: Sendable {
    /// Behind the last character of the line.
    package let position: PropertyListError.TextPosition
    package let byteOffset: Int?
    package let lineEnd: LineEnd
    package let firstLineEnd: LineEnd
  }

  package enum LineEnd: String, Sendable {
    case lineFeed = "LF"
    case carriageReturn = "CR"
    case both = "CR LF"
  }

  /// - Parameter data: an input in a text format that can be read.
  /// - Complexity: O(*n*) in its length.
  package init?(of data: Data, format: PropertyListFormat) {
    var faults = FaultLog.none
    let detected = UnicodeEncoding.detect(data.bytes)
    hasByteOrderMark = (detected?.markLength ?? 0) > 0
    switch detected?.encoding {
    case .utf16: encoding = "UTF-16"
    case .utf32: encoding = "UTF-32"
    case .utf8: encoding = "UTF-8"
    case nil: encoding = format == .xml ? XMLEncoding.declaredEncoding(data.bytes) ?? "UTF-8" : "UTF-8"
    }
    let source: TextSource?
    switch format {
    case .binary: return nil
    case .xml: source = try? XMLEncoding.decode(data, faults: &faults)
    case .openStep, .json: source = try? UnicodeEncoding.decode(data, faults: &faults) ?? TextSource(text: data)
    }
    lineEndChange = source.flatMap { Self.lineEndChange(in: $0) }
  }

  private static func lineEndChange(in source: TextSource) -> LineEndChange? {
    let bytes = source.text.bytes
    var first: LineEnd?
    var index = 0
    while let offset = bytes.firstLineEnd(from: index) {
      let isBoth = bytes.starts(with: "\r\n", at: offset)
      let lineEnd: LineEnd = isBoth ? .both : bytes[offset] == 0x0A ? .lineFeed : .carriageReturn
      if let first, first != lineEnd {
        let place = source.place(offset)
        return LineEndChange(
          position: place.position, byteOffset: place.byteOffset, lineEnd: lineEnd, firstLineEnd: first)
      }
      first = lineEnd
      index = offset + (isBoth ? 2 : 1)
    }
    return nil
  }
}

extension RawSpan {
  /// Where a line ends first from `start` on.
  fileprivate func firstLineEnd(from start: Int) -> Int? {
    var index = start
    while index + 8 <= byteCount {
      let word = littleEndianWord(at: index)
      let found = ByteClass.equal(word, 0x0A) | ByteClass.equal(word, 0x0D)
      if found != 0 { return index + found.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < byteCount {
      if self[index] == 0x0A || self[index] == 0x0D { return index }
      index += 1
    }
    return nil
  }
}
