import ManagedObjects
import OrderedCollections
import PropertyLists

/// A store that rolls back every save. A save succeeds if it would succeed in the real store, and fails with the same
/// error if it would fail.
final class TrialStore: PersistentStore {
  private let store: any TrialSaving

  init(_ store: any TrialSaving) { self.store = store }

  var number: StoreNumber { store.number }
  var identifier: String { store.identifier }
  var model: ManagedObjectModel { store.model }
  var configuration: String? { store.configuration }
  var isReadOnly: Bool { store.isReadOnly }
  var metadata: OrderedDictionary<String, PropertyList> { store.metadata }

  func setMetadata(_ metadata: OrderedDictionary<String, PropertyList>) {}

  func makeKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey] { try store.makeKeys(entityIndices) }

  func rows(_ keys: [RowKey]) throws(ManagedObjectError) -> [StoreRow?] { try store.rows(keys) }

  func values(ofSlot slot: Int, _ keys: [RowKey]) throws(ManagedObjectError) -> [RowValue?] {
    try store.values(ofSlot: slot, keys)
  }

  func fetch(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult { try store.fetch(request, of: entity) }

  func save(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey] { try store.trySaving(changes) }
}
