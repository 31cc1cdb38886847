import FoundationEssentials
import PropertyLists

/// Converts values to the text that Apple's `defaults read` prints, for scripts that expect its layout. The text cannot
/// be read back: booleans become numbers, numbers look like strings, and long data is shortened.
enum AppleDescription {
  static func text(of value: PropertyList) -> String {
    var text = ""
    switch value {
    case .string(let string): text = string
    case .data(let data): text = description(of: data)
    case .array, .dictionary: append(value, level: 0, to: &text)
    default: text = scalar(value)
    }
    return text
  }

  /// Appends a value. A container begins with its indent, even if it is not at the start of a line, as in Apple's tool.
  /// Recursion is safe: the reader has limited the depth.
  private static func append(_ value: PropertyList, level: Int, to text: inout String) {
    let indent = String(repeating: "    ", count: level)
    let inner = indent + "    "
    switch value {
    case .array(let elements):
      text += indent + "(\n"
      for (index, element) in elements.enumerated() {
        text += inner
        append(element, level: level + 1, to: &text)
        text += index == elements.count - 1 ? "\n" : ",\n"
      }
      text += indent + ")"
    case .dictionary(let entries):
      text += indent + "{\n"
      let sorted = entries.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
      for (key, value) in sorted {
        text += "\(inner)\(quoted(key)) = "
        append(value, level: level + 1, to: &text)
        text += ";\n"
      }
      text += indent + "}"
    case .data(let data): text += description(of: data)
    default: text += quoted(scalar(value))
    }
  }

  private static func scalar(_ value: PropertyList) -> String {
    switch value {
    case .date(let date):
      BareValue.text(of: Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(.down)))
    case .uid(let uid): "<CFKeyedArchiverUID>{value = \(uid.value)}"
    case .null: "<null>"
    default: BareValue.text(of: value) ?? ""
    }
  }

  /// Returns a description of data with its length and bytes: all bytes if there are at most 24, otherwise the first 16
  /// and the last 8.
  static func description(of data: Data) -> String {
    guard data.count > 24 else {
      return "{length = \(data.count), bytes = 0x\(BareValue.hexadecimal(data, groups: false))}"
    }
    let (head, tail) = (data.prefix(16), data.suffix(8))
    return "{length = \(data.count), bytes = 0x\(BareValue.hexadecimal(head, groups: true)) ... "
      + "\(BareValue.hexadecimal(tail, groups: true)) }"
  }

  /// Returns a word of ASCII letters and digits as it is, and any other text in quotation marks.
  private static func quoted(_ text: String) -> String {
    let isWord =
      !text.isEmpty && text.utf8.allSatisfy { $0 < 0x80 && Unicode.Scalar($0).properties.isAlphanumericASCII }
    if isWord { return text }
    var result = "\""
    for unit in text.utf16 {
      switch unit {
      case 0x22: result += "\\\""
      case 0x5C: result += "\\\\"
      case 0x0A: result += "\\n"
      case 0x0D: result += "\\r"
      case 0x09: result += "\\t"
      case 0x20..<0x7F: result += String(Character(Unicode.Scalar(UInt8(truncatingIfNeeded: unit))))
      default: result += "\\U" + String(UInt32(unit) + 0x10000, radix: 16).dropFirst()
      }
    }
    return result + "\""
  }
}

extension Unicode.Scalar.Properties {
  fileprivate var isAlphanumericASCII: Bool { isAlphabetic || numericType != nil }
}

/// Converts values outside containers to the text that Apple's `defaults read` prints, but does not shorten data.
enum BareValue {
  /// Returns the text of a value; nil for a container, and for a UID or null, which preferences files cannot contain.
  static func text(of value: PropertyList) -> String? {
    switch value {
    case .string(let text): text
    case .integer(let integer): integer.description
    case .real(let real): number(real.description)
    case .float(let real): number(real.description)
    case .boolean(let isTrue): isTrue ? "1" : "0"
    case .date(let date): text(of: date)
    case .data(let data): "<\(hexadecimal(data, groups: true))>"
    case .array, .dictionary, .uid, .null: nil
    }
  }

  /// Removes the fraction `.0` of a whole number.
  static func number(_ text: String) -> String { text.hasSuffix(".0") ? String(text.dropLast(2)) : text }

  /// Returns text such as `2001-01-01 00:00:00 +0000`, with a fraction of a second if the date has one.
  static func text(of date: Date) -> String {
    let seconds = date.timeIntervalSinceReferenceDate
    guard let text = DateText.text(seconds), let time = text.firstIndex(of: "T") else { return seconds.description }
    return "\(text[..<time]) \(text[text.index(after: time)...].dropLast()) +0000"
  }

  /// Returns the bytes in hexadecimal.
  ///
  /// - Parameter groups: true to write a space after every fourth byte.
  static func hexadecimal(_ data: some Collection<UInt8>, groups: Bool) -> String {
    var text = ""
    for (index, byte) in data.enumerated() {
      if groups, index > 0, index & 3 == 0 { text += " " }
      text += String(UInt16(byte) + 256, radix: 16).dropFirst()
    }
    return text
  }
}
