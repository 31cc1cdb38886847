/// Finds where the markup of a text ends, as far as that can be told where the text is not well-formed.
struct XMLMarkup {
  enum Kind {
    case comment, cdata, instruction, declaration, startTag, endTag
    /// A `<` that begins nothing.
    case none
  }

  /// What begins with a `<`.
  struct Item {
    let kind: Kind
    /// Where the name of a tag stands.
    var name = 0..<0
    /// Behind it; nil if it has no end.
    let end: Int?
    /// Whether a tag ends with `/>`.
    var isEmptyTag = false
  }

  private var commentEnd = ForwardSearch("-->")
  private var cdataEnd = ForwardSearch("]]>")
  private var instructionEnd = ForwardSearch("?>")
  private var bracket = ForwardSearch("]")

  /// - Complexity: O(*n*) in its length; what has no end is looked for once.
  mutating func item(at start: Int, in bytes: RawSpan) -> Item {
    if bytes.starts(with: "<!--", at: start) {
      return Item(kind: .comment, end: commentEnd.next(from: start + 4, in: bytes).map { $0 + 3 })
    }
    if bytes.starts(with: "<![CDATA[", at: start) {
      return Item(kind: .cdata, end: cdataEnd.next(from: start + 9, in: bytes).map { $0 + 3 })
    }
    if bytes.starts(with: "<?", at: start) {
      return Item(kind: .instruction, end: instructionEnd.next(from: start + 2, in: bytes).map { $0 + 2 })
    }
    if bytes.starts(with: "<!", at: start) {
      return Item(kind: .declaration, end: declarationEnd(start + 2, in: bytes))
    }
    let isEndTag = bytes.starts(with: "</", at: start)
    let nameStart = start + (isEndTag ? 2 : 1)
    var nameEnd = nameStart
    while nameEnd < bytes.byteCount, Self.isName(bytes[nameEnd]) { nameEnd += 1 }
    guard isEndTag || nameEnd > nameStart, nameEnd == nameStart || Self.beginsName(bytes[nameStart]) else {
      return Item(kind: .none, end: start + 1)
    }
    let end = Self.tagEnd(nameEnd, in: bytes)
    return Item(
      kind: isEndTag ? .endTag : .startTag, name: nameStart..<nameEnd, end: end,
      isEmptyTag: end >= start + 2 && bytes[end - 1] == UInt8(ascii: ">") && bytes[end - 2] == UInt8(ascii: "/"))
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

  /// Behind the `>` of a tag; before the next `<`, if that comes first.
  private static func tagEnd(_ start: Int, in bytes: RawSpan) -> Int {
    var quote: UInt8 = 0
    var quotedEnd: Int?
    var index = start
    while index < bytes.byteCount, bytes[index] != UInt8(ascii: "<") {
      let byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: ">") {
        if quote == 0 { return index }
        if quotedEnd == nil { quotedEnd = index }
      } else if quote != 0 {
        if byte == quote { quote = 0 }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      }
    }
    return quotedEnd ?? index
  }

  /// Behind the `>` of a declaration, and behind the brackets in it.
  private mutating func declarationEnd(_ start: Int, in bytes: RawSpan) -> Int? {
    var index = start
    var quote: UInt8 = 0
    var quotedEnd: Int?
    while index < bytes.byteCount, quote != 0 || bytes[index] != UInt8(ascii: "[") {
      let byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: ">") {
        if quote == 0 { return index }
        if quotedEnd == nil { quotedEnd = index }
      } else if quote != 0 {
        if byte == quote { quote = 0 }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      }
    }
    // A quotation mark without its partner.
    if quote != 0 { return quotedEnd }
    while let found = bracket.next(from: index, in: bytes) {
      index = found + 1
      while index < bytes.byteCount, XMLText.isSpace(bytes[index]) { index += 1 }
      if index < bytes.byteCount, bytes[index] == UInt8(ascii: ">") { return index + 1 }
    }
    return nil
  }
}
