import ArgumentParser
import FoundationEssentials
import ManagedObjects
import PropertyLists
import SQLiteStore
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

  /// Makes a store at a path where nothing is. It is there when all is in it.
  func create(
    _ path: String, _ model: ManagedObjectModel, _ body: (any PersistentStore) throws -> Void = { _ in }
  ) throws {
    // Files beside a store are beside that, not beside a link to it.
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

  /// - Throws: `ExitCode` if somebody has asked this process to end.
  static func checkInterruption() throws(ExitCode) {
    if let signal = Signals.interruptedBy { throw ExitCode(128 + signal) }
  }

  /// Makes the file of a store with all that is in it, also if that is nothing.
  private func fill(_ store: some FileStore, _ body: (any PersistentStore) throws -> Void) throws {
    try body(store)
    try store.save(StoreChanges())
  }

  /// Makes a database in a folder beside its place, and moves it there.
  private func makeDatabase(
    _ path: String, _ model: ManagedObjectModel, _ body: (any PersistentStore) throws -> Void
  ) throws {
    // It is removed with this value, or by the next call for the same path if this process is killed.
    let folder = try ScratchFolder(beside: path, for: .creation, isLocked: false)
    let unfinished = folder.newFile()
    try body(SQLiteStore(unfinishedAt: unfinished, for: URL(filePath: path), model: model))
    // SQLite puts its log into the file when the store is closed, if there is room for it.
    guard FileSystem.sizeOfRegularFile(unfinished + "-wal") == nil else {
      throw ManagedObjectError(.save, "\(path.printable()): the store cannot be completed; its disk may be full")
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
