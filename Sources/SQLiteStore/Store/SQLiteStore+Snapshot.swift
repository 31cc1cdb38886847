public import ManagedObjects

extension SQLiteStore {
  public func snapshot() throws(ManagedObjectError) -> any PersistentStore {
    // An immutable file has only one state.
    if isSnapshot || access.mode == .immutable { return self }
    return try ManagedObjectError.naming(url) { () throws(ManagedObjectError) in
      let (path, name, tables, options) = try withState { state throws(ManagedObjectError) in
        (state.database.file.path, state.database.path, state.tables, state.database.options)
      }
      // The last writable connection checkpoints the log when it closes. The snapshot writes nothing else.
      let database = try Database(
        path: path, named: name, access.mode == .readOnly ? .readOnly : .readWrite, options)
      var opened = try StoreState(database, tables, configuration, number)
      try opened.beginSnapshot()
      // If the file has not moved until now, the new connection has opened the same file.
      try withState { state throws(ManagedObjectError) in try state.database.checkHasNotMoved() }
      return SQLiteStore(snapshotOf: self, opened, .readOnly)
    }
  }
}

extension StoreState {
  /// Begins a transaction whose statements all read the current state of the file.
  ///
  /// - Throws: ``ManagedObjectError/Code/unsupportedRequest`` if the file has no write-ahead log, because the
  ///   transaction would then prevent all saves.
  fileprivate mutating func beginSnapshot() throws(ManagedObjectError) {
    let statement = try database.statement("PRAGMA journal_mode")
    guard try statement.step(), statement.text(0) == "wal" else {
      let mode = statement.text(0)
      throw ManagedObjectError(
        .unsupportedRequest,
        "\(database.path): query generations need a file with a write-ahead log, but its journal mode is \(mode.quoted)"
      )
    }
    statement.reset()
    try database.begin(.deferred)
    // The transaction begins when it first reads. Another process may have changed the tables.
    try checkTables()
  }

  /// Checks that the transaction of a snapshot has not ended because of an error.
  func checkIsReading() throws(ManagedObjectError) {
    if database.isInTransaction { return }
    throw ManagedObjectError(
      .invalidState, "\(database.path): the query generation was lost, because reading the file failed")
  }
}
