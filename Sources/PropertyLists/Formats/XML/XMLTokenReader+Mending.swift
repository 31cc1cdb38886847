/// What is done about tags that don't fit together, so that the rest can be read.
extension XMLTokenReader {
  /// Whether an end tag only follows from a defect before it: its element was closed before it came, or all that are
  /// open inside its element are those of tags that may be none.
  func isEcho(endTagOf name: String) -> Bool {
    guard let index = elements.lastIndex(where: { $0.name == name }) else { return missedEnds[name] != nil }
    return elements[(index + 1)...].allSatisfy(\.isDoubtful)
  }

  /// Closes what an end tag is meant to close: an element of its name, with all that is open inside it; otherwise the
  /// innermost element, unless the name belongs to an element closed earlier.
  mutating func close(_ name: String) {
    let count = elements.count
    if let index = elements.lastIndex(where: { $0.name == name }) {
      if index > 0, index + 1 < count, elements[count - 1].isContainer, !isNextFit(for: elements[index - 1]),
        isNextFit(for: elements[count - 2])
      {
        // It is the other of the two containers that ends.
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
        // It ends what has ended before.
        return
      }
      closeInnermost()
    default: if !innermost.isContainer { closeInnermost() }
    }
  }

  /// Closes the innermost element, whose end tag is missing or another one.
  private mutating func closeInnermost() {
    isMending = true
    endInnermost()
    isMending = false
  }

  /// How many bytes ahead is looked for what a tag may mean.
  private static var lookahead: Int { 4096 }

  /// Calls `body` for the tags that come next, a little ahead, until it returns a result.
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

  /// Whether the next tag is one that can come in a container.
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

  /// Mends an element in one that holds text only. Mostly, the end tag of the outer one is missing, or lacks its slash.
  ///
  /// - Returns: whether the outer one ends here; then the tag that was read last is read again, unless it was the end
  ///   tag.
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

  private enum Ending { case there, missing, withoutSlash }

  /// Looks a little ahead for how an element with text ends that seems to have another one in it.
  private mutating func ending(of name: String) -> Ending {
    let bytes = lexer.bytes
    var open = [name]
    let start = tokenStart
    return lookAhead(from: start) { token in
      switch token.kind {
      case .startTag, .emptyTag:
        // What holds text has no two elements in it.
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
