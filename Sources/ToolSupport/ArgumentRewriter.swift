internal import ArgumentParser
internal import FoundationEssentials
internal import PropertyLists
internal import SystemFiles

/// Arguments that ArgumentParser takes for something else than what is meant, made to be that.
///
/// What options there are takes some milliseconds to find out, so this is for arguments that need it only.
struct ArgumentRewriter {
  /// `--option=` with nothing behind it as two arguments, the option and an empty one: a script writes it whose
  /// variable is empty. ArgumentParser takes it for the option alone, whose value is the next argument.
  ///
  /// - Throws: `ValidationError` for an option that takes no value.
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

  /// Options that take whatever comes next for their value, as those with `unconditional` parsing do. To look at them
  /// is quick; the description of the command says whether they are such options there.
  private static let takingAnything: Set<String> = [
    "--string", "--integer", "--real", "--date", "--json", "--openstep", "--key", "--default", "--value",
    "--contains", "--where",
  ]

  /// - Throws: `ValidationError` if the value of an option is missing, since another option follows instead: the
  ///   variable of a script may be empty.
  static func checkValues(_ arguments: [String], of command: any ParsableCommand.Type) throws {
    let pairs = zip(arguments, arguments.dropFirst())
    guard pairs.contains(where: { takingAnything.contains($0) && $1.hasPrefix("--") }),
      let rewriter = ArgumentRewriter(command)
    else { return }
    var last = ""
    _ = try rewriter.rewriting(arguments) { argument, role, options in
      if role == .value, argument == "--" || options[argument] != nil, argument.hasPrefix("--") {
        throw ValidationError(
          "\(last) has no value: \(argument) follows. To give it that value, write \(last)=\(argument).")
      }
      last = argument
      return [argument]
    }
  }

  /// The arguments with `./` before names of files that begin with a hyphen, as options do; nil if there are none.
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

  /// The command as the tool describes it.
  private let command: PropertyList

  private init?(_ command: any ParsableCommand.Type) {
    guard let command = try? PropertyList(Data(command._dumpHelp().utf8), format: .json)["command"] else { return nil }
    self.command = command
  }

  private enum Role {
    case free
    /// The value of the option before it, unless that begins with a hyphen.
    case plainValue
    /// The value of the option before it, whatever it is.
    case value
  }

  /// The role of what comes behind each option; hyphens are part of the names.
  private typealias Options = [String: Role]

  /// The arguments up to `--` replaced by others.
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
      // Every command is said to have it, and only the whole tool has.
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
