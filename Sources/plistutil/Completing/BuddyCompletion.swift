import PropertyLists
import ToolSupport

/// Completes the arguments of PlistBuddy, including the commands after `-c`.
enum BuddyCompletion {
  private static let options: [(name: String, help: String)] = [
    ("-c", "Run a command instead of prompting for commands."), ("-x", "Print values as XML."),
    ("-l", "Refuse a path that contains a symbolic link."), ("-h", "Print the help of the commands."),
  ]

  static let commands = [
    "Help", "Exit", "Save", "Revert", "Clear", "Print", "Set", "Add", "Copy", "Delete", "Merge", "Import", "CD",
  ]

  static let types = ["string", "array", "dict", "bool", "real", "integer", "date", "data"]

  /// The commands whose first argument is an entry.
  private static let entryCommands: Set = ["Print", "Set", "Add", "Copy", "Delete", "Import", "CD"]

  static func answer(to line: CommandLineWords) -> CompletionAnswer {
    if line.before.last == "-c" { return command(line) }
    guard line.current.hasPrefix("-") else { return .files }
    return CompletionAnswer(candidates: options.map { .init(text: $0.name, help: $0.help) })
  }

  /// Completes the text of a command, which is one word for the shell.
  private static func command(_ line: CommandLineWords) -> CompletionAnswer {
    var answer = CompletionAnswer(mayGoOn: true)
    let words = line.current.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count > 1, let name = words.first else {
      answer.candidates = commands.map { .init(text: $0) }
      return answer
    }
    let last = String(words[words.count - 1])
    let prefix = String(line.current.dropLast(last.count))
    let isCommand: (String) -> Bool = { $0.lowercased() == name.lowercased() }
    if isCommand("Clear") || (isCommand("Add") && words.count == 3) {
      answer.candidates = types.map { .init(text: prefix + $0) }
    } else if entryCommands.contains(where: isCommand), words.count == 2 || (isCommand("Copy") && words.count == 3) {
      // The path of an entry is looked up with a colon before it. If the word has no colon there, it is added.
      let isBare = !last.hasPrefix(":")
      let found = KeyPathCompletion(.tool).answer(to: isBare ? ":" + last : last, line).candidates
      // Paths that need quotation marks in the command are left out: the shell would need a second level of escapes.
      for candidate in found where !candidate.text.contains(where: { " \"'\\".contains($0) }) {
        let path = isBare && !last.isEmpty ? String(candidate.text.dropFirst()) : candidate.text
        answer.candidates.append(.init(text: prefix + path, help: candidate.help))
      }
    }
    return answer
  }
}
