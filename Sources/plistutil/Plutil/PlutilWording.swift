import FoundationEssentials
import PropertyLists

/// What is wrong with a file, in the words of Apple's tool where it has some, and else in our own.
enum PlutilWording {
  /// A file that cannot be read.
  static func text(_ error: PropertyListError, path: String) -> String {
    guard case .inputOutput(let errno) = error.kind else { return text(error) }
    let name = path.split(separator: "/").last.map { $0.printable() } ?? path.printable()
    switch errno {
    case 2: return "(The file “\(name)” couldn’t be opened because there is no such file.)"
    case 13: return "(The file “\(name)” couldn’t be opened because you don’t have permission to view it.)"
    default: return "(\(error.message.printable()))"
    }
  }

  /// A file that is no property list. Both reasons are given, because both kinds of text are tried.
  static func text(_ error: PropertyListError, in data: Data) -> String {
    let json: String
    let list: String
    if PropertyListFormat(detecting: data.bytes) == .json {
      list = jsonIsNoList(data)
      json = text(error)
    } else {
      list = lintText(error, in: data)
      do throws(PropertyListError) {
        _ = try PropertyListDocument(data, format: .json)
        json = "it is one value of JSON, and no property list"
      } catch {
        json = text(error)
      }
    }
    return "Property List error: \(list) / JSON error: \(json)"
  }

  /// What is wrong with a JSON file that ought to be in another format.
  static func jsonIsNoList(_ data: Data) -> String {
    let isBracket = { byte in byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") }
    guard let bracket = data.firstIndex(where: isBracket) else { return "Unexpected character at line 1" }
    let line = 1 + data[..<bracket].count { $0 == UInt8(ascii: "\n") }
    return "Unexpected character \(Unicode.Scalar(data[bracket])) at line \(line)"
  }

  /// The place behind the message.
  static func text(_ error: PropertyListError) -> String {
    let place: String
    if let position = error.position {
      place = " at line \(position.line), column \(position.column)"
    } else {
      place = error.byteOffset.map { " at byte \($0)" } ?? ""
    }
    // The key path follows the message.
    return error.message + place + error.detail.dropFirst(error.message.count)
  }

  /// What is wrong with a file in another format than JSON.
  static func lintText(_ error: PropertyListError, in data: Data) -> String {
    if data.isEmpty { return "Cannot parse a NULL or zero-length data" }
    guard error.kind == .malformed, PropertyListFormat(detecting: data.bytes) == .xml, let offset = error.byteOffset,
      let line = error.position?.line, offset <= data.count
    else { return text(error) }
    return xmlText(data, offset: offset, line: line) ?? text(error)
  }

  /// The tag or reference at a place says what is wrong with it.
  private static func xmlText(_ data: Data, offset: Int, line: Int) -> String? {
    let place = data.index(data.startIndex, offsetBy: offset)
    let rest = data[place...]
    guard let first = rest.first else { return "Encountered unexpected EOF" }
    if first == UInt8(ascii: "&") { return "Encountered unknown ampersand-escape sequence at line \(line)" }
    guard first == UInt8(ascii: "<"), let end = rest.firstIndex(where: { isEndOfName($0) }) else { return nil }
    var name = String(decoding: rest[rest.index(after: place)..<end], as: UTF8.self)
    if name.hasSuffix("/") { name.removeLast() }
    let content = rest[end...].drop { $0 != UInt8(ascii: ">") }.dropFirst().prefix { $0 != UInt8(ascii: "<") }
    switch name {
    case "/dict":
      return endsWithKey(data[..<place]) ? "Value missing for key inside <dict> at line \(line)" : nil
    case "date": return "Could not interpret <date> at line \(line)"
    case "real": return "Encountered misformatted real on line \(line)"
    case "integer":
      if content.isEmpty { return "Encountered empty <integer> on line \(line)" }
      return content.contains { isHexadecimalLetter($0) } && !content.contains(UInt8(ascii: "x"))
        ? "Hex digit in non-hex <integer> on line \(line)" : nil
    case "string", "true", "false", "array", "dict", "data":
      return nil
    default:
      guard first == UInt8(ascii: "<"), let initial = name.utf8.first, initial | 0x20 >= UInt8(ascii: "a"),
        initial | 0x20 <= UInt8(ascii: "z"), name != "key", name != "plist"
      else { return nil }
      return "Encountered unknown tag \(name.printable(limit: 80)) on line \(line)"
    }
  }

  private static func isEndOfName(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == UInt8(ascii: ">")
  }

  private static func isHexadecimalLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }

  private static func endsWithKey(_ text: Data) -> Bool {
    let rest = text.reversed().drop { $0 <= 0x20 }
    return rest.starts(with: "</key>".utf8.reversed()) || rest.starts(with: "<key/>".utf8.reversed())
  }
}
