package import ManagedObjects

/// Functions that begin and end a transaction of several saves.
extension SQLiteStore {
  /// Begins a transaction that includes all saves of this store until ``endSaving(keepsChanges:)``. Requests of this
  /// store see the saved rows. Other processes cannot save until the transaction ends.
  ///
  /// If a save throws, the caller must roll the transaction back.
  package func beginSaving() throws(ManagedObjectError) {
    try checkIsWritable()
    try withState { state throws(ManagedObjectError) in
      try state.checkObstacles()
      try state.beginSaving()
    }
  }

  /// Ends the transaction. If it cannot be committed, it is rolled back.
  ///
  /// - Parameter keepsChanges: False to roll back all saves.
  package func endSaving(keepsChanges: Bool) throws(ManagedObjectError) {
    try withState { state throws(ManagedObjectError) in try state.endSaving(keepsChanges: keepsChanges) }
  }
}
