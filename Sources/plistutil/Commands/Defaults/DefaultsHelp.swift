/// The help text of `defaults`, and that of each verb.
enum DefaultsHelp {
  static let synopsis = "plistutil defaults [-currentHost | -host HOST] [--folder FOLDER] VERB …"

  static var details: String {
    let verbs = DefaultsVerbs.all.map { "  \(call(of: $0))\n      \($0.syntax.abstract)" }
    return """
      Verbs:
      \(verbs.joined(separator: "\n"))

      DOMAIN is a name such as com.example.notes; -g, -globalDomain or
      NSGlobalDomain for the values that all programs share; or the path of a file,
      which must contain a slash, with or without .plist.

      Options of all verbs:
        -currentHost      The values for this computer only.
        -host HOST        The values for another computer only.
        --folder FOLDER   The folder of the files, instead of the user's.
        --json            Print JSON, also for errors.
        --help            Print the help of a verb.

      When a verb ends, its change is on the disk. Changes of other processes are
      never lost. A file that cannot be read is not overwritten, but renamed when
      something is written.

      Exit codes: 0 success; 1 no such domain or key, an argument that does not fit,
      or input or output failed; 2 not representable; 3 a file cannot be parsed;
      4 nested too deeply; 64 usage error.

      Example: plistutil defaults write com.example.notes fontSize -int 14
      """
  }

  static var text: String {
    "OVERVIEW: Read and change preferences, with the arguments of Apple's defaults.\n\nUSAGE: \(synopsis)\n\n\(details)"
  }

  static func usage(of verb: any DefaultsVerb.Type) -> String { "plistutil defaults \(call(of: verb))" }

  private static func call(of verb: any DefaultsVerb.Type) -> String {
    verb.syntax.arguments.isEmpty ? verb.name : "\(verb.name) \(verb.syntax.arguments)"
  }

  static func text(of verb: any DefaultsVerb.Type) -> String {
    let syntax = verb.syntax
    var text = "OVERVIEW: \(syntax.abstract)\n\nUSAGE: \(usage(of: verb))"
    if !verb.aliases.isEmpty { text += "\n\nOther names: \(verb.aliases.joined(separator: ", "))" }
    if !syntax.details.isEmpty { text += "\n\n\(syntax.details)" }
    let examples = syntax.examples.map { "  plistutil defaults \($0)" }
    return text + "\n\n\(examples.count == 1 ? "Example" : "Examples"):\n\(examples.joined(separator: "\n"))"
  }
}
