/// A verb of `defaults`.
protocol DefaultsVerb: SendableMetatype {
  static var name: String { get }
  static var aliases: [String] { get }
  static var syntax: DefaultsSyntax { get }

  /// Runs the verb.
  ///
  /// - Throws: ``DefaultsError``, and errors of the libraries.
  static func run(_ call: DefaultsCall) throws
}

extension DefaultsVerb {
  static var aliases: [String] { [] }
}

/// The arguments of a verb, and its help.
struct DefaultsSyntax {
  /// The arguments in the form of the help, such as `[DOMAIN [KEY]]`.
  let arguments: String
  /// A summary of the verb, in one line.
  let abstract: String
  /// Further lines of help.
  var details = ""
  /// Example calls, without the name of the tool.
  let examples: [String]
  /// The allowed number of arguments, including the domain.
  let operands: ClosedRange<Int>
  /// True if the first argument is a domain.
  var takesDomain = true
  /// True if the argument after the domain is a file.
  var takesFile = false
  /// True if all arguments after the key are the value, even if they begin with a hyphen.
  var takesValue = false
  /// The options that the verb takes in addition to the common ones.
  var options: Set<DefaultsOption> = []
}

/// An option that only some verbs have.
enum DefaultsOption: String, CaseIterable {
  case apple = "--apple"
  case format = "--format"
  case from = "--from"
  case keyPath = "--key-path"
  case replace = "--replace"
  case typed = "--typed"
}

/// All verbs.
enum DefaultsVerbs {
  static let all: [any DefaultsVerb.Type] = [
    DefaultsRead.self, DefaultsReadType.self, DefaultsWrite.self, DefaultsRename.self, DefaultsDelete.self,
    DefaultsImport.self, DefaultsExport.self, DefaultsDomains.self, DefaultsFind.self, DefaultsWatch.self,
  ]

  static func named(_ name: String) -> (any DefaultsVerb.Type)? {
    all.first { $0.name == name || $0.aliases.contains(name) }
  }
}
