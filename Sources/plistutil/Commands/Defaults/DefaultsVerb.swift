/// A verb of `defaults`.
protocol DefaultsVerb: SendableMetatype {
  static var name: String { get }
  static var aliases: [String] { get }
  static var syntax: DefaultsSyntax { get }

  /// - Throws: ``DefaultsError``, and what the libraries throw.
  static func run(_ call: DefaultsCall) throws
}

extension DefaultsVerb {
  static var aliases: [String] { [] }
}

/// What a verb takes.
struct DefaultsSyntax {
  /// The arguments, as help shows them: `[DOMAIN [KEY]]`.
  let arguments: String
  /// What it does, in one line.
  let abstract: String
  /// More of that, in whole lines.
  var details = ""
  /// Calls to try, without the name of the tool.
  let examples: [String]
  /// How many arguments there are, the domain included.
  let operands: ClosedRange<Int>
  /// Whether the first argument is a domain.
  var takesDomain = true
  /// Whether the argument after the domain is a file.
  var takesFile = false
  /// True if everything after the key is the value, hyphens or not.
  var takesValue = false
  /// The options that not every verb has.
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
