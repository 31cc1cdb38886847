import ManagedObjects
import OrderedCollections
import PropertyLists
import Synchronization

/// A store whose rows do not contain to-many relationships.
final class LazyStore: PersistentStore {
  private let store: InMemoryStore
  private let names = Mutex<Set<String>>([])

  init(_ store: InMemoryStore) { self.store = store }

  /// The names of the relationships that were read.
  var reads: Set<String> { names.withLock { $0 } }

  var number: StoreNumber { store.number }
  var identifier: String { store.identifier }
  var model: ManagedObjectModel { store.model }
  var configuration: String? { store.configuration }
  var isReadOnly: Bool { false }
  var metadata: OrderedDictionary<String, PropertyList> { store.metadata }

  func setMetadata(_ metadata: OrderedDictionary<String, PropertyList>) { store.setMetadata(metadata) }

  func makeKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey] { try store.makeKeys(entityIndices) }

  func rows(_ keys: [RowKey]) throws(ManagedObjectError) -> [StoreRow?] { try store.rows(keys) }

  func values(ofSlot slot: Int, _ keys: [RowKey]) throws(ManagedObjectError) -> [RowValue?] {
    for key in keys {
      let entity = model.entities[Int(key.entityIndex)]
      for relationship in entity.relationships where relationship.slot == slot {
        names.withLock { _ = $0.insert(relationship.name) }
      }
    }
    return try store.rows(keys).map { $0?.values[slot] }
  }

  func fetch(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult {
    guard case .rows(var rows) = try store.fetch(request, of: entity) else {
      throw ManagedObjectError(.unsupportedRequest, "only rows")
    }
    for index in rows.indices {
      for relationship in entity.relationships where relationship.isToMany {
        rows[index].values[relationship.slot] = .unread
      }
    }
    return .rows(rows)
  }

  func save(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey] { try store.save(changes) }
}
