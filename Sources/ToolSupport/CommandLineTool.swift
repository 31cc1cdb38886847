package import ArgumentParser
internal import PropertyLists
private import Synchronization
internal import SystemFiles

/// Runs the verbs of a tool, and ends the process with their exit code.
package struct CommandLineTool {
  private let root: any ParsableCommand.Type
  private let report: (any Error) -> (text: String, exitCode: Int32)?

  /// Creates a tool.
  ///
  /// - Parameters:
  ///   - root: the tool's command, with its verbs in groups.
  ///   - report: a function that returns the message and exit code for an error of a verb, or nil for an error that
  ///     ArgumentParser handles.
  package init(
    _ root: any ParsableCommand.Type, report: @escaping (any Error) -> (text: String, exitCode: Int32)? = { _ in nil }
  ) {
    self.root = root
    self.report = report
  }

  /// Returns the verb with a name or alias. Ends the process with an error if the verb does not exist.
  ///
  /// - Parameter examples: calls such as `print FILE`. The error message suggests them if the name is the name of a
  ///   file.
  package func verb(named name: String, examples: [String]) -> any ParsableCommand.Type {
    let verbs = root.configuration.groupedSubcommands.flatMap { $0.subcommands }
    if let verb = verbs.first(where: { $0._commandName == name || $0.configuration.aliases.contains(name) }) {
      return verb
    }
    let names = verbs.flatMap { [$0._commandName] + $0.configuration.aliases }
    finish(telling: ValidationError(MistypedVerb.message(name, verbs: names, examples: examples)), of: root)
  }

  /// Runs the tool itself instead of one of its verbs, for arguments such as `--help` and `--version`.
  package func run(_ arguments: [String]) -> Never {
    if arguments.first == "help" {
      do { try root.checkVerbs(Array(arguments.dropFirst())) } catch { finish(telling: error) }
    }
    run(root, arguments)
  }

  /// Runs a verb.
  ///
  /// - Parameter arguments: the arguments after the verb.
  package func run(_ verb: any ParsableCommand.Type, _ arguments: [String]) -> Never {
    do {
      var parsed = try verb.parsed(arguments)
      do { try parsed.run() } catch let error as ValidationError {
        note("Error: \(error.message)\n\(verb.usage(of: type(of: parsed)))")
        exit(ExitCodes.usage)
      } catch {
        guard let (text, exitCode) = report(error) else { throw error }
        note(text)
        exit(exitCode)
      }
      exit(ExitCodes.success)
    } catch {
      finish(telling: error, of: verb)
    }
  }

  /// Prints the message of an error and ends the process. If the error is a request for help, prints the help instead.
  package func finish(telling error: any Error, of command: (any ParsableCommand.Type)? = nil) -> Never {
    let command = command ?? root
    let exitCode = command.exitCode(for: error).rawValue
    var text = command.fullMessage(for: error)
    // In some messages, ArgumentParser leaves out the name of the tool.
    let hint = "\n  See '"
    if command != root, !text.contains(hint + ToolName.current + " ") {
      text.replace(hint, with: hint + ToolName.current + " ")
    }
    if text.isEmpty { exit(exitCode) }
    if exitCode != ExitCodes.success {
      note(text)
      exit(exitCode)
    }
    do {
      try output(text)
      exit(exitCode)
    } catch {
      note(error.line(about: "standard output"))
      exit(error.exitCode)
    }
  }
}

extension CommandConfiguration {
  /// Creates the configuration of a verb. The verb is parsed without the tool's own command, so this initializer adds
  /// the name of the tool to the verb's usage text.
  package init(
    verb: String, abstract: String, usage: String? = nil, discussion: String,
    subcommands: [any ParsableCommand.Type] = [], aliases: [String] = []
  ) {
    self.init(
      commandName: verb, _superCommandName: ToolName.current, abstract: abstract, usage: usage, discussion: discussion,
      subcommands: subcommands, aliases: aliases)
  }
}

/// The name of the tool in messages and help. It does not depend on the name of the program file.
package enum ToolName {
  private static let stored = Mutex("")

  /// The name; empty before ``begin(_:)``.
  package static var current: String { stored.withLock { $0 } }

  /// Sets the name. Must be called at the start of the program.
  package static func begin(_ name: String) { stored.withLock { $0 = name } }
}
