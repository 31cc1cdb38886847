import ToolSupport

/// A line of a terminal, made of parts of certain widths. Nothing in a text gives the terminal commands.
struct Line {
  /// How a part looks, by its number in a control sequence (ECMA-48, SGR).
  enum Style: Int {
    case plain = 0
    case bold = 1
    case dim = 2
    case underlined = 4
    case inverse = 7
  }

  private(set) var text = ""
  /// The number of columns that the parts take.
  private(set) var width = 0

  /// Adds a text that is cut, or filled up with spaces, to a number of columns.
  mutating func add(_ part: String, width: Int, _ style: Style = .plain) {
    guard width > 0 else { return }
    let part = part.onOneLine.shortened(toWidth: width)
    let filled = part + String(repeating: " ", count: max(0, width - part.terminalWidth))
    text += style == .plain ? filled : "\u{1B}[\(style.rawValue)m\(filled)\u{1B}[m"
    self.width += width
  }

  /// Adds the parts of another line.
  mutating func add(_ line: Line) {
    text += line.text
    width += line.width
  }

  /// A line of one text.
  static func of(_ text: String, width: Int, _ style: Style = .plain) -> Line {
    var line = Line()
    line.add(text, width: width, style)
    return line
  }
}

extension String {
  /// The text with spaces for ends of lines and tabs, without what gives a terminal commands.
  var onOneLine: String { String(map { $0.isNewline || $0 == "\t" ? " " : $0 }).withoutCommands }
}
