internal import ObjectModels
internal import Predicates
internal import PropertyLists
internal import Synchronization

/// The stores of a program, which share a model. Any number of tasks can use a coordinator at the same time.
///
/// Most programs use the coordinator of a ``PersistentContainer``.
///
/// ```swift
/// let coordinator = PersistentStoreCoordinator(model: model)
/// try coordinator.add(XMLStore(file, model: model))
/// let context = ManagedObjectContext(coordinator: coordinator)
/// ```
public final class PersistentStoreCoordinator: Sendable {
  /// The model of all stores.
  public let model: ManagedObjectModel
  let state = Mutex(State())
  private let listeners = Listeners<SavedChanges>()
  private let remoteListeners = Listeners<Result<SavedChanges, ManagedObjectError>>()

  struct State {
    var stores: [any PersistentStore] = []
    /// The task that looks for changes by other programs, while there are streams of ``remoteChanges`` or contexts that
    /// merge changes automatically.
    var looking: Task<Void, Never>?
    /// The mailboxes of the contexts that merge changes automatically, by the numbers of the contexts.
    var mailboxes: [Int: ContextMailbox] = [:]
    /// The stores that could not be read at the last check for changes by other programs.
    var unreadable: [StoreNumber: UnreadableStore] = [:]
    var misuseHandler: @Sendable (ManagedObjectError) -> Void = PersistentStoreCoordinator.printMisuse
  }

  struct UnreadableStore {
    let message: String
    var isTold = false
  }

  /// Creates a coordinator without stores.
  public init(model: ManagedObjectModel) { self.model = model }

  deinit {
    state.withLock { $0.looking?.cancel() }
    listeners.finish()
    remoteListeners.finish()
  }

  /// The stores, in the order they were added.
  public var stores: [any PersistentStore] { state.withLock { $0.stores } }

  /// Adds a store.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidState`` for a store of another model, or with the same identifier as
  ///   another store.
  public func add(_ store: any PersistentStore) throws(ManagedObjectError) {
    func failure(_ reason: String) -> ManagedObjectError {
      ManagedObjectError(.invalidState, "the store \(store.identifier.printable(limit: 80)) \(reason)")
        .naming(url(for: store))
    }
    guard store.model === model else { throw failure("was opened with another model") }
    let isNew = state.withLock { state in
      if state.stores.contains(where: { $0.identifier == store.identifier }) { return false }
      state.stores.append(store)
      return true
    }
    if !isNew { throw failure("was already added") }
  }

  /// Removes a store. Its objects in contexts can no longer be read or saved.
  public func remove(_ store: any PersistentStore) {
    state.withLock { state in state.stores.removeAll { $0.number == store.number } }
  }

  /// Removes a store, and returns its index; nil if the coordinator does not have it.
  func take(_ store: any PersistentStore) -> Int? {
    state.withLock { state in
      guard let index = state.stores.firstIndex(where: { $0.number == store.number }) else { return nil }
      state.stores.remove(at: index)
      return index
    }
  }

  /// Adds a store at an index, or at the end if there are fewer stores.
  func insert(_ store: any PersistentStore, at index: Int) {
    state.withLock { $0.stores.insert(store, at: min(index, $0.stores.count)) }
  }

  /// Returns the object ID for a URI; nil if the text is not the URI of an object, or if the coordinator does not have
  /// the store or the entity.
  ///
  /// ```swift
  /// if let id = coordinator.objectID(forURI: uri) {
  ///   let note = try context.existingObject(Note.self, with: id)
  ///   print(note.title)
  /// }
  /// ```
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

  /// Returns the store with a number; nil if it was removed.
  func store(_ number: StoreNumber) -> (any PersistentStore)? {
    state.withLock { state in
      if let first = state.stores.first, first.number == number { return first }
      return state.stores.first { $0.number == number }
    }
  }

  /// True if a store accepts new objects of an entity: it is not read-only, and its configuration has the entity.
  func accepts(_ store: any PersistentStore, entityIndex: Int) -> Bool {
    if store.isReadOnly { return false }
    guard let name = store.configuration else { return true }
    return model.configurations[name]?.contains(model.records[entityIndex].definition.name) ?? false
  }

  /// Returns the first store that accepts new objects of an entity; nil if none does.
  func store(forNew entityIndex: Int) -> (any PersistentStore)? {
    stores.first { accepts($0, entityIndex: entityIndex) }
  }

  /// Returns the rows of objects, in the order of the keys. The result has nil for each object that does not exist or
  /// was deleted.
  func rows(_ keys: [RowKey]) throws(ManagedObjectError) -> [StoreRow?] {
    try eachStore(keys) { (store, keys) throws(ManagedObjectError) in try store.rows(keys) }
  }

  /// Returns the value in one slot for each of several objects of an entity, in the order of the keys.
  func values(ofSlot slot: Int, _ keys: [RowKey]) throws(ManagedObjectError) -> [RowValue?] {
    try eachStore(keys) { (store, keys) throws(ManagedObjectError) in try store.values(ofSlot: slot, keys) }
  }

  /// Calls `read` with each store and its keys, and returns the results in the order of `keys`.
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

  /// Returns the stores that a request reads: those that have the entity, and that it does not leave out.
  func stores(for request: FetchRequest, of entity: ManagedObjectModel.Entity) -> [any PersistentStore] {
    stores.filter { store in
      model.hasEntity(entity, inConfiguration: store.configuration)
        && request.affectedStores.map { $0.contains(store.identifier) } ?? true
    }
  }

  /// Executes a request on all stores that it reads, and returns one result for all.
  func fetchFromStores(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult {
    let stores = stores(for: request, of: entity)
    if stores.count == 1 { return try stores[0].fetch(request, of: entity) }
    return try JoinedFetch(request: request, entity: entity, stores: stores).result()
  }

  /// A stream of the changes that contexts of this coordinator save to the stores from now on. It ends when the
  /// coordinator is released.
  ///
  /// ```swift
  /// for await changes in coordinator.saves where !changes.isFrom(context) {
  ///   try context.mergeChanges(from: changes)
  /// }
  /// ```
  ///
  /// To merge the changes without a loop, set ``ManagedObjectContext/mergesChangesAutomatically``. A save of a context
  /// into its parent does not change the stores; ``ManagedObjectContext/addEventObserver(_:)`` reports it.
  public var saves: AsyncStream<SavedChanges> { listeners.stream() }

  /// True if saves must be reported.
  var hasListeners: Bool { !listeners.isEmpty || state.withLock { !$0.mailboxes.isEmpty } }

  func tell(_ changes: SavedChanges) {
    listeners.tell(changes)
    for mailbox in mailboxes { mailbox.post(changes) }
  }

  private var mailboxes: [ContextMailbox] { state.withLock { Array($0.mailboxes.values) } }

  /// Adds the mailbox of a context. It receives the changes of all saves from now on, by this and other programs.
  func add(_ mailbox: ContextMailbox) {
    state.withLock { $0.mailboxes[mailbox.contextNumber] = mailbox }
    // Records the present states of the stores, which later checks compare with.
    lookForRemoteChanges()
    keepLooking()
  }

  /// Removes the mailbox of a context.
  func removeMailbox(of contextNumber: Int) {
    state.withLock { $0.mailboxes[contextNumber] = nil }
    stopLookingForNobody()
  }

  /// A stream of the changes that other programs, and other coordinators of this program, save to the stores from now
  /// on. It ends when the coordinator is released.
  ///
  /// ```swift
  /// for await changes in coordinator.remoteChanges { try context.mergeChanges(from: changes.get()) }
  /// ```
  ///
  /// Stores are checked ten times a second. If a store cannot be read twice in a row, because its file was removed or
  /// damaged, the error is reported once. The stream continues: when the store can be read again, the changes that were
  /// saved meanwhile are reported, or empty changes if there are none.
  ///
  /// XML stores, binary stores, and SQLite stores with a history of changes report which objects were saved. For other
  /// stores, ``SavedChanges/isComplete`` is false. It is also false if a program has written to an SQLite store without
  /// recording history. Such a write is not noticed if another program saves with history before the next check for
  /// changes.
  public var remoteChanges: AsyncStream<Result<SavedChanges, ManagedObjectError>> {
    // Reports changes that were saved before now to the existing streams, so that the new stream does not get them.
    lookForRemoteChanges()
    state.withLock { $0.unreadable = [:] }
    let stream = remoteListeners.stream { [weak self] in self?.stopLookingForNobody() }
    keepLooking()
    return stream
  }

  private func keepLooking() {
    state.withLock { state in
      if state.looking == nil { state.looking = Task { [weak self] in await Self.look(for: { self }) } }
    }
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
      guard remoteListeners.isEmpty, state.mailboxes.isEmpty else { return }
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
      guard let news else { continue }
      remoteListeners.tell(news)
      for mailbox in mailboxes {
        switch news {
        case .success(let changes): mailbox.post(changes)
        case .failure(let error): mailbox.post(error)
        }
      }
    }
  }

  /// Records an error of a store. Returns true if the error must be reported, because the last check had the same error
  /// and it was not reported yet.
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
