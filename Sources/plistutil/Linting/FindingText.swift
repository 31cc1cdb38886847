import FoundationEssentials

/// A formatter of findings for people: a line with the position, then an excerpt of the file with a mark below the
/// defect.
struct FindingText {
  let name: String
  let isColored: Bool
  /// The number of terminal cells that are shown of a line.
  var width = 100

  /// Returns the first line of a finding, with the file, the position and the message, in the form that all verbs use.
  func headline(_ finding: Finding) -> String {
    let defect = finding.defect
    var location = name
    if let position = defect.position { location += ":\(position.line):\(position.column)" }
    var text = "\(styled(location, .bold)): "
    text += styled("\(finding.severity.rawValue):", finding.severity == .error ? .error : .warning)
    text += " \(defect.detail)"
    if defect.position == nil, let offset = defect.byteOffset { text += ", at byte \(offset)" }
    return text
  }

  /// Returns two lines: the line of the file that has the defect, and a caret below the defect's position.
  func excerpt(_ excerpt: SourceExcerpt) -> [String] {
    var display = DisplayText()
    var caret = 0
    for (index, scalar) in excerpt.text.unicodeScalars.enumerated() {
      if index == excerpt.position { caret = display.width }
      display.append(scalar)
    }
    if excerpt.position >= excerpt.text.unicodeScalars.count { caret = display.width }
    // Centers the position if the line is too long.
    var start = 0
    if display.width > width { start = max(0, min(caret - width / 2, display.width - width)) }
    let end = min(display.width, start + width)
    let isCutBefore = start > 0 || excerpt.isCutBefore
    let isCutAfter = end < display.width || excerpt.isCutAfter
    let before = isCutBefore ? "…" : ""
    let line = before + display.text(start..<end) + (isCutAfter ? "…" : "")
    // Measures the text before the position as it is shown: a character that is only partly in the excerpt is left out.
    var shown = DisplayText()
    for scalar in display.text(start..<caret).unicodeScalars { shown.append(scalar) }
    let indent = String(repeating: " ", count: shown.width + (isCutBefore ? 1 : 0))
    return [line.isEmpty ? "" : "  " + line, "  " + indent + styled("^", .caret)]
  }

  /// Returns two lines: the 16 bytes of a binary file around an offset in hexadecimal, and a mark below the byte at the
  /// offset.
  func dump(_ data: Data, at offset: Int) -> [String] {
    guard offset >= 0, offset <= data.count else { return [] }
    let start = max(0, min(offset, data.count - 1)) / 16 * 16
    let row = data.dropFirst(start).prefix(16)
    let characters = row.map { (0x20..<0x7F).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
    let address = String(start, radix: 16)
    let prefix = String(repeating: "0", count: max(0, 8 - address.utf8.count)) + address
    let hexadecimal = row.map { BareValue.hexadecimal([$0], groups: false) }.joined(separator: " ")
    let padding = String(repeating: " ", count: 47 - hexadecimal.utf8.count)
    let indent = String(repeating: " ", count: prefix.utf8.count + 2 + 3 * (offset - start))
    return ["  \(prefix)  \(hexadecimal)\(padding)  \(characters)", "  \(indent)\(styled("^^", .caret))"]
  }

  private enum Style: String {
    case bold = "1"
    case error = "1;31"
    case warning = "1;35"
    case caret = "1;32"
  }

  private func styled(_ text: String, _ style: Style) -> String {
    isColored ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }
}
