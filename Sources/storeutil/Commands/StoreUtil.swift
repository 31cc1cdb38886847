import ArgumentParser
import ToolSupport

/// The command `storeutil`: its verbs and its help.
struct StoreUtil: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "storeutil",
    abstract: "Read and change Core Data stores and models.",
    discussion: """
      Stores are SQLite, XML or binary files; models are .xcdatamodeld, .xcdatamodel, .momd and .mom. An SQLite store \
      needs no model file if it contains its model, as most stores written since 2015 do.

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
      CommandGroup(name: "Make", subcommands: [Create.self, Convert.self, Compile.self, Migrate.self, Vacuum.self]),
    ])
}
