import PropertyLists
import ToolSupport

/// The arguments of a call of the tool. They are processed in their order, as in Apple's tool. All commands are parsed
/// before the first one runs.
struct BuddyCall {
  private enum Argument {
    case command(String)
    case file(String)
    case help(exitCode: Int32)
    /// An unknown option.
    case unknown(String)
    /// A `-c` without an argument.
    case incomplete
  }

  private var arguments: [Argument] = []
  private var printsXML = false
  private var followsLinks = true

  init(_ texts: [String]) {
    var rest = texts[...]
    while let text = rest.popFirst() {
      switch text {
      case "-c": arguments.append(rest.popFirst().map { .command($0) } ?? .incomplete)
      case "-x": printsXML = true
      case "-l": followsLinks = false
      case "-h": arguments.append(.help(exitCode: Buddy.failure))
      case "-help", "--help": arguments.append(.help(exitCode: ExitCodes.success))
      case _ where text.hasPrefix("-"): arguments.append(.unknown(text))
      default: arguments.append(.file(text))
      }
    }
  }

  /// Processes the arguments, and runs the commands.
  ///
  /// - Returns: the exit code.
  func run() throws(BuddyError) -> Int32 {
    var session: BuddySession?
    var commands: [BuddyCommand] = []
    for argument in arguments {
      switch argument {
      case .command(let text):
        do { _ = try ProgramArguments.text(text) } catch {
          throw .notUnderstood("Unrecognized Command: \(error.message)")
        }
        commands.append(try BuddyCommand(text))
      case .file(let path):
        guard session == nil else { throw .notUnderstood("Invalid Arguments\n") }
        session = try BuddySession(BuddyFile(path: path, followsLinks: followsLinks), printsXML: printsXML)
      case .help(let exitCode):
        try Self.print(Buddy.help)
        return exitCode
      case .unknown(let text):
        throw BuddyError(
          "Invalid Arguments\n", because: "\(text.quoted) is not an option; write options one by one: -x -c \"Print\"",
          isOutput: true)
      case .incomplete:
        try Self.print(Buddy.usage)
        return Buddy.failure
      }
    }
    guard var session else {
      try Self.print(Buddy.usage)
      return Buddy.failure
    }
    if commands.isEmpty {
      BuddyPrompt.run(&session)
    } else {
      for command in commands { session.run(command) }
      session.saveAtEnd()
    }
    return session.hasFailed ? Buddy.failure : ExitCodes.success
  }

  private static func print(_ text: String) throws(BuddyError) {
    do { try output(text) } catch { throw BuddyError(error.line(about: Buddy.programName)) }
  }
}
