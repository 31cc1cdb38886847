public import ManagedObjects
internal import SystemFiles

/// Functions that make the file smaller and requests faster.
extension SQLiteStore {
  /// Rebuilds the file without free pages, so that it becomes as small as possible (`NSSQLiteManualVacuumOption`).
  ///
  /// ```swift
  /// try store.vacuum()
  /// ```
  ///
  /// Objects, their IDs and versions stay the same, so that contexts keep their objects. Other connections can read
  /// meanwhile. While one of them reads, the new contents stay in the write-ahead log, and the file becomes smaller at
  /// a later checkpoint. During the call, SQLite needs free space of up to twice the size of the file.
  ///
  /// - Throws: ``ManagedObjectError/Code/locked`` if another connection is saving for longer than
  ///   ``SQLiteStoreOptions/busyTimeout``; ``ManagedObjectError/Code/save`` if the store is read-only or the disk is
  ///   full; ``ManagedObjectError/Code/invalidState`` during a transaction of several saves. The file then stays as it
  ///   was.
  /// - Complexity: O(*n*) in the size of the file.
  public func vacuum() throws(ManagedObjectError) { try maintain("VACUUM") }

  /// Collects statistics about the indexes, so that SQLite selects better plans for requests (`NSSQLiteAnalyzeOption`).
  ///
  /// ```swift
  /// try store.analyze()
  /// ```
  ///
  /// The statistics are a part of the file. Call this again after the numbers of objects have changed much. The pragma
  /// `analysis_limit` of ``SQLiteStoreOptions/pragmas`` limits the rows that are read.
  ///
  /// - Throws: The errors of ``vacuum()``.
  /// - Complexity: O(*n*) in the size of the indexes.
  public func analyze() throws(ManagedObjectError) { try maintain("ANALYZE") }

  private func maintain(_ statement: String) throws(ManagedObjectError) {
    try checkIsWritable()
    try withState { state throws(ManagedObjectError) in
      let database = state.database
      if database.isInTransaction {
        throw ManagedObjectError(
          .invalidState, "\(database.path): \(statement) is not possible in a transaction of several saves")
      }
      try database.checkHasNotMoved()
      try database.execute(statement)
      if FileSystem.sizeOfRegularFile(database.file.path + "-wal") ?? 0 > 0 { database.checkpointWithoutWaiting() }
    }
  }
}
