package import ArgumentParser
internal import PropertyLists

extension ParsableCommand {
  /// Parses the arguments, and returns the command that they call. Two rules differ from those of ArgumentParser. The
  /// value of `--option=` is empty. An argument that begins with a hyphen is a file if it is not an option and the file
  /// exists.
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
      // ArgumentParser may read the letters of a file name as flags: `-photo.plist` as `-p`, `-h`, and so on. `-h` asks
      // for help.
      if isHelp, let name = arguments.first(where: { $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.contains(".") }) {
        throw ValidationError("Unknown option '\(name.printable())'; for that file, use ./\(name.printable())")
      }
    }
    return try outcome.get()
  }

  /// Throws `ValidationError` if an argument should be the name of a subcommand, but is not. Arguments after an option,
  /// or after a verb without subcommands, are not checked.
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

  /// Returns the usage of a subcommand, in the form that error messages show.
  package static func usage(of command: any ParsableCommand.Type) -> String {
    let usage = usageString(for: command)
    let end = usage.firstIndex { $0 == "[" || $0 == "<" } ?? usage.endIndex
    let name = usage[..<end].split(separator: " ").joined(separator: " ")
    return "Usage: \(usage)\n  See '\(name) --help' for more information."
  }
}
