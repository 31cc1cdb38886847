import ArgumentParser
import FoundationEssentials
import ManagedObjects
import SQLiteStore

/// The storage of notes.
enum NotebookKind: String, CaseIterable, ExpressibleByArgument {
  case archive, plist, xml, binary, sqlite, table, memory

  /// The extension of files of this kind.
  var fileExtension: String {
    switch self {
    case .binary: "store"
    case .table: "db"
    default: rawValue
    }
  }

  /// Returns the kind for the extension of a file.
  init(nameOf file: URL) {
    self = Self.allCases.first { $0 != .memory && $0.fileExtension == file.pathExtension } ?? .archive
  }

  /// Opens the notebook in a file. It is empty if the file does not exist.
  func open(_ file: URL) throws -> any Notebook {
    switch self {
    case .archive, .plist: try FileNotebook(file, isPropertyList: self == .plist)
    case .xml: try StoreNotebook(.xml(file))
    case .binary: try StoreNotebook(.binary(file))
    case .sqlite: try StoreNotebook(.sqlite(file))
    case .memory: try StoreNotebook(.inMemory)
    case .table: try NoteTable(file)
    }
  }
}
