internal import FoundationEssentials

/// The words for text that is not well-formed. What libxml2 says is kept where it says what is wrong.
extension XMLHandler {
  /// - Returns: a message, and the place it is about.
  func wording(of fault: LibXML2.SyntaxFault, _ message: String) -> (message: String, place: Int) {
    let bytes = source.text.bytes
    switch fault {
    case .tagMismatch: return (mismatch, tagPlace)
    case .tagNotFinished:
      return ("the end of the text where \(dueEnd)", bytes.byteCount)
    case .tagNotClosed: return (#"a tag without its ">""#, tagPlace)
    case .noName:
      switch offset > 0 && offset <= bytes.byteCount ? bytes[offset - 1] : 0 {
      case UInt8(ascii: "&"): return (#""&" that begins no reference; the character is written "&amp;""#, offset - 1)
      case UInt8(ascii: "<"): return (#""<" that begins no tag; the character is written "&lt;""#, offset - 1)
      default: return (#"neither an attribute nor ">" in a tag"#, offset)
      }
    case .noReferenceEnd:
      return (#"a reference without its ";"; the character "&" is written "&amp;""#, placeBefore(UInt8(ascii: "&")))
    case .unknownEntity: return (unknownEntityMessage, placeBefore(UInt8(ascii: "&")))
    case .reference: return reference
    case .character, .notUTF8: return message.contains("CharRef") ? reference : character(message)
    case .documentEnd: return ("more behind the end of the root element", offset)
    case .noRoot:
      return offset < bytes.byteCount
        ? ("text where the first tag is due", offset) : ("the end of the text where the first tag is due", offset)
    case .cdataEnd:
      // libxml2 may stand before it or in it.
      let place = bytes.firstIndex(of: "]]>", from: max(0, offset - 2)) ?? offset
      return (#""]]>" in text; the last of these characters is written "&gt;""#, place)
    case .comment: return ("a comment without its end", itemPlace)
    case .cdata: return ("CDATA without its end", itemPlace)
    case .instruction: return ("a processing instruction without its end", itemPlace)
    case .hyphens: return (#""--" in a comment"#, offset)
    case .attributeWithoutValue: return ("an attribute without a value", offset)
    case .attributeWithoutQuotes: return ("the value of an attribute without quotation marks", offset)
    case .lessInAttribute: return (#""<" in the value of an attribute; the character is written "&lt;""#, offset)
    case .other: return (message, offset)
    }
  }

  private var reference: (message: String, place: Int) {
    ("a reference to no character that XML allows", placeBefore(UInt8(ascii: "&")))
  }

  private var mismatch: String {
    let bytes = source.text.bytes
    let name = markup.item(at: tagPlace, in: bytes).name
    let found = String(decoding: source.text.dropFirst(name.lowerBound).prefix(name.count), as: UTF8.self)
    return "</\(found.printable(limit: 80))> where \(dueEnd)"
  }

  private var dueEnd: String {
    guard let open = elements.last else { return "a tag is due" }
    let name = open.name.printable(limit: 80)
    let start = place(open.place)
    return "</\(name)> is due; the <\(name)> stands at \(start.line):\(start.column)"
  }

  /// Where what has no end begins that libxml2 has come to the end of the text with.
  private var itemPlace: Int {
    let bytes = source.text.bytes
    var index = sound
    while let start = bytes.firstIndex(of: UInt8(ascii: "<"), from: index) {
      guard let end = markup.item(at: start, in: bytes).end, end < bytes.byteCount else { return start }
      index = end
    }
    return offset
  }

  /// Whether what stands where libxml2 is is no UTF-8.
  var isNotUTF8: Bool {
    let bytes = source.text.bytes
    guard offset < bytes.byteCount, XMLText.characterLength(in: bytes, at: offset) == nil else { return false }
    let piece = source.text.dropFirst(offset).prefix(4)
    return String(decoding: piece, as: UTF8.self).unicodeScalars.first == "\u{FFFD}"
  }

  private func character(_ message: String) -> (message: String, place: Int) {
    let bytes = source.text.bytes
    guard offset < bytes.byteCount, XMLText.characterLength(in: bytes, at: offset) == nil else {
      return (message, offset)
    }
    let piece = source.text.dropFirst(offset).prefix(4)
    guard !isNotUTF8, let scalar = String(decoding: piece, as: UTF8.self).unicodeScalars.first else {
      return ("not UTF-8", offset)
    }
    let number = String(scalar.value, radix: 16, uppercase: true)
    let zeros = String(repeating: "0", count: max(0, 4 - number.utf8.count))
    return ("the character U+\(zeros)\(number), which XML does not allow", offset)
  }
}
