internal import CSQLite
internal import ManagedObjects

// What an error of SQLite says, beside what a program is told.

extension ManagedObjectError {
  private var primaryCode: Int32? { sqliteCode.map { Int32($0 & 0xFF) } }

  /// True if SQLite takes no such statement, and if a function in a statement has no result.
  var isFailedStatement: Bool { primaryCode == SQLITE_ERROR }

  /// True for a statement or a value that is longer than SQLite allows.
  var isTooBig: Bool { primaryCode == SQLITE_TOOBIG }

  /// True for a number that another row has (`SQLITE_CONSTRAINT_PRIMARYKEY`, `SQLITE_CONSTRAINT_ROWID`, which SQLite's
  /// header has as expressions).
  var isTakenKey: Bool { sqliteCode == 1555 || sqliteCode == 2579 }

  /// True for values of a unique index that another row has (`SQLITE_CONSTRAINT_UNIQUE`).
  var isUniqueness: Bool { sqliteCode == 2067 }
}
