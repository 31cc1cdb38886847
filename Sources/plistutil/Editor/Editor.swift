import FoundationEssentials
import PropertyLists
import SystemFiles
import ToolSupport

/// The user's editor.
enum Editor {
  /// The command: `$VISUAL`, else `$EDITOR`, else `vi`. An empty variable is ignored.
  private static var command: String {
    let environment = ProcessInfo.processInfo.environment
    return ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "vi"
  }

  /// Opens a file in the editor, and waits until the editor ends.
  ///
  /// - Returns: a description of the failure if the editor failed; else nil.
  static func edit(_ path: String) throws(PropertyListError) -> String? {
    let command = command
    // The variable may contain arguments, so the shell splits it, as git does.
    let end = try PropertyListError.converting(
      ChildProgram.runInForeground("/bin/sh", ["-c", "\(command) \"$@\"", command, path]))
    switch end {
    case .exited(0): return nil
    case .exited(let code): return "the editor, \(command.printable(limit: 80)), ended with exit code \(code)"
    case .killed(let signal): return "the editor, \(command.printable(limit: 80)), was ended by signal \(signal)"
    }
  }

  /// True if standard input and standard error are terminals, so that the user can answer a question.
  static var canAsk: Bool { FileSystem.isTerminal(0) && FileSystem.isTerminal(2) }

  /// Asks the user if the file should be edited again. The end of the input and a signal mean no.
  static func asksAgain() -> Bool {
    Signals.endWaiting()
    try? FileOutput.standardError.write(Data("Edit again? [Y/n] ".utf8))
    guard let answer = line() else { return false }
    return ["", "y", "yes"].contains(answer.filter { !$0.isWhitespace }.lowercased())
  }

  /// Reads a line from the terminal. Returns nil at the end of the input, or after a signal. `readLine()` would
  /// continue to wait after a signal.
  private static func line() -> String? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    // Memory-safe: the call reads at most one byte, into a variable of one byte.
    while unsafe read(0, &byte, 1) == 1 {
      if byte == 0x0A { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    return nil
  }
}
