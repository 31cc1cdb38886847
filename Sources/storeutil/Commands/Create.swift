import ArgumentParser
import FoundationEssentials
import ManagedObjects
import SystemFiles
import ToolSupport

extension StoreKind: ExpressibleByArgument {}

/// The kind of a new store.
struct NewStoreArguments: ParsableArguments {
  @Option(name: .shortAndLong, help: ArgumentHelp("The kind of store: sqlite, xml or binary.", valueName: "type"))
  var type = StoreKind.sqlite

  /// - Throws: if there is something at a path already.
  func checkNew(_ path: String) throws {
    guard FileSystem.exists(path) else { return }
    throw ManagedObjectError(.save, "\(path.printable()) is there already")
  }

  /// Makes a store at a path where nothing is. What was made is taken away again if the work fails.
  func create(
    _ path: String, _ model: ManagedObjectModel, _ body: (any PersistentStore) throws -> Void = { _ in }
  ) throws {
    try checkNew(path)
    let url = URL(filePath: path)
    let store = try type.open(url, model, isReadOnly: false, createsFile: true)
    do {
      try body(store)
    } catch {
      // Another one that has taken the place meanwhile stays.
      if (try? type.metadata(url, writesNothing: false))?[StoreMetadataKey.identifier]?.string == store.identifier {
        let support = url.deletingLastPathComponent()
          .appending(path: ".\(url.deletingPathExtension().lastPathComponent)_SUPPORT").path
        for path in [path, path + "-wal", path + "-shm", path + "-journal", support] {
          try? FileManager.default.removeItem(atPath: path)
        }
      }
      throw error
    }
  }
}

struct Create: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "create",
    abstract: "Make a store without objects.",
    discussion: """
      Example: storeutil create Notes.xcdatamodeld Notes.sqlite
      """)

  @Argument(
    help: ArgumentHelp("The file of the model, or of a store with the model.", valueName: "model"),
    completion: .file(), transform: FileName.argument)
  var model: String

  @Argument(help: ArgumentHelp("The new file.", valueName: "file"), completion: .file(), transform: FileName.argument)
  var outfile: String

  @OptionGroup var kind: NewStoreArguments

  @Option(help: ArgumentHelp("Of a model with several versions, this one.", valueName: "name"))
  var version: String?

  @OptionGroup var opening: OpeningArguments

  func run() throws {
    try kind.create(outfile, NamedModel(model, version: version, opening).model)
  }
}
