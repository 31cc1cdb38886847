import FoundationEssentials
import PropertyLists

/// A value that is no container as Apple's tool prints it alone, but for data, of which it leaves bytes out.
enum BareValue {
  /// - Returns: nil for a container, and for what no file of preferences has.
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

  /// A number without the fraction that a whole one has.
  static func number(_ text: String) -> String { text.hasSuffix(".0") ? String(text.dropLast(2)) : text }

  /// `2001-01-01 00:00:00 +0000`, with the fraction of its second if it has one.
  static func text(of date: Date) -> String {
    let seconds = date.timeIntervalSinceReferenceDate
    guard let text = DateText.text(seconds), let time = text.firstIndex(of: "T") else { return seconds.description }
    return "\(text[..<time]) \(text[text.index(after: time)...].dropLast()) +0000"
  }

  /// - Parameter groups: whether there is a space behind every fourth byte.
  static func hexadecimal(_ data: some Collection<UInt8>, groups: Bool) -> String {
    var text = ""
    for (index, byte) in data.enumerated() {
      if groups, index > 0, index & 3 == 0 { text += " " }
      text += String(UInt16(byte) + 256, radix: 16).dropFirst()
    }
    return text
  }
}
