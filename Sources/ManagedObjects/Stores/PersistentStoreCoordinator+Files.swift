public import FoundationEssentials
internal import ObjectModels
internal import SystemFiles

/// Functions that find, replace, migrate and delete the files of stores.
extension PersistentStoreCoordinator {
  /// Returns the store in a file; nil if the coordinator does not have it. A path that leads to the same file, such as
  /// a symbolic link, finds the store, too.
  ///
  /// ```swift
  /// if let store = coordinator.persistentStore(for: file) { coordinator.remove(store) }
  /// ```
  public func persistentStore(for url: URL) -> (any PersistentStore)? {
    stores.first { store in
      guard let other = (store as? any FileBackedStore)?.url else { return false }
      return other == url || FileSystem.isSameFile(other.path, url.path)
    }
  }

  /// Returns the URL of a store's file; nil for a store without a file.
  ///
  /// ```swift
  /// let files = coordinator.stores.compactMap { coordinator.url(for: $0) }
  /// ```
  public func url(for store: any PersistentStore) -> URL? { (store as? any FileBackedStore)?.url }

  /// Deletes the files of a store.
  ///
  /// ```swift
  /// try coordinator.destroyPersistentStore(at: file, type: SQLiteStore.self)
  /// ```
  ///
  /// - Parameters:
  ///   - file: The URL of the store.
  ///   - type: The kind of the store.
  ///   - force: True to delete the file even if it is damaged: see ``FileBackedStore/destroyStore(at:force:)``.
  /// - Throws: ``ManagedObjectError/Code/invalidState`` if this coordinator has the store; the errors of
  ///   ``FileBackedStore/destroyStore(at:force:)``.
  public func destroyPersistentStore(
    at file: URL, type: (some FileBackedStore).Type, force: Bool = false
  ) throws(ManagedObjectError) {
    try checkIsClosed(file)
    try type.destroyStore(at: file, force: force)
  }

  /// Replaces a store with a copy of another one, for example with a backup. This coordinator may have the other store.
  ///
  /// ```swift
  /// coordinator.remove(store)
  /// try coordinator.replacePersistentStore(at: file, withPersistentStoreFrom: backup, type: SQLiteStore.self)
  /// ```
  ///
  /// - Parameters:
  ///   - file: The URL of the store to replace.
  ///   - source: The URL of the store to copy.
  ///   - type: The kind of both stores.
  ///   - force: True to replace the file even if it is damaged: see
  ///     ``FileBackedStore/replaceStore(at:withStoreAt:force:)``.
  /// - Throws: ``ManagedObjectError/Code/invalidState`` if this coordinator has the store to replace; the errors of
  ///   ``FileBackedStore/replaceStore(at:withStoreAt:force:)``.
  public func replacePersistentStore(
    at file: URL, withPersistentStoreFrom source: URL, type: (some FileBackedStore).Type, force: Bool = false
  ) throws(ManagedObjectError) {
    try checkIsClosed(file)
    try type.replaceStore(at: file, withStoreAt: source, force: force)
  }

  /// Writes the objects of a store into a new store, which can be of another kind, and replaces the store in this
  /// coordinator with the new one. The file of the old store stays as it is.
  ///
  /// ```swift
  /// if let store = coordinator.persistentStore(for: file) {
  ///   try coordinator.migratePersistentStore(store, to: newFile, type: SQLiteStore.self)
  /// }
  /// ```
  ///
  /// The new store has another identifier: objects and IDs of the old store are no longer valid, and contexts must
  /// fetch the objects again. Contexts cannot use the store during the migration. If an error is thrown, the
  /// coordinator still has the old store.
  ///
  /// - Parameters:
  ///   - store: A store of this coordinator.
  ///   - file: The URL of the new store. The file must not exist. It appears when it is complete.
  ///   - type: The kind of the new store.
  /// - Returns: The new store.
  /// - Throws: ``ManagedObjectError/Code/invalidState`` if the coordinator does not have the store;
  ///   ``ManagedObjectError/Code/operation`` if the store is encrypted, because the new one would not be; the errors of
  ///   ``PersistentStore/insertObjects(of:progress:)`` and of opening the new store.
  /// - Complexity: O(*n* log *n*) in the number of objects.
  @discardableResult
  public func migratePersistentStore<NewStore: FileBackedStore>(
    _ store: any PersistentStore, to file: URL, type: NewStore.Type
  ) throws(ManagedObjectError) -> any PersistentStore {
    if let store = store as? any TransactionalStore, store.isEncrypted {
      throw ManagedObjectError(
        .operation, "the new store would not be encrypted: create it with a key, and insert the objects of the old one")
    }
    guard let index = take(store) else {
      throw ManagedObjectError(.invalidState, "the coordinator does not have the store \(store.identifier.quoted)")
    }
    var result = store
    defer { insert(result, at: index) }
    try NewStore.createStore(at: file, model: model, configuration: store.configuration) {
      newStore throws(ManagedObjectError) in try newStore.insertObjects(of: store)
    }
    result = try NewStore.openStore(at: file, model: model, configuration: store.configuration)
    return result
  }

  private func checkIsClosed(_ file: URL) throws(ManagedObjectError) {
    guard persistentStore(for: file) == nil else {
      throw ManagedObjectError(.invalidState, "the store is open: remove it from the coordinator first").naming(file)
    }
  }
}
