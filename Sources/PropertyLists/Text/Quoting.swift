extension StringProtocol {
  /// The text as a message shows it: between quotation marks, on one line, shortened if it is long.
  package var quoted: String { "\"\(printable(limit: 80))\"" }

  /// The text on one line, with the numbers of characters that ``Visibility`` hides.
  package func printable(limit: Int = .max) -> String {
    var text = ""
    var count = 0
    var previous: Unicode.Scalar?
    for scalar in unicodeScalars {
      guard count < limit else { return text + "…" }
      count += 1
      if scalar.isHidden(after: previous) {
        text += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
      previous = scalar
    }
    return text
  }
}
