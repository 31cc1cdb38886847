import PropertyLists
import SystemFiles

extension String {
  /// The text as it is, or, where standard output is a terminal, without what gives a terminal commands.
  ///
  /// Ends of lines and tabs stay. Files, pipes and shells get every character.
  var onStandardOutput: String { FileSystem.isTerminal(1) ? withoutCommands : self }

  /// The text without what gives a terminal commands.
  var withoutCommands: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map { $0.printable() }.joined(separator: "\t")
    }.joined(separator: "\n")
  }
}
