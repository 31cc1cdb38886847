/// A lexer that divides any bytes into tokens of XML 1.0.
///
/// Only this type knows the grammar of XML. It does not check everything: for example, libxml2 checks which characters
/// a name may contain.
package struct XMLLexer: ~Escapable {
  package let bytes: RawSpan
  /// The offset of the next token.
  package var index: Int
  /// The offset of the document. An XML declaration is valid only there.
  let documentStart: Int
  /// True if text may contain characters that XML does not allow.
  var allowsAllCharacters = false
  /// A range of text that follows invalid UTF-8 and has already been scanned. It is not scanned again for the next
  /// tokens.
  private var scannedText = 0..<0
  var commentEnd = ForwardSearch("-->")
  var cdataEnd = ForwardSearch("]]>")
  var instructionEnd = ForwardSearch("?>")
  /// The lowest known offset of a `[` in a document type that has no closing `]>`, or `Int.max`. A `[` at a higher
  /// offset has no `]>` either, so the search is not repeated.
  var lastSubsetEnd = Int.max

  /// The maximum length of a tag, in bytes. libxml2 compares each attribute of a tag with all others, so its time for a
  /// tag grows quadratically. Property lists do not need attributes.
  static let greatestTagLength = 1024

  @_lifetime(copy bytes)
  package init(_ bytes: RawSpan, at index: Int = 0) {
    self.bytes = bytes
    self.index = index
    documentStart = index
  }

  /// Returns the next token. At the end of the text, returns a token of kind `end`.
  ///
  /// - Complexity: O(*n*) in the length of the token. All unterminated tokens together cost O(*n*) in the length of the
  ///   text.
  package mutating func next() -> XMLToken {
    let start = index
    guard start < bytes.byteCount else { return XMLToken(kind: .end, range: start..<start) }
    guard bytes[start] == UInt8(ascii: "<") else { return text() }
    switch start + 1 < bytes.byteCount ? bytes[start + 1] : 0 {
    case UInt8(ascii: "!"):
      if bytes.starts(with: "<!--", at: start) { return comment() }
      if bytes.starts(with: "<![CDATA[", at: start) { return cdata() }
      return bytes.starts(with: "<!DOCTYPE", at: start) ? documentType() : declaration()
    case UInt8(ascii: "?"): return XMLText.beginsDeclaration(bytes, at: start) ? xmlDeclaration() : instruction()
    default: return tag()
    }
  }

  /// Skips to the next `<`, or to the end.
  package mutating func passToMarkup() {
    index = bytes.firstIndex(of: UInt8(ascii: "<"), from: index) ?? bytes.byteCount
  }

  /// Skips the next markup of a text that is known to have no defects. Returns its kind, as ``next()`` does.
  package mutating func passMarkup() -> XMLToken.Kind {
    passToMarkup()
    let start = index
    guard start + 1 < bytes.byteCount, bytes[start + 1] != UInt8(ascii: "!"), bytes[start + 1] != UInt8(ascii: "?")
    else { return next().kind }
    passTag()
    if bytes[start + 1] == UInt8(ascii: "/") { return .endTag }
    return bytes[index - 2] == UInt8(ascii: "/") ? .emptyTag : .startTag
  }

  /// Returns true if a tag has a name.
  package func hasName(_ token: XMLToken, _ name: StaticString) -> Bool {
    token.content.count == name.utf8CodeUnitCount && bytes.starts(with: name, at: token.content.lowerBound)
  }

  /// Returns the offset of the XML declaration if only white space and comments precede it, else 0.
  ///
  /// XML allows nothing before its declaration, but Apple's reader (`CFPropertyList.c`) and libplist skip both.
  ///
  /// - Complexity: O(*n*) in the length of the text before the declaration.
  static func documentStart(in bytes: RawSpan) -> Int {
    var lexer = XMLLexer(bytes)
    while true {
      lexer.passSpace()
      let token = lexer.next()
      switch token.kind {
      case .comment where token.defect == nil: continue
      case .instruction where XMLText.beginsDeclaration(bytes, at: token.range.lowerBound):
        return token.range.lowerBound
      default: return 0
      }
    }
  }

  @inline(__always)
  mutating func passSpace() {
    while index < bytes.byteCount, bytes[index].isWhiteSpace { index += 1 }
  }

  private mutating func text() -> XMLToken {
    let start = index
    let isVerbatim = passText()
    if index > start { return XMLToken(kind: .text, range: start..<index, hasReplacements: !isVerbatim) }
    switch bytes[start] {
    case UInt8(ascii: "&"):
      let defect = defectOfReference()
      index = referenceEnd(from: start)
      return XMLToken(kind: .invalid, range: start..<index, defect: defect)
    case UInt8(ascii: "]"):
      index += 3
      return invalid(start..<index, .cdataEnd, at: start)
    default:
      let defect = defectOfCharacter(at: index)
      while index < bytes.byteCount, XMLText.characterLength(in: bytes, at: index) == nil { index += 1 }
      return XMLToken(kind: .invalid, range: start..<index, defect: defect)
    }
  }

  func invalid(_ range: Range<Int>, _ defect: XMLDefect.Kind, at offset: Int) -> XMLToken {
    XMLToken(kind: .invalid, range: range, defect: XMLDefect(kind: defect, offset: offset))
  }

  /// Skips text that XML allows, up to the next `<`, `]]>`, malformed reference or invalid character, or to the end.
  ///
  /// - Returns: True if the text has no references and no CR, so that it needs no decoding.
  /// - Complexity: O(*n*) in the length of the text. No text is scanned twice, even if invalid UTF-8 ends it early.
  mutating func passText() -> Bool {
    guard scannedText.contains(index) else { return passText(from: index) }
    let start = index
    index = scannedText.upperBound
    return passText(from: start, isVerbatim: false, isASCII: false)
  }

  /// Skips text, as ``passText()`` does. May scan the text after invalid UTF-8 a second time, so use it only in readers
  /// that give up at invalid UTF-8.
  ///
  /// - Parameters:
  ///   - start: The offset of the text. The part before ``index`` has been scanned already.
  ///   - isVerbatim: True if that part needs no decoding.
  ///   - isASCII: True if that part is ASCII.
  @inline(__always)
  mutating func passText(from start: Int, isVerbatim: Bool = true, isASCII: Bool = true) -> Bool {
    let end = bytes.byteCount
    var isVerbatim = isVerbatim
    var isASCII = isASCII
    scan: while true {
      if index &+ 8 <= end {
        let stops = ByteClass.stopsText(bytes.littleEndianWord(at: index), stopsAtHigh: isASCII)
        if stops == 0 {
          index &+= 8
          continue
        }
        index &+= stops.trailingZeroBitCount / 8
      } else if index == end {
        break
      }
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "<"): break scan
      case UInt8(ascii: "&"):
        guard let (_, length) = XMLText.reference(in: bytes, at: index) else { break scan }
        isVerbatim = false
        index += length
      case UInt8(ascii: ">"):
        // XML 1.0 section 2.4: text must not contain `]]>`.
        if index >= start + 2, bytes[index - 1] == UInt8(ascii: "]"), bytes[index - 2] == UInt8(ascii: "]") {
          index -= 2
          break scan
        }
        index += 1
      case 0x09, 0x0A: index += 1
      case 0x0D:
        isVerbatim = false
        index += 1
      case 0..<0x20 where !allowsAllCharacters: break scan
      default:
        if byte >= 0x80 { isASCII = false }
        index += 1
      }
    }
    if !isASCII {
      let stop = index
      index = start + bytes.extracting(start..<index).validLength(allowsAllCharacters: allowsAllCharacters)
      if index < stop { scannedText = index..<stop }
    }
    return isVerbatim
  }

  /// Returns the defect of the first character in a range that XML does not allow, or nil if it allows all.
  func invalidCharacter(in range: Range<Int>) -> XMLDefect? {
    var content = XMLLexer(bytes.extracting(..<range.upperBound), at: range.lowerBound)
    content.allowsAllCharacters = allowsAllCharacters
    while content.index < range.upperBound {
      _ = content.passText()
      guard content.index < range.upperBound else { return nil }
      guard let length = XMLText.characterLength(in: bytes, at: content.index) else {
        return defectOfCharacter(at: content.index)
      }
      content.index += length
    }
    return nil
  }

  /// Returns the defect of the character at an offset: invalid UTF-8, or a character that XML does not allow.
  func defectOfCharacter(at offset: Int) -> XMLDefect {
    let length = bytes.scalar(at: offset).length
    let isUTF8 = bytes.extracting(offset..<min(offset + length, bytes.byteCount)).isValidUTF8
    return XMLDefect(kind: isUTF8 ? .character : .notUTF8, offset: offset)
  }

  /// Returns the defect of the malformed reference at ``index``.
  func defectOfReference() -> XMLDefect {
    var offset = index + 1
    if offset < bytes.byteCount, bytes[offset] == UInt8(ascii: "#") {
      return XMLDefect(kind: .reference, offset: index)
    }
    guard offset < bytes.byteCount, Self.beginsName(bytes[offset]) else {
      return XMLDefect(kind: .ampersand, offset: index)
    }
    while offset < bytes.byteCount, bytes[offset] >= 0x80 || XMLText.isNameByte(bytes[offset]) { offset += 1 }
    let hasEnd = offset < bytes.byteCount && bytes[offset] == UInt8(ascii: ";")
    return XMLDefect(kind: hasEnd ? .unknownEntity : .referenceWithoutEnd, offset: index)
  }

  /// Returns the offset after the `;` of a malformed reference, or after its `&` if the `;` is missing.
  private func referenceEnd(from start: Int) -> Int {
    for offset in start + 1..<max(start + 1, min(bytes.byteCount, start + 64)) {
      switch bytes[offset] {
      case UInt8(ascii: ";"): return offset + 1
      case 0...0x20, UInt8(ascii: "<"), UInt8(ascii: "&"), UInt8(ascii: "\""): return start + 1
      default: break
      }
    }
    return start + 1
  }
}

extension RawSpan {
  /// Returns the number of bytes before the first invalid UTF-8. U+FFFE and U+FFFF also count as invalid, unless
  /// `allowsAllCharacters` is true.
  fileprivate func validLength(allowsAllCharacters: Bool) -> Int {
    let end = firstInvalidUTF8(from: 0)?.lowerBound ?? byteCount
    if allowsAllCharacters { return end }
    var offset = 0
    let valid = extracting(..<end)
    while let found = valid.firstIndex(of: 0xEF, from: offset), found + 2 < end {
      if self[found + 1] == 0xBF, self[found + 2] >= 0xBE { return found }
      offset = found + 1
    }
    return end
  }
}
