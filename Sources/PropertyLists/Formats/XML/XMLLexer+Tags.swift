/// Functions that read start tags, end tags and attributes.
extension XMLLexer {
  /// Skips a tag that is known to have no defects.
  mutating func passTag() {
    var offset = index
    while offset &+ 8 <= bytes.byteCount {
      let word = bytes.littleEndianWord(at: offset)
      let found =
        ByteClass.equal(word, UInt8(ascii: ">")) | ByteClass.equal(word, UInt8(ascii: "\""))
        | ByteClass.equal(word, UInt8(ascii: "'"))
      if found != 0 {
        offset &+= found.trailingZeroBitCount / 8
        break
      }
      offset &+= 8
    }
    // Tags with quotation marks, which may enclose a `>`, and tags near the end of the text are scanned byte by byte.
    if offset < bytes.byteCount, bytes[offset] == UInt8(ascii: ">") {
      index = offset + 1
    } else {
      _ = passToTagEnd(from: index + 1)
    }
  }

  mutating func tag() -> XMLToken {
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
    var counts = (attributes: 0, namespaces: 0)
    var defect = isEndTag ? endOfEndTag(start) : attributes(start, &counts)
    if let found = defect {
      let quotes = passToTagEnd(from: nameEnd)
      // A defect after the tag does not belong to the tag.
      if found.offset >= index, found.kind != .lessInAttribute, let quote = quotes.quoteOffset {
        defect = XMLDefect(kind: .attributeWithoutEnd, offset: quote)
      }
    }
    if !isEndTag, index - start > Self.greatestTagLength,
      defect.map({ $0.offset >= start + Self.greatestTagLength }) ?? true
    {
      defect = XMLDefect(kind: .longTag, offset: start)
    }
    let isEmpty = !isEndTag && bytes[index - 1] == UInt8(ascii: ">") && bytes[index - 2] == UInt8(ascii: "/")
    return XMLToken(
      kind: isEndTag ? .endTag : isEmpty ? .emptyTag : .startTag, range: start..<index, content: nameStart..<nameEnd,
      attributeCount: counts.attributes, namespaceCount: counts.namespaces, defect: defect)
  }

  /// Skips the rest of an end tag after its name. Returns its defect.
  private mutating func endOfEndTag(_ start: Int) -> XMLDefect? {
    passSpace()
    guard passes(UInt8(ascii: ">")) else { return XMLDefect(kind: .tagWithoutEnd, offset: start) }
    return nil
  }

  /// Skips the rest of a start tag after its name. Returns its first defect.
  private mutating func attributes(_ start: Int, _ counts: inout (attributes: Int, namespaces: Int)) -> XMLDefect? {
    while true {
      passSpace()
      guard index < bytes.byteCount, bytes[index] >= 0x20 else { return XMLDefect(kind: .tagWithoutEnd, offset: start) }
      if passes(UInt8(ascii: ">")) { return nil }
      if bytes.starts(with: "/>", at: index) {
        index += 2
        return nil
      }
      switch attribute() {
      case .success(let (name, _)):
        counts.attributes += 1
        let isNamespace = bytes.starts(with: "xmlns", at: name.lowerBound)
        if isNamespace, name.count == 5 || bytes[name.lowerBound + 5] == UInt8(ascii: ":") { counts.namespaces += 1 }
      case .failure(let defect): return defect
      }
    }
  }

  /// Skips an attribute. Returns the ranges of its name and its value.
  mutating func attribute() -> Result<(name: Range<Int>, value: Range<Int>), XMLDefect> {
    let start = index
    while index < bytes.byteCount, Self.isName(bytes[index]) { index += 1 }
    let name = start..<index
    guard !name.isEmpty, Self.beginsName(bytes[start]) else {
      return .failure(.init(kind: .noAttribute, offset: start))
    }
    passSpace()
    guard passes(UInt8(ascii: "=")) else { return .failure(.init(kind: .attributeWithoutValue, offset: index)) }
    passSpace()
    guard index < bytes.byteCount, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") else {
      return .failure(.init(kind: .attributeWithoutQuotes, offset: index))
    }
    let quote = bytes[index]
    index += 1
    let value = index
    while index < bytes.byteCount, bytes[index] != quote {
      switch bytes[index] {
      case UInt8(ascii: "<"): return .failure(.init(kind: .lessInAttribute, offset: index))
      case UInt8(ascii: "&"):
        guard let (_, length) = XMLText.reference(in: bytes, at: index) else { return .failure(defectOfReference()) }
        index += length
      default:
        guard let length = XMLText.characterLength(in: bytes, at: index) else {
          return .failure(defectOfCharacter(at: index))
        }
        index += length
      }
    }
    guard passes(quote) else { return .failure(.init(kind: .attributeWithoutEnd, offset: value - 1)) }
    return .success((name, value..<index - 1))
  }

  mutating func passes(_ byte: UInt8) -> Bool {
    guard index < bytes.byteCount, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "\""),
      UInt8(ascii: "'"), UInt8(ascii: "&"):
      false
    default: byte > 0x20
    }
  }

  static func beginsName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
      UInt8(ascii: ":"):
      true
    default: byte >= 0x80
    }
  }

  /// Skips to the probable end of a tag with a defect: after its `>`, or before the next `<` if that comes first.
  mutating func passToTagEnd(from start: Int) -> QuoteScan {
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

/// A scanner for the `>` that ends markup. Quotation marks in the markup may be unpaired.
struct QuoteScan {
  private var quote: UInt8 = 0
  /// The offset after the first `>` in quotation marks; nil until one is found.
  private(set) var quotedEnd: Int?
  /// The offset of the last opening quotation mark; nil until one is found.
  private(set) var quoteOffset: Int?

  var isOpen: Bool { quote != 0 }

  /// Consumes a byte. Returns true if it is a `>` outside of quotation marks.
  ///
  /// - Parameter offset: The offset after the byte.
  mutating func ends(with byte: UInt8, at offset: Int) -> Bool {
    if byte == UInt8(ascii: ">") {
      if quote == 0 { return true }
      if quotedEnd == nil { quotedEnd = offset }
    } else if quote != 0 {
      if byte == quote { quote = 0 }
    } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
      quote = byte
      quoteOffset = offset - 1
    }
    return false
  }
}
