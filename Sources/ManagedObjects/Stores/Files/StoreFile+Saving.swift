internal import FoundationEssentials
internal import Predicates
internal import PropertyLists
internal import SharedFiles
internal import Synchronization
internal import SystemFiles

extension StoreFile {
  /// Saves changes and metadata. If an error is thrown, nothing is saved.
  ///
  /// - Returns: the keys of other rows that changed, and of rows that were saved with other values than those in
  ///   `changes`.
  func save(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey] {
    if changes.isEmpty, state.withLock({ $0.metadataChanges == 0 && $0.identity != nil }) { return [] }
    do {
      try checkIsWritable()
      return try saving.withLock { _ throws(ManagedObjectError) in
        let deadline = ContinuousClock.now + Self.patience
        for _ in 0..<10 { if let mended = try attempt(changes, until: deadline) { return mended } }
        throw ManagedObjectError(.save, "another process keeps changing \(path.printable())")
      }
    } catch {
      throw error.namingStore(url)
    }
  }

  /// Makes saves throw if another process has saved the file since it was read, instead of applying the changes to the
  /// new contents. The error has the code ``ManagedObjectError/Code/merge`` and no conflicts.
  package func refuseChangedFile() { refusesChangedFile.store(true, ordering: .relaxed) }

  /// Checks changes as ``save(_:)`` does, without replacing the file. Returns the same keys as that method.
  func trySaving(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey] {
    try checkIsWritable()
    return try saving.withLock { _ throws(ManagedObjectError) in
      try refresh()
      var next = state.withLock { $0 }
      return try apply(changes, to: &next, old: nil).mended
    }
  }

  /// Reads the file if another process has replaced it since it was read. The caller must hold ``saving``.
  func refresh() throws(ManagedObjectError) {
    let known = state.withLock { $0.identity }
    guard (try? FileIdentity(at: path)) != known, let (data, identity) = try Self.read(path) else { return }
    let state = try refreshed(state.withLock { $0 }, data, identity)
    commit(state, metadataChanges: 0)
  }

  /// Returns the changes that other processes, or other stores with this file, saved since the last call; nil if there
  /// are none. The first call returns nil.
  func changesByOthers() throws(ManagedObjectError) -> SavedChanges? {
    try saving.withLock { _ throws(ManagedObjectError) in
      if !FileSystem.exists(path) {
        throw ManagedObjectError(.noSuchFile, "the file was removed: \(path.printable())").naming(url)
      }
      try refresh()
      return state.withLock { state in
        defer { state.changesByOthers = SavedChanges() }
        return state.changesByOthers == SavedChanges() ? nil : state.changesByOthers
      }
    }
  }

  /// Returns the state after another process has saved the file. Throws if the file now contains a different store.
  ///
  /// - Parameters:
  ///   - old: the state before.
  ///   - data: the new contents of the file.
  ///   - identity: the identity of the file with these contents.
  private func refreshed(_ old: State, _ data: Data, _ identity: FileIdentity) throws(ManagedObjectError) -> State {
    let table = RowTable(model: model, storeNumber: number, configuration: configuration)
    let saved = try ManagedObjectError.naming(url) { () throws(ManagedObjectError) in
      try format.read(data, into: table, configuration: configuration)
    }
    guard saved.metadata.identifier == identifier else {
      throw ManagedObjectError(.save, "the file was replaced by another store: \(path.printable())").naming(url)
    }
    var state = old
    state.contents.table = old.contents.table.carryingVersions(into: saved.table)
    state.changesByOthers?.add(
      state.contents.table.changes(since: old.contents.table), model: model, storeIdentifier: identifier)
    state.contents.layout = saved.layout
    state.contents.mismatches = saved.mismatches
    state.contents.lastNumber = saved.lastNumber
    if old.metadataChanges == 0 { state.contents.metadata = saved.metadata }
    state.lastNumber = max(old.lastNumber, saved.lastNumber)
    state.identity = identity
    return state
  }

  /// Sets ``state`` to the result of a save, or of reading the file again.
  ///
  /// - Parameter metadataChanges: the number of changes of the metadata that were saved; 0 if the file was only read.
  private func commit(_ new: State, metadataChanges: Int) {
    state.withLock { state in
      var new = new
      // Other threads may have requested keys or set metadata meanwhile.
      new.lastNumber = max(new.lastNumber, state.lastNumber)
      if state.metadataChanges > new.metadataChanges {
        let values = state.contents.metadata.values
        new.contents.metadata.replace(with: values)
      }
      new.metadataChanges = state.metadataChanges - metadataChanges
      state = new
    }
  }

  /// Makes one attempt to save. Returns the result of ``save(_:)``; nil if another process changed the file meanwhile,
  /// so that the save must be repeated.
  private func attempt(
    _ changes: StoreChanges, until deadline: ContinuousClock.Instant
  ) throws(ManagedObjectError) -> [RowKey]? {
    var next = state.withLock { $0 }
    let known = next.contents.lastNumber
    var locked: LockedFile?
    do { locked = try LockedFile(path, until: deadline) } catch { throw ManagedObjectError(error, .save) }
    guard var file = locked.take() else { return try makeFile(&next, changes) }
    let data: Data
    do { data = try file.read(limit: Self.greatestSize) } catch { throw ManagedObjectError(error, .save) }
    if file.identity != next.identity {
      next = try refreshed(next, data, file.identity)
      commit(next, metadataChanges: 0)
      if refusesChangedFile.load(ordering: .relaxed) {
        throw ManagedObjectError(.merge, "another process has saved \(path.printable()) since it was read")
      }
      let last = next.contents.lastNumber
      if changes.inserted.contains(where: { $0.key.number > known && $0.key.number <= last }) {
        throw ManagedObjectError(
          .keysTaken, "cannot save new objects, because other objects were saved with the same primary keys")
      }
    }
    let (bytes, mended) = try apply(changes, to: &next, old: data)
    let written: FileIdentity?
    do { written = try file.replace(with: bytes, settingAside: nil, displaced: Self.displacedSuffix) } catch {
      throw ManagedObjectError(error, .save)
    }
    guard let written else { return nil }
    next.identity = written
    do { try Self.synchronizeName(written, of: path, old: data) } catch { throw ManagedObjectError(error, .save) }
    commit(next, metadataChanges: next.metadataChanges)
    return mended
  }

  static let displacedSuffix = ".displaced"

  /// Applies changes to a state, and returns the contents of the file to write.
  ///
  /// - Parameter old: the file that the state was read from; nil if it does not exist.
  /// - Returns: the bytes of the new file, and the keys that ``save(_:)`` returns.
  private func apply(
    _ changes: StoreChanges, to state: inout State, old: Data?
  ) throws(ManagedObjectError) -> (bytes: Data, mended: [RowKey]) {
    let mended = try state.contents.table.apply(changes, identifier: identifier)
    var changed = Set(mended.map(\.number))
    for row in changes.inserted + changes.updated {
      changed.insert(row.key.number)
      state.contents.lastNumber = max(state.contents.lastNumber, row.key.number)
      // If a row still refers to a deleted object, the primary key of this object must not be used again.
      for case .toOne(let target?) in row.values {
        state.contents.lastNumber = max(state.contents.lastNumber, target.number)
      }
    }
    state.lastNumber = max(state.lastNumber, state.contents.lastNumber)
    state.contents.metadata.describe(model, configuration)
    let (data, layout) = try format.write(state.contents, old: old, changed: changed)
    state.contents.layout = layout
    return (data, mended)
  }

  /// Writes the whole state to a new file, if the file does not exist yet or was removed. Returns nil if another
  /// process has created the file meanwhile.
  private func makeFile(_ next: inout State, _ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey]? {
    let (bytes, mended) = try apply(changes, to: &next, old: nil)
    if isBeingFilled.load(ordering: .relaxed) {
      commit(next, metadataChanges: 0)
      return mended
    }
    do throws(FileError) {
      guard let identity = try FileSystem.create(path, with: bytes, permissions: 0o644) else {
        if try FileIdentity(at: path) != nil { return nil }
        throw FileError(ENOENT, "cannot write \(path): its folder is missing")
      }
      next.identity = identity
      try FileSystem.synchronizeFolder(of: path)
    } catch {
      throw ManagedObjectError(error, .save)
    }
    commit(next, metadataChanges: next.metadataChanges)
    return mended
  }

  /// Syncs the folder, so that the replacement of a file is durable. If that fails, restores the old file and throws.
  ///
  /// - Parameter identity: The identity of the new file.
  static func synchronizeName(_ identity: FileIdentity, of path: String, old: Data) throws(FileError) {
    do { try FileSystem.synchronizeFolder(of: path) } catch {
      var locked = try? LockedFile(path, until: .now + patience)
      if let file = locked.take(), file.identity == identity {
        _ = try? file.replace(with: old, settingAside: nil, displaced: displacedSuffix)
      }
      throw error
    }
  }
}
