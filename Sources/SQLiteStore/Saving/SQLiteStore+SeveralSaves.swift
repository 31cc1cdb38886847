package import ManagedObjects

/// Several saves in one transaction.
extension SQLiteStore {
  /// Begins a transaction that all saves of this store are part of until ``endSaving(keepsChanges:)``. Requests find
  /// the rows that were saved. Other processes wait to save.
  ///
  /// After a save that fails, the transaction has to be rolled back.
  package func beginSaving() throws(ManagedObjectError) {
    try checkIsWritable()
    try withState { state throws(ManagedObjectError) in
      try state.checkObstacles()
      try state.beginSaving()
    }
  }

  /// Ends the transaction. If it cannot be committed, it is rolled back.
  ///
  /// - Parameter keepsChanges: false to roll back all saves.
  package func endSaving(keepsChanges: Bool) throws(ManagedObjectError) {
    try withState { state throws(ManagedObjectError) in try state.endSaving(keepsChanges: keepsChanges) }
  }
}
