import Preferences
import PropertyLists
import ToolSupport

/// The failure of a call. Messages use the words of Apple's tool, because scripts search for them. Programs use the
/// exit code and, with `--json`, the kind.
struct DefaultsError: Error {
  /// The kind of the error, for programs.
  let kind: String
  /// The message, for people. It may have several lines.
  let message: String
  let exitCode: Int32

  init(_ kind: String, _ message: String, exitCode: Int32 = ExitCodes.noSuchValue) {
    self.kind = kind
    self.message = message
    self.exitCode = exitCode
  }

  /// Returns an error that is not reported again. Only its exit code is used.
  static func told(_ error: DefaultsError) -> DefaultsError { DefaultsError(error.kind, "", exitCode: error.exitCode) }

  func tell(isForMachines: Bool) {
    if message.isEmpty { return }
    guard isForMachines else { return note(message) }
    do { try DefaultsOutput.writeLine(["error": ["kind": .string(kind), "message": .string(message)]]) } catch {
      note(message)
    }
  }

  static func usage(_ message: String, _ verb: (any DefaultsVerb.Type)? = nil) -> DefaultsError {
    let usage = verb.map { DefaultsHelp.usage(of: $0) } ?? DefaultsHelp.synopsis
    let help = verb.map { "\($0.name) --help" } ?? "--help"
    return DefaultsError(
      "usage", "Error: \(message)\nUsage: \(usage)\n  See 'plistutil defaults \(help)' for more information.",
      exitCode: ExitCodes.usage)
  }

  static func unexpected(_ argument: String) -> DefaultsError {
    DefaultsError("unexpected-argument", "Unexpected argument \(argument.printable()); leaving defaults unchanged.")
  }

  /// Returns the error for a text that is not a value of the given type.
  static func noValue(_ text: String, of type: String) -> DefaultsError {
    DefaultsError("not-parsable", "\(text.quoted) is not \(type); leaving defaults unchanged.")
  }

  static let notADictionary = DefaultsError(
    "not-a-dictionary", "Rep argument is not a dictionary\nDefaults have not been changed.")

  static func noSuchValue(_ domain: DefaultsDomain, _ key: String, ending: String = "") -> DefaultsError {
    DefaultsError(
      "no-such-key", "The domain/default pair of (\(domain.name), \(key.printable())) does not exist\(ending)")
  }

  /// Calls `body`. Its errors are converted, so that their messages contain the name of the file or other source.
  static func about<Result>(
    _ name: String, _ body: () throws(PropertyListError) -> Result
  ) throws(DefaultsError) -> Result {
    do { return try body() } catch { throw DefaultsError(error, about: name) }
  }

  init(_ error: any Error) {
    switch error {
    case let error as DefaultsError: self = error
    case let error as PreferencesError: self.init(error)
    case let error as PropertyListError: self.init(error, about: "standard output")
    default: self.init("input-output", "plistutil: error: \(error)", exitCode: ExitCodes.inputOutput)
    }
  }

  init(_ error: PropertyListError, about name: String) {
    self.init(error.code, error.line(about: name), exitCode: error.exitCode)
  }

  private init(_ error: PreferencesError) {
    switch error {
    case .unreadable(let path, _, let cause), .notRead(let path, let cause), .notSaved(let path, let cause):
      self.init(cause, about: path.printable())
    case .notStorable, .emptyKey: self.init("not-representable", "\(error)", exitCode: ExitCodes.notRepresentable)
    case .invalidName: self.init("usage", "Error: \(error)", exitCode: ExitCodes.usage)
    case .locked: self.init("locked", "plistutil: error: \(error)", exitCode: ExitCodes.inputOutput)
    case .noFolder, .folderVanished, .changedMeanwhile, .updateUnderWay, .forkedProcess, .notDecodable:
      self.init("input-output", "plistutil: error: \(error)", exitCode: ExitCodes.inputOutput)
    }
  }
}
