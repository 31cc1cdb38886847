import Foundation
import ManagedObjects
import OrderedCollections
import PropertyLists
import Synchronization

/// A store that counts its calls, and can be made to fail.
final class WatchedStore: PersistentStore {
  private let store: InMemoryStore
  private let state = Mutex(State())

  private struct State {
    var rowReads = 0
    var rowsRead = 0
    var fetches = 0
    var rowsFetched = 0
    var saves = 0
    var failsToRead = false
    var failsToSave = false
    var leavesOut: Set<Int> = []
  }

  init(model: ManagedObjectModel, configuration: String? = nil) throws(ManagedObjectError) {
    store = try InMemoryStore(model: model, configuration: configuration)
  }

  var number: StoreNumber { store.number }
  var identifier: String { store.identifier }
  var model: ManagedObjectModel { store.model }
  var configuration: String? { store.configuration }
  var isReadOnly: Bool { false }
  var metadata: OrderedDictionary<String, PropertyList> { store.metadata }

  /// The number of calls that read rows by key, and the number of these rows.
  var rowReads: Int { state.withLock { $0.rowReads } }
  var rowsRead: Int { state.withLock { $0.rowsRead } }
  var fetches: Int { state.withLock { $0.fetches } }
  /// The number of rows or keys in the results of requests.
  var rowsFetched: Int { state.withLock { $0.rowsFetched } }
  var saves: Int { state.withLock { $0.saves } }

  var failsToRead: Bool {
    get { state.withLock { $0.failsToRead } }
    set { state.withLock { $0.failsToRead = newValue } }
  }

  var failsToSave: Bool {
    get { state.withLock { $0.failsToSave } }
    set { state.withLock { $0.failsToSave = newValue } }
  }

  /// The slots of to-many relationships that are missing in rows.
  var leavesOut: Set<Int> {
    get { state.withLock { $0.leavesOut } }
    set { state.withLock { $0.leavesOut = newValue } }
  }

  func setMetadata(_ metadata: OrderedDictionary<String, PropertyList>) { store.setMetadata(metadata) }

  func makeKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey] { try store.makeKeys(entityIndices) }

  func rows(_ keys: [RowKey]) throws(ManagedObjectError) -> [StoreRow?] {
    state.withLock {
      $0.rowReads += 1
      $0.rowsRead += keys.count
    }
    try checkReading()
    return try store.rows(keys).map { $0.map(shortened) }
  }

  func values(ofSlot slot: Int, _ keys: [RowKey]) throws(ManagedObjectError) -> [RowValue?] {
    try checkReading()
    return try store.rows(keys).map { $0?.values[slot] }
  }

  func fetch(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult {
    state.withLock { $0.fetches += 1 }
    try checkReading()
    let result = try store.fetch(request, of: entity)
    switch result {
    case .rows(let rows):
      state.withLock { $0.rowsFetched += rows.count }
      return .rows(rows.map(shortened))
    case .keys(let keys): state.withLock { $0.rowsFetched += keys.count }
    case .dictionaries, .count: break
    }
    return result
  }

  func save(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey] {
    if failsToSave { throw ManagedObjectError(.save, "the disk is full") }
    var changes = changes
    for index in changes.updated.indices {
      // A relationship that was not read has not changed.
      guard let stored = try store.rows([changes.updated[index].key])[0] else { continue }
      for slot in stored.values.indices where changes.updated[index].values[slot] == .unread {
        changes.updated[index].values[slot] = stored.values[slot]
      }
    }
    let mended = try store.save(changes)
    state.withLock { $0.saves += 1 }
    return mended
  }

  private func checkReading() throws(ManagedObjectError) {
    if failsToRead { throw ManagedObjectError(.operation, "the disk is gone") }
  }

  private func shortened(_ row: StoreRow) -> StoreRow {
    let slots = leavesOut
    guard !slots.isEmpty else { return row }
    var row = row
    for slot in row.values.indices where slots.contains(slot) {
      switch row.values[slot] {
      case .toMany, .orderedToMany: row.values[slot] = .unread
      case .attribute, .toOne, .unread: break
      }
    }
    return row
  }
}
