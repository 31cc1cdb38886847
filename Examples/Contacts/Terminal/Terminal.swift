import Foundation

/// The terminal of the program, which shows frames and passes keys on as they are pressed.
///
/// The control sequences are those that every terminal of today knows (ECMA-48, and xterm's for the other screen).
final class Terminal {
  private let mode: termios
  /// The lines that are shown.
  private var shown: [String] = []

  /// True if keys come from a terminal, and frames go to one that can show them.
  static var isThere: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  init() {
    var mode = termios()
    tcgetattr(STDIN_FILENO, &mode)
    self.mode = mode
  }

  /// Takes the terminal over. What was on it comes back with ``leave()``.
  func enter() {
    var raw = mode
    // Keys as they are pressed, without echo. Control-C and the like are keys, too: see termios(3).
    raw.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INPCK | ISTRIP | IXON)
    raw.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
    // The other screen, without wrapping of lines, and marks around what is pasted.
    write("\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[2J")
    shown = []
  }

  /// Gives the terminal back as it was.
  func leave() {
    write("\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
    var mode = mode
    tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
  }

  /// The number of lines and of columns.
  var size: (lines: Int, columns: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else { return (24, 80) }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  /// Shows lines, each as wide as the terminal. Only those are written that changed.
  ///
  /// - Parameter cursor: where the cursor is; nil to hide it.
  func show(_ lines: [Line], cursor: (line: Int, column: Int)?) {
    var output = "\u{1B}[?25l"
    if shown.count != lines.count {
      shown = Array(repeating: "", count: lines.count)
      output += "\u{1B}[2J"
    }
    for (index, line) in lines.enumerated() where line.text != shown[index] {
      output += "\u{1B}[\(index + 1);1H" + line.text
      shown[index] = line.text
    }
    if let cursor { output += "\u{1B}[\(cursor.line + 1);\(cursor.column + 1)H\u{1B}[?25h" }
    write(output)
  }

  /// Has all lines written by the next frame.
  func forget() { shown = [] }

  private func write(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }

  /// Reads what was typed since the last call, or waits for it. Nil when nothing can come any more.
  static func read() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Foundation.read(STDIN_FILENO, &buffer, buffer.count)
      if count > 0 { return Array(buffer.prefix(count)) }
      if count == 0 || errno != EINTR { return nil }
    }
  }
}
