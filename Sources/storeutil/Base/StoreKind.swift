import FoundationEssentials
import ManagedObjects
import OrderedCollections
import PropertyLists
import SQLiteStore
import SystemFiles

/// The file formats of stores.
enum StoreKind: String, CaseIterable {
  case sqlite, xml, binary

  /// Detects the format of a file from its first bytes.
  init(_ path: String) throws {
    try ManagedObjectError.checkFile(at: path)
    if FileSystem.isFolder(path) { throw ManagedObjectError(.open, "\(path.printable()) is a folder, not a store") }
    if FileSystem.sizeOfRegularFile(path) == 0 {
      throw ManagedObjectError(.storeTypeMismatch, "\(path.printable()) is an empty file, not a store")
    }
    guard let beginning = FileSystem.beginning(of: path, count: StoreFileKind.beginningLength) else {
      throw ManagedObjectError(.save, "\(path.printable()) cannot be read")
    }
    switch StoreFileKind(beginning) {
    case .sqlite: self = .sqlite
    case .binaryPropertyList: self = .binary
    case .xml: self = .xml
    case .coreDataBinary, nil: throw ManagedObjectError(.storeTypeMismatch, "\(path.printable()) is not a store")
    }
  }

  /// Returns true if no program has an SQLite store open. Such a store is read without the additional files that
  /// programs use to share it, because SQLite would create these files and not remove them. If another program has the
  /// store open, it is read with the locks of SQLite, so that the state is consistent.
  func isUnused(_ path: String) -> Bool {
    guard self == .sqlite else { return false }
    // SQLite's additional files are next to the target of a link, not next to the link.
    let path = FileSystem.target(of: path)
    // The two bytes are the file format write and read versions; 2 means a write-ahead log.
    if FileSystem.beginning(of: path, count: 20)?.suffix(2) == Data([2, 2]) {
      // Any program that has the store open has both files.
      return !FileSystem.exists(path + "-wal") || !FileSystem.exists(path + "-shm")
    }
    // Only SQLite can distinguish a save in progress from an unfinished one, and it cannot read the latter without
    // writing.
    guard FileSystem.sizeOfRegularFile(path + "-journal") ?? 0 > 0 else { return false }
    do { _ = try SQLiteStore.metadata(ofFile: URL(filePath: path)) } catch { return error.isOfSQLiteFile }
    return false
  }

  /// The kind of a store for messages, such as "an XML store".
  var nameWithArticle: String {
    switch self {
    case .sqlite: "an SQLite store"
    case .xml: "an XML store"
    case .binary: "a binary store"
    }
  }

  /// Reads the metadata of a store.
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
