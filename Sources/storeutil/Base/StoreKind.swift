import FoundationEssentials
import ManagedObjects
import OrderedCollections
import PropertyLists
import SQLiteStore
import SystemFiles

/// The kinds of files that stores are in.
enum StoreKind: String, CaseIterable {
  case sqlite, xml, binary

  /// The kind of a file, by how it begins.
  init(_ path: String) throws {
    try ManagedObjectError.checkFile(at: path)
    if FileSystem.isFolder(path) { throw ManagedObjectError(.open, "\(path.printable()) is a folder, and no store") }
    if FileSystem.sizeOfRegularFile(path) == 0 {
      throw ManagedObjectError(.storeTypeMismatch, "\(path.printable()) is empty, and no store")
    }
    guard let beginning = FileSystem.beginning(of: path, count: StoreFileKind.beginningLength) else {
      throw ManagedObjectError(.save, "\(path.printable()) cannot be read")
    }
    switch StoreFileKind(beginning) {
    case .sqlite: self = .sqlite
    case .binaryPropertyList: self = .binary
    case .xml: self = .xml
    case .coreDataBinary, nil: throw ManagedObjectError(.storeTypeMismatch, "\(path.printable()) is no store")
    }
  }

  /// Whether no program has a store in SQLite open. It is read without the files by which SQLite shares it then, which
  /// would be made and stay. Otherwise SQLite sees to it that what is read is the state of one moment.
  func isUnused(_ path: String) -> Bool {
    guard self == .sqlite else { return false }
    // SQLite looks for the other files beside the file itself, not beside a link to it.
    let path = FileSystem.target(of: path)
    // The two numbers say how SQLite writes and reads the file; 2 is by a write-ahead log.
    if FileSystem.beginning(of: path, count: 20)?.suffix(2) == Data([2, 2]) {
      // Whoever uses it has both files.
      return !FileSystem.exists(path + "-wal") || !FileSystem.exists(path + "-shm")
    }
    // Only SQLite can tell a save that goes on from one that never ended, which it cannot read without writing.
    guard FileSystem.sizeOfRegularFile(path + "-journal") ?? 0 > 0 else { return false }
    do { _ = try SQLiteStore.metadata(ofFile: URL(filePath: path)) } catch { return error.isOfSQLiteFile }
    return false
  }

  var name: String {
    switch self {
    case .sqlite: "SQLite"
    case .xml: "XML"
    case .binary: "the binary form"
    }
  }

  /// What a store says of itself.
  func metadata(_ url: URL, writesNothing: Bool) throws -> OrderedDictionary<String, PropertyList> {
    switch self {
    case .sqlite: try SQLiteStore.metadata(ofFile: url, writesNothing: writesNothing)
    case .xml: try XMLStore.metadata(ofFile: url)
    case .binary: try BinaryStore.metadata(ofFile: url)
    }
  }

  /// Opens the store in a file.
  func open(_ url: URL, _ model: ManagedObjectModel, _ access: StoreAccess) throws -> any PersistentStore {
    switch self {
    case .sqlite: try SQLiteStore(url, model: model, access: access)
    case .xml: try XMLStore(url, model: model, isReadOnly: access.isReadOnly, createsFile: access.createsFile)
    case .binary: try BinaryStore(url, model: model, isReadOnly: access.isReadOnly, createsFile: access.createsFile)
    }
  }
}
