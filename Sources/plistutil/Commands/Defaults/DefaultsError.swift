import Preferences
import PropertyLists
import ToolSupport

/// Why a call failed. Scripts look for the words of Apple's tool, which are used where it has any; programs go by the
/// exit code and, with `--json`, by the kind.
struct DefaultsError: Error {
  /// For machines.
  let kind: String
  /// The lines for people.
  let message: String
  let exitCode: Int32

  init(_ kind: String, _ message: String, exitCode: Int32 = ExitCodes.noSuchValue) {
    self.kind = kind
    self.message = message
    self.exitCode = exitCode
  }

  /// One that people have been told already. Only its exit code counts.
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

  /// A value of a type that was named.
  static func noValue(_ text: String, of type: String) -> DefaultsError {
    DefaultsError("not-parsable", "\(text.quoted) is no \(type); leaving defaults unchanged.")
  }

  static let notADictionary = DefaultsError(
    "not-a-dictionary", "Rep argument is not a dictionary\nDefaults have not been changed.")

  static func noSuchValue(_ domain: DefaultsDomain, _ key: String, ending: String = "") -> DefaultsError {
    DefaultsError(
      "no-such-key", "The domain/default pair of (\(domain.name), \(key.printable())) does not exist\(ending)")
  }

  /// What `body` gives; what it throws is said about a file, or whatever else has a name.
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
