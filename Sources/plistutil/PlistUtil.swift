import ArgumentParser
import PropertyLists

@main
struct PlistUtil: ParsableCommand {
  static let versionLine = "plistutil 0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "plistutil",
    abstract: "Read, convert, check, query, edit and compare property lists.",
    usage: """
      plistutil VERB …
      plistutil [-i FILE] [-o FILE] [-f FORMAT] [-n PATH] [-s] [-c] [-C]
      plistutil -p FILE [-n PATH] [-s]
      """,
    discussion: """
      Formats are xml, binary, json, openstep, gnustep (OpenStep with types) and strings.

      Without a verb this is libplist's tool: --infile, --outfile, --format, --print, --nodepath, --sort, --compact, \
      --plain and --debug. Under the name plutil, or as plistutil plutil, it is Apple's.

      \(ExitCodes.help)

      Example: plistutil convert -f xml Info.plist
      """,
    subcommands: [Convert.self, Print.self, Lint.self, Defaults.self, BareConversion.self],
    defaultSubcommand: BareConversion.self)

  static func main() {
    // A name that is not UTF-8 has become another name in `CommandLine.arguments`.
    for index in 0..<Int(CommandLine.argc) {
      // Sound: the system passes as many strings as it says.
      guard let argument = unsafe CommandLine.unsafeArgv[index] else { continue }
      if unsafe String(validatingCString: argument) == nil {
        exit(withError: ValidationError("\"\(CommandLine.arguments[index].printable())\" is not UTF-8."))
      }
    }
    if programName == "defaults" || CommandLine.arguments.dropFirst().first == "defaults" {
      // Not by way of the parser of the other verbs, which takes minutes for 100 000 arguments.
      let arguments = CommandLine.arguments.dropFirst(programName == "defaults" ? 1 : 2)
      exit(withError: ExitCode(Defaults.run(Array(arguments))))
    }
    if programName == "plist2json" {
      return main(["-f", "json", "-C"] + CommandLine.arguments.dropFirst())
    }
    if let first = CommandLine.arguments.dropFirst().first, !first.hasPrefix("-"), !verbs.contains(first) {
      exit(withError: ValidationError("There is no verb \"\(first.printable())\"; plistutil --help lists them."))
    }
    main(nil)
  }

  /// What the tool was called as.
  private static var programName: Substring? { CommandLine.arguments.first?.split(separator: "/").last }

  private static var verbs: [String] {
    ["help"] + configuration.subcommands.flatMap { [$0._commandName] + $0.configuration.aliases }
  }
}
