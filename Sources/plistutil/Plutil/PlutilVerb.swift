import ArgumentParser

/// Apple's tool as a verb.
struct PlutilVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: Plutil.name, abstract: "Do what Apple's plutil does, with its arguments.", usage: "plistutil plutil …",
    discussion: Plutil.help)

  @Argument(
    parsing: .captureForPassthrough, help: ArgumentHelp("The arguments of plutil.", valueName: "argument"),
    completion: .file())
  var arguments: [String] = []

  func run() throws {
    let exitCode = Plutil.run(arguments)
    if exitCode != ExitCodes.success { throw ExitCode(exitCode) }
  }
}
