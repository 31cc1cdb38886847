package import ArgumentParser
internal import PropertyLists

/// Completes verbs and their arguments.
package struct VerbCompletion {
  private let root: any ParsableCommand.Type
  private let values: (any ParsableCommand.Type) -> OptionCompletion.Values

  /// Creates the completion for a tool.
  ///
  /// - Parameters:
  ///   - root: the tool's command.
  ///   - values: a function that returns, for each verb, the function that completes the values of the verb's
  ///     arguments.
  package init(
    of root: any ParsableCommand.Type, values: @escaping (any ParsableCommand.Type) -> OptionCompletion.Values
  ) {
    self.root = root
    self.values = values
  }

  /// Returns the completions for everything after the name of the tool.
  package func answer(to line: CommandLineWords) -> CompletionAnswer {
    guard line.before.first == "help" else { return answer(to: line, root) }
    return line.before.count == 1 ? verbs(of: root) : .nothing
  }

  private func answer(to line: CommandLineWords, _ command: any ParsableCommand.Type) -> CompletionAnswer {
    let subcommands = command.configuration.subcommands
    guard !subcommands.isEmpty else { return OptionCompletion(command, line, values: values(command)).answer() }
    guard let name = line.before.first else { return verbs(of: command) }
    guard let verb = subcommands.first(where: { $0._commandName == name || $0.configuration.aliases.contains(name) })
    else { return .nothing }
    return answer(to: line.dropFirst(1), verb)
  }

  private func verbs(of command: any ParsableCommand.Type) -> CompletionAnswer {
    let verbs = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    var candidates = verbs.map { CompletionAnswer.Candidate(text: $0._commandName, help: $0.configuration.abstract) }
    if command == root { candidates.append(.init(text: "help", help: "Show the help of a verb.")) }
    return CompletionAnswer(candidates: candidates)
  }
}
