internal import ArgumentParser
package import FoundationEssentials
package import PropertyLists
internal import SystemFiles

/// A line on standard output.
package func output(_ text: String) throws(PropertyListError) { try output(Data((text + "\n").utf8)) }

/// Bytes on standard output.
package func output(_ bytes: Data) throws(PropertyListError) {
  try PropertyListError.converting(FileOutput.standard.write(bytes))
}

/// A line on standard error.
package func note(_ text: String) {
  // Nothing can be done if standard error fails.
  try? FileOutput.standardError.write(Data((FileSystem.showingBytes(text) + "\n").utf8))
}

package enum Console {
  /// Throws an error if standard output is a terminal, which a binary property list would give commands, or nobody
  /// could read. Not to be asked where standard output was named.
  package static func refuseBinary() throws(PropertyListError) {
    guard FileSystem.isTerminal(1) else { return }
    throw PropertyListError(
      .inputOutput(errno: EINVAL),
      "a binary property list is not written to a terminal; -o FILE writes a file, and -o - writes it all the same")
  }

  /// Whether the terminal has no colours and no lines that are written over.
  package static var isPlain: Bool { ProcessInfo.processInfo.environment["TERM"] == "dumb" }
}

/// Does something outside the work on a file. Prints an error, which is about what `name` names, and throws its
/// `ExitCode`.
package func telling<Result>(about name: String, _ body: () throws(PropertyListError) -> Result) throws -> Result {
  do { return try body() } catch {
    note(error.line(about: name))
    throw ExitCode(error.exitCode)
  }
}

/// A number with its digits in groups of three.
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
  /// Its format and its size, as in `binary, 1 234 objects`.
  package var summary: String {
    "\(format.rawValue), \(grouped(objectCount)) \(objectCount == 1 ? "object" : "objects")"
  }
}

extension String {
  /// The text as it is, or, where standard output is a terminal, without what gives a terminal commands.
  ///
  /// Ends of lines and tabs stay. Files, pipes and shells get every character.
  package var onStandardOutput: String { FileSystem.isTerminal(1) ? withoutCommands : self }

  /// The text without what gives a terminal commands.
  package var withoutCommands: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map { $0.printable() }.joined(separator: "\t")
    }.joined(separator: "\n")
  }
}
