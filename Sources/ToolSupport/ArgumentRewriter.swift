internal import ArgumentParser
internal import FoundationEssentials
internal import PropertyLists
internal import SystemFiles

/// Rewrites arguments that ArgumentParser would misunderstand.
///
/// Getting the list of options takes some milliseconds, so it is done only if an argument needs it.
struct ArgumentRewriter {
  /// Replaces each argument `--option=`, without a value after the equals sign, by two arguments: the option and an
  /// empty value. A script passes such an argument if a variable is empty. ArgumentParser would use the next argument
  /// as the value.
  ///
  /// - Throws: `ValidationError` if the option takes no value.
  static func spellingOutEmptyValues(_ arguments: [String], of command: any ParsableCommand.Type) throws -> [String] {
    func isCandidate(_ argument: String) -> Bool {
      guard argument.hasSuffix("="), argument.hasPrefix("-") else { return false }
      return argument.hasPrefix("--") || argument.unicodeScalars.count == 3
    }
    guard arguments.contains(where: isCandidate), let rewriter = ArgumentRewriter(command) else { return arguments }
    return try rewriter.rewriting(arguments) { argument, role, options in
      let name = String(argument.dropLast())
      guard role == .free, isCandidate(argument), let option = options[name] else { return [argument] }
      if option == .free { throw ValidationError("\(name) takes no value.") }
      return [name, ""]
    }
  }

  /// The names of options that may accept any argument as their value, even one that begins with a hyphen.
  /// (ArgumentParser calls this `unconditional` parsing.) Searching this list is fast. Getting the command's
  /// description takes longer, so it is done only if an argument is one of these options.
  private static let takingAnything: Set<String> = [
    "--string", "--integer", "--real", "--date", "--json", "--openstep", "--key", "--default", "--value",
    "--contains", "--where",
  ]

  /// Checks that no option is used as the value of the option before it. This happens if a variable of a script is
  /// empty, so that a value is missing.
  ///
  /// - Throws: `ValidationError` if an option has another option as its value.
  static func checkValues(_ arguments: [String], of command: any ParsableCommand.Type) throws {
    let pairs = zip(arguments, arguments.dropFirst())
    guard pairs.contains(where: { takingAnything.contains($0) && $1.hasPrefix("--") }),
      let rewriter = ArgumentRewriter(command)
    else { return }
    var last = ""
    _ = try rewriter.rewriting(arguments) { argument, role, options in
      if role == .value, argument == "--" || options[argument] != nil, argument.hasPrefix("--") {
        throw ValidationError(
          "\(last) has no value: \(argument) follows. To use it as the value, write \(last)=\(argument).")
      }
      last = argument
      return [argument]
    }
  }

  /// Returns the arguments with `./` before file names that begin with a hyphen; nil if no argument is such a name.
  static func namingDashedFiles(_ arguments: [String], of command: any ParsableCommand.Type) -> [String]? {
    func isFile(_ argument: String) -> Bool {
      argument.hasPrefix("-") && argument != "-" && FileSystem.sizeOfRegularFile(argument) != nil
    }
    guard arguments.contains(where: isFile), let rewriter = ArgumentRewriter(command) else { return nil }
    let result = rewriter.rewriting(arguments) { argument, role, _ in
      [role != .value && isFile(argument) ? "./" + argument : argument]
    }
    return result == arguments ? nil : result
  }

  /// ArgumentParser's description of the command and its options.
  private let command: PropertyList

  private init?(_ command: any ParsableCommand.Type) {
    guard let command = try? PropertyList(Data(command._dumpHelp().utf8), format: .json)["command"] else { return nil }
    self.command = command
  }

  private enum Role {
    case free
    /// The value of the previous option, unless it begins with a hyphen.
    case plainValue
    /// The value of the previous option, even if it begins with a hyphen.
    case value
  }

  /// For each name of an option, with its hyphens: the role of the argument after the option.
  private typealias Options = [String: Role]

  /// Calls `replacement` for each argument before `--`, and replaces the argument by the result. `replacement` gets the
  /// argument, its role, and the options of the current verb.
  private func rewriting(
    _ arguments: [String], _ replacement: (String, Role, Options) throws -> [String]
  ) rethrows -> [String] {
    var result: [String] = []
    var verb = command
    var options = Self.options(of: verb)
    var role = Role.free
    var takesVerb = true
    for (index, argument) in arguments.enumerated() {
      if role == .free, argument == "--" { return result + arguments[index...] }
      result += try replacement(argument, role, options)
      if role == .value || (role == .plainValue && !argument.hasPrefix("-")) {
        role = .free
        continue
      }
      role = options[argument] ?? .free
      guard takesVerb, !argument.hasPrefix("-") else { continue }
      if let inner = Self.subcommand(argument, of: verb) {
        verb = inner
        options = Self.options(of: inner)
      } else {
        takesVerb = false
      }
    }
    return result
  }

  private static func subcommand(_ name: String, of command: PropertyList) -> PropertyList? {
    command["subcommands"]?.array?.first { inner in
      // ArgumentParser's description has a `help` subcommand for every command, but only the tool itself accepts it.
      if name == "help" { return false }
      return inner["commandName"]?.string == name || inner["aliases"]?.array?.contains { $0.string == name } == true
    }
  }

  private static func options(of command: PropertyList) -> Options {
    var options: Options = [:]
    for argument in command["arguments"]?.array ?? [] where argument["kind"]?.string != "positional" {
      let isFlag = argument["kind"]?.string == "flag"
      let role = isFlag ? Role.free : argument["parsingStrategy"]?.string == "unconditional" ? .value : .plainValue
      for name in argument["names"]?.array ?? [] {
        options[(name["kind"]?.string == "short" ? "-" : "--") + (name["name"]?.string ?? "")] = role
      }
    }
    return options
  }
}
