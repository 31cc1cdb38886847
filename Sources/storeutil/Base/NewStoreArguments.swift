import ArgumentParser
import FoundationEssentials
import ManagedObjects
import PropertyLists
import SQLiteStore
import SystemFiles
import ToolSupport

extension StoreKind: ExpressibleByArgument {}

/// The options for a new store.
struct NewStoreArguments: ParsableArguments {
  @Option(name: .shortAndLong, help: ArgumentHelp("The kind of store: sqlite, xml or binary.", valueName: "type"))
  var type = StoreKind.sqlite

  /// Throws an error if a file exists at the path.
  func checkNew(_ path: String) throws {
    guard FileSystem.exists(path) else { return }
    throw ManagedObjectError(.save, "\(path.printable()) already exists")
  }

  /// Creates a store at a new path, and fills it with `body`. The file gets its name only when its contents are
  /// complete.
  func create(
    _ path: String, _ model: ManagedObjectModel, _ body: (any PersistentStore) throws -> Void = { _ in }
  ) throws {
    // SQLite's additional files are next to the target of a link, not next to the link.
    let path = FileSystem.target(of: path)
    try checkNew(path)
    try PropertyListError.converting(FileSystem.makeFolder(FileSystem.parent(of: path), below: nil, permissions: 0o777))
    Signals.deferInterruption()
    do {
      switch type {
      case .sqlite: try makeDatabase(path, model, body)
      case .xml: try fill(XMLStore(new: URL(filePath: path), model: model), body)
      case .binary: try fill(BinaryStore(new: URL(filePath: path), model: model), body)
      }
    } catch {
      try Self.checkInterruption()
      throw error
    }
  }

  /// Throws an `ExitCode` if a signal has asked this process to end.
  static func checkInterruption() throws(ExitCode) {
    if let signal = Signals.interruptedBy { throw ExitCode(128 + signal) }
  }

  /// Fills a new store and saves it, even if it is empty.
  private func fill(_ store: some FileStore, _ body: (any PersistentStore) throws -> Void) throws {
    try body(store)
    try store.save(StoreChanges())
  }

  /// Creates a database in a scratch folder next to the path, and moves it to the path.
  private func makeDatabase(
    _ path: String, _ model: ManagedObjectModel, _ body: (any PersistentStore) throws -> Void
  ) throws {
    // The folder is removed when this value is released. If this process is killed, the next call for the same path
    // removes the files in it.
    let folder = try ScratchFolder(beside: path, for: .creation, isLocked: false)
    let unfinished = folder.newFile()
    try body(SQLiteStore(unfinishedAt: unfinished, for: URL(filePath: path), model: model))
    // SQLite merges its log into the file when the store is closed, unless the disk is full.
    guard FileSystem.sizeOfRegularFile(unfinished + "-wal") == nil else {
      throw ManagedObjectError(
        .save, "\(path.printable()): the store could not be written completely; the disk may be full")
    }
    try Self.checkInterruption()
    try checkNew(path)
    try PropertyListError.converting { () throws(FileError) in
      try FileSystem.move(unfinished, to: path)
      try FileSystem.synchronizeFolder(of: path)
    }
    withExtendedLifetime(folder) {}
  }
}
