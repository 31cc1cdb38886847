/// A token of an XML text, valid or not. Tokens are adjacent, so every byte of a text belongs to exactly one.
package struct XMLToken {
  package enum Kind {
    /// Characters and references that XML allows, up to the next `<` or the first invalid byte.
    case text
    case startTag
    /// A tag that ends with `/>`.
    case emptyTag
    case endTag
    case comment
    case cdata
    /// `<?…?>`, including the XML declaration.
    case instruction
    /// `<!DOCTYPE…>`, and any other `<!…>`.
    case declaration
    /// Bytes that XML does not allow: a `<` or `&` that begins no markup, a disallowed character, or `]]>`.
    case invalid
    /// The end of the text, which has no bytes.
    case end
  }

  package let kind: Kind
  package let range: Range<Int>
  /// The name of a tag; the content of a comment, CDATA or an instruction.
  package var content = 0..<0
  /// True if text has references or CR, so that it must be decoded.
  var hasReplacements = false
  /// The number of attributes of a tag, including namespace declarations.
  var attributeCount = 0
  var namespaceCount = 0
  /// The defect of the token, if it has one. A token of kind `invalid` always has a defect. A token of another kind,
  /// such as a tag, can have a defect, such as a missing `>`; it was probably meant to be of its kind.
  var defect: XMLDefect?
}

/// A defect in a token, and its offset.
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

  /// True if the token is unterminated, so that the text after it cannot be interpreted.
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
    case .noAttribute: #"expected an attribute or ">" in a tag"#
    case .attributeWithoutValue: "an attribute without a value"
    case .attributeWithoutQuotes: "an attribute value without quotation marks"
    case .attributeWithoutEnd: "an attribute value without its closing quotation mark"
    case .lessInAttribute: #""<" in an attribute value; write it as "&lt;""#
    case .less: #""<" does not begin a tag; write the character as "&lt;""#
    case .ampersand: #""&" does not begin a reference; write the character as "&amp;""#
    case .referenceWithoutEnd: #"a reference without its ";"; write the character "&" as "&amp;""#
    case .unknownEntity: "unknown entity \(entityName(bytes).quoted); XML has only amp, lt, gt, quot and apos"
    case .reference: "an invalid character reference"
    case .character: "the character \(bytes.scalar(at: offset).scalar.number), which XML does not allow"
    case .notUTF8: "not UTF-8"
    case .cdataEnd: #""]]>" in text; write it as "]]&gt;""#
    case .hyphens: #""--" in a comment"#
    case .commentWithoutEnd: "an unterminated comment"
    case .cdataWithoutEnd: "an unterminated CDATA section"
    case .instructionWithoutEnd: "an unterminated processing instruction"
    case .documentTypeWithoutSpace: #"no white space between "<!DOCTYPE" and the name of the document type"#
    case .documentTypeWithoutEnd: #"a document type without its ">""#
    case .documentType: "a malformed document type"
    case .internalSubset: "a document type with an internal subset, which is not supported"
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
