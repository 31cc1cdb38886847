internal import ObjectModels
internal import Predicates
internal import PropertyLists
internal import Synchronization

/// The stores of a program, which have one model. Any number of tasks can use it.
///
/// Most programs get one from a ``PersistentContainer``.
public final class PersistentStoreCoordinator: Sendable {
  /// The model of all stores.
  public let model: ManagedObjectModel
  private let state = Mutex(State())
  private let listeners = Listeners<SavedChanges>()
  private let remoteListeners = Listeners<Result<SavedChanges, ManagedObjectError>>()

  private struct State {
    var stores: [any PersistentStore] = []
    /// Looks for changes by others as long as somebody listens.
    var looking: Task<Void, Never>?
    /// The stores that could not be read at the last look.
    var unreadable: [StoreNumber: UnreadableStore] = [:]
  }

  private struct UnreadableStore {
    let message: String
    var isTold = false
  }

  /// A coordinator without stores.
  public init(model: ManagedObjectModel) { self.model = model }

  deinit {
    state.withLock { $0.looking?.cancel() }
    listeners.finish()
    remoteListeners.finish()
  }

  /// The stores, in the order in which they were added.
  public var stores: [any PersistentStore] { state.withLock { $0.stores } }

  /// Adds a store.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidState`` for a store of another model, and if there is one with the same
  ///   identifier.
  public func add(_ store: any PersistentStore) throws(ManagedObjectError) {
    func failure(_ reason: String) -> ManagedObjectError {
      ManagedObjectError(.invalidState, "the store \(store.identifier.printable(limit: 80)) \(reason)")
        .naming((store as? any FileStore)?.file.url)
    }
    guard store.model === model else { throw failure("was opened with another model") }
    let isNew = state.withLock { state in
      if state.stores.contains(where: { $0.identifier == store.identifier }) { return false }
      state.stores.append(store)
      return true
    }
    if !isNew { throw failure("was added before") }
  }

  /// Takes a store out. Objects of it that contexts still have cannot be read or saved any more.
  public func remove(_ store: any PersistentStore) {
    state.withLock { state in state.stores.removeAll { $0.number == store.number } }
  }

  /// The name of an object by its text; nil for other text, and for an object of a store or an entity that is not here.
  public func objectID(forURI uri: String) -> ManagedObjectID? {
    guard let parts = ObjectURI(uri), let entity = model.entity(named: parts.entityName) else { return nil }
    guard let identifier = parts.storeIdentifier else {
      return ManagedObjectID(
        RowKey(store: .none, entityIndex: entity.index, number: parts.number), model: model, storeIdentifier: nil)
    }
    guard let store = stores.first(where: { $0.identifier == identifier }) else { return nil }
    return ManagedObjectID(
      RowKey(store: store.number, entityIndex: entity.index, number: parts.number), model: model,
      storeIdentifier: identifier)
  }

  /// The store of a number.
  func store(_ number: StoreNumber) -> (any PersistentStore)? {
    state.withLock { state in
      if let first = state.stores.first, first.number == number { return first }
      return state.stores.first { $0.number == number }
    }
  }

  /// True if a store takes new objects of an entity.
  func accepts(_ store: any PersistentStore, entityIndex: Int) -> Bool {
    if store.isReadOnly { return false }
    guard let name = store.configuration else { return true }
    return model.configurations[name]?.contains(model.records[entityIndex].definition.name) ?? false
  }

  /// The first store that takes new objects of an entity.
  func store(forNew entityIndex: Int) -> (any PersistentStore)? {
    stores.first { accepts($0, entityIndex: entityIndex) }
  }

  /// The rows of keys, nil where there is none (any more).
  func rows(_ keys: [RowKey]) throws(ManagedObjectError) -> [StoreRow?] {
    try eachStore(keys) { (store, keys) throws(ManagedObjectError) in try store.rows(keys) }
  }

  /// The values of a relationship, for each of several objects of one entity.
  func values(ofSlot slot: Int, _ keys: [RowKey]) throws(ManagedObjectError) -> [RowValue?] {
    try eachStore(keys) { (store, keys) throws(ManagedObjectError) in try store.values(ofSlot: slot, keys) }
  }

  /// Asks each store for what is its own.
  private func eachStore<Result>(
    _ keys: [RowKey], _ read: (any PersistentStore, [RowKey]) throws(ManagedObjectError) -> [Result?]
  ) throws(ManagedObjectError) -> [Result?] {
    guard let first = keys.first else { return [] }
    if keys.allSatisfy({ $0.store == first.store }) {
      guard let store = store(first.store) else { return Array(repeating: nil, count: keys.count) }
      return try read(store, keys)
    }
    var results = [Result?](repeating: nil, count: keys.count)
    for store in stores {
      let indices = keys.indices.filter { keys[$0].store == store.number }
      guard !indices.isEmpty else { continue }
      for (index, result) in zip(indices, try read(store, indices.map { keys[$0] })) { results[index] = result }
    }
    return results
  }

  /// Executes a request on all stores that have the entity.
  func fetchFromStores(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult {
    let stores = stores.filter { model.hasEntity(entity, inConfiguration: $0.configuration) }
    if stores.count == 1 { return try stores[0].fetch(request, of: entity) }
    return try JoinedFetch(request: request, entity: entity, stores: stores).result()
  }

  /// The saves of contexts from now on, until the stream or the coordinator is not used any
  /// more.
  ///
  /// ```swift
  /// for await changes in coordinator.saves { try context.mergeChanges(from: changes) }
  /// ```
  public var saves: AsyncStream<SavedChanges> { listeners.stream() }

  var hasListeners: Bool { !listeners.isEmpty }

  func tell(_ changes: SavedChanges) { listeners.tell(changes) }

  /// What others save into the stores from now on, until the stream or the coordinator is not used any more. Others are
  /// other programs, and other coordinators of this one.
  ///
  /// ```swift
  /// for await changes in coordinator.remoteChanges { try context.mergeChanges(from: changes.get()) }
  /// ```
  ///
  /// Stores are looked at ten times a second. One that cannot be read twice in a row, as its file was removed or
  /// spoilt, is told once, as the error of reading. The stream goes on: once the store can be read again, what others
  /// saved is told, or no changes if there were none.
  ///
  /// Stores in XML and binary files, and SQLite stores with a history of changes, tell which objects were saved. Of
  /// other stores only this is known that somebody saved, and ``SavedChanges/isComplete`` is false. That is so, too, if
  /// a program has written into an SQLite store past its history; it is not noticed if another one saves with the
  /// history before the next look.
  public var remoteChanges: AsyncStream<Result<SavedChanges, ManagedObjectError>> {
    // What was saved before is news for those only who listen already.
    lookForRemoteChanges()
    state.withLock { $0.unreadable = [:] }
    let stream = remoteListeners.stream { [weak self] in self?.stopLookingForNobody() }
    state.withLock { state in
      if state.looking == nil { state.looking = Task { [weak self] in await Self.look(for: { self }) } }
    }
    return stream
  }

  private static func look(for coordinator: () -> PersistentStoreCoordinator?) async {
    while true {
      do { try await Task.sleep(for: .milliseconds(100)) } catch { return }
      guard let coordinator = coordinator() else { return }
      coordinator.lookForRemoteChanges()
    }
  }

  private func stopLookingForNobody() {
    state.withLock { state in
      guard remoteListeners.isEmpty else { return }
      state.looking?.cancel()
      state.looking = nil
    }
  }

  private func lookForRemoteChanges() {
    for store in stores {
      let news: Result<SavedChanges, ManagedObjectError>?
      do {
        let changes = try store.changesByOthers()
        let wasTold = state.withLock { $0.unreadable.removeValue(forKey: store.number)?.isTold ?? false }
        news = (changes ?? (wasTold ? SavedChanges() : nil)).map { .success($0) }
      } catch {
        news = isNews(error, of: store) ? .failure(error) : nil
      }
      if let news { remoteListeners.tell(news) }
    }
  }

  /// True for an error that a store has for the second time in a row.
  private func isNews(_ error: ManagedObjectError, of store: any PersistentStore) -> Bool {
    state.withLock { state in
      guard let known = state.unreadable[store.number], known.message == error.description else {
        state.unreadable[store.number] = UnreadableStore(message: error.description)
        return false
      }
      state.unreadable[store.number]?.isTold = true
      return !known.isTold
    }
  }
}
