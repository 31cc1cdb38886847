import FoundationEssentials
import PropertyLists

/// What `-p` prints: `"key" => value`, and `0 => value` in arrays.
///
/// Strings are as they are, but for characters that would give a terminal commands. Of data above 24 bytes, the first 16
/// and the last 8 are printed, as Apple's descriptions have it.
struct HumanForm: TextForm {
  let indent = 2
  var sortsKeys = true
  /// What true and false are called.
  var truth = ("true", "false")
  let separator = ""
  let terminator = "\n"
  let lineEnd = ""

  func opening(_ container: PropertyList) -> String { container.kind == .array ? "[\n" : "{\n" }
  func closing(_ container: PropertyList, isRoot: Bool) -> String { container.kind == .array ? "]" : "}" }
  func entry(key: String) -> String { "\(quoted(key)) => " }
  func entry(index: Int) -> String { "\(index) => " }

  func scalar(_ value: PropertyList) -> String {
    switch value {
    case .string(let text): quoted(text)
    case .data(let bytes): description(bytes)
    case .date(let date): description(date)
    case .uid(let uid): "<CFKeyedArchiverUID>{value = \(uid.value)}"
    case .null: "<null>"
    case .boolean(let value): value ? truth.0 : truth.1
    default: value.rawText ?? ""
    }
  }

  private func quoted(_ text: String) -> String {
    "\"\(text.withoutCommands)\""
  }

  private func description(_ bytes: Data) -> String {
    let digits: String
    if bytes.count > 24 {
      digits = "\(groups(bytes.prefix(16))) ... \(groups(bytes.suffix(8))) "
    } else {
      digits = bytes.map(hexadecimal).joined()
    }
    return "{length = \(bytes.count), bytes = 0x\(digits)}"
  }

  /// Four bytes between spaces.
  private func groups(_ bytes: Data) -> String {
    let bytes = Array(bytes)
    return stride(from: 0, to: bytes.count, by: 4).map { bytes[$0..<$0 + 4].map(hexadecimal).joined() }
      .joined(separator: " ")
  }

  private func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

  /// `2001-01-01 00:00:00 +0000`, with the fraction of the second if there is one.
  private func description(_ date: Date) -> String {
    let seconds = date.timeIntervalSinceReferenceDate
    guard let text = PropertyList.date(date).rawText, text.hasSuffix("Z"), let day = text.firstIndex(of: "T") else {
      return "\(seconds) seconds from 2001"
    }
    return "\(text[..<day]) \(text[text.index(after: day)...].dropLast()) +0000"
  }
}
