import ArgumentParser
import ToolSupport

/// The tool: its verbs, and its help.
struct StoreUtil: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "storeutil",
    abstract: "Look into Core Data's stores and models, and change them.",
    discussion: """
      Stores are files in SQLite, XML or the binary form; models are .xcdatamodeld, .xcdatamodel, .momd and .mom. A store \
      in SQLite needs no model file if it has its model in itself, as those written since 2015 have.

      \(StoreExit.help)

      Examples:
        storeutil info Notes.sqlite
        storeutil fetch Notes.sqlite Note 'pages.@count > 3' --csv
      """,
    version: "storeutil 0.1.0",
    groupedSubcommands: [
      CommandGroup(
        name: "Look",
        subcommands: [
          Info.self, Fetch.self, Count.self, Search.self, Show.self, HTML.self, ModelVerb.self, Hashes.self,
          History.self, Watch.self, Diff.self,
          Check.self,
        ]),
      CommandGroup(name: "Change", subcommands: [SetValues.self, Insert.self, Import.self, Delete.self]),
      CommandGroup(name: "Make", subcommands: [Create.self, Convert.self, Compile.self, Migrate.self]),
    ])
}
