package import ArgumentParser
internal import PropertyLists
private import Synchronization
internal import SystemFiles

/// Runs the verbs of a tool, and ends the process as they say.
package struct CommandLineTool {
  private let root: any ParsableCommand.Type
  private let report: (any Error) -> (text: String, exitCode: Int32)?

  /// - Parameters:
  ///   - root: the tool as a whole, with its verbs in groups.
  ///   - report: what an error of a verb says, and how the process ends then; nil for one that the parser of arguments
  ///     knows.
  package init(
    _ root: any ParsableCommand.Type, report: @escaping (any Error) -> (text: String, exitCode: Int32)? = { _ in nil }
  ) {
    self.root = root
    self.report = report
  }

  /// The verb that an argument names.
  ///
  /// - Parameter examples: what can be done with a file, such as `print FILE`, for whoever names one instead.
  package func verb(named name: String, examples: [String]) -> any ParsableCommand.Type {
    let verbs = root.configuration.groupedSubcommands.flatMap { $0.subcommands }
    if let verb = verbs.first(where: { $0._commandName == name || $0.configuration.aliases.contains(name) }) {
      return verb
    }
    let names = verbs.flatMap { [$0._commandName] + $0.configuration.aliases }
    finish(telling: ValidationError(MistypedVerb.message(name, verbs: names, examples: examples)), of: root)
  }

  /// Runs the tool as a whole, for its help and its version.
  package func run(_ arguments: [String]) -> Never {
    if arguments.first == "help" {
      do { try root.checkVerbs(Array(arguments.dropFirst())) } catch { finish(telling: error) }
    }
    run(root, arguments)
  }

  /// Runs a verb.
  ///
  /// - Parameter arguments: those behind its name.
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

  /// Ends the process with what an error of a verb, or of the tool, has to say: help, or what is wrong.
  package func finish(telling error: any Error, of command: (any ParsableCommand.Type)? = nil) -> Never {
    let command = command ?? root
    let exitCode = command.exitCode(for: error).rawValue
    var text = command.fullMessage(for: error)
    // ArgumentParser leaves out whose verb it is, in some messages.
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
  /// A verb of the tool. It is parsed by itself, without the other verbs, and its usage says whose verb it is.
  package init(
    verb: String, abstract: String, usage: String? = nil, discussion: String,
    subcommands: [any ParsableCommand.Type] = [], aliases: [String] = []
  ) {
    self.init(
      commandName: verb, _superCommandName: ToolName.current, abstract: abstract, usage: usage, discussion: discussion,
      subcommands: subcommands, aliases: aliases)
  }
}

/// The name of the tool that this process is, as messages and help have it, whatever it was called as.
package enum ToolName {
  private static let stored = Mutex("")

  /// Empty before ``begin(_:)``.
  package static var current: String { stored.withLock { $0 } }

  /// To be called first of all.
  package static func begin(_ name: String) { stored.withLock { $0 = name } }
}
