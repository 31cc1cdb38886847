import ArgumentParser
import FoundationEssentials
import ManagedObjects
import SQLiteStore
import SystemFiles
import ToolSupport

struct Migrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "migrate",
    abstract: "Change a store to another version of its model.",
    discussion: """
      The changes are found by comparing the old and the new model, with the renaming identifiers of the new one. A \
      store that does not contain its model needs --model. The store is migrated in one transaction; with -o, it is \
      not changed, and a new store is created.

      The values of properties and the objects of entities that the new model does not have are lost. They are listed \
      with their numbers, and nothing is changed without --drop. A renamed property keeps its values if the new model \
      has the old name as its renaming identifier.

      A history that Core Data has started is kept if its rows mean the same in the new model. Otherwise nothing is \
      changed without --new-history. A store with tables of CloudKit is not migrated.

      Example: storeutil migrate Notes.sqlite --to Notes.xcdatamodeld -o New.sqlite
      """)

  @Argument(file: "The file of the store.", "store")
  var storePath: String

  @OptionGroup var opening: OpeningArguments

  @Option(file: "The new model; of several versions, the current one.", "model")
  var to: String

  @Option(help: ArgumentHelp("The version to use of a new model with several versions.", valueName: "name"))
  var version: String?

  @Option(file: "A mapping model (.cdm or .xcmapping) that describes the changes.", "file")
  var mapping: String?

  @Option(file: "Write the migrated store to the new file FILE.", "file", name: .shortAndLong)
  var outfile: String?

  @Flag(help: "Drop the values and objects that the new model has no property or entity for.")
  var drop = false

  @Flag(help: "Delete the history of the store, and begin a new one.")
  var newHistory = false

  func run() throws {
    if outfile == nil { try opening.refuseImmutable() }
    let kind = try StoreKind(storePath)
    guard kind == .sqlite else {
      throw ValidationError(
        "\(storePath.printable()) is \(kind.nameWithArticle), and only SQLite stores can be migrated; "
          + "convert it with storeutil convert --type sqlite first.")
    }
    let url = URL(filePath: storePath)
    let target = try ModelFile(to).version(named: version)
    let writesNothing = opening.writesNothing(storePath)
    let source = try ModelFile.model(opening.model, of: url, writesNothing: writesNothing)
    let mapping = try mapping.map { StoreMapping(try MappingModel(contentsOf: URL(filePath: $0))) }
    var line = ProgressLine()
    // The files of an unfinished migration must be removed before the process ends.
    Signals.deferInterruption()
    let losses: [MigrationLoss]
    do {
      losses = try SQLiteStore.migrate(
        url, from: source, to: target, by: mapping ?? StoreMapping(), output: outfile.map { URL(filePath: $0) },
        writesNothing: writesNothing, droppedValues: drop ? .drop : .refuse, startsNewHistory: newHistory
      ) { progress in
        try NewStoreArguments.checkInterruption()
        line.show("\(progress.mappingName.printable()): \(progress.completedCount) of \(progress.totalCount)")
      }
    } catch {
      line.clear()
      if let exit = error.underlyingError as? ExitCode { throw exit }
      let losses = error.details.isEmpty ? [error] : error.details
      guard losses.allSatisfy({ $0.code == .droppedValues }) else { throw error }
      for loss in losses { note("\(ToolName.current): error: \(loss.message.withoutCommands)") }
      note("\(ToolName.current): nothing was changed; --drop migrates the store without them")
      throw ExitCode(StoreExit.refused)
    }
    line.clear()
    for loss in losses { note("dropped: \("\(loss)".withoutCommands)") }
  }
}
