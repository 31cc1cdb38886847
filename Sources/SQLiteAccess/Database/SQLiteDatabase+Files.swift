/// The journal modes of SQLite: https://sqlite.org/pragma.html#pragma_journal_mode
public enum SQLiteJournalMode: String, Hashable, Sendable {
  /// A write-ahead log. Readers do not wait for a writer. The file keeps this mode when it is closed.
  case wal
  /// A rollback journal, which is deleted after each transaction. This is the mode of new files.
  case delete
  /// A rollback journal that is truncated after each transaction.
  case truncate
  /// A rollback journal that is overwritten after each transaction.
  case persist
}

/// Functions that read and set header fields, set the journal mode, and copy the database.
extension SQLiteDatabase {
  /// Returns the version of the tables, which the program sets; 0 in a new file (`PRAGMA user_version`).
  ///
  /// ```swift
  /// if try database.userVersion() < 1 {
  ///   try database.execute(script: "CREATE TABLE note (key TEXT PRIMARY KEY)")
  ///   try database.setUserVersion(1)
  /// }
  /// ```
  public func userVersion() throws(SQLiteError) -> Int32 { try headerField("user_version") }

  /// Sets the version of the tables. The change is part of the transaction.
  public func setUserVersion(_ version: Int32) throws(SQLiteError) { try setHeaderField("user_version", version) }

  /// Returns the ID of the program that the file belongs to; 0 in a new file (`PRAGMA application_id`).
  public func applicationID() throws(SQLiteError) -> Int32 { try headerField("application_id") }

  /// Sets the ID of the program that the file belongs to. The change is part of the transaction.
  public func setApplicationID(_ id: Int32) throws(SQLiteError) { try setHeaderField("application_id", id) }

  private func headerField(_ name: String) throws(SQLiteError) -> Int32 {
    try checkTransaction(sql: nil)
    return Int32(truncatingIfNeeded: try connection.number("PRAGMA \(name)"))
  }

  private func setHeaderField(_ name: String, _ value: Int32) throws(SQLiteError) {
    try execute(script: "PRAGMA \(name) = \(value)")
  }

  /// Sets the journal mode of the file.
  ///
  /// - Throws: ``SQLiteResultCode/busy`` if another connection uses the file; ``SQLiteResultCode/misuse`` if the mode
  ///   cannot be changed, as for a database in memory. In a transaction, the code can also be
  ///   ``SQLiteResultCode/error``.
  public func setJournalMode(_ mode: SQLiteJournalMode) throws(SQLiteError) {
    let sql = "PRAGMA journal_mode = \(mode.rawValue)"
    let result: String? = try value(SQL(text: sql))
    if result != mode.rawValue {
      throw connection.misuse("the journal mode cannot be \(mode.rawValue), and stays \(result ?? "unknown")", sql)
    }
  }

  /// Replaces the contents of another database with a copy of this one. Other connections can read this one meanwhile.
  ///
  /// ```swift
  /// try database.copy(to: try SQLiteDatabase(path: "/home/ada/backup.db"))
  /// ```
  ///
  /// - Throws: ``SQLiteResultCode/busy`` or ``SQLiteResultCode/locked`` if another connection, or a transaction of this
  ///   one, has locked one of the databases; ``SQLiteResultCode/misuse`` if `other` is in a transaction. The other
  ///   database then stays as it was.
  /// - Complexity: Proportional to the size of the file.
  public func copy(to other: SQLiteDatabase) throws(SQLiteError) {
    if other.isInTransaction { throw other.connection.misuse("a database cannot be replaced in a transaction", nil) }
    try connection.copy(to: other.connection)
  }
}
