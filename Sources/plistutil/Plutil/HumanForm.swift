import PropertyLists
import ToolSupport

/// What `-p` prints: `"key" => value`, and `0 => value` in arrays.
///
/// Strings are as they are, but for characters that would give a terminal commands. Of data above 24 bytes, the first
/// 16 and the last 8 are printed, as Apple's descriptions have it.
struct HumanForm: TextForm {
  let indent = 2
  var sortsKeys = true
  /// What true and false are called.
  var truth = ("true", "false")
  let terminator = "\n"

  func entry(key: String) -> String { "\(quoted(key)) => " }
  func entry(index: Int) -> String { "\(index) => " }

  func scalar(_ value: PropertyList) throws(Never) -> String {
    switch value {
    case .string(let text): quoted(text)
    case .data(let bytes): AppleDescription.description(of: bytes)
    case .date(let date): BareValue.text(of: date)
    case .uid(let uid): "<CFKeyedArchiverUID>{value = \(uid.value)}"
    case .null: "<null>"
    case .boolean(let value): value ? truth.0 : truth.1
    default: value.rawText ?? ""
    }
  }

  private func quoted(_ text: String) -> String { "\"\(text.withoutCommands)\"" }
}
