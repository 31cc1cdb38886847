@_spi(Archives) internal import PropertyLists

/// Finds the elements of a property list in XML.
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

  /// Passes the declaration, the document type and the tag `<plist>`.
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

  /// Goes from tag to tag, whatever their names are.
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
    /// The container that it begins or ends.
    let container: NodeKind?
    let isData: Bool

    /// - Returns: nil if no tag stands at `offset`.
    init?(_ bytes: RawSpan, at offset: Int) {
      var lexer = XMLLexer(bytes, at: offset)
      tag = lexer.next()
      guard tag.kind == .startTag || tag.kind == .emptyTag || tag.kind == .endTag else { return nil }
      container = lexer.hasName(tag, "dict") ? .dictionary : lexer.hasName(tag, "array") ? .array : nil
      isData = lexer.hasName(tag, "data")
    }

    /// What stands between the tags of an element without elements in it.
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

    /// Where an element ends that has no elements in it.
    func end(_ bytes: RawSpan) -> Int? {
      guard tag.kind == .startTag else { return tag.range.upperBound }
      guard let content = content(bytes) else { return nil }
      var lexer = XMLLexer(bytes, at: content.upperBound)
      return lexer.next().range.upperBound
    }
  }
}
