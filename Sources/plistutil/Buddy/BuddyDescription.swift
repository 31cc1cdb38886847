import FoundationEssentials
import PropertyLists

/// Converts values to the text that Apple's PlistBuddy prints. Strings and data are printed without escapes.
struct BuddyDescription {
  private var bytes = Data()

  /// Returns the text of a value, with a newline at the end.
  static func bytes(of value: PropertyList) -> Data {
    var description = BuddyDescription()
    description.append(value, indent: "")
    description.append("\n")
    return description.bytes
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Appends a value. Recursion is safe: the reader has limited the depth.
  private mutating func append(_ value: PropertyList, indent: String) {
    let inner = indent + "    "
    switch value {
    case .array(let elements):
      append("Array {\n")
      for element in elements {
        append(inner)
        append(element, indent: inner)
        append("\n")
      }
      append(indent + "}")
    case .dictionary(let entries):
      append("Dict {\n")
      for (key, value) in entries {
        append("\(inner)\(key) = ")
        append(value, indent: inner)
        append("\n")
      }
      append(indent + "}")
    case .data(let data): bytes.append(data)
    case .string(let text): append(text)
    case .boolean(let isTrue): append(isTrue ? "true" : "false")
    case .integer(let integer): append(integer.description)
    case .real(let real): append(FixedPoint.text(real))
    // Uses the shortest digits that distinguish the value from other 4-byte reals.
    case .float(let real): append(FixedPoint.text(Double(real.description) ?? Double(real)))
    case .date(let date): append(BuddyDate.text(of: date))
    case .uid, .null: append(AppleDescription.text(of: value))
    }
  }
}
