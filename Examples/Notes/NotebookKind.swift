import ArgumentParser
import FoundationEssentials
import ManagedObjects
import SQLiteStore

/// How notes are stored.
enum NotebookKind: String, CaseIterable, ExpressibleByArgument {
  case archive, plist, xml, binary, sqlite, table, memory

  /// The ending of the names of files of this kind.
  var fileExtension: String {
    switch self {
    case .binary: "store"
    case .table: "db"
    default: rawValue
    }
  }

  /// The kind that a file has by its name.
  init(nameOf file: URL) {
    self = Self.allCases.first { $0 != .memory && $0.fileExtension == file.pathExtension } ?? .archive
  }

  /// The notebook of a file, which is empty if the file is not there yet.
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
