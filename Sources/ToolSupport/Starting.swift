package import ArgumentParser
internal import PropertyLists

extension ParsableCommand {
  /// The command that the arguments name. `--option=` has an empty value, and what is no option but a file that begins
  /// with a hyphen is that file.
  package static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    try checkVerbs(arguments)
    try ArgumentRewriter.checkValues(arguments, of: self)
    let arguments = try ArgumentRewriter.spellingOutEmptyValues(arguments, of: self)
    let outcome = Result { try parseAsRoot(arguments) }
    let isHelp = (try? outcome.get()).map { type(of: $0)._commandName == "help" } ?? false
    switch outcome {
    case .failure(let error) where exitCode(for: error) == .success: break
    case .success where !isHelp || arguments.contains(where: ["-h", "--help", "help"].contains): break
    default:
      if let others = ArgumentRewriter.namingDashedFiles(arguments, of: self), let command = try? parseAsRoot(others) {
        return command
      }
      // The letters of a name may be those of flags, of which one asks for help.
      if isHelp, let name = arguments.first(where: { $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.contains(".") }) {
        throw ValidationError("Unknown option '\(name.printable())'; a file of that name is ./\(name.printable())")
      }
    }
    return try outcome.get()
  }

  /// Throws `ValidationError` if the first arguments name verbs below this command, and one of them does not exist.
  /// What comes after an option or a verb without others below it is not looked at.
  static func checkVerbs(_ arguments: [String]) throws {
    var command: any ParsableCommand.Type = self
    var path = ToolName.current
    if self._commandName != path { path += " \(self._commandName)" }
    for argument in arguments where argument != "help" {
      let verbs = command.configuration.subcommands
      if verbs.isEmpty || argument.hasPrefix("-") { return }
      var names: [String] = []
      var found: (any ParsableCommand.Type)?
      for verb in verbs {
        let own = [verb._commandName] + verb.configuration.aliases
        if own.contains(argument) { found = verb }
        names += own
      }
      guard let found else {
        throw ValidationError(MistypedVerb.message(argument, verbs: names, examples: [], tool: path))
      }
      command = found
      path += " \(found._commandName)"
    }
  }

  /// The usage of a command below this one, as errors show it.
  package static func usage(of command: any ParsableCommand.Type) -> String {
    let usage = usageString(for: command)
    let end = usage.firstIndex { $0 == "[" || $0 == "<" } ?? usage.endIndex
    let name = usage[..<end].split(separator: " ").joined(separator: " ")
    return "Usage: \(usage)\n  See '\(name) --help' for more information."
  }
}
