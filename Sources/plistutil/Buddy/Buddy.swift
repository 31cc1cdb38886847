import ArgumentParser
import PropertyLists
import ToolSupport

/// Apple's PlistBuddy as a verb.
struct BuddyVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: Buddy.name, abstract: "Print and edit a property list, with the commands of Apple's PlistBuddy.",
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
  /// The name of the verb of `plistutil`.
  static let name = "buddy"
  /// The name of the tool, which messages use.
  static let programName = "PlistBuddy"

  /// The exit code of every failure, as in Apple's tool.
  static let failure: Int32 = 1

  /// Runs the tool.
  ///
  /// - Parameter arguments: the arguments without the name of the program.
  /// - Returns: the exit code.
  static func run(_ arguments: [String]) -> Int32 {
    do { return try BuddyCall(arguments).run() } catch {
      error.tell()
      return failure
    }
  }
}

/// An error, in the words of Apple's tool, which scripts expect.
struct BuddyError: Error {
  let message: String
  /// A more precise description in this tool's words; nil if the message needs none.
  let reason: String?
  /// True if the message is printed to standard output, as Apple's tool does if it does not understand a command.
  let isOutput: Bool

  init(_ message: String, because reason: String? = nil, isOutput: Bool = false) {
    self.message = message
    self.reason = reason
    self.isOutput = isOutput
  }

  /// Returns the error for input that Apple's tool does not understand.
  static func notUnderstood(_ message: String) -> BuddyError { BuddyError(message, isOutput: true) }

  func tell() {
    if let reason { note(reason) }
    // If standard output fails, the message goes to standard error.
    if isOutput, (try? output(message)) != nil { return }
    note(message)
  }
}
