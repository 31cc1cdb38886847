/// A reader that returns an XML document as a sequence of events: elements with attributes, and their text.
///
/// It is for Apple's XML formats that are not property lists. It supports no namespaces, and no entities except the
/// five predefined ones; comments and instructions are skipped. It returns ranges of the bytes, so that callers copy
/// only what they need.
package struct XMLPullReader: ~Escapable {
  /// An error, and its offset.
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
    /// The beginning of an element. Read it with ``name`` and ``nextAttribute()``.
    case begin
    /// The end of the innermost element.
    case end
    /// A part of the text of an element. Read it with ``isPlainText``, ``textRange`` and ``appendText(to:)``.
    case text
    /// The end of the document, after the root.
    case finished
  }

  private var lexer: XMLLexer
  private var token: XMLToken
  /// The ranges of the names of the open elements.
  private var open: [Range<Int>] = []
  /// True if the last tag begins and ends an element, as in `<true/>`. The next event is then the end of the element.
  package private(set) var isEmptyElement = false
  private var hasRoot = false
  /// The start offset of the search for the next attribute of the tag.
  private var attributeIndex = 0
  private let greatestDepth: Int

  /// Creates a reader of a document in UTF-8.
  ///
  /// - Parameter depth: The maximum nesting depth of elements.
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

  /// The range of the current tag or text.
  package var range: Range<Int> { token.range }

  /// The range of the name of the element that began or ended.
  package var name: Range<Int> { token.content }

  /// The number of open elements, including one that has just begun.
  package var depth: Int { open.count }

  /// Returns true if the element that began or ended has a name.
  @inline(__always)
  package func isNamed(_ name: StaticString) -> Bool { lexer.hasName(token, name) }

  /// Returns the next event.
  ///
  /// - Throws: The first error of the document up to that event.
  /// - Complexity: O(*n*) in the length of the event.
  package mutating func next() throws(Failure) -> Event {
    if isEmptyElement {
      isEmptyElement = false
      open.removeLast()
      return .end
    }
    while true {
      token = lexer.next()
      // The limit on the length of tags exists only because libxml2 is slow for long tags. It is not used here.
      if let defect = token.defect, defect.kind != .longTag {
        throw Failure(defect.message(bytes), kind: defect.errorKind, at: defect.offset)
      }
      switch token.kind {
      case .comment, .instruction: continue
      case .declaration:
        if hasRoot { throw Failure("a document type after the start of the root element", at: token.range.lowerBound) }
      case .text, .cdata:
        if !open.isEmpty { return .text }
        guard token.kind == .text, token.range.allSatisfy({ lexer.bytes[$0].isWhiteSpace }) else {
          throw Failure("text outside the root element", at: token.range.lowerBound)
        }
      case .startTag, .emptyTag:
        try begin()
        return .begin
      case .endTag:
        try end()
        return .end
      case .invalid: throw Failure("not XML", at: token.range.lowerBound)
      case .end:
        if let last = open.last { throw Failure("\(endTag(last)) is missing", at: token.range.lowerBound) }
        guard hasRoot else { throw Failure("no root element", at: token.range.lowerBound) }
        return .finished
      }
    }
  }

  private mutating func begin() throws(Failure) {
    if open.isEmpty, hasRoot { throw Failure("a second root element", at: token.range.lowerBound) }
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
      let found = endTag(token.content)
      var message = "\(found) without a start tag"
      if let last = open.last { message = "expected \(endTag(last)), found \(found)" }
      throw Failure(message, at: token.range.lowerBound)
    }
    open.removeLast()
  }

  private func endTag(_ name: Range<Int>) -> String { "</\(text(name).printable(limit: 80))>" }

  /// Returns bytes of the document as text.
  package func text(_ range: Range<Int>) -> String { String(decoding: [UInt8](lexer.bytes, range), as: UTF8.self) }

  /// Returns the next attribute of the last tag; nil after the last one. Decode the value with
  /// ``attributeText(_:)``.
  ///
  /// - Complexity: O(*n*) in the length of the attribute.
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
      // The lexer has not scanned the rest of a long tag.
      let rest = lexer.bytes.extracting(min(lexer.index, end)..<end)
      guard rest.starts(with: isEmptyElement ? "/>" : ">", at: 0) else {
        throw Failure("expected an attribute or \">\" in a tag", at: lexer.index)
      }
      return nil
    }
    if token.defect == nil, let attribute = lexer.passKnownAttribute() { return attribute }
    switch lexer.attribute() {
    case .success(let attribute): return attribute
    case .failure(let defect): throw Failure(defect.message(lexer.bytes), kind: defect.errorKind, at: defect.offset)
    }
  }

  /// Returns the decoded value of an attribute. Each white-space character becomes a space, unless it is written as a
  /// reference (XML 1.0, 3.3.3).
  package func attributeText(_ range: Range<Int>) -> String {
    var text: [UInt8] = []
    XMLText.decodeAttribute(lexer.bytes.extracting(range), into: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// True if the current text needs no decoding: it has no references and no line ends that XML would change.
  package var isPlainText: Bool { token.kind == .text && !token.hasReplacements }

  /// The range of the current text, without the `<![CDATA[` and `]]>` of CDATA.
  package var textRange: Range<Int> { token.kind == .cdata ? token.content : token.range }

  /// Decodes the current text and appends it to `text`.
  package func appendText(to text: inout [UInt8]) {
    let content = lexer.bytes.extracting(textRange)
    if token.kind == .cdata { XMLText.decodeLines(content, into: &text) } else { XMLText.decode(content, into: &text) }
  }
}

extension XMLLexer {
  /// Skips an attribute of a tag that has no defects. Returns nil, without skipping, if the attribute has white space
  /// around its `=`.
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
  /// Decodes the value of an attribute: resolves references, and replaces line ends and tabs by spaces.
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
