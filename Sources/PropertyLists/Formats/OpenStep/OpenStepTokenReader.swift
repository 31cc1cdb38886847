internal import FoundationEssentials

/// A reader that creates nodes from the tokens of an OpenStep text, and finds its defects. The format has arrays `( a,
/// b )`, dictionaries `{ k = v; }`, data `<0fbd>`, and strings. A strings file is a dictionary without braces.
///
/// Open containers are kept in ``NodeTableBuilder``, so nested containers use no stack space.
struct OpenStepTokenReader: ~Copyable, ~Escapable {
  var lexer: OpenStepLexer
  /// The text before invalid UTF-8 was replaced.
  let original: TextSource
  private let depthLimit: Int
  var defects: DefectLog
  private var positionIndex: PositionIndex
  var builder: NodeTableBuilder
  /// The text of all strings with their escapes decoded, and the bytes of all data. The offsets of the nodes refer to
  /// it.
  var text: [UInt8] = []
  /// The offset in the source of each node of ``NodeTableBuilder/pending``.
  var offsets: [Int] = []
  /// The offset in the source of each open container.
  private var openOffsets: [Int] = []
  /// True if the outermost dictionary has no braces.
  private(set) var isStringsFile = false

  /// The end of the last string, if it was unquoted; else -1.
  var unquotedEnd = -1

  /// The state of error recovery.
  var mending = Mending()
  /// True if a comma, a semicolon or a closing bracket is expected next, after a value.
  var isBehindValue = false

  /// Reads a text in the OpenStep format.
  ///
  /// - Parameter defects: Receives every defect. If it has room for more than one, the reader recovers from errors.
  static func read(
    _ original: TextSource, _ options: PropertyListReadingOptions, _ defects: inout DefectLog
  ) throws(PropertyListError) -> TextContent {
    let source = try original.checkingUTF8(defects: &defects)
    var reader = OpenStepTokenReader(source.text.bytes, original, options, defects)
    defer { defects = reader.defects }
    try reader.read()
    return reader.finish()
  }

  /// Creates a reader.
  ///
  /// - Parameter bytes: The text.
  @_lifetime(copy bytes)
  private init(_ bytes: RawSpan, _ original: TextSource, _ options: PropertyListReadingOptions, _ defects: DefectLog) {
    lexer = OpenStepLexer(bytes)
    self.original = original
    self.defects = defects
    positionIndex = PositionIndex(original)
    depthLimit = options.limits.effectiveDepth
    builder = NodeTableBuilder(options: options, expectedNodes: bytes.byteCount / 64)
  }

  /// Reads the root value and all values in it.
  private mutating func read() throws(PropertyListError) {
    do { try readBeginning() } catch { try mendBeginning(error) }
    while builder.depth > 0 {
      do {
        if isBehindValue {
          isBehindValue = false
          try readAfterValue()
        } else {
          try readNext()
        }
      } catch {
        try mend(error)
      }
    }
    if try skipSpace(), !mending.isUnbalanced { try defects.report(unexpected(expected: "the end of the text")) }
  }

  private mutating func finish() -> TextContent { TextContent(text: Data(text), table: builder.finish()) }

  private mutating func readBeginning() throws(PropertyListError) {
    if try !skipSpace() {
      // A strings file without entries.
      isStringsFile = true
      try open(.dictionary, at: lexer.index)
    } else if OpenStepLexer.beginsString(lexer.byte) {
      try readStringOrEntries()
    } else {
      try readValue(expected: "a value")
    }
  }

  /// Reads a string at the start of the text. If nothing follows it, the string is the root value; otherwise it is the
  /// first key of a strings file.
  private mutating func readStringOrEntries() throws(PropertyListError) {
    let offset = lexer.index
    let string = try readString()
    guard try skipSpace() else { return append(string, at: offset) }
    guard lexer.byte == UInt8(ascii: "=") || lexer.byte == UInt8(ascii: ";") else {
      mending.firstKey = (string, offset)
      throw unexpected(expected: #""=", ";" or the end of the text"#)
    }
    try beginStringsFile(with: string, at: offset)
    try readAfterKey()
  }

  mutating func beginStringsFile(with key: FlatNode, at offset: Int) throws(PropertyListError) {
    isStringsFile = true
    try open(.dictionary, at: offset)
    append(key, at: offset)
  }

  /// True if the innermost dictionary ends with the text instead of a brace.
  var isWithoutBraces: Bool { isStringsFile && builder.depth == 1 }

  /// Reads the next entry or element of the innermost container, or the end of that container. If the value is a
  /// container, reads only its beginning.
  private mutating func readNext() throws(PropertyListError) {
    let hasMore = try skipSpace()
    if builder.frames.last?.kind == .array {
      if lexer.byte == UInt8(ascii: ")") {
        lexer.index += 1
        return try close()
      }
      return try readValue(expected: #"a value or ")""#)
    }
    if isWithoutBraces {
      guard hasMore else { return try close() }
    } else if lexer.byte == UInt8(ascii: "}") {
      lexer.index += 1
      return try close()
    }
    guard hasMore, OpenStepLexer.beginsString(lexer.byte) else {
      throw unexpected(expected: isWithoutBraces ? "a key" : #"a key or "}""#)
    }
    let offset = lexer.index
    append(try readString(), at: offset)
    try readAfterKey()
  }

  /// Reads `= value;` after a key, or a semicolon alone, which makes the key its own value.
  private mutating func readAfterKey() throws(PropertyListError) {
    _ = try skipSpace()
    if lexer.byte == UInt8(ascii: "=") {
      lexer.index += 1
      _ = try skipSpace()
      try readValue(expected: "a value")
    } else if lexer.byte == UInt8(ascii: ";") {
      lexer.index += 1
      append(builder.pending[builder.pending.count - 1], at: offsets[offsets.count - 1])
    } else {
      throw unexpected(expected: #""=" or ";""#)
    }
  }

  /// Reads a value and the comma or semicolon after it. If the value is a container, reads only its beginning.
  private mutating func readValue(expected: StaticString) throws(PropertyListError) {
    guard !lexer.isAtEnd else { throw unexpected(expected: expected) }
    let offset = lexer.index
    switch lexer.byte {
    case UInt8(ascii: "{"):
      lexer.index += 1
      return try open(.dictionary, at: offset)
    case UInt8(ascii: "("):
      lexer.index += 1
      return try open(.array, at: offset)
    case UInt8(ascii: "<"): append(try readAngleBrackets(), at: offset)
    case let byte where OpenStepLexer.beginsString(byte): append(try readString(), at: offset)
    default: throw unexpected(expected: expected)
    }
    try readAfterValue()
  }

  /// Reads the comma or semicolon after a value. No comma is needed at the end of an array.
  private mutating func readAfterValue() throws(PropertyListError) {
    guard let kind = builder.frames.last?.kind else { return }
    _ = try skipSpace()
    if kind == .array {
      if lexer.byte == UInt8(ascii: ")") { return }
      guard lexer.byte == UInt8(ascii: ",") else { throw missingMark(expected: #""," or ")""#) }
    } else {
      guard lexer.byte == UInt8(ascii: ";") else { throw missingMark(expected: #"";""#) }
    }
    lexer.index += 1
  }

  mutating func append(_ node: FlatNode, at offset: Int) {
    builder.append(node)
    offsets.append(offset)
  }

  private mutating func open(_ kind: NodeKind, at offset: Int) throws(PropertyListError) {
    guard builder.depth < depthLimit else {
      let limit = ParsingLimits.nestedTooDeeply(limit: depthLimit)
      // Recovery starts at the bracket.
      lexer.index = offset
      throw failure(limit.message, limit.kind, at: offset)
    }
    builder.open(kind)
    openOffsets.append(offset)
  }

  private mutating func close() throws(PropertyListError) {
    try closeInnermost()
    try readAfterValue()
  }

  mutating func closeInnermost() throws(PropertyListError) {
    // This copy shares its storage with the property. The builder can change while it reads the copy, but not while it
    // reads the property.
    let text = text
    if !defects.defects.isEmpty { builder.dropStandIns(offsets: &offsets) }
    for (index, key) in builder.resolveDuplicates(in: text.rawBytes, defects) {
      let name = NodeContent.text(key, in: text.rawBytes)
      try defects.report(failure("duplicate key \(name.quoted)", .duplicateKey, at: offsets[index]))
    }
    builder.close(in: text.rawBytes)
    // The offset of the container replaces the offsets of its children. The builder may have dropped some of the
    // children.
    offsets.removeLast(offsets.count - (builder.pending.count - 1))
    offsets.append(openOffsets.removeLast())
  }

  /// Skips white space and comments. Returns true if more text follows.
  @inline(__always)
  private mutating func skipSpace() throws(PropertyListError) -> Bool {
    guard lexer.passTrivia() else { throw failure(OpenStepDefect(kind: .commentWithoutEnd, offset: lexer.index)) }
    return !lexer.isAtEnd
  }

  mutating func failure(
    _ message: String, _ kind: PropertyListError.Kind = .malformed, at offset: Int
  ) -> PropertyListError {
    // This copy shares its storage with the property. The builder can change while it reads the copy, but not while it
    // reads the property.
    let text = text
    return builder.failure(message, kind, at: positionIndex.position(at: offset), in: text.rawBytes)
  }

  /// Returns the error for a defect of the last token.
  mutating func failure(_ defect: OpenStepDefect) -> PropertyListError {
    switch defect.kind {
    case .commentWithoutEnd, .dataWithoutEnd: mending.isOver = true
    case .stringWithoutEnd: mending.unclosedString = defect.offset
    case .noDigit:
      let index = lexer.index
      lexer.index = defect.offset
      defer { lexer.index = index }
      return unexpected(expected: #"a hexadecimal digit or ">""#)
    case .base64WithoutEnd, .typedValueWithoutEnd, .halfByte: break
    }
    return failure(defect.message, at: defect.offset)
  }

  /// Returns the error for the next character, or for the end of the text. `expected` names the expected token.
  mutating func unexpected(expected: StaticString) -> PropertyListError {
    let index = lexer.index
    guard !lexer.isAtEnd else {
      mending.isOver = true
      mending.isAtEnd = true
      var message = "expected \(expected), found the end of the text"
      if !isWithoutBraces, let kind = builder.frames.last?.kind, let offset = openOffsets.last {
        let position = positionIndex.position(at: offset).position
        message += #"; the "\#(kind == .array ? "(" : "{")" at \#(position.line):\#(position.column) is not closed"#
      }
      return failure(message, at: index)
    }
    let first = lexer.byte
    let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    let character = String(knownUTF8: lexer.bytes.extracting(index..<index + length), isASCII: first < 0x80).quoted
    var message: String
    switch first {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): message = "expected \(expected), found a quotation mark"
    case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "<"),
      UInt8(ascii: ">"), UInt8(ascii: "="), UInt8(ascii: ";"), UInt8(ascii: ","):
      message = "expected \(expected), found \(character)"
    default:
      message =
        index == unquotedEnd
        ? "a string that contains \(character) needs quotation marks" : "expected \(expected), found \(character)"
    }
    if isBehindStringOfLines() {
      let position = positionIndex.position(at: mending.lastQuoted.lowerBound).position
      message += "; the string before it begins at \(position.line):\(position.column)"
    }
    return failure(message, at: lexer.index)
  }

  /// Returns the error for a missing comma or semicolon; see ``unexpected(expected:)``.
  private mutating func missingMark(expected: StaticString) -> PropertyListError {
    mending.isMarkMissing = !lexer.isAtEnd && lexer.index != unquotedEnd
    return unexpected(expected: expected)
  }
}
