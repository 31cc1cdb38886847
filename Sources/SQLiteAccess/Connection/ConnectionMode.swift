/// A way to open a database file.
package enum ConnectionMode: Hashable, Sendable {
  /// Read-only. Creates no files, except those that SQLite needs if other processes may write to the file.
  case readOnly
  /// Read-only. Writes nothing next to the file. No other process may write to it while it is open.
  case immutable
  /// The same as ``readWrite``, for changes that are all rolled back. A leftover write-ahead log stays as it is.
  case trial
  case readWrite
  /// The same as ``readWrite``, but creates a missing file.
  case create
  /// A new database in memory.
  case memory
}

/// The locks that a transaction takes at its beginning.
public enum SQLiteTransactionKind: Hashable, Sendable {
  /// For reading: all statements see the same state.
  case deferred
  /// For writing: other writers wait until the transaction ends.
  case immediate
  /// For schema changes: other writers wait until the transaction ends. If the file does not use a write-ahead log,
  /// readers wait, too.
  case exclusive

  var sql: String {
    switch self {
    case .deferred: "BEGIN"
    case .immediate: "BEGIN IMMEDIATE"
    case .exclusive: "BEGIN EXCLUSIVE"
    }
  }
}

package enum TransactionEnd: String {
  case commit = "COMMIT"
  /// Reverts all changes.
  case rollback = "ROLLBACK"
}
