import ArgumentParser
import FoundationEssentials
import ManagedObjects
import SQLiteStore

/// The kind of store that a book is in.
enum BookKind: String, CaseIterable, ExpressibleByArgument {
  case sqlite, xml, binary, memory

  /// What the names of files of this kind end with.
  var fileExtension: String { self == .binary ? "store" : rawValue }

  /// The kind that a file has by its name.
  init(nameOf file: URL) {
    self = [.sqlite, .xml].first { $0.fileExtension == file.pathExtension } ?? .binary
  }

  /// The store of a file.
  func description(_ file: URL) -> PersistentStoreDescription {
    switch self {
    case .sqlite: .sqlite(file)
    case .xml: .xml(file)
    case .binary: .binary(file)
    case .memory: .inMemory
    }
  }
}
