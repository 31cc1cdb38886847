@_spi(Archives) internal import PropertyLists

/// A detector of the layout of a text from its beginning, so that inserted text looks like the rest.
struct LayoutDetector<Scanner: LayoutScanner> {
  private var scanner: Scanner
  private var layout: TextLayout
  private var frames: [Frame] = []
  /// The range of the indent of the line that contains the next token.
  private var line = 0..<0
  private var hasUnit = false
  private var hasSpacing = false
  private var hasPadding = false
  private var hasClosingPadding = false
  private var hasAssignment = false
  private var hasData = false
  private var hasLines = false
  private var isOnOneLine = false
  private var keyQuotes = Quotes()
  private var stringQuotes = Quotes()

  /// An open container.
  private struct Frame {
    let kind: NodeKind
    let line: Range<Int>
    var hasChild = false
    /// The end of the key whose value is next.
    var keyEnd: Int?
    var followsSeparator = false
    var brokeLine = false
  }

  /// The quotation mark that all strings seen so far have.
  private struct Quotes {
    private var mark: UInt8?
    private var isMixed = false

    mutating func see(_ first: UInt8) {
      if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") { mark = mark ?? first } else { isMixed = true }
    }

    var quote: UInt8? { isMixed ? nil : mark }
  }

  /// The maximum number of tokens that are examined.
  private static var tokenLimit: Int { 4096 }

  /// Returns the layout of a whole text.
  ///
  /// - Parameter standard: The layout for everything that the text does not show.
  static func detect(_ bytes: RawSpan, standard: TextLayout) -> TextLayout {
    var detector = LayoutDetector(scanner: Scanner(end: bytes.byteCount), layout: standard)
    guard let root = detector.scanner.begin(bytes) else { return standard }
    if root == .entries { detector.frames.append(Frame(kind: .dictionary, line: 0..<0)) }
    detector.look(bytes)
    return detector.result(bytes)
  }

  /// Returns the layout of a container that is on one line.
  static func detect(_ bytes: RawSpan, insideOf container: Range<Int>, standard: TextLayout) -> TextLayout {
    var detector = LayoutDetector(scanner: Scanner(end: bytes.byteCount), layout: standard)
    detector.scanner.index = container.lowerBound
    detector.look(bytes)
    detector.layout.keyQuote = detector.keyQuotes.quote
    detector.layout.stringQuote = detector.stringQuotes.quote
    return detector.layout
  }

  private mutating func look(_ bytes: RawSpan) {
    for _ in 0..<Self.tokenLimit {
      let start = scanner.index
      let brokeLine = scanner.skipTrivia(bytes, indent: &line)
      guard scanner.index < bytes.byteCount else { return }
      if passSeparator(bytes, brokeLine: brokeLine) { continue }
      guard let token = scanner.token(bytes) else { return }
      if case .end(let kind) = token.kind {
        if kind == .array, frames.last?.hasChild == true, brokeLine {
          layout.hasTrailingCommas = frames.last?.followsSeparator == true
        }
        if frames.last?.hasChild == true, !brokeLine, !hasClosingPadding, isSpace(bytes, start..<token.range.lowerBound)
        {
          layout.closingPadding = Array(bytes, layout: start..<token.range.lowerBound)
          hasClosingPadding = true
        }
        guard frames.popLast() != nil else { return }
      } else {
        seeChild(bytes, token.range, behind: start, brokeLine: brokeLine)
        if case .begin(let kind) = token.kind { frames.append(Frame(kind: kind, line: line)) }
        if case .scalar = token.kind { seeData(bytes, token.range) }
      }
      if frames.isEmpty { return }
    }
  }

  private mutating func passSeparator(_ bytes: RawSpan, brokeLine: Bool) -> Bool {
    guard let frame = frames.last else { return false }
    let byte = bytes[scanner.index]
    if byte == Scanner.assignment {
      scanner.index += 1
    } else if byte == Scanner.separator(in: frame.kind).byte {
      scanner.index += 1
      frames[frames.count - 1].keyEnd = nil
      frames[frames.count - 1].followsSeparator = true
    } else {
      return false
    }
    frames[frames.count - 1].brokeLine = brokeLine
    return true
  }

  /// Records the layout before a key or value.
  ///
  /// - Parameters:
  ///   - start: The end of the token or separator before the child.
  ///   - brokeLine: True if a line ends between `start` and the child.
  private mutating func seeChild(_ bytes: RawSpan, _ child: Range<Int>, behind start: Int, brokeLine: Bool) {
    guard let frame = frames.last else { return }
    let before = start..<child.lowerBound
    if let keyEnd = frame.keyEnd {
      frames[frames.count - 1].keyEnd = nil
      seeAssignment(bytes, keyEnd..<child.lowerBound)
      stringQuotes.see(bytes[child.lowerBound])
      return
    }
    if frame.kind == .dictionary {
      keyQuotes.see(bytes[child.lowerBound])
      frames[frames.count - 1].keyEnd = child.upperBound
    } else {
      stringQuotes.see(bytes[child.lowerBound])
    }
    frames[frames.count - 1].hasChild = true
    frames[frames.count - 1].followsSeparator = false
    if brokeLine {
      hasLines = true
      if !frame.hasChild { seeIndent(bytes, inside: frame.line) }
    } else if isSpace(bytes, before) {
      if frame.hasChild, !hasSpacing, !frame.brokeLine {
        layout.spacing = Array(bytes, layout: before)
        hasSpacing = true
      } else if !frame.hasChild, !hasPadding {
        layout.padding = Array(bytes, layout: before)
        hasPadding = true
      }
      if !frame.hasChild { isOnOneLine = true }
    }
  }

  private mutating func seeIndent(_ bytes: RawSpan, inside outer: Range<Int>) {
    guard !hasUnit, line.count > outer.count else { return }
    let indent = Array(bytes, layout: line)
    guard indent.count > outer.count, indent.starts(with: Array(bytes, outer)) else { return }
    layout.indentUnit = Array(indent[outer.count...])
    hasUnit = true
  }

  /// Records the text between the first key and its value.
  ///
  /// - Parameter between: The range from the end of a key to its value.
  private mutating func seeAssignment(_ bytes: RawSpan, _ between: Range<Int>) {
    guard !hasAssignment, let (text, breaksLine) = scanner.assignment(bytes, in: between) else { return }
    hasAssignment = true
    if !breaksLine {
      layout.assignment = text
    } else if Scanner.assignment == nil {
      layout.assignment = nil
    }
  }

  private func isSpace(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
    scanner.spaces(bytes, at: range.lowerBound).upperBound >= range.upperBound
  }

  /// Records the line length of the first data with several lines, unless it equals that of Apple's writer.
  private mutating func seeData(_ bytes: RawSpan, _ scalar: Range<Int>) {
    guard !hasData, let length = Scanner.base64Lines(bytes, in: scalar)?.length else { return }
    hasData = true
    if length != TextLayout.base64LineLength(column: TextLayout.width(Array(bytes, line))) {
      layout.base64LineLength = length
    }
  }

  private consuming func result(_ bytes: RawSpan) -> TextLayout {
    if let feed = bytes.firstIndex(of: 0x0A, from: 0) {
      layout.lineEnd = feed > 0 && bytes[feed - 1] == 0x0D ? [0x0D, 0x0A] : [0x0A]
    } else if bytes.firstIndex(of: 0x0D, from: 0) != nil {
      layout.lineEnd = [0x0D]
    }
    layout.keyQuote = keyQuotes.quote
    layout.stringQuote = stringQuotes.quote
    if isOnOneLine, !hasLines { layout.isInline = true }
    if let escape = Scanner.characterEscape, bytes.isASCII, bytes.hasCharacterEscape { layout.characterEscape = escape }
    return layout
  }
}

extension [UInt8] {
  /// Copies white space from a text, for use in inserted text, up to `TextLayout.greatestSpace` bytes.
  init(_ bytes: RawSpan, layout range: Range<Int>) {
    self.init(bytes, range.lowerBound..<Swift.min(range.upperBound, range.lowerBound + TextLayout.greatestSpace))
  }
}

extension RawSpan {
  /// True if a character is escaped by its code, with `\u` or `\U`.
  fileprivate var hasCharacterEscape: Bool {
    var offset = 0
    while let backslash = firstIndex(of: UInt8(ascii: "\\"), from: offset), backslash + 1 < byteCount {
      if self[backslash + 1] | 0x20 == UInt8(ascii: "u") { return true }
      // The next character may be an escaped backslash.
      offset = backslash + 2
    }
    return false
  }
}
