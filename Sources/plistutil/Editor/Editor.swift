import FoundationEssentials
import PropertyLists
import SystemFiles
import ToolSupport

/// The editor that the user has chosen.
enum Editor {
  /// `$VISUAL`, else `$EDITOR`, else `vi`; an empty one counts as none.
  private static var command: String {
    let environment = ProcessInfo.processInfo.environment
    return ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "vi"
  }

  /// Has the user edit a file, and waits until the editor ends.
  ///
  /// - Returns: how the editor ended, if it did not end well: in words.
  static func edit(_ path: String) throws(PropertyListError) -> String? {
    let command = command
    // The variable may have arguments, so that the shell takes it apart, as it does for git.
    let end = try PropertyListError.converting(
      ChildProgram.runInForeground("/bin/sh", ["-c", "\(command) \"$@\"", command, path]))
    switch end {
    case .exited(0): return nil
    case .exited(let code): return "the editor, \(command.printable(limit: 80)), ended with exit code \(code)"
    case .killed(let signal): return "signal \(signal) ended the editor, \(command.printable(limit: 80))"
    }
  }

  /// Whether somebody is there who can be asked.
  static var canAsk: Bool { FileSystem.isTerminal(0) && FileSystem.isTerminal(2) }

  /// Asks whether to edit again. The end of the input is a no, and so is a signal.
  static func asksAgain() -> Bool {
    Signals.endWaiting()
    try? FileOutput.standardError.write(Data("Edit again? [Y/n] ".utf8))
    guard let answer = line() else { return false }
    return ["", "y", "yes"].contains(answer.filter { !$0.isWhitespace }.lowercased())
  }

  /// A line from the terminal; nil at the end of the input, or if a signal comes. The standard library's function waits
  /// on after a signal.
  private static func line() -> String? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    // Sound: one byte is read into one.
    while unsafe read(0, &byte, 1) == 1 {
      if byte == 0x0A { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    return nil
  }
}
