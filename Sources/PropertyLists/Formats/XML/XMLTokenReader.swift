internal import FoundationEssentials

/// A reader that creates nodes from the tokens of an XML text, and finds its defects.
///
/// If the log has room for more than one defect, the reader recovers from errors: a null replaces an invalid value or
/// key, and everything that does not belong in a property list is ignored.
struct XMLTokenReader: ~Copyable, ~Escapable {
  var lexer: XMLLexer
  private let depthLimit: Int
  private var builder: NodeTableBuilder
  /// The decoded text of all elements. The offsets of the nodes refer to it.
  var text: [UInt8] = []
  /// The offset in the source of each node of ``NodeTableBuilder/pending``.
  private var offsets: [Int] = []
  /// The open elements.
  var elements: [Open] = []
  private var hasRoot = false
  /// True if a start tag has been read.
  private(set) var hasBegun = false
  /// The number of namespaces that the open elements declare.
  private var namespaceCount = 0

  /// The maximum number of namespaces in scope. libxml2 searches all of them for each prefix, and property lists do not
  /// need them.
  private static let greatestNamespaceCount = 100

  /// The number of attributes in the whole text.
  private var attributeCount = 0

  /// The maximum number of attributes. libxml2 keeps the names of all attributes and namespaces in one table, and
  /// searching a large table is slow.
  private static let greatestAttributeCount = 100_000

  /// The defects found so far.
  private(set) var defects: DefectLog
  private var positionIndex: PositionIndex
  /// True if new defects are consequences of a known defect. They are not reported.
  var isMending = false
  private var hasReportedDepth = false
  /// True after text that is not allowed at its position, until the next tag. Prevents a second report of that text.
  private var isInStrayText = false
  /// True if the rest of the text cannot be interpreted.
  private var isOver = false
  /// The offset of the last token.
  private(set) var tokenStart = 0
  /// For each name, the number of elements that were closed before their end tags were read. When these end tags are
  /// read, they are ignored.
  var missedEnds: [String: Int] = [:]
  /// The last line with invalid UTF-8; 0 before the first one.
  private var lineThatIsNotUTF8 = 0

  /// An open element.
  struct Open {
    let name: String
    /// The type of the element, or nil if the element is ignored with everything in it.
    let element: XMLElement?
    let offset: Int
    /// True if the element's tag ends with `/>`.
    let isEmptyTag: Bool
    let namespaceCount: Int
    /// The offset of the element's text in ``text``.
    let textStart: Int
    /// True if the element has no valid value: a part of its text is missing, or it contains something other than text.
    var isDamaged = false
    /// True if content that is not allowed in the element has been reported. More such content in the element is not
    /// reported.
    var isAstray = false
    /// True if the tag of the element is malformed, so that it may not be a tag at all. The missing end tag of such an
    /// element is not reported at the end of the text.
    let isDoubtful: Bool

    var isContainer: Bool { element == .plist || element == .dict || element == .array }
  }

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - bytes: The text of the source.
  ///   - start: The offset of the document in the text.
  @_lifetime(copy bytes)
  init(
    _ source: TextSource, _ bytes: RawSpan, from start: Int, _ options: PropertyListReadingOptions, _ defects: DefectLog
  ) {
    lexer = XMLLexer(bytes, at: start)
    lexer.allowsAllCharacters = options.allowsAllXMLCharacters
    self.defects = defects
    positionIndex = PositionIndex(source)
    depthLimit = options.limits.effectiveDepth
    builder = NodeTableBuilder(options: options, expectedNodes: bytes.byteCount / 64)
  }

  /// Reads the tokens that begin before an offset.
  mutating func read(until end: Int = .max) {
    while !defects.isFull, !isOver, lexer.index < end {
      let token = lexer.next()
      tokenStart = token.range.lowerBound
      read(token)
      if token.kind == .end { return }
    }
  }

  /// Returns the content of the document. All tokens must have been read without defects.
  mutating func finish() -> TextContent { TextContent(text: Data(text), table: builder.finish()) }

  private mutating func read(_ token: XMLToken) {
    if elements.isEmpty, reportsOutside(token) { return }
    var defect = token.defect
    // Only one document type is allowed, before the root.
    if token.kind == .declaration, hasBegun { defect = XMLDefect(kind: .less, offset: tokenStart) }
    if let defect, !isKnown(defect) { fail(defect.message(lexer.bytes), defect.errorKind, at: defect.offset) }
    guard !defects.isFull else { return }
    switch token.kind {
    case .text: read(text: token.range, hasReplacements: token.hasReplacements)
    case .cdata:
      if defect == nil { read(cdata: token) }
    case .comment, .instruction, .declaration: break
    case .invalid: if !elements.isEmpty { elements[elements.count - 1].isDamaged = true }
    case .startTag, .emptyTag: begin(token)
    case .endTag: end(token)
    case .end: endText()
    }
    if let defect {
      isOver = isOver || defect.isOpen
      endIfMended()
    }
  }

  /// Reports a defect, unless it is the consequence of a known one.
  mutating func fail(_ message: String, _ kind: PropertyListError.Kind = .malformed, at offset: Int) {
    guard !defects.isFull, !isMending else { return }
    // A copy, because the builder must not change while the property is being read. The copy shares its storage with
    // the property. The same applies below.
    let text = text
    defects.add(builder.failure(message, kind, at: positionIndex.position(at: offset), in: text.rawBytes))
  }

  /// Returns true if the defect is invalid UTF-8 on the same line as the last invalid UTF-8. It is reported only once
  /// per line, because text in another encoding can have many invalid bytes.
  private mutating func isKnown(_ defect: XMLDefect) -> Bool {
    guard defect.kind == .notUTF8 else { return false }
    let line = positionIndex.position(at: defect.offset).position.line
    defer { lineThatIsNotUTF8 = line }
    return line == lineThatIsNotUTF8
  }

  /// Returns the message for a missing end tag of the innermost element.
  ///
  /// - Parameter found: A description of the token that was found instead.
  private mutating func messageForMissingEnd(found: String) -> String {
    guard let open = elements.last else { return "expected a tag, found \(found)" }
    let name = open.name.printable(limit: 80)
    let start = positionIndex.position(at: open.offset).position
    return "expected </\(name)>, found \(found); the <\(name)> at \(start.line):\(start.column) is not closed"
  }

  func name(of token: XMLToken) -> String { String(decoding: [UInt8](lexer.bytes, token.content), as: UTF8.self) }

  /// Reports a token that is not allowed outside the root element. Returns true if the caller must ignore the token,
  /// because it was reported, or because it is white space.
  private mutating func reportsOutside(_ token: XMLToken) -> Bool {
    var offset = token.range.lowerBound
    switch token.kind {
    case .comment, .instruction, .end: return false
    case .declaration, .startTag, .emptyTag: if !hasBegun { return false }
    case .text:
      while offset < token.range.upperBound, lexer.bytes[offset].isWhiteSpace { offset += 1 }
      if offset == token.range.upperBound { return true }
    case .invalid, .cdata, .endTag: break
    }
    if hasBegun {
      fail("extra content after the end of the root element", at: offset)
      isOver = true
    } else if token.kind == .endTag {
      fail("expected the first tag, found an end tag", at: offset)
    } else if lexer.bytes[offset] == UInt8(ascii: "<") {
      fail(XMLDefect(kind: .less, offset: offset).message(lexer.bytes), at: offset)
    } else {
      fail("expected the first tag, found text", at: offset)
      lexer.passToMarkup()
    }
    return true
  }

  private mutating func endText() {
    if let open = elements.last {
      if !open.isDoubtful { fail(messageForMissingEnd(found: "the end of the text"), at: tokenStart) }
    } else if !hasBegun {
      fail("expected the first tag, found the end of the text", at: tokenStart)
    }
  }

  /// Ends reading at the end of the text. Also ends it if the recovery from a defect has closed the root element.
  private mutating func endIfMended() {
    if elements.isEmpty && hasBegun || lexer.index == lexer.bytes.byteCount { isOver = true }
  }

  private mutating func begin(_ token: XMLToken) {
    namespaceCount += token.namespaceCount
    attributeCount += token.attributeCount
    if namespaceCount > Self.greatestNamespaceCount || attributeCount > Self.greatestAttributeCount {
      let many =
        namespaceCount > Self.greatestNamespaceCount
        ? "\(Self.greatestNamespaceCount) namespaces" : "\(Self.greatestAttributeCount) attributes"
      fail("more than \(many)", .limitExceeded, at: tokenStart)
      isOver = true
      return
    }
    isMending = token.defect != nil
    let isOpen = begin(token, named: name(of: token))
    if !isOpen {
      namespaceCount -= token.namespaceCount
    } else if token.kind == .emptyTag {
      endInnermost()
    }
    isMending = false
  }

  /// Begins an element. Returns true if the element is now open.
  private mutating func begin(_ tag: XMLToken, named name: String) -> Bool {
    isInStrayText = false
    hasBegun = true
    guard elements.count < 2 * ParsingLimits.greatestDepth else {
      isOver = true
      return false
    }
    if let last = elements.last, let outer = last.element, !last.isContainer, XMLElement(rawValue: name) != nil {
      guard !endsScalar(outer, withElement: name) else { return false }
    }
    var element = element(name)
    guard !defects.isFull else { return false }
    if element == .dict || element == .array {
      if builder.depth < depthLimit {
        builder.open(element == .dict ? .dictionary : .array)
      } else {
        if !hasReportedDepth {
          let limit = ParsingLimits.nestedTooDeeply(limit: depthLimit)
          fail(limit.message, limit.kind, at: tokenStart)
        }
        hasReportedDepth = true
        element = nil
        appendStandIn()
      }
    }
    elements.append(
      Open(
        name: name, element: element, offset: tokenStart, isEmptyTag: tag.kind == .emptyTag,
        namespaceCount: tag.namespaceCount, textStart: text.count, isDoubtful: isMending))
    return true
  }

  /// Returns the type of an element, or nil if the element must be ignored. Reports an element that is not allowed in
  /// the innermost open element.
  ///
  /// - Parameter name: The name of the tag.
  private mutating func element(_ name: String) -> XMLElement? {
    let last = elements.count - 1
    if last >= 0, elements[last].element == nil { return nil }
    guard let element = XMLElement(rawValue: name) else {
      fail("unknown tag <\(name)>", at: tokenStart)
      if last < 0 || elements[last].isContainer { appendStandIn() }
      return nil
    }
    switch last < 0 ? .plist : elements[last].element {
    case .plist, .array: break
    case .dict:
      if builder.expectsKey, element != .key {
        if !elements[last].isAstray, element != .plist {
          fail("expected <key> in <dict>, found <\(name)>", at: tokenStart)
        }
        // The values after this one have no key, either, until the next `<key>`. They are not reported.
        elements[last].isAstray = true
        appendStandIn()
      } else if !builder.expectsKey, element == .key {
        missValue()
      }
    default: return nil
    }
    if element == .key {
      guard last >= 0, elements[last].element == .dict else {
        if last < 0 || !elements[last].isAstray { fail("<key> outside <dict>", at: tokenStart) }
        if last >= 0 { elements[last].isAstray = true } else { hasRoot = true }
        return nil
      }
      elements[last].isAstray = false
    }
    if element == .plist {
      guard last >= 0 else { return element }
      fail("<plist> inside <\(elements[last].name)>", at: tokenStart)
      if builder.depth == 0 { return element }
      appendStandIn()
      return nil
    }
    if builder.depth == 0 {
      if hasRoot, last < 0 || !elements[last].isAstray {
        fail("a second value in <plist>", at: tokenStart)
        if last >= 0 { elements[last].isAstray = true }
      }
      hasRoot = true
    }
    return element
  }

  /// Reports that the last key has no value. Removes the key instead if it was invalid.
  private mutating func missValue() {
    if let key = builder.pending.last, key.kind == .null {
      // The key was invalid, which has been reported. It is removed without a second error.
      builder.removeLast()
      offsets.removeLast()
    } else if let key = builder.pending.last {
      let name = key.kind == .string ? NodeContent.text(key, in: text.rawBytes).quoted : ""
      fail("no value for the key \(name)", at: tokenStart)
      appendStandIn()
    }
  }

  private mutating func end(_ token: XMLToken) {
    let name = name(of: token)
    if token.defect == nil, elements.last?.name == name { return endInnermost() }
    if token.defect == nil, !isEcho(endTagOf: name) {
      fail(messageForMissingEnd(found: "</\(name.printable(limit: 80))>"), at: tokenStart)
    }
    guard !defects.isFull else { return }
    close(name)
    endIfMended()
  }

  /// Ends the innermost element.
  mutating func endInnermost() {
    isInStrayText = false
    guard let open = elements.popLast() else { return }
    namespaceCount -= open.namespaceCount
    guard let element = open.element else { return }
    switch element {
    case .plist:
      if !hasRoot { fail("<plist> without a value", at: open.offset) }
      hasRoot = true
    case .true, .false: append(.boolean(element == .true), at: open.offset)
    case .dict, .array:
      if element == .dict, !builder.expectsKey { missValue() }
      guard !defects.isFull else { return }
      if element == .dict, !defects.defects.isEmpty { builder.dropStandIns(offsets: &offsets) }
      let text = text
      for (index, key) in builder.resolveDuplicates(in: text.rawBytes, defects) {
        let name = NodeContent.text(key, in: text.rawBytes)
        fail("duplicate key \(name.quoted)", .duplicateKey, at: offsets[index])
      }
      builder.close(in: text.rawBytes)
      offsets.removeLast(offsets.count - (builder.pending.count - 1))
      offsets.append(open.offset)
    case .string, .key, .integer, .real, .date, .data: endScalar(open, element)
    }
  }

  private mutating func append(_ node: FlatNode, at offset: Int) {
    builder.append(node)
    offsets.append(offset)
  }

  /// Appends a null in place of an invalid key or value.
  private mutating func appendStandIn() {
    if builder.depth == 0 { hasRoot = true }
    append(.null, at: tokenStart)
  }

  private mutating func read(text range: Range<Int>, hasReplacements: Bool) {
    guard let element = elements.last?.element else { return }
    switch element {
    case .string, .key, .integer, .real, .date, .data:
      let content = lexer.bytes.extracting(range)
      if hasReplacements { XMLText.decode(content, into: &text) } else { text.append(bytes: content) }
    case .plist, .dict, .array, .true, .false:
      guard !isInStrayText else { return }
      guard let offset = range.first(where: { !lexer.bytes[$0].isWhiteSpace }) else { return }
      isInStrayText = true
      fail("text in <\(element.rawValue)>", at: offset)
    }
  }

  private mutating func read(cdata token: XMLToken) {
    guard let open = elements.last, let element = open.element else { return }
    switch element {
    case .string, .key: XMLText.decodeLines(lexer.bytes.extracting(token.content), into: &text)
    case .integer, .real, .date, .data:
      if !open.isDamaged { fail("CDATA in <\(element.rawValue)>", at: open.offset) }
      elements[elements.count - 1].isDamaged = true
    case .plist, .dict, .array, .true, .false:
      guard !isInStrayText else { return }
      if token.content.isEmpty { return fail("CDATA in <\(element.rawValue)>", at: tokenStart) }
      isInStrayText = true
      fail("text in <\(element.rawValue)>", at: token.content.lowerBound)
    }
  }

  private mutating func endScalar(_ open: Open, _ element: XMLElement) {
    let range = open.textStart..<text.count
    var node: FlatNode?
    if open.isDamaged {
      // The defect has been reported.
    } else if range.isEmpty, open.isEmptyTag, [.integer, .real, .date].contains(element) {
      fail("<\(element.rawValue)/> is empty", at: open.offset)
    } else {
      switch XMLElement.scalar(element, text.rawBytes, range) {
      case .success(let value): node = value
      case .failure(let defect): fail(defect.message, at: open.offset)
      }
    }
    guard !defects.isFull else { return }
    if node == nil || (element != .string && element != .key && element != .data) { text.removeLast(range.count) }
    append(node ?? .null, at: open.offset)
  }
}
