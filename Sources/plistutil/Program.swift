import ArgumentParser
import PropertyLists
import SystemFiles

/// Starts what is asked for, and nothing else.
@main
enum Program {
  static func main() {
    Signals.surviveFileSizeLimit()
    var arguments = Array(ProgramArguments.take().dropFirst())
    let tools = [
      Plutil.name: Plutil.run, "defaults": { Defaults.run($0) }, Buddy.programName: Buddy.run, Buddy.name: Buddy.run,
    ]
    if programName == "defaults" { end(Defaults.run(arguments, isApple: true)) }
    if let run = tools[programName] { end(run(arguments)) }
    if programName == "plist2json" { convert(["-f", "json", "-C"] + arguments) }
    if let exitCode = CompletionScript.run(arguments) ?? Completion.run(arguments) { end(exitCode) }
    guard let first = arguments.first, !first.hasPrefix("-") else {
      // What ArgumentParser makes of its verbs: a description for other programs.
      if let first = arguments.first, generators.contains(first) { run(PlistUtil.self, arguments) }
      convert(arguments)
    }
    // Neither these nor a conversion go by way of the parser of the other verbs, which takes minutes for 100 000
    // arguments, and for a few as long as all the rest.
    if let run = tools[first] { end(run(Array(arguments.dropFirst()))) }
    if first == "help" { run(PlistUtil.self, arguments) }
    guard let verb = verbs.first(where: { $0._commandName == first || $0.configuration.aliases.contains(first) }) else {
      let names = verbs.flatMap { [$0._commandName] + $0.configuration.aliases }
      finish(telling: ValidationError(MistypedVerb.message(first, verbs: names)), of: PlistUtil.self)
    }
    if !["create", "merge", "diff", "edit", "git"].contains(first) { FileArguments.takeFiles(from: &arguments) }
    run(verb, Array(arguments.dropFirst()))
  }

  /// Runs a command, and ends the process as it says.
  private static func run(_ command: any ParsableCommand.Type, _ arguments: [String]) -> Never {
    do {
      var parsed = try command.parsed(arguments)
      do {
        try parsed.run()
      } catch let error as ValidationError {
        note("Error: \(error.message)\n\(command.usage(of: type(of: parsed)))")
        end(ExitCodes.usage)
      }
      end(ExitCodes.success)
    } catch {
      finish(telling: error, of: command)
    }
  }

  /// Ends the process with what an error of a command has to say: help, or what is wrong.
  private static func finish(telling error: any Error, of command: any ParsableCommand.Type) -> Never {
    let exitCode = command.exitCode(for: error).rawValue
    var text = command.fullMessage(for: error)
    // ArgumentParser leaves out whose verb it is.
    if command != PlistUtil.self { text.replace("\n  See '", with: "\n  See 'plistutil ") }
    if text.isEmpty { end(exitCode) }
    if exitCode != ExitCodes.success {
      note(text)
      end(exitCode)
    }
    do {
      try output(text)
      end(exitCode)
    } catch {
      note(error.line(about: "standard output"))
      end(error.exitCode)
    }
  }

  private static let generators = ["--experimental-dump-help", "--help-hidden"]

  /// Does what libplist's tool does.
  private static func convert(_ arguments: [String]) -> Never {
    do {
      end(try Libplist.run(arguments))
    } catch {
      finish(telling: error, of: PlistUtil.self)
    }
  }

  /// What the tool was called as.
  private static var programName: String {
    CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
  }

  private static var verbs: [any ParsableCommand.Type] {
    PlistUtil.configuration.groupedSubcommands.flatMap { $0.subcommands }
  }
}

/// Ends the process.
private func end(_ exitCode: Int32) -> Never { exit(exitCode) }
