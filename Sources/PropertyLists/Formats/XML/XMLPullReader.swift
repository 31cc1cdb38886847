/// Reads any XML document piece by piece: elements with attributes, and the text in them.
///
/// It is for formats of Apple's that are XML and not property lists. There are no namespaces, and no entities but the
/// five predefined ones; comments and instructions are passed over. What it returns are ranges of the bytes, so that
/// only what is wanted is copied.
package struct XMLPullReader: ~Escapable {
  /// What is wrong, and the offset of the byte where it is.
  package struct Failure: Error {
    package let kind: PropertyListError.Kind
    package let message: String
    package let offset: Int

    package init(_ message: String, kind: PropertyListError.Kind = .malformed, at offset: Int) {
      self.kind = kind
      self.message = message
      self.offset = offset
    }
  }

  package enum Event {
    /// An element begins: ``name`` and ``nextAttribute()``.
    case begin
    /// The element ends that began last.
    case end
    /// A piece of the text of an element: ``isPlainText``, ``textRange`` and ``appendText(to:)``.
    case text
    /// The root has ended, and nothing follows.
    case finished
  }

  private var lexer: XMLLexer
  private var token: XMLToken
  /// The names of the elements that are open.
  private var open: [Range<Int>] = []
  /// Whether the last tag was that of an element without content, whose end is next.
  package private(set) var isEmptyElement = false
  private var hasRoot = false
  /// Where the next attribute of the tag is looked for.
  private var attributeIndex = 0
  private let greatestDepth: Int

  /// - Parameter depth: how deep elements may be nested.
  @_lifetime(copy bytes)
  package init(_ bytes: RawSpan, depth: Int = 256) {
    lexer = XMLLexer(bytes, at: XMLLexer.documentStart(in: bytes))
    token = XMLToken(kind: .text, range: 0..<0)
    greatestDepth = depth
  }

  /// The document.
  package var bytes: RawSpan {
    @_lifetime(copy self)
    get { lexer.bytes }
  }

  /// Where the tag or the text stands.
  package var range: Range<Int> { token.range }

  /// The name of the element that has begun or ended.
  package var name: Range<Int> { token.content }

  /// The number of elements that are open; an element that has begun is one of them.
  package var depth: Int { open.count }

  /// Whether the element that has begun or ended has a name.
  @inline(__always)
  package func isNamed(_ name: StaticString) -> Bool { lexer.hasName(token, name) }

  /// The next piece.
  ///
  /// - Throws: what is wrong with the document up to there.
  /// - Complexity: O(*n*) in its length.
  package mutating func next() throws(Failure) -> Event {
    if isEmptyElement {
      isEmptyElement = false
      open.removeLast()
      return .end
    }
    while true {
      token = lexer.next()
      // The tags of property lists are short, because libxml2 takes long for long ones. It isn't asked here.
      if let defect = token.defect, defect.kind != .longTag {
        throw Failure(defect.message(bytes), kind: defect.errorKind, at: defect.offset)
      }
      switch token.kind {
      case .comment, .instruction: continue
      case .declaration:
        if hasRoot { throw Failure("a document type after the start of the root", at: token.range.lowerBound) }
      case .text, .cdata:
        if !open.isEmpty { return .text }
        guard token.kind == .text, token.range.allSatisfy({ lexer.bytes[$0].isWhiteSpace }) else {
          throw Failure("text outside of the root", at: token.range.lowerBound)
        }
      case .startTag, .emptyTag:
        try begin()
        return .begin
      case .endTag:
        try end()
        return .end
      case .invalid: throw Failure("no XML", at: token.range.lowerBound)
      case .end:
        if let last = open.last { throw Failure("\(endTag(last)) is missing", at: token.range.lowerBound) }
        guard hasRoot else { throw Failure("no element", at: token.range.lowerBound) }
        return .finished
      }
    }
  }

  private mutating func begin() throws(Failure) {
    if open.isEmpty, hasRoot { throw Failure("a second root", at: token.range.lowerBound) }
    if open.count >= greatestDepth {
      throw Failure(
        "elements are nested more than \(greatestDepth) deep", kind: .nestedTooDeeply, at: token.range.lowerBound)
    }
    hasRoot = true
    open.append(token.content)
    isEmptyElement = token.kind == .emptyTag
    attributeIndex = token.content.upperBound
  }

  private mutating func end() throws(Failure) {
    guard let last = open.last, last.count == token.content.count,
      bytes.equalBytes(last.lowerBound, token.content.lowerBound, count: last.count)
    else {
      var due = "nothing"
      if let last = open.last { due = endTag(last) }
      throw Failure("\(endTag(token.content)), where \(due) is due", at: token.range.lowerBound)
    }
    open.removeLast()
  }

  private func endTag(_ name: Range<Int>) -> String { "</\(text(name).printable(limit: 80))>" }

  /// Bytes of the document as text.
  package func text(_ range: Range<Int>) -> String { String(decoding: [UInt8](lexer.bytes, range), as: UTF8.self) }

  /// The next attribute of the tag that was read last, or nil. The value is as it stands in the document:
  /// ``attributeText(_:)``.
  ///
  /// - Complexity: O(*n*) in its length.
  package mutating func nextAttribute() throws(Failure) -> (name: Range<Int>, value: Range<Int>)? {
    let end = lexer.index
    lexer.index = attributeIndex
    defer {
      attributeIndex = lexer.index
      lexer.index = end
    }
    lexer.passSpace()
    guard lexer.index < end, lexer.bytes[lexer.index] != UInt8(ascii: ">"),
      lexer.bytes[lexer.index] != UInt8(ascii: "/")
    else {
      // The lexer has not looked at the rest of a long tag.
      let rest = lexer.bytes.extracting(min(lexer.index, end)..<end)
      guard rest.starts(with: isEmptyElement ? "/>" : ">", at: 0) else {
        throw Failure("neither an attribute nor \">\" in a tag", at: lexer.index)
      }
      return nil
    }
    if token.defect == nil, let attribute = lexer.passKnownAttribute() { return attribute }
    switch lexer.attribute() {
    case .success(let attribute): return attribute
    case .failure(let defect): throw Failure(defect.message(lexer.bytes), kind: defect.errorKind, at: defect.offset)
    }
  }

  /// The value of an attribute, in which white space that is no reference stands for a space (XML 1.0, 3.3.3).
  package func attributeText(_ range: Range<Int>) -> String {
    var text: [UInt8] = []
    XMLText.decodeAttribute(lexer.bytes.extracting(range), into: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether the text stands for itself, without references and ends of lines that XML would change.
  package var isPlainText: Bool { token.kind == .text && !token.hasReplacements }

  /// Where the text stands, without the marks of CDATA.
  package var textRange: Range<Int> { token.kind == .cdata ? token.content : token.range }

  /// Appends the text with its references replaced.
  package func appendText(to text: inout [UInt8]) {
    let content = lexer.bytes.extracting(textRange)
    if token.kind == .cdata { XMLText.decodeLines(content, into: &text) } else { XMLText.decode(content, into: &text) }
  }
}

extension XMLLexer {
  /// Passes an attribute of a tag that has no defects.
  ///
  /// - Returns: nil for one with white space around its `=`.
  @inline(__always)
  fileprivate mutating func passKnownAttribute() -> (name: Range<Int>, value: Range<Int>)? {
    let start = index
    var offset = start
    while offset < bytes.byteCount, bytes[offset] != UInt8(ascii: "="), !bytes[offset].isWhiteSpace { offset += 1 }
    guard offset + 1 < bytes.byteCount, bytes[offset] == UInt8(ascii: "=") else { return nil }
    let quote = bytes[offset + 1]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
      let end = bytes.firstIndex(of: quote, from: offset + 2)
    else { return nil }
    index = end + 1
    return (start..<offset, offset + 2..<end)
  }
}

extension XMLText {
  /// Replaces the references of the value of an attribute, and line ends and tabs by spaces.
  fileprivate static func decodeAttribute(_ content: RawSpan, into text: inout [UInt8]) {
    var index = 0
    while index < content.byteCount {
      let byte = content[index]
      if byte == UInt8(ascii: "&"), let (scalar, length) = reference(in: content, at: index) {
        text.append(scalar: scalar)
        index += length
        continue
      }
      if byte.isWhiteSpace {
        if !(byte == 0x0A && index > 0 && content[index - 1] == 0x0D) { text.append(0x20) }
      } else {
        text.append(byte)
      }
      index += 1
    }
  }
}
