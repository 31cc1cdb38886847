import ArgumentParser
import PropertyLists

/// Completes verbs and what belongs to them.
enum VerbCompletion {
  static func answer(to line: CommandLineWords) -> CompletionAnswer {
    guard let first = line.before.first else {
      guard line.current.hasPrefix("-") else { return verbs(of: PlistUtil.self) }
      return OptionCompletion(line).answer()
    }
    switch first {
    case Plutil.name: return PlutilCompletion.answer(to: line.dropFirst(1))
    case "defaults": return DefaultsCompletion(line.dropFirst(1)).answer()
    case "buddy": return BuddyCompletion.answer(to: line.dropFirst(1))
    case "help": return line.before.count == 1 ? verbs(of: PlistUtil.self) : .nothing
    case _ where first.hasPrefix("-"): return OptionCompletion(line).answer()
    default: return answer(to: line, PlistUtil.self)
    }
  }

  private static func answer(to line: CommandLineWords, _ command: any ParsableCommand.Type) -> CompletionAnswer {
    let subcommands = command.configuration.subcommands
    guard !subcommands.isEmpty else { return OptionCompletion(command, line).answer() }
    guard let name = line.before.first else { return verbs(of: command) }
    guard let verb = subcommands.first(where: { $0._commandName == name || $0.configuration.aliases.contains(name) })
    else { return .nothing }
    return answer(to: line.dropFirst(1), verb)
  }

  private static func verbs(of command: any ParsableCommand.Type) -> CompletionAnswer {
    let verbs = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    var candidates = verbs.map {
      CompletionAnswer.Candidate(text: $0._commandName, help: $0.configuration.abstract)
    }
    if command == PlistUtil.self { candidates.append(.init(text: "help", help: "Show the help of a verb.")) }
    return CompletionAnswer(candidates: candidates)
  }
}
