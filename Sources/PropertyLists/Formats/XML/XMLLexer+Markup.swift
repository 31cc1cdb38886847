/// Functions that read markup other than tags: comments, CDATA, instructions and declarations.
extension XMLLexer {
  mutating func comment() -> XMLToken {
    let content = index + 4
    let end = commentEnd.next(from: content, in: bytes)
    var token = markup(.comment, content, end, "-->", orOpen: .commentWithoutEnd)
    // A comment must not contain two hyphens.
    if let end, let hyphens = bytes.firstIndex(of: "--", from: content), hyphens < token.defect?.offset ?? end {
      token.defect = XMLDefect(kind: .hyphens, offset: hyphens)
    }
    return token
  }

  mutating func cdata() -> XMLToken {
    let content = index + 9
    return markup(.cdata, content, cdataEnd.next(from: content, in: bytes), "]]>", orOpen: .cdataWithoutEnd)
  }

  mutating func instruction() -> XMLToken {
    let content = index + 2
    let end = instructionEnd.next(from: content, in: bytes)
    return markup(.instruction, content, end, "?>", orOpen: .instructionWithoutEnd)
  }

  /// Returns a token for a comment, CDATA or an instruction.
  ///
  /// - Parameters:
  ///   - content: The offset of its content.
  ///   - end: The end of its content, or nil if the markup is unterminated.
  ///   - open: The defect if the markup is unterminated.
  private mutating func markup(
    _ kind: XMLToken.Kind, _ content: Int, _ end: Int?, _ closing: StaticString, orOpen open: XMLDefect.Kind
  ) -> XMLToken {
    let start = index
    index = end.map { $0 + closing.utf8CodeUnitCount } ?? bytes.byteCount
    let content = content..<(end ?? bytes.byteCount)
    let defect = end == nil ? XMLDefect(kind: open, offset: start) : invalidCharacter(in: content)
    return XMLToken(kind: kind, range: start..<index, content: content, defect: defect)
  }

  mutating func xmlDeclaration() -> XMLToken {
    let start = index
    let content = start + 5
    index = content
    var defect = xmlDeclarationDefect()
    if defect != nil { _ = passToTagEnd(from: content) }
    if start != documentStart { defect = XMLDefect(kind: .lateXMLDeclaration, offset: start) }
    return XMLToken(kind: .instruction, range: start..<index, defect: defect)
  }

  /// Skips the pseudo-attributes of the XML declaration, and its end. Returns its first defect.
  private mutating func xmlDeclarationDefect() -> XMLDefect? {
    passSpace()
    guard bytes.starts(with: "version", at: index) else { return XMLDefect(kind: .xmlDeclaration, offset: index) }
    for name in ["version", "encoding", "standalone"] as [StaticString] where bytes.starts(with: name, at: index) {
      guard case .success = attribute() else { return XMLDefect(kind: .xmlDeclaration, offset: index) }
      passSpace()
    }
    guard bytes.starts(with: "?>", at: index) else { return XMLDefect(kind: .xmlDeclaration, offset: index) }
    index += 2
    return nil
  }

  mutating func documentType() -> XMLToken {
    let start = index
    index = start + 9
    guard let defect = documentTypeDefect() else { return XMLToken(kind: .declaration, range: start..<index) }
    let end = declarationEnd(from: start + 9)
    index = end ?? bytes.byteCount
    return XMLToken(
      kind: .declaration, range: start..<index,
      defect: end == nil ? XMLDefect(kind: .documentTypeWithoutEnd, offset: start) : defect)
  }

  /// Skips the text after `<!DOCTYPE`. Returns its first defect.
  private mutating func documentTypeDefect() -> XMLDefect? {
    let start = index - 9
    passSpace()
    guard index > start + 9 else { return XMLDefect(kind: .documentTypeWithoutSpace, offset: start) }
    let name = index
    while index < bytes.byteCount, Self.isName(bytes[index]), bytes[index] != UInt8(ascii: "[") { index += 1 }
    guard index > name else { return XMLDefect(kind: .documentType, offset: index) }
    passSpace()
    var literals = 0
    if bytes.starts(with: "SYSTEM", at: index) { literals = 1 }
    if bytes.starts(with: "PUBLIC", at: index) { literals = 2 }
    if literals > 0 { index += 6 }
    for _ in 0..<literals {
      let spaceStart = index
      passSpace()
      guard index > spaceStart, passesLiteral() else { return XMLDefect(kind: .documentType, offset: index) }
    }
    passSpace()
    guard !passes(UInt8(ascii: "[")) else { return XMLDefect(kind: .internalSubset, offset: index - 1) }
    return passes(UInt8(ascii: ">")) ? nil : XMLDefect(kind: .documentType, offset: index)
  }

  /// Skips text in quotation marks. Returns false if it is missing or has a character that XML does not allow.
  private mutating func passesLiteral() -> Bool {
    guard index < bytes.byteCount, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'"),
      let end = bytes.firstIndex(of: bytes[index], from: index + 1)
    else { return false }
    if let defect = invalidCharacter(in: index + 1..<end) {
      index = defect.offset
      return false
    }
    index = end + 1
    return true
  }

  /// Returns a token for `<!` that begins neither a comment, nor CDATA, nor a document type.
  mutating func declaration() -> XMLToken {
    let start = index
    index = declarationEnd(from: start + 2) ?? start + 1
    return XMLToken(kind: .declaration, range: start..<index, defect: XMLDefect(kind: .less, offset: start))
  }

  /// Returns the offset after the probable end of a declaration, which may contain brackets. Returns nil if no end is
  /// found.
  private mutating func declarationEnd(from start: Int) -> Int? {
    var quotes = QuoteScan()
    var offset = start
    while offset < bytes.byteCount, quotes.isOpen || bytes[offset] != UInt8(ascii: "[") {
      // In a declaration, other markup can occur only in brackets, so a `<` means that the `>` is missing.
      if !quotes.isOpen, bytes[offset] == UInt8(ascii: "<") { return quotes.quotedEnd ?? offset }
      offset += 1
      if quotes.ends(with: bytes[offset - 1], at: offset) { return offset }
    }
    // The end was not found. If there was a `>` in quotation marks, one of the quotation marks is probably unpaired,
    // and the `>` is the end.
    if quotes.isOpen || offset == bytes.byteCount { return quotes.quotedEnd }
    let bracket = offset
    guard bracket < lastSubsetEnd else { return nil }
    while let found = bytes.firstIndex(of: UInt8(ascii: "]"), from: offset) {
      offset = found + 1
      while offset < bytes.byteCount, bytes[offset].isWhiteSpace { offset += 1 }
      if offset < bytes.byteCount, bytes[offset] == UInt8(ascii: ">") { return offset + 1 }
    }
    lastSubsetEnd = bracket
    return nil
  }
}
