/// Functions that recover from start and end tags that do not match, so that the rest of the text can be read.
extension XMLTokenReader {
  /// Returns true if an end tag is wrong only because of an earlier defect. There are two such cases: the recovery from
  /// the defect has already closed the element, or all open elements inside the element were begun by malformed tags.
  func isEcho(endTagOf name: String) -> Bool {
    guard let index = elements.lastIndex(where: { $0.name == name }) else { return missedEnds[name] != nil }
    return elements[(index + 1)...].allSatisfy(\.isDoubtful)
  }

  /// Closes the element that an end tag probably belongs to. If open elements have the name of the tag, closes the
  /// innermost of them, and all elements in it. Otherwise closes the innermost open element, unless the end tag
  /// probably belongs to an element that has already been closed.
  mutating func close(_ name: String) {
    let count = elements.count
    if let index = elements.lastIndex(where: { $0.name == name }) {
      if index > 0, index + 1 < count, elements[count - 1].isContainer, !isNextFit(for: elements[index - 1]),
        isNextFit(for: elements[count - 2])
      {
        // The end tag has the wrong name, and was probably meant for the innermost container.
        return closeInnermost()
      }
      while elements.count > index + 1 {
        missedEnds[elements[elements.count - 1].name, default: 0] += 1
        closeInnermost()
      }
      return endInnermost()
    }
    if let missed = missedEnds[name] {
      missedEnds[name] = missed > 1 ? missed - 1 : nil
      return
    }
    guard let innermost = elements.last else { return }
    switch XMLElement(rawValue: name) {
    case nil: closeInnermost()
    case .dict, .array, .plist:
      if innermost.isContainer, count > 1, isNextFit(for: innermost), !isNextFit(for: elements[count - 2]) {
        // The end tag belongs to an element that has been closed already.
        return
      }
      closeInnermost()
    default: if !innermost.isContainer { closeInnermost() }
    }
  }

  /// Closes the innermost element, whose end tag is missing or wrong.
  private mutating func closeInnermost() {
    isMending = true
    endInnermost()
    isMending = false
  }

  /// The number of bytes that are examined to find out the meaning of a tag.
  private static var lookahead: Int { 4096 }

  /// Calls `body` for the tags and other markup in the next ``lookahead`` bytes, until `body` returns a result.
  ///
  /// - Returns: This result, or nil if all calls returned nil.
  private mutating func lookAhead<Answer>(from start: Int, _ body: (XMLToken) -> Answer?) -> Answer? {
    let index = lexer.index
    defer { lexer.index = index }
    lexer.index = start
    while true {
      lexer.passToMarkup()
      guard lexer.index < start + Self.lookahead else { return nil }
      let token = lexer.next()
      if token.kind == .end || token.defect?.isOpen == true { return nil }
      if let answer = body(token) { return answer }
    }
  }

  /// Returns true if the next tag is the end tag of a container, or the start tag of a valid child of it.
  private mutating func isNextFit(for container: Open) -> Bool {
    let bytes = lexer.bytes
    return lookAhead(from: lexer.index) { token in
      switch token.kind {
      case .endTag: token.isNamed(container.name, in: bytes)
      case .startTag, .emptyTag:
        switch container.element {
        case .dict: token.isNamed("key", in: bytes)
        case .array: !token.isNamed("key", in: bytes)
        default: false
        }
      default: nil
      }
    } ?? false
  }

  /// Reports a text element, such as `<string>`, that contains another element, and recovers from this defect. In most
  /// cases, the end tag of the text element is missing, or is written without its slash. If it is missing, the tag of
  /// the inner element is read again.
  ///
  /// - Parameters:
  ///   - outer: The text element.
  ///   - name: The name of the element in it.
  /// - Returns: True if the text element has been ended.
  mutating func endsScalar(_ outer: XMLElement, withElement name: String) -> Bool {
    let last = elements.count - 1
    guard !elements[last].isDamaged else { return false }
    fail("<\(name)> inside <\(outer.rawValue)>", at: tokenStart)
    elements[last].isDamaged = true
    guard !defects.isFull, !isMending else { return false }
    switch ending(of: elements[last].name) {
    case .there: return false
    case .withoutSlash: break
    case .missing: lexer.index = tokenStart
    }
    elements[last].isDamaged = false
    while text.count > elements[last].textStart, let byte = text.last, byte.isWhiteSpace { text.removeLast() }
    endInnermost()
    return true
  }

  /// The end tag of a text element: found, missing, or written without its slash.
  private enum Ending { case there, missing, withoutSlash }

  /// Looks ahead for the end tag of a text element that seems to contain another element.
  ///
  /// - Parameter name: The name of the text element.
  private mutating func ending(of name: String) -> Ending {
    let bytes = lexer.bytes
    var open = [name]
    let start = tokenStart
    return lookAhead(from: start) { token in
      switch token.kind {
      case .startTag, .emptyTag:
        // A text element never contains two elements.
        if open.count == 1, token.range.lowerBound != start { return .missing }
        if token.kind == .emptyTag { return nil }
        if open.count == 2, open[1] == name { return .withoutSlash }
        open.append(String(decoding: [UInt8](bytes, token.content), as: UTF8.self))
      case .endTag:
        let isInnermost = token.isNamed(open[open.count - 1], in: bytes)
        if open.count == 1 { return isInnermost ? .there : .missing }
        if open.count == 2, !isInnermost { return open[1] == name ? .withoutSlash : .missing }
        open.removeLast()
      default: break
      }
      return nil
    } ?? .missing
  }
}

extension XMLToken {
  fileprivate func isNamed(_ name: String, in bytes: RawSpan) -> Bool {
    [UInt8](bytes, content).elementsEqual(name.utf8)
  }
}
