import FoundationEssentials
import PropertyLists
import SystemFiles
import ToolSupport

/// Runs commands from standard input, one per line. Prints a prompt for each, even if standard input is not a terminal.
enum BuddyPrompt {
  static func run(_ session: inout BuddySession) {
    var lines = InputLines()
    do throws(PropertyListError) {
      while !session.isOver {
        try output(Data("Command: ".utf8))
        guard let line = try lines.next() else { break }
        if !line.isEmpty { run(line, &session) }
      }
      // Ends the line, so that the shell's prompt begins a new one.
      if !session.isOver, FileSystem.isTerminal(0), FileSystem.isTerminal(1) { try output("") }
    } catch {
      session.fail(BuddyError(error.line(about: "<stdin>")))
    }
    // Unsaved changes are lost, as in Apple's tool, but this tool says so.
    if session.hasUnsavedChanges() { note("Changes Were Not Saved") }
  }

  private static func run(_ line: Data, _ session: inout BuddySession) {
    do throws(BuddyError) {
      guard let text = String(validating: line, as: UTF8.self) else { throw .notUnderstood("Parse Error: Not UTF-8") }
      session.run(try BuddyCommand(text))
    } catch {
      session.fail(error)
    }
  }
}

/// The lines of standard input, each as soon as it is available.
private struct InputLines {
  private var read = Data()
  private var isAtEnd = false

  /// Returns the next line without its end; nil after the last.
  mutating func next() throws(PropertyListError) -> Data? {
    var searched = 0
    while true {
      if let end = read.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) {
        defer { read.removeSubrange(...end) }
        return Self.line(read[..<end])
      }
      searched = read.count
      if isAtEnd {
        defer { read = Data() }
        return read.isEmpty ? nil : Self.line(read)
      }
      try readMore()
    }
  }

  private static func line(_ bytes: Data) -> Data {
    bytes.last == UInt8(ascii: "\r") ? Data(bytes.dropLast()) : Data(bytes)
  }

  private mutating func readMore() throws(PropertyListError) {
    let more = try PropertyListError.converting(FileSystem.readSome(0, named: "<stdin>"))
    isAtEnd = more.isEmpty
    read.append(more)
  }
}
