internal import CSQLite
internal import ManagedObjects

// Tests of the result code that SQLite returned for an error.

extension ManagedObjectError {
  private var primaryCode: Int32? { sqliteCode.map { Int32($0 & 0xFF) } }

  /// True if SQLite rejects the statement, or if a function in it has failed.
  var isFailedStatement: Bool { primaryCode == SQLITE_ERROR }

  /// True if a statement or a value is longer than SQLite allows.
  var isTooBig: Bool { primaryCode == SQLITE_TOOBIG }

  /// True if another row already has the primary key: `SQLITE_CONSTRAINT_PRIMARYKEY` or `SQLITE_CONSTRAINT_ROWID`.
  /// Swift does not import these codes, because they are macros with expressions.
  var isTakenKey: Bool { sqliteCode == 1555 || sqliteCode == 2579 }

  /// True if another row has the same values in a unique index (`SQLITE_CONSTRAINT_UNIQUE`).
  var isUniqueness: Bool { sqliteCode == 2067 }
}
