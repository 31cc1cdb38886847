/// Divides a text into the tokens of XML 1.0, whatever its bytes are.
///
/// This is the one place that knows the grammar of XML. What it does not look at, such as which characters may stand in
/// a name, is for libxml2 to judge.
package struct XMLLexer: ~Escapable {
  package let bytes: RawSpan
  /// The place of the next token.
  package var index: Int
  private let documentStart: Int
  /// Whether text may have characters that XML does not allow.
  var allowsAllCharacters = false
  /// Text in which nothing stops a token but bytes that are no UTF-8, so that it is looked through once.
  private var scannedText = 0..<0
  private var missingEnds = MissingEnds()

  /// The places from which on there is no end of a piece, so that what has no end is searched once for it.
  private struct MissingEnds {
    var comment = Int.max
    var cdata = Int.max
    var instruction = Int.max
    var bracket = Int.max
  }

  /// libxml2 compares each attribute of a tag with all others, so that the time for a long tag grows with the square of
  /// its length. Property lists have no use for attributes.
  static let greatestTagLength = 1024

  @_lifetime(copy bytes)
  package init(_ bytes: RawSpan, at index: Int = 0) {
    self.bytes = bytes
    self.index = index
    documentStart = index
  }

  /// The next token; at the end of the text, and from then on, one of kind `end`.
  ///
  /// - Complexity: O(*n*) in its length; of a piece without an end, in the length of the text, once for all such pieces.
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

  /// Goes to the next `<`, or to the end.
  package mutating func passToMarkup() {
    index = bytes.firstIndex(of: UInt8(ascii: "<"), from: index) ?? bytes.byteCount
  }

  /// Passes the next piece of markup of a text that has no faults.
  ///
  /// - Returns: its kind, as ``next()`` has it.
  package mutating func passMarkup() -> XMLToken.Kind {
    passToMarkup()
    let start = index
    guard start + 1 < bytes.byteCount, bytes[start + 1] != UInt8(ascii: "!"), bytes[start + 1] != UInt8(ascii: "?")
    else { return next().kind }
    passTag()
    if bytes[start + 1] == UInt8(ascii: "/") { return .endTag }
    return bytes[index - 2] == UInt8(ascii: "/") ? .emptyTag : .startTag
  }

  /// Passes a tag without faults.
  private mutating func passTag() {
    var place = index
    while place &+ 8 <= bytes.byteCount {
      let word = bytes.littleEndianWord(at: place)
      let found =
        ByteClass.equal(word, UInt8(ascii: ">")) | ByteClass.equal(word, UInt8(ascii: "\""))
        | ByteClass.equal(word, UInt8(ascii: "'"))
      if found != 0 {
        place &+= found.trailingZeroBitCount / 8
        break
      }
      place &+= 8
    }
    // With quotation marks, in which a `>` may stand, and near the end of the text, byte by byte.
    if place < bytes.byteCount, bytes[place] == UInt8(ascii: ">") {
      index = place + 1
    } else {
      _ = passToTagEnd(from: index + 1)
    }
  }

  /// Whether a tag has a name.
  package func hasName(_ token: XMLToken, _ name: StaticString) -> Bool {
    token.content.count == name.utf8CodeUnitCount && bytes.starts(with: name, at: token.content.lowerBound)
  }

  /// Where a document begins: at its XML declaration, if only white space and comments precede that, else at the first
  /// byte.
  ///
  /// XML allows nothing before its declaration; Apple's reader (`CFPropertyList.c`) and libplist pass over both.
  ///
  /// - Complexity: O(*n*) in the length of what precedes the declaration.
  static func documentStart(in bytes: RawSpan) -> Int {
    var lexer = XMLLexer(bytes)
    while true {
      lexer.passSpace()
      let token = lexer.next()
      switch token.kind {
      case .comment where token.fault == nil: continue
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
}

/// What isn't text and no tag.
extension XMLLexer {
  /// - Parameter missing: a place from which on there is none.
  private func end(_ text: StaticString, from start: Int, _ missing: inout Int) -> Int? {
    guard start < missing else { return nil }
    let found = bytes.firstIndex(of: text, from: start)
    if found == nil { missing = start }
    return found
  }

  private mutating func comment() -> XMLToken {
    let start = index
    let end = end("-->", from: start + 4, &missingEnds.comment)
    var content = XMLLexer(bytes.extracting(..<(end ?? bytes.byteCount)), at: start + 4)
    var fault = content.firstInvalidCharacter()
    // As XML has it, two hyphens end a comment.
    if let hyphens = bytes.firstIndex(of: "--", from: start + 4), hyphens != end,
      hyphens < fault?.place ?? bytes.byteCount
    {
      fault = XMLFault(kind: .hyphens, place: hyphens)
    }
    return markup(.comment, end: end.map { $0 + 3 }, fault, orOpen: .commentWithoutEnd)
  }

  private mutating func cdata() -> XMLToken {
    let content = index + 9
    let end = end("]]>", from: content, &missingEnds.cdata)
    var characters = XMLLexer(bytes.extracting(..<(end ?? bytes.byteCount)), at: content)
    let fault = characters.firstInvalidCharacter()
    var token = markup(.cdata, end: end.map { $0 + 3 }, fault, orOpen: .cdataWithoutEnd)
    token.content = content..<(end ?? bytes.byteCount)
    return token
  }

  private mutating func instruction() -> XMLToken {
    let end = end("?>", from: index + 2, &missingEnds.instruction)
    var content = XMLLexer(bytes.extracting(..<(end ?? bytes.byteCount)), at: index + 2)
    let fault = content.firstInvalidCharacter()
    return markup(.instruction, end: end.map { $0 + 2 }, fault, orOpen: .instructionWithoutEnd)
  }

  /// - Parameters:
  ///   - end: nil for a piece without an end.
  ///   - fault: what is wrong inside it.
  private mutating func markup(
    _ kind: XMLToken.Kind, end: Int?, _ fault: XMLFault?, orOpen open: XMLFault.Kind
  ) -> XMLToken {
    let start = index
    index = end ?? bytes.byteCount
    var token = XMLToken(kind: kind, range: start..<index)
    token.fault = end == nil ? XMLFault(kind: open, place: start) : fault
    return token
  }

  private mutating func xmlDeclaration() -> XMLToken {
    let start = index
    let content = start + 5
    index = content
    var fault = xmlDeclarationFault()
    if fault != nil { _ = passToTagEnd(from: content) }
    if start != documentStart { fault = XMLFault(kind: .lateXMLDeclaration, place: start) }
    return XMLToken(kind: .instruction, range: start..<index, fault: fault)
  }

  /// Passes the pseudo-attributes of the XML declaration, and its end.
  private mutating func xmlDeclarationFault() -> XMLFault? {
    passSpace()
    guard bytes.starts(with: "version", at: index) else { return XMLFault(kind: .xmlDeclaration, place: index) }
    for name in ["version", "encoding", "standalone"] as [StaticString] where bytes.starts(with: name, at: index) {
      guard case .success = attribute() else { return XMLFault(kind: .xmlDeclaration, place: index) }
      passSpace()
    }
    guard bytes.starts(with: "?>", at: index) else { return XMLFault(kind: .xmlDeclaration, place: index) }
    index += 2
    return nil
  }

  private mutating func documentType() -> XMLToken {
    let start = index
    index = start + 9
    guard let fault = documentTypeFault() else { return XMLToken(kind: .declaration, range: start..<index) }
    let end = declarationEnd(from: start + 9)
    index = start
    return markup(.declaration, end: end, fault, orOpen: .documentTypeWithoutEnd)
  }

  /// Passes what stands after `<!DOCTYPE`.
  private mutating func documentTypeFault() -> XMLFault? {
    let start = index - 9
    passSpace()
    guard index > start + 9 else { return XMLFault(kind: .documentTypeWithoutSpace, place: start) }
    let name = index
    while index < bytes.byteCount, Self.isName(bytes[index]), bytes[index] != UInt8(ascii: "[") { index += 1 }
    guard index > name else { return XMLFault(kind: .documentType, place: index) }
    passSpace()
    var literals = 0
    if bytes.starts(with: "SYSTEM", at: index) { literals = 1 }
    if bytes.starts(with: "PUBLIC", at: index) { literals = 2 }
    if literals > 0 { index += 6 }
    for _ in 0..<literals {
      let place = index
      passSpace()
      guard index > place, passesLiteral() else { return XMLFault(kind: .documentType, place: index) }
    }
    passSpace()
    guard !passes(UInt8(ascii: "[")) else { return XMLFault(kind: .internalSubset, place: index - 1) }
    return passes(UInt8(ascii: ">")) ? nil : XMLFault(kind: .documentType, place: index)
  }

  /// Passes text between quotation marks, with any characters that XML allows.
  private mutating func passesLiteral() -> Bool {
    guard index < bytes.byteCount, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'"),
      let end = bytes.firstIndex(of: bytes[index], from: index + 1)
    else { return false }
    var content = XMLLexer(bytes.extracting(..<end), at: index + 1)
    if let fault = content.firstInvalidCharacter() {
      index = fault.place
      return false
    }
    index = end + 1
    return true
  }

  /// `<!` that begins neither a comment, CDATA nor a document type.
  private mutating func declaration() -> XMLToken {
    let fault = XMLFault(kind: .less, place: index)
    return markup(.declaration, end: declarationEnd(from: index + 2) ?? index + 1, fault, orOpen: .less)
  }

  /// Where a declaration ends, which may have brackets in it.
  private mutating func declarationEnd(from start: Int) -> Int? {
    var quotes = QuoteScan()
    var place = start
    while place < bytes.byteCount, quotes.isOpen || bytes[place] != UInt8(ascii: "[") {
      // No other markup stands in a declaration, but in brackets.
      if !quotes.isOpen, bytes[place] == UInt8(ascii: "<") { return quotes.quotedEnd ?? place }
      place += 1
      if quotes.ends(with: bytes[place - 1], at: place) { return place }
    }
    // A quotation mark without its partner.
    if quotes.isOpen || place == bytes.byteCount { return quotes.quotedEnd }
    let bracket = place
    guard bracket < missingEnds.bracket else { return nil }
    while let found = bytes.firstIndex(of: UInt8(ascii: "]"), from: place) {
      place = found + 1
      while place < bytes.byteCount, bytes[place].isWhiteSpace { place += 1 }
      if place < bytes.byteCount, bytes[place] == UInt8(ascii: ">") { return place + 1 }
    }
    missingEnds.bracket = bracket
    return nil
  }
}

/// Tags.
extension XMLLexer {
  private mutating func tag() -> XMLToken {
    let start = index
    let isEndTag = bytes.starts(with: "</", at: start)
    let nameStart = start + (isEndTag ? 2 : 1)
    var nameEnd = nameStart
    while nameEnd < bytes.byteCount, Self.isName(bytes[nameEnd]) { nameEnd += 1 }
    guard isEndTag || nameEnd > nameStart, nameEnd == nameStart || Self.beginsName(bytes[nameStart]) else {
      index = start + 1
      return invalid(start..<start + 1, .less, at: start)
    }
    index = nameEnd
    var namespaceCount = 0
    var fault = isEndTag ? endOfEndTag(start) : attributes(start, &namespaceCount)
    if let found = fault {
      let quotes = passToTagEnd(from: nameEnd)
      // What comes after the tag isn't its fault.
      if found.place >= index, found.kind != .lessInAttribute, let quote = quotes.place {
        fault = XMLFault(kind: .attributeWithoutEnd, place: quote)
      }
    }
    if index - start > Self.greatestTagLength, fault.map({ $0.place >= start + Self.greatestTagLength }) ?? true {
      fault = XMLFault(kind: .longTag, place: start)
    }
    let isEmpty = !isEndTag && bytes[index - 1] == UInt8(ascii: ">") && bytes[index - 2] == UInt8(ascii: "/")
    return XMLToken(
      kind: isEndTag ? .endTag : isEmpty ? .emptyTag : .startTag, range: start..<index, content: nameStart..<nameEnd,
      namespaceCount: namespaceCount, fault: fault)
  }

  /// Passes what stands after the name of an end tag.
  private mutating func endOfEndTag(_ start: Int) -> XMLFault? {
    passSpace()
    guard passes(UInt8(ascii: ">")) else { return XMLFault(kind: .tagWithoutEnd, place: start) }
    return nil
  }

  /// Passes what stands after the name of a tag.
  private mutating func attributes(_ start: Int, _ namespaceCount: inout Int) -> XMLFault? {
    while true {
      passSpace()
      guard index < bytes.byteCount, bytes[index] >= 0x20 else { return XMLFault(kind: .tagWithoutEnd, place: start) }
      if passes(UInt8(ascii: ">")) { return nil }
      if bytes.starts(with: "/>", at: index) {
        index += 2
        return nil
      }
      if bytes.starts(with: "xmlns", at: index) { namespaceCount += 1 }
      if case .failure(let fault) = attribute() { return fault }
    }
  }

  /// Passes an attribute.
  ///
  /// - Returns: where its name and its value stand.
  mutating func attribute() -> Result<(name: Range<Int>, value: Range<Int>), XMLFault> {
    let start = index
    while index < bytes.byteCount, Self.isName(bytes[index]) { index += 1 }
    let name = start..<index
    guard !name.isEmpty, Self.beginsName(bytes[start]) else { return .failure(.init(kind: .noAttribute, place: start)) }
    passSpace()
    guard passes(UInt8(ascii: "=")) else { return .failure(.init(kind: .attributeWithoutValue, place: index)) }
    passSpace()
    guard index < bytes.byteCount, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") else {
      return .failure(.init(kind: .attributeWithoutQuotes, place: index))
    }
    let quote = bytes[index]
    index += 1
    let value = index
    while index < bytes.byteCount, bytes[index] != quote {
      switch bytes[index] {
      case UInt8(ascii: "<"): return .failure(.init(kind: .lessInAttribute, place: index))
      case UInt8(ascii: "&"):
        guard let (_, length) = XMLText.reference(in: bytes, at: index) else { return .failure(faultOfReference()) }
        index += length
      default:
        guard let length = XMLText.characterLength(in: bytes, at: index) else { return .failure(faultOfCharacter()) }
        index += length
      }
    }
    guard passes(quote) else { return .failure(.init(kind: .attributeWithoutEnd, place: value - 1)) }
    return .success((name, value..<index - 1))
  }

  private mutating func passes(_ byte: UInt8) -> Bool {
    guard index < bytes.byteCount, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "\""),
      UInt8(ascii: "'"), UInt8(ascii: "&"):
      false
    default: byte > 0x20
    }
  }

  private static func beginsName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
      UInt8(ascii: ":"):
      true
    default: byte >= 0x80
    }
  }

  /// Goes to where a tag with a fault most likely ends: after its `>`, or before the next `<`, if that comes first.
  private mutating func passToTagEnd(from start: Int) -> QuoteScan {
    var quotes = QuoteScan()
    index = start
    while index < bytes.byteCount, bytes[index] != UInt8(ascii: "<") {
      index += 1
      if quotes.ends(with: bytes[index - 1], at: index) { return quotes }
    }
    index = quotes.quotedEnd ?? index
    return quotes
  }
}

/// Looks for the `>` of markup, in which quotation marks may have no partner.
private struct QuoteScan {
  private var quote: UInt8 = 0
  /// After the first `>` between quotation marks.
  private(set) var quotedEnd: Int?
  /// The quotation mark that is open, or was last.
  private(set) var place: Int?

  var isOpen: Bool { quote != 0 }

  /// - Parameter place: the place after the byte.
  /// - Returns: true for a `>` that stands between no quotation marks.
  mutating func ends(with byte: UInt8, at place: Int) -> Bool {
    if byte == UInt8(ascii: ">") {
      if quote == 0 { return true }
      if quotedEnd == nil { quotedEnd = place }
    } else if quote != 0 {
      if byte == quote { quote = 0 }
    } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
      quote = byte
      self.place = place - 1
    }
    return false
  }
}

/// Text.
extension XMLLexer {
  private mutating func text() -> XMLToken {
    let start = index
    let isVerbatim = passText()
    if index > start { return XMLToken(kind: .text, range: start..<index, hasReplacements: !isVerbatim) }
    switch bytes[start] {
    case UInt8(ascii: "&"):
      let fault = faultOfReference()
      index = referenceEnd(from: start)
      return XMLToken(kind: .invalid, range: start..<index, fault: fault)
    case UInt8(ascii: "]"):
      index += 3
      return invalid(start..<index, .cdataEnd, at: start)
    default:
      let fault = faultOfCharacter()
      while index < bytes.byteCount, XMLText.characterLength(in: bytes, at: index) == nil { index += 1 }
      return XMLToken(kind: .invalid, range: start..<index, fault: fault)
    }
  }

  private func invalid(_ range: Range<Int>, _ fault: XMLFault.Kind, at place: Int) -> XMLToken {
    XMLToken(kind: .invalid, range: range, fault: XMLFault(kind: fault, place: place))
  }

  /// Passes text that XML allows, up to the next `<`, to what isn't allowed, or to the end.
  ///
  /// - Returns: whether it stands for itself, without references and CR.
  /// - Complexity: O(*n*) in its length.
  @inline(__always)
  mutating func passText() -> Bool {
    let start = index
    let end = bytes.byteCount
    var isVerbatim = true
    var isASCII = true
    if scannedText.contains(start) { (index, isVerbatim, isASCII) = (scannedText.upperBound, false, false) }
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
        // XML 1.0 section 2.4: `]]>` may not stand in text.
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

  /// What is wrong first in the content of a comment and the like, up to the end of this lexer's text.
  private mutating func firstInvalidCharacter() -> XMLFault? {
    while index < bytes.byteCount {
      _ = passText()
      guard index < bytes.byteCount else { return nil }
      guard let length = XMLText.characterLength(in: bytes, at: index) else { return faultOfCharacter() }
      index += length
    }
    return nil
  }

  /// What is wrong with the character at ``index``.
  private func faultOfCharacter() -> XMLFault {
    let length = bytes.scalar(at: index).length
    let isUTF8 = bytes.extracting(index..<min(index + length, bytes.byteCount)).isValidUTF8
    return XMLFault(kind: isUTF8 ? .character : .notUTF8, place: index)
  }

  /// What is wrong with the reference at ``index``.
  private func faultOfReference() -> XMLFault {
    var place = index + 1
    if place < bytes.byteCount, bytes[place] == UInt8(ascii: "#") { return XMLFault(kind: .reference, place: index) }
    guard place < bytes.byteCount, Self.beginsName(bytes[place]) else {
      return XMLFault(kind: .ampersand, place: index)
    }
    while place < bytes.byteCount, bytes[place] >= 0x80 || XMLText.isNameByte(bytes[place]) { place += 1 }
    let hasEnd = place < bytes.byteCount && bytes[place] == UInt8(ascii: ";")
    return XMLFault(kind: hasEnd ? .unknownEntity : .referenceWithoutEnd, place: index)
  }

  /// After the `;` of what begins like a reference; after the `&` if there is none.
  private func referenceEnd(from start: Int) -> Int {
    for place in start + 1..<max(start + 1, min(bytes.byteCount, start + 64)) {
      switch bytes[place] {
      case UInt8(ascii: ";"): return place + 1
      case 0...0x20, UInt8(ascii: "<"), UInt8(ascii: "&"), UInt8(ascii: "\""): return start + 1
      default: break
      }
    }
    return start + 1
  }
}

extension RawSpan {
  /// How many bytes are UTF-8, without U+FFFE and U+FFFF unless they are allowed.
  fileprivate func validLength(allowsAllCharacters: Bool) -> Int {
    let end = firstInvalidUTF8(from: 0)?.lowerBound ?? byteCount
    if allowsAllCharacters { return end }
    var place = 0
    let valid = extracting(..<end)
    while let found = valid.firstIndex(of: 0xEF, from: place), found + 2 < end {
      if self[found + 1] == 0xBF, self[found + 2] >= 0xBE { return found }
      place = found + 1
    }
    return end
  }
}
