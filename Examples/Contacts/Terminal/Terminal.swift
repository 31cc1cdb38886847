import Foundation

/// The terminal of the program, which shows frames and reads keys as they are pressed.
///
/// The control sequences are supported by all current terminals (ECMA-48, and xterm's alternate screen).
final class Terminal {
  private let mode: termios
  /// The lines that are currently shown.
  private var shown: [String] = []

  /// True if standard input and output are a terminal that can show frames.
  static var isThere: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  init() {
    var mode = termios()
    tcgetattr(STDIN_FILENO, &mode)
    self.mode = mode
  }

  /// Switches to full-screen mode. ``leave()`` restores the contents of the terminal.
  func enter() {
    var raw = mode
    // Reads each key as it is pressed, without echo. Control-C and similar keys do not send signals: see termios(3).
    raw.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INPCK | ISTRIP | IXON)
    raw.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
    // Switches to the alternate screen, turns off line wrapping, and turns on bracketed paste.
    write("\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[2J")
    shown = []
  }

  /// Restores the terminal.
  func leave() {
    write("\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
    var mode = mode
    tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
  }

  /// The size of the terminal, in lines and columns.
  var size: (lines: Int, columns: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else { return (24, 80) }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  /// Shows lines that are as wide as the terminal. Writes only the lines that changed.
  ///
  /// - Parameter cursor: The position of the cursor; nil to hide it.
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

  /// Makes the next frame write all lines.
  func forget() { shown = [] }

  private func write(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }

  /// Returns the bytes typed since the last call, or waits for some. Returns nil at the end of the input.
  static func read() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Foundation.read(STDIN_FILENO, &buffer, buffer.count)
      if count > 0 { return Array(buffer.prefix(count)) }
      if count == 0 || errno != EINTR { return nil }
    }
  }
}
