internal import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// A scanner of the values of an OpenStep text.
struct OpenStepLayoutScanner: LayoutScanner {
  var index = 0

  init(end: Int) {}

  static var assignment: UInt8? { UInt8(ascii: "=") }

  static func separator(in kind: NodeKind) -> LayoutSeparator {
    kind == .dictionary ? .terminator(UInt8(ascii: ";")) : .between(UInt8(ascii: ","))
  }

  static var standardLayout: TextLayout {
    TextLayout(indentUnit: Array("    ".utf8), assignment: Array(" = ".utf8), spacing: Array(" ".utf8))
  }
  static var characterEscape: StaticString? { "\\U" }

  static func key(_ bytes: RawSpan, in range: Range<Int>) -> [UInt8]? {
    // Reads the key as a document that consists of one string, because the reader decodes all spellings of strings.
    let key = try? PropertyListDocument(Data([UInt8](bytes, range)), format: .openStep).root.string
    return key.map { Array($0.utf8) }
  }

  static func replacement(
    of kind: NodeKind, at range: Range<Int>, by new: PropertyList, _ bytes: RawSpan, _ fragments: FragmentWriter,
    _ text: inout EditedText
  ) throws(PropertyListError) -> [EditedText.Piece]? {
    if kind == .data, case .data(let data) = new {
      return [text.add(OpenStepData(bytes, in: range).text(of: data.bytes))]
    }
    var fragments = fragments
    if kind == .string, !range.isEmpty {
      let first = bytes[range.lowerBound]
      fragments.layout.stringQuote = first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") ? first : nil
    }
    if fragments.layout.stringQuote == nil, range.upperBound < bytes.byteCount,
      OpenStepLexer.isUnquoted(bytes[range.upperBound])
    {
      // A comment may follow, and its slash would become part of an unquoted string.
      fragments.layout.stringQuote = UInt8(ascii: "\"")
    }
    return [text.add(try fragments.value(new))]
  }

  mutating func begin(_ bytes: RawSpan) -> LayoutRoot? {
    skipTrivia(bytes)
    let start = index
    var isValue = index < bytes.byteCount
    if isValue, OpenStepLexer.beginsString(bytes[index]) {
      // If nothing follows the string, it is the root value; otherwise it is the first key of a strings file.
      guard token(bytes) != nil else { return nil }
      skipTrivia(bytes)
      isValue = index == bytes.byteCount
    }
    index = isValue ? start : 0
    return isValue ? .value : .entries
  }

  func trivia(_ bytes: RawSpan, at offset: Int) -> Trivia? {
    guard offset < bytes.byteCount, bytes[offset] <= 0x20 || bytes[offset] == 0xE2 || bytes[offset] == UInt8(ascii: "/")
    else { return nil }
    var lexer = OpenStepLexer(bytes, at: offset)
    let kind: Trivia.Kind
    let token = lexer.next()
    switch token.kind {
    case .space: kind = .space
    case .newline: kind = .newline
    case .comment where token.defect == nil: kind = .comment
    case .lineComment: kind = .lineComment
    default: return nil
    }
    return Trivia(kind: kind, end: lexer.index)
  }

  mutating func skipTrivia(_ bytes: RawSpan) {
    var lexer = OpenStepLexer(bytes, at: index)
    lexer.passTrivia()
    index = lexer.index
  }

  mutating func skipValue(_ bytes: RawSpan) -> Range<Int>? {
    let start = index
    var lexer = OpenStepLexer(bytes, at: start)
    guard lexer.passValue() else { return nil }
    index = lexer.index
    return start..<index
  }

  func closes(_ bytes: RawSpan, at offset: Int) -> Bool {
    bytes[offset] == UInt8(ascii: "}") || bytes[offset] == UInt8(ascii: ")")
  }

  mutating func token(_ bytes: RawSpan) -> LayoutToken? {
    var lexer = OpenStepLexer(bytes, at: index)
    let token = lexer.next()
    let kind: LayoutToken.Kind
    switch token.kind {
    case .beginDictionary: kind = .begin(.dictionary)
    case .endDictionary: kind = .end(.dictionary)
    case .beginArray: kind = .begin(.array)
    case .endArray: kind = .end(.array)
    case .word, .quoted, .data, .base64, .typedValue: kind = .scalar
    default: return nil
    }
    guard token.defect == nil else { return nil }
    index = lexer.index
    return LayoutToken(kind: kind, range: token.range)
  }
}
