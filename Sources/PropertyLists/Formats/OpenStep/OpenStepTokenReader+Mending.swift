/// Functions that recover from errors, so that the rest of the text can be read. A null replaces an invalid value or
/// key.
extension OpenStepTokenReader {
  /// The state of error recovery: facts about the last defect and earlier ones.
  struct Mending {
    /// True if nothing more can be read.
    var isOver = false
    /// True if the text ended too early.
    var isAtEnd = false
    /// True if a comma or a semicolon is missing before the next token.
    var isMarkMissing = false
    /// The offset of the unterminated string that is the last defect; nil if the last defect is another one.
    var unclosedString: Int?
    /// The range of the last string in quotation marks.
    var lastQuoted = 0..<0
    /// The string at the start of the text, and its offset, if `=` or `;` is missing after it. It may be the first key
    /// of a strings file.
    var firstKey: (node: FlatNode, offset: Int)?
    /// True if a wrong bracket was found. Closing brackets can then be missing or left over at the end of the text,
    /// which is not reported as another defect.
    var isUnbalanced = false
    /// Resets the properties that describe the last defect.
    mutating func reset() {
      isMarkMissing = false
      unclosedString = nil
    }
  }

  /// Returns true if a part of the text had invalid UTF-8 that was replaced.
  func hasReplacedBytes(in range: Range<Int>) -> Bool {
    !original.text.bytes.extracting(range).hasSameBytes(as: lexer.bytes.extracting(range))
  }

  /// Continues after a defect at the beginning of the text. If the root container is not open yet, the text is read on
  /// as a strings file if it can be one; otherwise the defect is thrown.
  mutating func mendBeginning(_ defect: PropertyListError) throws(PropertyListError) {
    if builder.depth > 0 { return try mend(defect) }
    try defects.report(defect)
    guard !mending.isOver, let (key, offset) = mending.firstKey,
      lexer.bytes.firstIndex(of: UInt8(ascii: ";"), from: lexer.index) != nil
    else { throw defect }
    try beginStringsFile(with: key, at: offset)
    append(.null, at: lexer.index)
    try skip()
  }

  /// Reports a defect and continues after it.
  mutating func mend(_ defect: PropertyListError) throws(PropertyListError) {
    if !(mending.isAtEnd && mending.isUnbalanced) { try defects.report(defect) }
    guard !mending.isOver, let kind = builder.frames.last?.kind else { throw defect }
    defer { mending.reset() }
    if kind == .dictionary, !builder.expectsKey { append(.null, at: lexer.index) }
    if let offset = mending.unclosedString {
      // Continues on the next line, because most strings end on the line on which they begin.
      if kind == .array { append(.null, at: offset) }
      lexer.index = offset
      lexer.passLine()
      if lexer.isAtEnd { mending.isUnbalanced = true }
    } else if isBehindStringOfLines() {
      // A closing quotation mark is missing, so the beginning of this line was read as part of a string. This is the
      // rest of the line.
      lexer.passLine()
    } else if !(mending.isMarkMissing && canGoOn(kind)) {
      if kind == .array, !mending.isMarkMissing, !lexer.isAtEnd, lexer.byte != UInt8(ascii: ",") {
        append(.null, at: lexer.index)
      }
      try skip()
    }
  }

  /// Returns true if the next token is on the line where a multiline string has ended.
  func isBehindStringOfLines() -> Bool {
    let (string, index) = (mending.lastQuoted, lexer.index)
    guard !string.isEmpty, string.upperBound <= index, index - string.upperBound < 64 else { return false }
    for offset in string.upperBound..<index where lexer.bytes[offset] != 0x20 && lexer.bytes[offset] != 0x09 {
      return false
    }
    var line = OpenStepLexer(lexer.bytes.extracting(..<string.upperBound), at: string.lowerBound)
    line.passLine()
    return line.index < string.upperBound
  }

  /// Returns true if an entry, an element or the end of the container comes next.
  private mutating func canGoOn(_ kind: NodeKind) -> Bool {
    switch lexer.byte {
    case UInt8(ascii: "("), UInt8(ascii: "{"), UInt8(ascii: "<"): kind == .array
    case UInt8(ascii: "}"): kind == .dictionary && !isWithoutBraces
    case let byte where OpenStepLexer.beginsString(byte): kind == .array || isKey()
    default: false
    }
  }

  /// Returns true if a string and then an equals sign come next.
  private mutating func isKey() -> Bool {
    let start = lexer.index
    defer { lexer.index = start }
    return lexer.next().defect == nil && comesNext(UInt8(ascii: "="))
  }

  /// Returns true if a byte comes next, after white space and comments.
  private mutating func comesNext(_ byte: UInt8) -> Bool {
    lexer.passTrivia()
    return lexer.byte == byte
  }

  /// Skips to the end of the entry or element, to the beginning of another one, or to the end of the container,
  /// whichever comes first.
  private mutating func skip() throws(PropertyListError) {
    var nested = 0
    while let kind = builder.frames.last?.kind {
      let token = lexer.next()
      let start = token.range.lowerBound
      switch token.kind {
      case .end:
        mending.isUnbalanced = true
        return
      case .beginArray, .beginDictionary: nested += 1
      case .endArray, .endDictionary:
        if nested > 0 {
          nested -= 1
        } else {
          lexer.index = start
          if try meetEnd(token.kind == .endArray ? .array : .dictionary, kind) { return }
        }
      case .semicolon where nested == 0 && kind == .dictionary: return
      case .semicolon where nested == 0 && outerKind == .dictionary:
        // The closing bracket of the array is missing.
        mending.isUnbalanced = true
        return try closeInnermost()
      case .comma where nested == 0 && kind == .array: return
      case .comment where token.defect != nil: lexer.index = start + 1
      // Skips only the opening quotation mark or bracket, so that the text after it is read as tokens.
      case .quoted where token.defect != nil: lexer.index = start + 1
      case .data, .base64, .typedValue: lexer.index = start + 1
      case .word, .quoted:
        if nested == 0, kind == .dictionary, comesNext(UInt8(ascii: "=")) {
          lexer.index = start
          return
        }
      default: break
      }
    }
  }

  private var outerKind: NodeKind? { builder.frames.count > 1 ? builder.frames[builder.frames.count - 2].kind : nil }

  /// Handles a closing bracket that may not match the innermost container.
  ///
  /// - Returns: True if reading can continue here; false, after skipping the bracket, if it does not belong to any open
  ///   container.
  private mutating func meetEnd(_ closed: NodeKind, _ kind: NodeKind) throws(PropertyListError) -> Bool {
    if closed == kind, !isWithoutBraces { return true }
    mending.isUnbalanced = true
    let start = lexer.index
    lexer.index += 1
    if isWithoutBraces { return false }
    let isWrongBracket: Bool
    switch outerKind {
    case .dictionary: isWrongBracket = comesNext(UInt8(ascii: ";"))
    case .array: isWrongBracket = comesNext(UInt8(ascii: ",")) || comesNext(UInt8(ascii: ")"))
    default:
      lexer.passTrivia()
      isWrongBracket = lexer.isAtEnd
    }
    if isWrongBracket {
      try closeInnermost()
      isBehindValue = true
      return true
    }
    let frames = builder.frames
    guard frames.indices.contains(where: { frames[$0].kind == closed && !(isStringsFile && $0 == 0) }) else {
      lexer.index = start + 1
      return false
    }
    lexer.index = start
    while let innermost = builder.frames.last, innermost.kind != closed {
      if innermost.kind == .dictionary, !builder.expectsKey { append(.null, at: lexer.index) }
      try closeInnermost()
    }
    return true
  }
}
