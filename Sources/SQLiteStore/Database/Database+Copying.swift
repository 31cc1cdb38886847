internal import CSQLite
internal import ManagedObjects

/// Copies of files.
extension Database {
  /// Copies all there is into another file, which is that of a new database.
  ///
  /// - Throws: ``ManagedObjectError/Code/locked`` if somebody writes so that nobody can read.
  func copy(to other: Database) throws(ManagedObjectError) {
    guard let copy = unsafe sqlite3_backup_init(other.handle, "main", handle, "main") else {
      throw other.failure(unsafe sqlite3_extended_errcode(other.handle))
    }
    let code = unsafe sqlite3_backup_step(copy, -1)
    let end = unsafe sqlite3_backup_finish(copy)
    if code != SQLITE_DONE { throw other.failure(code) }
    if end != SQLITE_OK { throw other.failure(end) }
  }

  /// Has the tables of another file under a name of their own, until the connection ends.
  func attach(_ path: String, as name: String) throws(ManagedObjectError) {
    let statement = try statement("ATTACH ? AS \(name.sqlName)")
    try statement.bind(1, Self.uri(path))
    try statement.run()
  }

  /// Writes without care for the disk, for a file that nobody wants after a crash.
  ///
  /// - Parameter rollsBack: false for a file that nobody wants after an error, either. A transaction that fails leaves
  ///   it damaged then, and one that changes all of it takes no memory for what it had before.
  func relax(rollsBack: Bool) throws(ManagedObjectError) {
    try execute("PRAGMA journal_mode = \(rollsBack ? "MEMORY" : "OFF")")
    try execute("PRAGMA synchronous = OFF")
  }
}
