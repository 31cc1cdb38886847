public import Foundation

/// A program of this package in a new pseudo-terminal, and its screen. It is terminated when this object is released.
///
/// The only supported control sequences (ECMA-48) are those that move to the beginning of a line and clear the screen.
public final class TerminalProgram {
  private let terminal: Int32
  private let process: pid_t
  private var isOver = false
  /// The signal that killed the program; nil if it is running or has exited normally.
  public private(set) var endingSignal: Int32?
  /// All output so far.
  public private(set) var output = Data()

  public init(_ name: String, _ arguments: [String], lines: Int = 24, columns: Int = 80) throws {
    let (terminal, file) = try Self.openTerminal()
    self.terminal = terminal
    var size = winsize(ws_row: UInt16(lines), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
    _ = fcntl(terminal, F_SETFL, O_NONBLOCK)
    process = try spawn(
      Program.executable(name).path, arguments,
      ProcessInfo.processInfo.environment.merging(["TERM": "xterm-256color"]) { $1 }, files: (file, file, "/dev/null"))
  }

  /// Returns a new pseudo-terminal, and the path of the file that programs open for it.
  private static func openTerminal() throws -> (terminal: Int32, file: String) {
    #if os(Linux)
      // Does the work of posix_openpt(3), unlockpt(3) and ptsname(3), which Swift does not import: ioctl_tty(2).
      let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      var isLocked: Int32 = 0
      var number: UInt32 = 0
      guard terminal >= 0, ioctl(terminal, 0x4004_5431, &isLocked) == 0, ioctl(terminal, 0x8004_5430, &number) == 0
      else { throw CocoaError(.fileReadUnknown) }
      return (terminal, "/dev/pts/\(number)")
    #else
      let terminal = posix_openpt(O_RDWR | O_NOCTTY)
      guard terminal >= 0, grantpt(terminal) == 0, unlockpt(terminal) == 0, let path = ptsname(terminal) else {
        throw CocoaError(.fileReadUnknown)
      }
      return (terminal, String(cString: path))
    #endif
  }

  deinit {
    if !isOver {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    close(terminal)
  }

  /// Types keys.
  public func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(terminal, bytes, bytes.count)
  }

  /// Sends a signal.
  public func send(_ signal: Int32) { kill(process, signal) }

  /// Returns the lines of the screen when a condition is true, or after ``hangLimit``.
  public func lines(when isReady: ([String]) -> Bool) async throws -> [String] {
    let deadline = ContinuousClock.now + .seconds(hangLimit)
    while ContinuousClock.now < deadline {
      takeOutput()
      if isReady(screen) { break }
      try await Task.sleep(for: .milliseconds(20))
    }
    return screen
  }

  /// Waits for the program to exit, and returns its exit code. Returns nil if a signal killed it, or if it is still
  /// running after ``hangLimit``.
  public func exitCode() async throws -> Int32? {
    let deadline = ContinuousClock.now + .seconds(hangLimit)
    while ContinuousClock.now < deadline {
      takeOutput()
      var status: Int32 = 0
      if waitpid(process, &status, WNOHANG) == process {
        isOver = true
        takeOutput()
        if status & 0x7F != 0 { endingSignal = status & 0x7F }
        return endingSignal == nil ? status >> 8 & 0xFF : nil
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    return nil
  }

  private func takeOutput() {
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(terminal, &buffer, buffer.count)
      guard count > 0 else { return }
      output.append(contentsOf: buffer.prefix(count))
    }
  }

  /// The lines of the screen, without trailing spaces.
  private var screen: [String] {
    var lines: [Int: String] = [:]
    var line = 1
    for (index, part) in String(decoding: output, as: UTF8.self).components(separatedBy: "\u{1B}[").enumerated() {
      guard index > 0, let end = part.unicodeScalars.firstIndex(where: { $0.value >= 0x40 }) else { continue }
      let parameters = part[..<end].split(separator: ";").compactMap { Int($0) }
      let text = String(part.unicodeScalars[part.unicodeScalars.index(after: end)...])
      switch part.unicodeScalars[end] {
      case "H":
        line = parameters.first ?? 1
        // Other columns only position the cursor.
        if parameters.last == 1, !text.isEmpty || index > 0 { lines[line] = text }
      case "J": lines = [:]
      default: lines[line, default: ""] += text
      }
    }
    let last = lines.keys.max() ?? 0
    return (0..<last).map { index in
      var text = lines[index + 1] ?? ""
      while text.last == " " { text.removeLast() }
      return text
    }
  }
}
