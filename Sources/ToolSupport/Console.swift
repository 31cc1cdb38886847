internal import ArgumentParser
package import FoundationEssentials
package import PropertyLists
internal import SystemFiles

/// Writes a line to standard output.
package func output(_ text: String) throws(PropertyListError) { try output(Data((text + "\n").utf8)) }

/// Writes bytes to standard output.
package func output(_ bytes: Data) throws(PropertyListError) {
  try PropertyListError.converting(FileOutput.standard.write(bytes))
}

/// Writes a line to standard error.
package func note(_ text: String) {
  // If standard error fails, there is no other way to report the error.
  try? FileOutput.standardError.write(Data((FileSystem.showingBytes(text) + "\n").utf8))
}

package enum Console {
  /// Throws if standard output is a terminal, where a binary property list would be unreadable and could contain
  /// control sequences. Must not be called if the user has named standard output as the destination.
  package static func refuseBinary() throws(PropertyListError) {
    guard FileSystem.isTerminal(1) else { return }
    throw PropertyListError(
      .inputOutput(errno: EINVAL),
      "a binary property list is not written to a terminal; use -o FILE, or -o - to write it anyway")
  }

  /// True if the terminal supports neither colors nor overwriting a line.
  package static var isPlain: Bool { ProcessInfo.processInfo.environment["TERM"] == "dumb" }
}

/// Calls `body`. If it throws, prints the error as one about the file `name`, and throws the `ExitCode` of the error.
package func telling<Result>(about name: String, _ body: () throws(PropertyListError) -> Result) throws -> Result {
  do { return try body() } catch {
    note(error.line(about: name))
    throw ExitCode(error.exitCode)
  }
}

/// Returns a number with its digits in groups of three, such as `1 234`.
package func grouped(_ number: Int) -> String {
  var digits = Array(String(number))
  var index = digits.count - 3
  while index > 0 {
    digits.insert(" ", at: index)
    index -= 3
  }
  return String(digits)
}

extension PropertyListDocument {
  /// The format and the number of objects, such as `binary, 1 234 objects`.
  package var summary: String {
    "\(format.rawValue), \(grouped(objectCount)) \(objectCount == 1 ? "object" : "objects")"
  }
}

extension String {
  /// The text, without control sequences if standard output is a terminal.
  ///
  /// Newlines and tabs are kept. Files, pipes and shells get the text unchanged.
  package var onStandardOutput: String { FileSystem.isTerminal(1) ? withoutCommands : self }

  /// The text with characters escaped that a terminal would interpret. Newlines and tabs are kept.
  package var withoutCommands: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map { $0.printable() }.joined(separator: "\t")
    }.joined(separator: "\n")
  }
}
