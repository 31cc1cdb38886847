import ToolSupport

/// A line of a terminal, built from parts of fixed width. Control characters in text are removed.
struct Line {
  /// The style of a part. The raw values are those of the SGR control sequence (ECMA-48).
  enum Style: Int {
    case plain = 0
    case bold = 1
    case dim = 2
    case underlined = 4
    case inverse = 7
  }

  private(set) var text = ""
  /// The total width of the parts, in columns.
  private(set) var width = 0

  /// Appends text, cut or padded with spaces to a width in columns.
  mutating func add(_ part: String, width: Int, _ style: Style = .plain) {
    guard width > 0 else { return }
    let part = part.onOneLine.shortened(toWidth: width)
    let filled = part + String(repeating: " ", count: max(0, width - part.terminalWidth))
    text += style == .plain ? filled : "\u{1B}[\(style.rawValue)m\(filled)\u{1B}[m"
    self.width += width
  }

  /// Appends the parts of another line.
  mutating func add(_ line: Line) {
    text += line.text
    width += line.width
  }

  /// Returns a line of one part.
  static func of(_ text: String, width: Int, _ style: Style = .plain) -> Line {
    var line = Line()
    line.add(text, width: width, style)
    return line
  }
}

extension String {
  /// The text with line endings and tabs replaced by spaces, without terminal control characters.
  var onOneLine: String { String(map { $0.isNewline || $0 == "\t" ? " " : $0 }).withoutCommands }
}
