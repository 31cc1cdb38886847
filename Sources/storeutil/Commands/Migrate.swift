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
      The two models tell what changes, with the renaming identifiers of the new one. A store without a model in it needs \
      --model. The store changes in one step; with -o it stays as it is, and a new one is made.

      Values and objects that the new model does not have are lost. Each such property is listed with the number of \
      objects that have a value of it, and nothing is done without --drop. A property that was renamed keeps its values \
      if the new model has its old name as the renaming identifier.

      Example: storeutil migrate Notes.sqlite --to Notes.xcdatamodeld -o New.sqlite
      """)

  @OptionGroup var store: StoreArguments

  @Option(file: "The model to change to; of several versions, the current one.", "model")
  var to: String

  @Option(help: ArgumentHelp("Of a model with several versions, this one.", valueName: "name"))
  var version: String?

  @Option(file: "A mapping model (.cdm or .xcmapping) that says what changes.", "file")
  var mapping: String?

  @Option(file: "Make a new store FILE.", "file", name: .shortAndLong)
  var outfile: String?

  @Flag(help: "Drop values and objects that the new model does not have.")
  var drop = false

  func run() throws {
    if outfile == nil { try store.opening.refuseImmutable() }
    let kind = try StoreKind(store.path)
    guard kind == .sqlite else {
      throw ValidationError(
        "\(store.path.printable()) is a store in \(kind.name); convert makes one in SQLite, which can be migrated.")
    }
    let url = URL(filePath: store.path)
    let target = try ModelFile(to).version(named: version)
    let writesNothing = store.opening.immutable.writesNothing(store.path)
    let source = try ModelFile.model(store.opening.model, of: url, writesNothing: writesNothing)
    let mapping = try mapping.map { StoreMapping(try MappingModel(contentsOf: URL(filePath: $0))) }
    var line = ProgressLine()
    // The files of an unfinished migration must be removed before the process ends.
    Signals.deferInterruption()
    let losses: [MigrationLoss]
    do {
      losses = try SQLiteStore.migrate(
        url, from: source, to: target, by: mapping ?? StoreMapping(), output: outfile.map { URL(filePath: $0) },
        writesNothing: writesNothing, droppedValues: drop ? .drop : .refuse
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
