public import ManagedObjects
public import SQLiteAccess

/// Functions for stores whose file is encrypted.
extension SQLiteStore {
  /// True if the file is encrypted: see ``SQLiteStoreOptions/encryptionKey``.
  public var isEncrypted: Bool {
    // No error can occur.
    (try? withState { state throws(ManagedObjectError) in state.database.isEncrypted }) == true
  }

  /// Encrypts the file with another key, in one transaction. The store stays open. Other connections must be closed.
  ///
  /// ```swift
  /// try store.changeEncryptionKey(to: newKey)
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/locked`` if another connection uses the file;
  ///   ``ManagedObjectError/Code/operation`` if the store is not encrypted; ``ManagedObjectError/Code/save`` if it is
  ///   read-only. The file then keeps its key.
  /// - Complexity: O(*n*) in the size of the file.
  public func changeEncryptionKey(to key: SQLiteEncryptionKey) throws(ManagedObjectError) {
    try checkIsWritable()
    try withState { state throws(ManagedObjectError) in
      let database = state.database
      guard database.isEncrypted else {
        throw ManagedObjectError(
          .operation, "\(database.path): the store is not encrypted; copy its objects to an encrypted one")
      }
      // Without the write-ahead log, NORMAL is not safe: see ``StorePragmas``.
      let synchronous = try database.number("PRAGMA synchronous")
      let full: Int64 = 2
      if synchronous < full { try database.execute("PRAGMA synchronous = FULL") }
      // Other connections would take the pages with the new key for damaged ones. To switch the write-ahead log off,
      // SQLite must be the only user of the file.
      let mode = try database.journalMode()
      defer {
        if mode == "wal", (try? database.journalMode("WAL")) == "wal", synchronous < full {
          try? database.execute("PRAGMA synchronous = \(synchronous)")
        }
      }
      if mode == "wal", try database.journalMode("DELETE") != "delete" {
        throw ManagedObjectError(.locked, "\(database.path): another process uses the store")
      }
      try database.changeKey(to: key)
    }
  }
}
