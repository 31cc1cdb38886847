internal import CSQLite

/// Functions that copy and attach database files.
extension Connection {
  /// Copies the whole database into a new, empty one.
  ///
  /// - Throws: The error ``SQLiteResultCode/busy`` if another process holds a lock that prevents reading.
  package func copy(to other: Connection) throws(Failure) {
    guard let copy = unsafe sqlite3_backup_init(other.handle, "main", handle, "main") else {
      throw other.failure(unsafe sqlite3_extended_errcode(other.handle), .running, nil)
    }
    let code = unsafe sqlite3_backup_step(copy, -1)
    let end = unsafe sqlite3_backup_finish(copy)
    if code != SQLITE_DONE { throw other.failure(code, .running, nil) }
    if end != SQLITE_OK { throw other.failure(end, .running, nil) }
  }

  /// Attaches another file under a schema name, until the connection closes.
  ///
  /// - Parameter key: The key of the file.
  package func attach(_ path: String, as name: String, _ key: SQLiteEncryptionKey?) throws(Failure) {
    guard let key else {
      let statement = try statement("ATTACH ? AS \(name.sqlName)")
      try statement.bind(1, DatabaseFile.uri(path))
      return try statement.run()
    }
    let uri = DatabaseFile.uri(path).replacing("'", with: "''")
    let code = withoutTrace { unsafe key.execute("ATTACH '\(uri)' AS \(name.sqlName) KEY ", in: handle) }
    if code != SQLITE_OK { throw failure(code, .running, nil) }
  }

  /// Turns off syncing and the journal on the disk, for a temporary file that is discarded after a crash.
  ///
  /// - Parameter rollsBack: False for a file that is also discarded after an error. A failed transaction then leaves
  ///   the file damaged, but large transactions need no memory for the original pages.
  package func relax(rollsBack: Bool) throws(Failure) {
    try execute("PRAGMA journal_mode = \(rollsBack ? "MEMORY" : "OFF")")
    try execute("PRAGMA synchronous = OFF")
  }
}
