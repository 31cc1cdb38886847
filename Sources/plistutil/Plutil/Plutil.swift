import ArgumentParser
import FoundationEssentials
import PropertyLists
import ToolSupport

/// Apple's `plutil` as a verb.
struct PlutilVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: Plutil.name, abstract: "Check, convert and edit property lists, with the arguments of Apple's plutil.",
    usage: "plistutil plutil …", discussion: Plutil.help)

  @Argument(
    parsing: .captureForPassthrough, help: ArgumentHelp("The arguments of plutil.", valueName: "argument"),
    completion: .file())
  var arguments: [String] = []

  func run() throws {
    let exitCode = Plutil.run(arguments)
    if exitCode != ExitCodes.success { throw ExitCode(exitCode) }
  }
}

/// The tool with the arguments of Apple's `plutil`. They differ from those of the verbs: long options have one hyphen,
/// and an option's values may come after other options.
enum Plutil {
  /// The name of the program and of the verb.
  static let name = "plutil"

  private static let success: Int32 = 0
  /// The exit code for usage errors and for errors in files, as in Apple's tool.
  static let failure: Int32 = 1

  /// Runs the tool.
  ///
  /// - Parameter arguments: the arguments without the name of the program.
  /// - Returns: the exit code.
  static func run(_ arguments: [String]) -> Int32 {
    do {
      let command = try PlutilCommand(arguments)
      if case .help = command.verb {
        try output(help)
        return success
      }
      if case .print = command.verb, command.options.isSilent { note("-s doesn't make a lot of sense with -p.") }
      return run(command)
    } catch {
      note(PlutilError(error).message)
      return failure
    }
  }

  private static func run(_ command: PlutilCommand) -> Int32 {
    let inputs = command.files.map { Input($0) }
    // If several files have the same destination, the last one must win.
    let isOrdered = command.options.outputPath != nil || command.options.outputExtension != nil
    let jobs = isOrdered ? 1 : ProcessInfo.processInfo.activeProcessorCount
    let batch = Batch(
      inputs: inputs, jobs: jobs, isForMachines: false,
      replaces: { PlutilWork(command: command, input: $0).replacesInput })
    let code = batch.run { input, report throws(PropertyListError) in
      do { try PlutilWork(command: command, input: input).run(&report) } catch {
        if report.isToBeRepeated { return }
        report.note("\(input.name): \(PlutilError(error).message)")
        report.raise(failure)
      }
    }
    // An exit code above 128 means that a signal ended the work.
    return code == success || code > 128 ? code : failure
  }
}

/// An error, in the words of Apple's tool, which scripts expect.
struct PlutilError: Error {
  let message: String

  init(_ message: String) { self.message = message }

  /// Throws if an argument is not UTF-8. Called for arguments that are not file names, because only file names may
  /// contain other bytes.
  static func refuseBytes(_ argument: String) throws(PlutilError) {
    do { _ = try ProgramArguments.text(argument) } catch { throw PlutilError("Invalid argument: \(error.message)") }
  }

  /// Converts an error of the libraries. Its text is printed in parentheses, as in Apple's tool.
  init(_ error: any Error) { message = (error as? PlutilError)?.message ?? "(\(error))" }
}
