package import ArgumentParser
internal import PropertyLists

extension ParsableCommand {
  /// The command that the arguments name. `--option=` has an empty value, and what is no option but a file that begins
  /// with a hyphen is that file.
  package static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
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

  /// The usage of a command below this one, as errors show it.
  package static func usage(of command: any ParsableCommand.Type) -> String {
    let usage = usageString(for: command)
    let end = usage.firstIndex { $0 == "[" || $0 == "<" } ?? usage.endIndex
    let name = usage[..<end].split(separator: " ").joined(separator: " ")
    return "Usage: \(usage)\n  See '\(name) --help' for more information."
  }
}
