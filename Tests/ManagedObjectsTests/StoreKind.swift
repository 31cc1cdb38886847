import Foundation
import ManagedObjects
import OrderedCollections
import PropertyLists
import SQLiteStore
import TestSupport
import Testing

/// The kinds of stores, for tests that all of them must pass.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case memory, xml, binary, sqlite

  var testDescription: String { rawValue }

  /// Stores that are read as a whole. They can store attributes without a type, for which SQLite stores have no column.
  static let inFiles: [StoreKind] = [.xml, .binary]

  /// The kinds that implement saving. The others use the implementation of the store in memory.
  static let saving: [StoreKind] = [.memory, .sqlite]

  /// - Parameter url: The file. Ignored by stores in memory.
  func open(
    _ url: URL, _ model: ManagedObjectModel = StoreModels.all, configuration: String? = nil, isReadOnly: Bool = false
  ) throws(ManagedObjectError) -> any PersistentStore {
    switch self {
    case .memory: try InMemoryStore(model: model, configuration: configuration)
    case .xml: try XMLStore(url, model: model, configuration: configuration, isReadOnly: isReadOnly)
    case .binary: try BinaryStore(url, model: model, configuration: configuration, isReadOnly: isReadOnly)
    case .sqlite:
      try SQLiteStore(url, model: model, configuration: configuration, access: isReadOnly ? .readOnly : .readWrite)
    }
  }

  func metadata(_ url: URL) throws(ManagedObjectError) -> OrderedDictionary<String, PropertyList> {
    switch self {
    case .memory: [:]
    case .xml: try XMLStore.metadata(ofFile: url)
    case .binary: try BinaryStore.metadata(ofFile: url)
    case .sqlite: try SQLiteStore.metadata(ofFile: url)
    }
  }

  /// Returns a coordinator with a store in a new file.
  func coordinator(_ model: ManagedObjectModel, _ folder: TemporaryFolder) throws -> PersistentStoreCoordinator {
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(open(folder.url.appending(path: UUID().uuidString), model))
    return coordinator
  }
}
