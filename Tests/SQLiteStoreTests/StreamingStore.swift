import ManagedObjects
import OrderedCollections
import PropertyLists
import SQLiteStore

/// An SQLite store that executes batch requests with the default implementation of the protocol.
final class StreamingStore: PersistentStore {
  private let store: SQLiteStore

  init(_ store: SQLiteStore) { self.store = store }

  var number: StoreNumber { store.number }
  var identifier: String { store.identifier }
  var model: ManagedObjectModel { store.model }
  var configuration: String? { store.configuration }
  var isReadOnly: Bool { store.isReadOnly }
  var metadata: OrderedDictionary<String, PropertyList> { store.metadata }

  func setMetadata(_ metadata: OrderedDictionary<String, PropertyList>) { store.setMetadata(metadata) }

  func makeKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey] { try store.makeKeys(entityIndices) }

  func rows(_ keys: [RowKey]) throws(ManagedObjectError) -> [StoreRow?] { try store.rows(keys) }

  func values(ofSlot slot: Int, _ keys: [RowKey]) throws(ManagedObjectError) -> [RowValue?] {
    try store.values(ofSlot: slot, keys)
  }

  func fetch(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult {
    try store.fetch(request, of: entity)
  }

  func save(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey] { try store.save(changes) }
}
