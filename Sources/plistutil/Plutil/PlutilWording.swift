import FoundationEssentials
import PropertyLists
import SystemFiles

/// Error messages about files: the words of Apple's tool where they are known, else those of this tool.
enum PlutilWording {
  /// Returns the message about a file that cannot be read.
  static func text(_ error: PropertyListError, path: String) -> String {
    guard case .inputOutput(let code) = error.kind else { return text(error) }
    let name = path.split(separator: "/").last.map { $0.printable() } ?? path.printable()
    switch code {
    case ENOENT: return "(The file “\(name)” couldn’t be opened because there is no such file.)"
    case EACCES: return "(The file “\(name)” couldn’t be opened because you don’t have permission to view it.)"
    default: return "(\(error.message.printable()))"
    }
  }

  /// Returns the message about a file that is not a property list. The message has two reasons, because Apple's tool
  /// tries two parsers.
  static func text(_ error: PropertyListError, in data: Data) -> String {
    let json: String
    let list: String
    if PropertyListFormat(detecting: data.bytes) == .json {
      list = jsonIsNoList(data)
      json = text(error)
    } else {
      list = lintText(error, in: data)
      do {
        _ = try PropertyListDocument(data, format: .json)
        json = "it is a single JSON value, not a property list"
      } catch {
        json = text(error)
      }
    }
    return "Property List error: \(list) / JSON error: \(json)"
  }

  /// Returns the message about a JSON file if another format was expected.
  static func jsonIsNoList(_ data: Data) -> String {
    let isBracket = { byte in byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") }
    guard let bracket = data.firstIndex(where: isBracket) else { return "Unexpected character at line 1" }
    let line = 1 + data[..<bracket].count { $0 == UInt8(ascii: "\n") }
    return "Unexpected character \(Unicode.Scalar(data[bracket])) at line \(line)"
  }

  /// Returns the message of an error, followed by the location.
  static func text(_ error: PropertyListError) -> String {
    let location: String
    if let position = error.position {
      location = " at line \(position.line), column \(position.column)"
    } else {
      location = error.byteOffset.map { " at byte \($0)" } ?? ""
    }
    return error.message + location + error.keyPathText
  }

  /// Returns the message about a file in a format other than JSON.
  static func lintText(_ error: PropertyListError, in data: Data) -> String {
    if data.isEmpty { return "Cannot parse a NULL or zero-length data" }
    guard error.kind == .malformed, PropertyListFormat(detecting: data.bytes) == .xml, let position = error.position,
      let source = TextSource(lenient: data, .xml)
    else { return text(error) }
    return xmlText(source, position) ?? text(error)
  }

  /// Returns the message of Apple's tool for an error at a position in XML. The message depends on the token there.
  /// Returns nil if no message fits.
  private static func xmlText(_ source: TextSource, _ position: PropertyListError.TextPosition) -> String? {
    let bytes = source.text.bytes
    let offset = source.offsets(of: [position])[0]
    let line = position.line
    var lexer = XMLLexer(bytes, at: offset)
    let token = lexer.next()
    switch token.kind {
    case .end: return "Encountered unexpected EOF"
    case .invalid where source.text.dropFirst(offset).first == UInt8(ascii: "&"):
      return "Encountered unknown ampersand-escape sequence at line \(line)"
    case .endTag where lexer.hasName(token, "dict") && followsKey(bytes, offset):
      return "Value missing for key inside <dict> at line \(line)"
    case .startTag, .emptyTag:
      let name = String(decoding: source.text.dropFirst(offset + 1).prefix(token.content.count), as: UTF8.self)
      switch name {
      case "date": return "Could not interpret <date> at line \(line)"
      case "real": return "Encountered misformatted real on line \(line)"
      case "integer": return integerText(source.text, lexer.next(), line)
      case "string", "true", "false", "array", "dict", "data", "key", "plist": return nil
      default: return "Encountered unknown tag \(name.printable(limit: 80)) on line \(line)"
      }
    default: return nil
    }
  }

  private static func integerText(_ text: Data, _ content: XMLToken, _ line: Int) -> String? {
    guard content.kind == .text else { return "Encountered empty <integer> on line \(line)" }
    let digits = text.dropFirst(content.range.lowerBound).prefix(content.range.count)
    let isLetter = { byte in (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20) }
    return digits.contains(where: isLetter) && !digits.contains(UInt8(ascii: "x"))
      ? "Hex digit in non-hex <integer> on line \(line)" : nil
  }

  /// Returns true if the last tag before an offset ends a key.
  private static func followsKey(_ bytes: RawSpan, _ offset: Int) -> Bool {
    var lexer = XMLLexer(bytes)
    var last: XMLToken?
    while lexer.index < offset {
      let token = lexer.next()
      if token.kind == .endTag || token.kind == .startTag || token.kind == .emptyTag { last = token }
    }
    guard let last, last.kind != .startTag else { return false }
    return lexer.hasName(last, "key")
  }
}
