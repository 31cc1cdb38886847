import ArgumentParser
import FoundationEssentials
import ManagedObjects
import SQLiteStore

/// The kind of store of an address book.
enum BookKind: String, CaseIterable, ExpressibleByArgument {
  case sqlite, xml, binary, memory

  /// The extension of files of this kind.
  var fileExtension: String { self == .binary ? "store" : rawValue }

  /// Returns the kind for the extension of a file.
  init(nameOf file: URL) {
    self = [.sqlite, .xml].first { $0.fileExtension == file.pathExtension } ?? .binary
  }

  /// Returns the description of the store in a file.
  func description(_ file: URL) -> PersistentStoreDescription {
    switch self {
    case .sqlite: .sqlite(file)
    case .xml: .xml(file)
    case .binary: .binary(file)
    case .memory: .inMemory
    }
  }
}
