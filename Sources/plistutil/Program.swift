import ArgumentParser
import PropertyLists
import SystemFiles
import ToolSupport

/// The entry point, which runs the tool that the command line asks for.
@main
enum Program {
  static func main() {
    ToolName.begin("plistutil")
    Signals.surviveFileSizeLimit()
    Signals.removeUnfinishedFiles()
    var arguments = Array(ProgramArguments.take().dropFirst())
    if programName == "defaults" { end(Defaults.run(arguments, isApple: true)) }
    if let exitCode = runTool(named: programName, arguments) { end(exitCode) }
    if programName == "plist2json" { convert(["-f", "json", "-C"] + arguments) }
    let script = CompletionScript(
      names: ["plutil", "defaults", "PlistBuddy", "plist2json"], namesOfFish: ["plutil", "defaults"])
    if let exitCode = script.run(arguments) ?? Completion(answer: LineCompletion.answer).run(arguments) {
      end(exitCode)
    }
    guard let first = arguments.first, !first.hasPrefix("-") else {
      // For these options, ArgumentParser writes descriptions of the verbs, which other programs read.
      if let first = arguments.first, generators.contains(first) { tool.run(arguments) }
      convert(arguments)
    }
    // These tools, and conversions without a verb, do not use ArgumentParser. It would take minutes for 100 000
    // arguments, and even for a few arguments as long as the rest of the work.
    if let exitCode = runTool(named: first, Array(arguments.dropFirst())) { end(exitCode) }
    if first == "help" { tool.run(arguments) }
    let verb = tool.verb(named: first, examples: ["print FILE", "lint FILE", "convert -f xml FILE"])
    if ["get", "extract"].contains(first) { Get.takeKeys(from: &arguments) }
    if !["create", "merge", "diff", "edit", "git"].contains(first) { FileArguments.takeFiles(from: &arguments) }
    tool.run(verb, Array(arguments.dropFirst()))
  }

  private static var tool: CommandLineTool { CommandLineTool(PlistUtil.self) }

  private static let generators = ["--experimental-dump-help", "--help-hidden"]

  /// Runs one of the tools that have their own names and arguments. Returns nil if `name` is not the name of one.
  private static func runTool(named name: String, _ arguments: [String]) -> Int32? {
    switch name {
    case Plutil.name: Plutil.run(arguments)
    case "defaults": Defaults.run(arguments)
    case Buddy.programName, Buddy.name: Buddy.run(arguments)
    default: nil
    }
  }

  /// Runs the tool without a verb, like libplist's tool.
  private static func convert(_ arguments: [String]) -> Never {
    do { end(try Libplist.run(arguments)) } catch { tool.finish(telling: error) }
  }

  /// The name that the tool was called by.
  private static var programName: String {
    CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
  }
}

/// Ends the process.
private func end(_ exitCode: Int32) -> Never { exit(exitCode) }
