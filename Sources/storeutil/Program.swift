import SystemFiles
import ToolSupport

/// The entry point, which runs the verb on the command line.
@main
enum Program {
  static func main() {
    ToolName.begin("storeutil")
    Signals.surviveFileSizeLimit()
    Signals.removeUnfinishedFiles()
    let arguments = Array(ProgramArguments.take().dropFirst())
    let completion = Completion { line, _ in StoreCompletion.answer(to: line) }
    if let exitCode = CompletionScript().run(arguments) ?? completion.run(arguments) { exit(exitCode) }
    let tool = CommandLineTool(StoreUtil.self) { error in
      StoreExit.exitCode(of: error).map { (StoreExit.text(of: error), $0) }
    }
    guard let first = arguments.first, !first.hasPrefix("-"), first != "help" else { tool.run(arguments) }
    let verb = tool.verb(named: first, examples: ["info FILE", "model FILE", "fetch FILE ENTITY"])
    tool.run(verb, Array(arguments.dropFirst()))
  }
}
