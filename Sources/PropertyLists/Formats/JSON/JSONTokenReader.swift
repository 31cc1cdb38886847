internal import FoundationEssentials

/// A reader that creates nodes from the tokens of a JSON text (RFC 8259), and finds its defects.
///
/// It accepts only standard JSON: no comments, no trailing commas, no text after the value. Strings refer to the source
/// text; their escapes are decoded when the strings are read. Open containers are kept in ``NodeTableBuilder``, so
/// nested containers use no stack space.
struct JSONTokenReader: ~Copyable, ~Escapable {
  var lexer: JSONLexer
  let source: TextSource
  /// The text before invalid UTF-8 was replaced.
  let original: TextSource
  var defects: DefectLog
  private var positionIndex: PositionIndex
  private let depthLimit: Int
  /// True if the forms of ``CoercedForm`` are read as the values that they represent.
  let restoresCoercedValues: Bool
  var builder: NodeTableBuilder
  /// The offset of each open container in the source.
  private var openOffsets: [Int] = []
  /// True if a comma precedes the next token.
  var followsComma = false
  /// The state of error recovery.
  var mending = Mending()
  /// The decoded bytes of data whose base64 contains escapes. In nodes, the offsets of these bytes begin at the length
  /// of the source.
  var added: [UInt8] = []

  /// Reads a JSON text.
  ///
  /// - Parameter defects: Receives every defect. If it has room for more than one, the reader recovers from errors.
  static func read(
    _ original: TextSource, _ options: PropertyListReadingOptions, _ defects: inout DefectLog
  ) throws(PropertyListError) -> TextContent {
    let source = try original.checkingUTF8(defects: &defects)
    var reader = JSONTokenReader(source, source.text.bytes, original, options, defects)
    defer { defects = reader.defects }
    try reader.read()
    return reader.finish()
  }

  /// Creates a reader.
  ///
  /// - Parameter bytes: The text of the source.
  @_lifetime(copy bytes)
  private init(
    _ source: TextSource, _ bytes: RawSpan, _ original: TextSource, _ options: PropertyListReadingOptions,
    _ defects: DefectLog
  ) {
    lexer = JSONLexer(bytes)
    self.source = source
    self.original = original
    self.defects = defects
    positionIndex = PositionIndex(original)
    depthLimit = options.limits.effectiveDepth
    restoresCoercedValues = options.restoresCoercedValues
    var options = options
    // In JSON, only this reader converts a dictionary with the key `CF$UID` to a UID, and only if it restores coerced
    // values.
    options.recognizesUIDDictionaries = false
    builder = NodeTableBuilder(options: options, expectedNodes: bytes.byteCount / 32 + 16)
  }

  /// Reads the root value and all values in it.
  private mutating func read() throws(PropertyListError) {
    lexer.passSpace()
    do { try readValue(expected: "a value") } catch { try mend(error) }
    while builder.depth > 0 || mending.next != nil {
      do {
        if let next = mending.next {
          mending.next = nil
          try read(next)
        } else {
          try readNext()
        }
      } catch {
        try mend(error)
      }
    }
    lexer.passSpace()
    if !lexer.isAtEnd, !mending.isUnbalanced { try defects.report(unexpected(expected: "the end of the text")) }
  }

  /// Continues to read an entry or element after an error. The token to read is `next`.
  private mutating func read(_ next: Mending.Next) throws(PropertyListError) {
    lexer.passSpace()
    switch next {
    case .colon: try readAfterKey()
    case .value: try readValue(expected: "a value")
    case .mark: try readAfterValue()
    }
  }

  private mutating func finish() -> TextContent {
    var text = source.text
    if !added.isEmpty { text += added }
    return TextContent(text: text, table: builder.finish())
  }

  /// Reads the next entry or element of the innermost container, or the end of that container. If the value is a
  /// container, reads only its beginning.
  private mutating func readNext() throws(PropertyListError) {
    lexer.passSpace()
    if builder.frames.last?.kind == .array {
      if !followsComma, lexer.byte == UInt8(ascii: "]") { return try close() }
      return try readValue(expected: followsComma ? "a value" : #"a value or "]""#)
    }
    if !followsComma, lexer.byte == UInt8(ascii: "}") { return try close() }
    guard lexer.byte == UInt8(ascii: "\"") else {
      throw unexpected(expected: followsComma ? "a key" : #"a key or "}""#)
    }
    builder.append(try string(lexer.next()))
    lexer.passSpace()
    try readAfterKey()
  }

  @inline(__always)
  private mutating func readAfterKey() throws(PropertyListError) {
    guard lexer.byte == UInt8(ascii: ":") else {
      mending.expected = .colon
      throw unexpected(expected: #"":""#)
    }
    lexer.index += 1
    lexer.passSpace()
    try readValue(expected: "a value")
  }

  /// Reads a value and the comma after it. If the value is a container, reads only its beginning.
  @inline(__always)
  private mutating func readValue(expected: StaticString) throws(PropertyListError) {
    let token = lexer.next()
    switch token.kind {
    case .string: builder.append(try string(token))
    case .beginObject: return try open(.dictionary, at: token.range.lowerBound)
    case .beginArray: return try open(.array, at: token.range.lowerBound)
    case .number: builder.append(try number(token))
    case .true: builder.append(.boolean(true))
    case .false: builder.append(.boolean(false))
    case .null: builder.append(.null)
    default:
      lexer.index = token.range.lowerBound
      if token.kind != .end { mending.expected = .value }
      throw unexpected(expected: expected)
    }
    try readAfterValue()
  }

  /// Reads the comma after a value in a container. At the end of the container, leaves the bracket to be read next.
  @inline(__always)
  private mutating func readAfterValue() throws(PropertyListError) {
    guard let kind = builder.frames.last?.kind else { return }
    lexer.passSpace()
    followsComma = lexer.byte == UInt8(ascii: ",")
    if followsComma {
      lexer.index += 1
    } else if lexer.byte != (kind == .array ? UInt8(ascii: "]") : UInt8(ascii: "}")) {
      mending.expected = .mark
      throw unexpected(expected: kind == .array ? #""," or "]""# : #""," or "}""#)
    }
  }

  private mutating func open(_ kind: NodeKind, at offset: Int) throws(PropertyListError) {
    // A dictionary at the depth limit may be the form of a scalar, which does not count as a level.
    let isScalar = restoresCoercedValues && kind == .dictionary && builder.depth == depthLimit
    guard builder.depth < depthLimit || isScalar else {
      // Recovery starts at the bracket.
      lexer.index = offset
      throw nestedTooDeeply(at: offset)
    }
    builder.open(kind)
    openOffsets.append(offset)
    followsComma = false
  }

  private mutating func close() throws(PropertyListError) {
    try closeInnermost()
    lexer.index += 1
    try readAfterValue()
  }

  mutating func closeInnermost() throws(PropertyListError) {
    if !defects.defects.isEmpty { dropStandIns() }
    for (_, key) in builder.resolveDuplicates(in: lexer.bytes, defects) {
      let name = NodeContent.text(key, in: lexer.bytes)
      try defects.report(failure("duplicate key \(name.quoted)", .duplicateKey, at: key.offset - 1))
    }
    let offset = openOffsets.removeLast()
    if restoresCoercedValues, let value = try restoredValue(at: offset) {
      builder.close(as: value)
    } else {
      if builder.depth > depthLimit { try defects.report(nestedTooDeeply(at: offset)) }
      builder.close()
    }
  }

  /// Creates a string node that refers to the source. Escapes are decoded when the string is read.
  @inline(__always)
  private mutating func string(_ token: JSONToken) throws(PropertyListError) -> FlatNode {
    if let defect = token.defect { try report(defect, in: token) }
    let content = token.range.lowerBound + 1..<token.range.upperBound - 1
    return .string(token.hasEscapes ? .jsonText : .verbatim, offset: content.lowerBound, length: content.count)
  }

  /// Reports all defects of a string. Throws the defect of an unterminated string.
  private mutating func report(_ defect: JSONDefect, in string: JSONToken) throws(PropertyListError) {
    for defect in lexer.defects(inside: string) {
      try defects.report(failure(defect.message(lexer.bytes), at: defect.offset))
    }
    guard defect.isEnd else { return }
    if defect.kind == .endOfText { mending.isAtEnd = true } else { mending.expected = .quotationMark }
    throw failure(defect.message(lexer.bytes), at: defect.offset)
  }

  /// Parses a number. It is an integer unless it has a fraction or an exponent. `-0` is the real -0.0, as in
  /// JavaScript's `JSON.parse`, because an integer would lose the sign.
  @inline(__always)
  private mutating func number(_ token: JSONToken) throws(PropertyListError) -> FlatNode {
    if let defect = token.defect {
      if defect.kind == .missingDigit {
        mending.expected = .digit
        throw unexpected(expected: "a digit")
      }
      try defects.report(failure(defect.message(lexer.bytes), at: defect.offset))
    }
    let start = token.range.lowerBound
    let isNegative = lexer.bytes[start] == UInt8(ascii: "-")
    if let magnitude = token.magnitude {
      if !isNegative { return .integer(magnitude) }
      if magnitude == 0 { return .real(-0.0) }
      if magnitude <= UInt64(Int64.max) + 1 { return .integer(Int64(truncatingIfNeeded: 0 &- magnitude)) }
    }
    guard !token.isInteger else {
      try defects.report(failure("an integer outside the ranges of Int64 and UInt64", at: start))
      return .null
    }
    guard let value = RealText.parse(lexer.bytes.extracting(token.range)) else {
      try defects.report(failure("a number too large for a double", at: start))
      return .null
    }
    return .real(value)
  }

  mutating func failure(
    _ message: String, _ kind: PropertyListError.Kind = .malformed, at offset: Int
  ) -> PropertyListError {
    builder.failure(message, kind, at: positionIndex.position(at: offset), in: lexer.bytes)
  }

  private mutating func nestedTooDeeply(at offset: Int) -> PropertyListError {
    let limit = ParsingLimits.nestedTooDeeply(limit: depthLimit)
    return failure(limit.message, limit.kind, at: offset)
  }

  /// Returns the error for the next character or word, or for the end of the text. `expected` names the expected token.
  mutating func unexpected(expected: StaticString) -> PropertyListError {
    let (bytes, index) = (lexer.bytes, lexer.index)
    guard index < bytes.byteCount else {
      mending.isAtEnd = true
      var message = "expected \(expected), found the end of the text"
      if let kind = builder.frames.last?.kind, let offset = openOffsets.last {
        let position = positionIndex.position(at: offset).position
        message += #"; the "\#(kind == .array ? "[" : "{")" at \#(position.line):\#(position.column) is not closed"#
      }
      return failure(message, at: index)
    }
    let first = bytes[index]
    var length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    while JSONLexer.isLetter(first), index + length < bytes.byteCount, length < 40,
      JSONLexer.isLetter(bytes[index + length])
    { length += 1 }
    let found = String(knownUTF8: bytes.extracting(index..<index + length), isASCII: first < 0x80).quoted
    var message = "expected \(expected), found \(first == UInt8(ascii: "\"") ? "a quotation mark" : found)"
    switch first {
    case UInt8(ascii: "]"), UInt8(ascii: "}"):
      var before = index
      while before > 0, bytes[before - 1].isWhiteSpace { before -= 1 }
      if before > 0, bytes[before - 1] == UInt8(ascii: ",") { message += "; JSON does not allow a comma before it" }
    case UInt8(ascii: "/"), UInt8(ascii: "#"): message += "; JSON has no comments"
    case UInt8(ascii: "'"): message += "; JSON strings need double quotation marks"
    default: break
    }
    return failure(message, at: index)
  }
}
