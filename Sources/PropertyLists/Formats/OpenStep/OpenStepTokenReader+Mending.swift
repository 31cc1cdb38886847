/// What is done about what is wrong, so that the rest can be read. A null stands for what is no value or no key.
extension OpenStepTokenReader {
  /// What is known of the last defect, and of those before it.
  struct Mending {
    /// Whether nothing more can be read.
    var isOver = false
    /// Whether the text has ended where it must not.
    var isAtEnd = false
    /// Whether a comma or a semicolon is missing before what comes next.
    var isMarkMissing = false
    /// Where a string begins that has no end.
    var unclosedString: Int?
    /// The string with quotation marks that was read last.
    var lastQuoted = 0..<0
    /// A string at the top that something follows, and its offset.
    var firstKey: (node: FlatNode, offset: Int)?
    /// Whether brackets were wrong, so that there can be too many or too few at the end.
    var isUnbalanced = false
    /// Forgets the last defect.
    mutating func reset() {
      isMarkMissing = false
      unclosedString = nil
    }
  }

  /// Whether bytes of a part of the text stand for others that were no UTF-8.
  func hasReplacedBytes(in range: Range<Int>) -> Bool {
    !original.text.bytes.extracting(range).hasSameBytes(as: lexer.bytes.extracting(range))
  }

  /// Goes on after a defect of the one value, or before the first entry of a strings file.
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

  /// Records a defect and goes on behind it.
  mutating func mend(_ defect: PropertyListError) throws(PropertyListError) {
    if !(mending.isAtEnd && mending.isUnbalanced) { try defects.report(defect) }
    guard !mending.isOver, let kind = builder.frames.last?.kind else { throw defect }
    defer { mending.reset() }
    if kind == .dictionary, !builder.expectsKey { append(.null, at: lexer.index) }
    if let offset = mending.unclosedString {
      // Most strings end with their line.
      if kind == .array { append(.null, at: offset) }
      lexer.index = offset
      lexer.passLine()
      if lexer.isAtEnd { mending.isUnbalanced = true }
    } else if isBehindStringOfLines() {
      // It is the rest of a line whose beginning went into a string that lacks its end.
      lexer.passLine()
    } else if !(mending.isMarkMissing && canGoOn(kind)) {
      if kind == .array, !mending.isMarkMissing, !lexer.isAtEnd, lexer.byte != UInt8(ascii: ",") {
        append(.null, at: lexer.index)
      }
      try skip()
    }
  }

  /// Whether what comes next stands in the line in which a string with several lines has ended.
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

  /// Whether an entry, an element or the end of the container comes next.
  private mutating func canGoOn(_ kind: NodeKind) -> Bool {
    switch lexer.byte {
    case UInt8(ascii: "("), UInt8(ascii: "{"), UInt8(ascii: "<"): kind == .array
    case UInt8(ascii: "}"): kind == .dictionary && !isWithoutBraces
    case let byte where OpenStepLexer.beginsString(byte): kind == .array || isKey()
    default: false
    }
  }

  /// Whether a string comes next, and an equals sign after it.
  private mutating func isKey() -> Bool {
    let start = lexer.index
    defer { lexer.index = start }
    return lexer.next().defect == nil && comesNext(UInt8(ascii: "="))
  }

  /// Whether a byte comes next after white space.
  private mutating func comesNext(_ byte: UInt8) -> Bool {
    lexer.passTrivia()
    return lexer.byte == byte
  }

  /// Skips to the end of an entry or element, or to where another one or the end of its container stands.
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
        // The array lacks its end.
        mending.isUnbalanced = true
        return try closeInnermost()
      case .comma where nested == 0 && kind == .array: return
      case .comment where token.defect != nil: lexer.index = start + 1
      // Only the quotation mark or the bracket is wrong.
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

  /// Decides what the end of a container means that may be the end of another one than the innermost.
  ///
  /// - Returns: whether there is something to go on with; else it was skipped.
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
