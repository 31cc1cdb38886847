/// A piece of an XML text, sound or not. Tokens stand side by side, so every byte of a text is in exactly one.
package struct XMLToken {
  package enum Kind {
    /// Characters and references that XML allows, up to the next `<` or to what is invalid.
    case text
    case startTag
    /// A tag that ends with `/>`.
    case emptyTag
    case endTag
    case comment
    case cdata
    /// `<?…?>`, the XML declaration included.
    case instruction
    /// `<!DOCTYPE…>`, and any other `<!…>`.
    case declaration
    /// What no text of XML may have: a `<` or `&` that begins nothing, a character that isn't allowed, `]]>`.
    case invalid
    /// The end of the text, which has no bytes.
    case end
  }

  package let kind: Kind
  package let range: Range<Int>
  /// The name of a tag; the content of a comment, CDATA or an instruction.
  package var content = 0..<0
  /// Whether text has references or CR, so that it doesn't stand for itself.
  var hasReplacements = false
  /// How many attributes a tag has, those that declare a namespace included.
  var attributeCount = 0
  var namespaceCount = 0
  /// What is wrong. Everything invalid has a defect; of other kinds, the kind says what the piece is meant to be.
  var defect: XMLDefect?
}

/// What is wrong with a piece of text, and where.
struct XMLDefect: Error {
  enum Kind {
    case tagWithoutEnd, longTag, noAttribute
    case attributeWithoutValue, attributeWithoutQuotes, attributeWithoutEnd, lessInAttribute
    case less, ampersand, referenceWithoutEnd, unknownEntity, reference
    case character, notUTF8, cdataEnd
    case hyphens, commentWithoutEnd, cdataWithoutEnd, instructionWithoutEnd
    case documentTypeWithoutSpace, documentTypeWithoutEnd, documentType, internalSubset
    case xmlDeclaration, lateXMLDeclaration
  }

  let kind: Kind
  let offset: Int

  /// Whether the piece has no end, so that nothing can be told of the text after it.
  var isOpen: Bool {
    switch kind {
    case .commentWithoutEnd, .cdataWithoutEnd, .instructionWithoutEnd, .documentTypeWithoutEnd: true
    default: false
    }
  }

  var errorKind: PropertyListError.Kind { kind == .longTag ? .limitExceeded : .malformed }

  func message(_ bytes: RawSpan) -> String {
    switch kind {
    case .tagWithoutEnd: #"a tag without its ">""#
    case .longTag: "a tag of more than \(XMLLexer.greatestTagLength) bytes"
    case .noAttribute: #"neither an attribute nor ">" in a tag"#
    case .attributeWithoutValue: "an attribute without a value"
    case .attributeWithoutQuotes: "the value of an attribute without quotation marks"
    case .attributeWithoutEnd: "the value of an attribute without its closing quotation mark"
    case .lessInAttribute: #""<" in the value of an attribute; the character is written "&lt;""#
    case .less: #""<" that begins no tag; the character is written "&lt;""#
    case .ampersand: #""&" that begins no reference; the character is written "&amp;""#
    case .referenceWithoutEnd: #"a reference without its ";"; the character "&" is written "&amp;""#
    case .unknownEntity: "the entity \(entityName(bytes).quoted) is not one of the five of XML"
    case .reference: "a reference to no character that XML allows"
    case .character: "the character \(bytes.scalar(at: offset).scalar.number), which XML does not allow"
    case .notUTF8: "not UTF-8"
    case .cdataEnd: #""]]>" in text; the last of these characters is written "&gt;""#
    case .hyphens: #""--" in a comment"#
    case .commentWithoutEnd: "a comment without its end"
    case .cdataWithoutEnd: "CDATA without its end"
    case .instructionWithoutEnd: "a processing instruction without its end"
    case .documentTypeWithoutSpace: #"no white space between "<!DOCTYPE" and the name of the document type"#
    case .documentTypeWithoutEnd: #"a document type without its ">""#
    case .documentType: "a malformed document type"
    case .internalSubset: "a document type with an internal subset"
    case .xmlDeclaration: "a malformed XML declaration"
    case .lateXMLDeclaration: "an XML declaration that is not at the start of the document"
    }
  }

  private func entityName(_ bytes: RawSpan) -> String {
    let start = offset + 1
    let end = bytes.firstIndex(of: UInt8(ascii: ";"), from: start) ?? bytes.byteCount
    return String(decoding: [UInt8](bytes, start..<end), as: UTF8.self)
  }
}
