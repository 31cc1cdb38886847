extension StringProtocol {
  /// The text as a message shows it: between quotation marks, on one line, shortened if it is long.
  package var quoted: String { "\"\(printable(limit: 80))\"" }

  /// The text without what would end a line or give a terminal commands.
  package func printable(limit: Int = .max) -> String {
    var text = ""
    var count = 0
    for scalar in unicodeScalars {
      guard count < limit else { return text + "…" }
      count += 1
      if scalar.isUnprintable {
        text += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  /// Whether it would end a line, turn the direction of the text or give a terminal commands.
  var isUnprintable: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
