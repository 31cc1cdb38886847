import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

/// The kinds of stores that the programs use.
enum ProgramStore: String, CaseIterable, CustomTestStringConvertible {
  case memory, xml, binary, sqlite

  static let inFiles: [ProgramStore] = [.xml, .binary, .sqlite]

  var testDescription: String { rawValue }

  /// Returns a description of the store in a file, which a store in memory does not have.
  func description(_ file: URL) -> PersistentStoreDescription {
    switch self {
    case .memory: .inMemory
    case .xml: .xml(file)
    case .binary: .binary(file)
    case .sqlite: .sqlite(file)
    }
  }

  /// Opens a store for a coordinator.
  func open(_ file: URL, _ model: ManagedObjectModel) throws(ManagedObjectError) -> any PersistentStore {
    switch self {
    case .memory: try InMemoryStore(model: model)
    case .xml: try XMLStore(file, model: model)
    case .binary: try BinaryStore(file, model: model)
    case .sqlite: try SQLiteStore(file, model: model)
    }
  }
}
