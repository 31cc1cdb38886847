import ArgumentParser
import PropertyLists

@main
struct PlistUtil: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plistutil",
    abstract: "Read, convert, check, query, edit and compare property lists.",
    usage: BareConversion.usage,
    discussion: """
      Formats are xml, binary, json, openstep, gnustep (OpenStep with types) and strings.

      Without a verb this is libplist's tool: --infile, --outfile, --format, --print, --nodepath, --sort, --compact, \
      --plain and --debug. Under the name plutil, or as plistutil plutil, it is Apple's.

      \(ExitCodes.help)

      Example: plistutil convert -f xml Info.plist
      """,
    subcommands: [BareConversion.self],
    groupedSubcommands: [
      CommandGroup(name: "Format", subcommands: [Convert.self, Print.self, Lint.self, Create.self]),
      CommandGroup(name: "Query", subcommands: [Get.self, KindVerb.self, Keys.self, Find.self, Stats.self]),
      CommandGroup(
        name: "Edit",
        subcommands: [
          ValueVerb<SetEdit>.self, ValueVerb<InsertEdit>.self, ValueVerb<ReplaceEdit>.self, Remove.self,
          ValueVerb<AppendEdit>.self,
        ]),
      CommandGroup(name: "Compare", subcommands: [Diff.self, Patch.self, Merge.self]),
      CommandGroup(name: "Store", subcommands: [Archive.self, Defaults.self]),
      CommandGroup(name: "Other tool", subcommands: [PlutilVerb.self]),
    ],
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
    var arguments = Array(CommandLine.arguments.dropFirst())
    let tools = [Plutil.name: Plutil.run, "defaults": Defaults.run]
    if let run = tools[programName] { return end(run(arguments)) }
    if programName == "plist2json" { return main(["-f", "json", "-C"] + arguments) }
    if let first = arguments.first, !first.hasPrefix("-") {
      // Not by way of the parser of the other verbs, which takes minutes for 100 000 arguments.
      if let run = tools[first] { return end(run(Array(arguments.dropFirst()))) }
      guard verbs.contains(first) else {
        exit(withError: ValidationError("There is no verb \"\(first.printable())\"; plistutil --help lists them."))
      }
      if !["create", "merge", "diff", "help"].contains(first) { FileArguments.takeFiles(from: &arguments) }
    }
    main(arguments)
  }

  private static func end(_ exitCode: Int32) {
    if exitCode != ExitCodes.success { exit(withError: ExitCode(exitCode)) }
  }

  /// What the tool was called as.
  private static var programName: String {
    CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
  }

  private static var verbs: [String] {
    let groups = configuration.groupedSubcommands.flatMap(\.subcommands)
    return ["help"] + (configuration.subcommands + groups).flatMap { [$0._commandName] + $0.configuration.aliases }
  }
}
