import PropertyLists
import ToolSupport

/// The output form of plutil's `-p`: `"key" => value`, and `0 => value` in arrays.
///
/// Strings are printed unescaped, except for control characters that a terminal would interpret. Data of more than 24
/// bytes shows its first 16 and its last 8 bytes, as in Apple's descriptions.
struct HumanForm: TextForm {
  let indent = 2
  var sortsKeys = true
  /// The texts for true and false.
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
