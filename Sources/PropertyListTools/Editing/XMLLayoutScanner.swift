@_spi(Archives) internal import PropertyLists

/// A scanner of the elements of an XML property list.
struct XMLLayoutScanner: LayoutScanner {
  var index = 0
  private let end: Int

  init(end: Int) { self.end = end }

  static var assignment: UInt8? { nil }
  static func separator(in kind: NodeKind) -> LayoutSeparator { .none }
  static var hasTags: Bool { true }
  static var standardLayout: TextLayout { TextLayout(indentUnit: [0x09], spacing: []) }

  static func key(_ bytes: RawSpan, in range: Range<Int>) -> [UInt8]? {
    guard let element = Element(bytes, at: range.lowerBound) else { return nil }
    guard let content = element.content(bytes) else { return element.tag.kind == .emptyTag ? [] : nil }
    var lexer = XMLLexer(bytes.extracting(..<content.upperBound), at: content.lowerBound)
    var key: [UInt8] = []
    while true {
      let token = lexer.next()
      switch token.kind {
      case .text: XMLText.decode(bytes.extracting(token.range), into: &key)
      case .cdata: XMLText.decodeLines(bytes.extracting(token.content), into: &key)
      case .comment, .instruction: break
      case .end: return key
      default: return nil
      }
    }
  }

  static func base64Lines(_ bytes: RawSpan, in scalar: Range<Int>) -> Base64Lines? {
    Element(bytes, at: scalar.lowerBound)?.isData == true ? Base64Lines(bytes, in: scalar) : nil
  }

  /// Skips the declaration, the document type and the `<plist>` tag.
  mutating func begin(_ bytes: RawSpan) -> LayoutRoot? {
    while true {
      skipTrivia(bytes)
      var lexer = XMLLexer(bytes, at: index)
      let token = lexer.next()
      guard token.kind == .declaration || token.kind == .startTag && lexer.hasName(token, "plist") else {
        return index < end ? .value : nil
      }
      index = lexer.index
    }
  }

  func trivia(_ bytes: RawSpan, at offset: Int) -> Trivia? {
    guard offset < end else { return nil }
    switch bytes[offset] {
    case 0x20, 0x09:
      var close = offset + 1
      while close < end, bytes[close] == 0x20 || bytes[close] == 0x09 { close += 1 }
      return Trivia(kind: .space, end: close)
    case 0x0A: return Trivia(kind: .newline, end: offset + 1)
    case 0x0D:
      return Trivia(kind: .newline, end: offset + 1 < end && bytes[offset + 1] == 0x0A ? offset + 2 : offset + 1)
    case UInt8(ascii: "<"):
      guard offset + 1 < end, bytes[offset + 1] == UInt8(ascii: "!") || bytes[offset + 1] == UInt8(ascii: "?") else {
        return nil
      }
      var lexer = XMLLexer(bytes, at: offset)
      let token = lexer.next()
      guard token.kind == .comment || token.kind == .instruction else { return nil }
      return Trivia(kind: .comment, end: token.range.upperBound)
    default: return nil
    }
  }

  func closes(_ bytes: RawSpan, at offset: Int) -> Bool { bytes.starts(with: "</", at: offset) }

  mutating func token(_ bytes: RawSpan) -> LayoutToken? {
    guard let element = Element(bytes, at: index) else { return nil }
    let tag = element.tag
    index = tag.range.upperBound
    if let kind = element.container {
      switch tag.kind {
      case .startTag: return LayoutToken(kind: .begin(kind), range: tag.range)
      case .emptyTag: return LayoutToken(kind: .empty(kind), range: tag.range)
      default: return LayoutToken(kind: .end(kind), range: tag.range)
      }
    }
    guard tag.kind != .endTag, let end = element.end(bytes) else { return nil }
    index = end
    return LayoutToken(kind: .scalar, range: tag.range.lowerBound..<index)
  }

  /// Skips a value from tag to tag, without checking names.
  mutating func skipValue(_ bytes: RawSpan) -> Range<Int>? {
    let start = index
    var lexer = XMLLexer(bytes, at: start)
    var depth = 0
    repeat {
      switch lexer.passMarkup() {
      case .startTag: depth += 1
      case .endTag: depth -= 1
      case .emptyTag, .comment, .cdata, .instruction: break
      case .text, .declaration, .invalid, .end: return nil
      }
    } while depth > 0
    index = lexer.index
    return depth == 0 ? start..<index : nil
  }

  /// A tag of an element.
  struct Element {
    let tag: XMLToken
    /// The kind of container that the tag begins or ends.
    let container: NodeKind?
    let isData: Bool

    /// Examines the tag at an offset. Returns nil if there is none.
    init?(_ bytes: RawSpan, at offset: Int) {
      var lexer = XMLLexer(bytes, at: offset)
      tag = lexer.next()
      guard tag.kind == .startTag || tag.kind == .emptyTag || tag.kind == .endTag else { return nil }
      container = lexer.hasName(tag, "dict") ? .dictionary : lexer.hasName(tag, "array") ? .array : nil
      isData = lexer.hasName(tag, "data")
    }

    /// Returns the range between the tags of an element. Returns nil for a single tag, and for an element that contains
    /// other elements.
    func content(_ bytes: RawSpan) -> Range<Int>? {
      guard tag.kind == .startTag else { return nil }
      var lexer = XMLLexer(bytes, at: tag.range.upperBound)
      while true {
        lexer.passToMarkup()
        let token = lexer.next()
        switch token.kind {
        case .endTag: return tag.range.upperBound..<token.range.lowerBound
        case .comment, .cdata, .instruction: continue
        default: return nil
        }
      }
    }

    /// Returns the end of an element; nil if it contains other elements.
    func end(_ bytes: RawSpan) -> Int? {
      guard tag.kind == .startTag else { return tag.range.upperBound }
      guard let content = content(bytes) else { return nil }
      var lexer = XMLLexer(bytes, at: content.upperBound)
      return lexer.next().range.upperBound
    }
  }

  /// Returns the pieces of an element whose scalar is replaced with a new one of the same kind. Its tags are kept.
  /// Returns nil if the new scalar needs another element.
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
    // Removes the tags `<name>` and `</name>`.
    let new = text.add(Array(element[(length + 2)..<(element.count - length - 3)]))
    return pieces(range, replacing: content, by: [new])
  }

  /// Returns the pieces of an element with new base64. Its lines are like the lines of the old base64.
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

  /// Returns the pieces of a dictionary that represents a UID, with its number replaced. Returns nil if the text is not
  /// as expected.
  private static func uidReplacement(
    at range: Range<Int>, by uid: PropertyList.UID, _ bytes: RawSpan, _ fragments: FragmentWriter,
    _ text: inout EditedText
  ) throws(PropertyListError) -> [EditedText.Piece]? {
    var scanner = XMLLayoutScanner(end: range.upperBound)
    scanner.index = range.lowerBound
    // Skips the opening tag and the key.
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
