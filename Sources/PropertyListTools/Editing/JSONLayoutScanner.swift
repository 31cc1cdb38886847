@_spi(Archives) internal import PropertyLists

/// A scanner of the values of a JSON text.
struct JSONLayoutScanner: LayoutScanner {
  var index = 0

  init(end: Int) {}

  static var assignment: UInt8? { UInt8(ascii: ":") }
  static func separator(in kind: NodeKind) -> LayoutSeparator { .between(UInt8(ascii: ",")) }

  static var standardLayout: TextLayout {
    TextLayout(indentUnit: Array("  ".utf8), assignment: Array(": ".utf8), spacing: Array(" ".utf8))
  }
  static var characterEscape: StaticString? { "\\u" }

  static func key(_ bytes: RawSpan, in range: Range<Int>) -> [UInt8]? {
    guard range.count >= 2 else { return nil }
    var key: [UInt8] = []
    JSONText.decode(bytes.extracting(range.lowerBound + 1..<range.upperBound - 1), into: &key)
    return key
  }

  mutating func begin(_ bytes: RawSpan) -> LayoutRoot? {
    skipTrivia(bytes)
    return index < bytes.byteCount ? .value : nil
  }

  func trivia(_ bytes: RawSpan, at offset: Int) -> Trivia? {
    guard offset < bytes.byteCount, bytes[offset] <= 0x20 else { return nil }
    var lexer = JSONLexer(bytes, at: offset)
    switch lexer.next().kind {
    case .space: return Trivia(kind: .space, end: lexer.index)
    case .newline: return Trivia(kind: .newline, end: lexer.index)
    default: return nil
    }
  }

  mutating func skipTrivia(_ bytes: RawSpan) {
    while index < bytes.byteCount, bytes[index].isWhiteSpace { index += 1 }
  }

  mutating func skipValue(_ bytes: RawSpan) -> Range<Int>? {
    let start = index
    var lexer = JSONLexer(bytes, at: start)
    guard lexer.passValue() else { return nil }
    index = lexer.index
    return start..<index
  }

  func closes(_ bytes: RawSpan, at offset: Int) -> Bool {
    bytes[offset] == UInt8(ascii: "}") || bytes[offset] == UInt8(ascii: "]")
  }

  mutating func token(_ bytes: RawSpan) -> LayoutToken? {
    var lexer = JSONLexer(bytes, at: index)
    let token = lexer.next()
    let kind: LayoutToken.Kind
    switch token.kind {
    case .beginObject: kind = .begin(.dictionary)
    case .endObject: kind = .end(.dictionary)
    case .beginArray: kind = .begin(.array)
    case .endArray: kind = .end(.array)
    case .string, .number, .true, .false, .null: kind = .scalar
    default: return nil
    }
    index = lexer.index
    return LayoutToken(kind: kind, range: token.range)
  }
}
