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

  /// Makes a store at a path where nothing is. It gets its name when all is in it.
  func create(
    _ path: String, _ model: ManagedObjectModel, _ body: (any PersistentStore) throws -> Void = { _ in }
  ) throws {
    // Files beside a store are beside that, not beside a link to it.
    let path = FileSystem.target(of: path)
    try checkNew(path)
    try PropertyListError.converting { () throws(FileError) in
      try FileSystem.makeFolder(FileSystem.parent(of: path), below: nil, permissions: 0o777)
    }
    Signals.deferInterruption()
    // It is removed with this value, or by the next call for the same path if this process is killed.
    let folder = try ScratchFolder(beside: path, for: .creation, isLocked: false)
    let unfinished = folder.newFile()
    do {
      do { try make(unfinished, model, body) } catch {
        try Self.checkInterruption()
        throw error
      }
    } catch var error as ImportError {
      error.replace(unfinished, with: path)
      throw error
    } catch var error as ManagedObjectError {
      // Stores name their files by absolute paths.
      let unfinishedURL = URL(filePath: unfinished)
      for text in [unfinishedURL.path, unfinished] {
        error.message = error.message.replacing(text, with: path.printable())
      }
      if error.fileURL?.path == unfinishedURL.path { error.fileURL = URL(filePath: path) }
      throw error
    }
    try Self.checkInterruption()
    try checkNew(path)
    try PropertyListError.converting { () throws(FileError) in
      try FileSystem.move(unfinished, to: path)
      try FileSystem.synchronizeFolder(of: path)
    }
    withExtendedLifetime(folder) {}
  }

  /// - Throws: `ExitCode` if somebody has asked this process to end.
  static func checkInterruption() throws(ExitCode) {
    if let signal = Signals.interruptedBy { throw ExitCode(128 + signal) }
  }

  /// Makes a store, and closes it.
  private func make(
    _ path: String, _ model: ManagedObjectModel, _ body: (any PersistentStore) throws -> Void
  ) throws {
    try body(type.open(URL(filePath: path), model, isReadOnly: false, createsFile: true))
    // SQLite puts its log into the file when the store is closed, if there is room for it.
    guard FileSystem.sizeOfRegularFile(path + "-wal") == nil else {
      throw ManagedObjectError(.save, "\(path): the store cannot be completed; its disk may be full")
    }
  }
}
