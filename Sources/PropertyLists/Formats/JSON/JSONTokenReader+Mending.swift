/// Functions that recover from errors, so that the rest of the text can be read. A null replaces an invalid value or
/// key.
extension JSONTokenReader {
  /// The state of error recovery: facts about the last defect and earlier ones.
  struct Mending {
    /// The token that was expected at the last defect; nil for a key.
    var expected: ExpectedToken?
    /// The token to read next, or nil to read the next entry or element of the innermost container.
    var next: Next?
    /// True if the text ended too early.
    var isAtEnd = false
    /// True if a wrong bracket was found. Closing brackets can then be missing or left over at the end of the text,
    /// which is not reported as another defect.
    var isUnbalanced = false
    /// An expected token. A mark is a comma or a closing bracket.
    enum ExpectedToken { case colon, value, mark, digit, quotationMark }

    /// The token to read next.
    enum Next { case colon, value, mark }
  }

  /// Reports a defect and continues after it.
  mutating func mend(_ defect: PropertyListError) throws(PropertyListError) {
    if !(mending.isAtEnd && mending.isUnbalanced) { try defects.report(defect) }
    guard !mending.isAtEnd, !lexer.isAtEnd else { throw defect }
    let expected = mending.expected
    mending.expected = nil
    if defect.kind == .nestedTooDeeply {
      skipContainer()
      return appendStandIn()
    }
    if expected != .digit, expected != .quotationMark, skip(.comment) {
      switch expected {
      case .colon: mending.next = .colon
      case .value: mending.next = .value
      case .mark: mending.next = .mark
      case .digit, .quotationMark, nil: break
      }
      return
    }
    switch expected {
    case nil: try mendKey(defect)
    case .colon: try mendColon(defect)
    case .value: try mendValue(defect)
    case .mark: try mendMark(defect)
    case .digit:
      _ = skipWord() || skip(.comment)
      appendStandIn()
    case .quotationMark: appendStandIn()
    }
  }

  /// Appends a null in place of the expected key or value.
  private mutating func appendStandIn() {
    let isKey = builder.expectsKey
    builder.append(.null)
    mending.next = isKey ? .colon : builder.depth > 0 ? .mark : nil
  }

  /// Continues after an error where a key was expected.
  private mutating func mendKey(_ defect: PropertyListError) throws(PropertyListError) {
    if followsComma, lexer.byte == UInt8(ascii: "}") {
      followsComma = false
    } else if skipWord() || skip(.singleQuoted) {
      appendStandIn()
    } else {
      try skip(defect)
    }
  }

  /// Continues after an error where a colon was expected.
  private mutating func mendColon(_ defect: PropertyListError) throws(PropertyListError) {
    if lexer.byte == UInt8(ascii: "=") {
      while lexer.byte == UInt8(ascii: "=") || lexer.byte == UInt8(ascii: ">") { lexer.index += 1 }
      mending.next = .value
    } else if JSONLexer.isLetter(lexer.byte) {
      // The word is skipped instead of being read as a value. Otherwise, a word that is not a value would be reported,
      // too.
      _ = skipWord()
      appendStandIn()
    } else if beginsValue {
      mending.next = .value
    } else {
      builder.append(.null)
      try skip(defect)
    }
  }

  /// Continues after an error where a value was expected.
  private mutating func mendValue(_ defect: PropertyListError) throws(PropertyListError) {
    let kind = builder.frames.last?.kind
    if kind == .array, followsComma, lexer.byte == UInt8(ascii: "]") {
      followsComma = false
    } else if skipWord() || skip(.singleQuoted) {
      appendStandIn()
    } else {
      if kind == .dictionary { builder.append(.null) }
      try skip(defect)
    }
  }

  /// Continues after an error where a comma or the end of a container was expected.
  private mutating func mendMark(_ defect: PropertyListError) throws(PropertyListError) {
    if lexer.byte == UInt8(ascii: ";") {
      lexer.index += 1
      followsComma = true
    } else if lexer.index > 0, JSONLexer.isWord(lexer.bytes[lexer.index - 1]), skipWord() {
      // The beginning of a number or a word was read as a value. This is its rest.
      mending.next = .mark
    } else if builder.frames.last?.kind == .array ? beginsValue : isKey() {
      followsComma = true
    } else {
      try skip(defect)
    }
  }

  private var beginsValue: Bool {
    switch lexer.byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""): true
    default: JSONLexer.isWord(lexer.byte)
    }
  }

  /// Skips a number or a word. Returns true if there was one.
  private mutating func skipWord() -> Bool {
    let start = lexer.index
    lexer.passWord()
    return lexer.index > start
  }

  /// Skips a token of a kind. Returns true if there was one.
  private mutating func skip(_ kind: JSONToken.Kind) -> Bool {
    let start = lexer.index
    if lexer.next().kind == kind { return true }
    lexer.index = start
    return false
  }

  /// Returns true if a string and then a colon come next.
  private mutating func isKey() -> Bool {
    let start = lexer.index
    defer { lexer.index = start }
    let token = lexer.next()
    return token.kind == .string && token.defect?.isEnd != true && comesNext(UInt8(ascii: ":"))
  }

  private mutating func comesNext(_ byte: UInt8) -> Bool {
    lexer.passSpace()
    return lexer.byte == byte
  }

  /// Skips the container that begins at the next byte.
  private mutating func skipContainer() {
    var depth = 0
    repeat {
      let token = lexer.next()
      switch token.kind {
      case .beginObject, .beginArray: depth += 1
      case .endObject, .endArray: depth -= 1
      case .string where token.defect?.isEnd == true: lexer.index = token.range.lowerBound + 1
      case .end: return
      default: break
      }
    } while depth > 0
  }

  /// Skips to the end of an entry or element, or to the end of its container. Throws `defect` if the text ends first.
  private mutating func skip(_ defect: PropertyListError) throws(PropertyListError) {
    while let kind = builder.frames.last?.kind {
      let token = lexer.next()
      switch token.kind {
      case .beginObject, .beginArray:
        lexer.index = token.range.lowerBound
        skipContainer()
      case .endObject, .endArray:
        lexer.index = token.range.lowerBound
        if try meetEnd(kind) { return }
      case .comma:
        followsComma = true
        return
      case .invalid where lexer.bytes[token.range.lowerBound] == UInt8(ascii: ";"):
        followsComma = true
        return
      // Skips only the opening quotation mark, so that the text after it is read as tokens.
      case .string where token.defect?.isEnd == true: lexer.index = token.range.lowerBound + 1
      case .string where kind == .dictionary && comesNext(UInt8(ascii: ":")):
        lexer.index = token.range.lowerBound
        followsComma = true
        return
      case .end: throw defect
      default: break
      }
    }
    // No container is open, so reading cannot continue.
    throw defect
  }

  /// Handles a closing bracket that may not match the innermost container.
  ///
  /// - Returns: True if reading can continue here; false, after skipping the bracket, if it does not belong to any open
  ///   container.
  private mutating func meetEnd(_ kind: NodeKind) throws(PropertyListError) -> Bool {
    followsComma = false
    let closed: NodeKind = lexer.byte == UInt8(ascii: "]") ? .array : .dictionary
    if closed == kind { return true }
    mending.isUnbalanced = true
    let start = lexer.index
    lexer.index += 1
    lexer.passSpace()
    let next = lexer.byte
    let isWrongBracket =
      switch builder.frames.dropLast().last?.kind {
      case .array: next == UInt8(ascii: ",") || next == UInt8(ascii: "]")
      case .dictionary: next == UInt8(ascii: ",") || next == UInt8(ascii: "}")
      default: lexer.isAtEnd
      }
    if isWrongBracket {
      try closeInnermost()
      mending.next = builder.depth > 0 ? .mark : nil
      return true
    }
    guard builder.frames.contains(where: { $0.kind == closed }) else {
      lexer.index = start + 1
      return false
    }
    lexer.index = start
    while let innermost = builder.frames.last, innermost.kind != closed {
      if innermost.kind == .dictionary, !builder.expectsKey { builder.append(.null) }
      try closeInnermost()
    }
    return true
  }

  /// Removes the entries of the innermost dictionary whose keys are invalid or contained invalid UTF-8.
  mutating func dropStandIns() {
    let (text, originalText) = (source.text, original.text)
    builder.dropStandIns { key in
      let range = key.offset..<key.offset + key.length
      return text.bytes.extracting(range).hasSameBytes(as: originalText.bytes.extracting(range))
    }
  }
}
