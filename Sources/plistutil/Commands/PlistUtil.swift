import ArgumentParser
import PropertyLists
import ToolSupport

/// The command `plistutil`: its verbs and its help.
struct PlistUtil: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plistutil",
    abstract: "Read, convert, check, query, edit and compare property lists.",
    usage: LibplistCommand.usage,
    discussion: """
      Formats are xml, binary, json, openstep, gnustep (OpenStep with types) and strings.

      Without a verb, the arguments are those of libplist's tool. Under the name plutil, or as plistutil plutil, they \
      are those of Apple's plutil; under the name PlistBuddy, or as plistutil buddy, those of PlistBuddy.

      Options without a verb:
      \(LibplistOption.list)

      \(ExitCodes.help)

      Example: plistutil convert -f xml Info.plist
      """,
    groupedSubcommands: [
      CommandGroup(name: "Format", subcommands: [Convert.self, Print.self, Lint.self, Fmt.self, Create.self]),
      CommandGroup(name: "Query", subcommands: [Get.self, KindVerb.self, Keys.self, Find.self, Stats.self]),
      CommandGroup(
        name: "Edit",
        subcommands: [
          ValueVerb<SetEdit>.self, ValueVerb<InsertEdit>.self, ValueVerb<ReplaceEdit>.self, Remove.self,
          ValueVerb<AppendEdit>.self, EditInEditor.self,
        ]),
      CommandGroup(name: "Compare", subcommands: [Diff.self, Patch.self, Merge.self]),
      CommandGroup(name: "Store", subcommands: [Archive.self, Defaults.self]),
      CommandGroup(name: "Version control", subcommands: [Git.self]),
      CommandGroup(name: "Other tool", subcommands: [PlutilVerb.self, BuddyVerb.self]),
    ])
}
