import FoundationEssentials
import Preferences
import PropertyLists
import SystemFiles

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
  static func told(_ error: DefaultsError) -> DefaultsError {
    DefaultsError(error.kind, "", exitCode: error.exitCode)
  }

  func tell(isForMachines: Bool) {
    if message.isEmpty { return }
    guard isForMachines else { return note(message) }
    let fields: PropertyList = ["error": ["kind": .string(kind), "message": .string(message)]]
    do throws(PropertyListError) {
      let options = PropertyListWritingOptions(isCompact: true)
      try output(fields.data(format: .json, options: options))
    } catch {
      note(message)
    }
  }
}

/// The arguments are wrong.
extension DefaultsError {
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

  static func notParsable(_ text: String) -> DefaultsError {
    DefaultsError("not-parsable", "Could not parse: \(text.printable()).  Try single-quoting it.")
  }

  static let notADictionary = DefaultsError(
    "not-a-dictionary", "Rep argument is not a dictionary\nDefaults have not been changed.")

  static func noApplication(_ name: String) -> DefaultsError {
    DefaultsError(
      "no-such-application",
      """
      Couldn't find an application named "\(name.printable())"; defaults unchanged
      There is no registry of applications to look it up in. Give the name of its domain, such as com.example.notes.
      """)
  }
}

/// There is no such thing.
extension DefaultsError {
  static func noSuchValue(_ domain: DefaultsDomain, _ key: String, ending: String = "") -> DefaultsError {
    DefaultsError(
      "no-such-key", "The domain/default pair of (\(domain.name), \(key.printable())) does not exist\(ending)")
  }

  static func noSuchDomain(_ domain: DefaultsDomain) -> DefaultsError {
    DefaultsError("no-such-domain", "Domain \(domain.name) does not exist\(domain.hint)")
  }

  static func noSuchDomainToDelete(_ domain: DefaultsDomain) -> DefaultsError {
    DefaultsError("no-such-domain", "Domain (\(domain.name)) not found.\nDefaults have not been changed.")
  }
}

/// What the libraries throw.
extension DefaultsError {
  /// What `body` gives; what it throws is said about a file, or whatever else has a name.
  static func about<Result>(
    _ name: String, _ body: () throws(PropertyListError) -> Result
  ) throws(DefaultsError) -> Result {
    do throws(PropertyListError) {
      return try body()
    } catch {
      throw DefaultsError(error, about: name)
    }
  }

  init(_ error: PropertyListError, about name: String) {
    self.init(error.code, error.line(about: name), exitCode: error.exitCode)
  }

  init(_ error: PreferencesError) {
    switch error {
    case .unreadable(let path, _, let cause), .notRead(let path, let cause), .notSaved(let path, let cause):
      self.init(cause, about: path.printable())
    case .notStorable, .emptyKey: self.init("not-representable", "\(error)", exitCode: ExitCodes.notRepresentable)
    case .invalidName: self.init("usage", "Error: \(error)", exitCode: ExitCodes.usage)
    case .locked: self.init("locked", "plistutil: error: \(error)", exitCode: ExitCodes.inputOutput)
    case .noFolder, .folderVanished, .changedMeanwhile, .updateUnderWay, .notDecodable:
      self.init("input-output", "plistutil: error: \(error)", exitCode: ExitCodes.inputOutput)
    }
  }
}
