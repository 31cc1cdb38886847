import ArgumentParser
import PropertyLists
import ToolSupport

/// Apple's PlistBuddy as a verb.
struct BuddyVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: Buddy.name, abstract: "Do what Apple's PlistBuddy does, with its commands.",
    usage: "plistutil buddy [-c \"<command>\"] … [-x] [-l] <file>", discussion: Buddy.help)

  @Argument(
    parsing: .captureForPassthrough, help: ArgumentHelp("The arguments of PlistBuddy.", valueName: "argument"),
    completion: .file())
  var arguments: [String] = []

  func run() throws {
    let exitCode = Buddy.run(arguments)
    if exitCode != ExitCodes.success { throw ExitCode(exitCode) }
  }
}

/// The tool with the arguments and commands of Apple's `PlistBuddy`.
enum Buddy {
  /// The verb.
  static let name = "buddy"
  /// The name under which the tool is this one.
  static let programName = "PlistBuddy"

  /// For every failure, as Apple's tool has it.
  static let failure: Int32 = 1

  /// - Parameter arguments: without the name of the program.
  /// - Returns: the exit code.
  static func run(_ arguments: [String]) -> Int32 {
    do { return try BuddyCall(arguments).run() } catch {
      error.tell()
      return failure
    }
  }
}

/// Why something fails, in the words that scripts know from Apple's tool.
struct BuddyError: Error {
  let message: String
  /// What is wrong, in our words, if the message does not say it.
  let reason: String?
  /// Whether Apple's tool prints the message on standard output, as it does with all that it does not understand.
  let isOutput: Bool

  init(_ message: String, because reason: String? = nil, isOutput: Bool = false) {
    self.message = message
    self.reason = reason
    self.isOutput = isOutput
  }

  /// What Apple's tool does not understand.
  static func notUnderstood(_ message: String) -> BuddyError { BuddyError(message, isOutput: true) }

  func tell() {
    if let reason { note(reason) }
    // Where standard output fails too, standard error is left.
    if isOutput, (try? output(message)) != nil { return }
    note(message)
  }
}
