import ArgumentParser
import Preferences
import ToolSupport

/// The verb `defaults`, which reads and changes preferences. It takes the arguments of Apple's tool of the same name.
///
/// Apple's options have several letters after one hyphen, which ArgumentParser cannot parse, so the arguments have a
/// parser of their own.
struct Defaults: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "defaults",
    abstract: "Read and change preferences, with the arguments of Apple's defaults.",
    usage: DefaultsHelp.synopsis, discussion: DefaultsHelp.details)

  @Argument(
    parsing: .captureForPassthrough, help: ArgumentHelp("A verb and its arguments.", valueName: "argument"),
    completion: .list(DefaultsVerbs.all.map { $0.name }))
  var arguments: [String] = []

  func run() throws {
    let exitCode = Self.run(arguments)
    if exitCode != ExitCodes.success { throw ExitCode(exitCode) }
  }

  /// Runs a call of `defaults`.
  ///
  /// - Parameter isApple: true to print values like Apple's tool, unless an option selects another form.
  /// - Returns: the exit code.
  static func run(_ arguments: [String], isApple: Bool = false) -> Int32 {
    // Reports defects that do not make a verb fail, such as a file that was set aside.
    UserPreferences.handleErrors { note("plistutil: warning: \($0)") }
    var call = DefaultsCall(arguments, isApple: isApple)
    do {
      if let help = try call.parse() { try output(help) } else { try call.verb?.run(call) }
      return ExitCodes.success
    } catch {
      let error = DefaultsError(error)
      error.tell(isForMachines: call.isForMachines)
      return error.exitCode
    }
  }
}
