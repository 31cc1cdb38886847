public import ManagedObjects

/// The history of saves.
extension SQLiteStore {
  /// Returns the recorded saves with a transaction number greater than `number`, the oldest first. Returns none if the
  /// store has no history.
  ///
  /// - Complexity: O(*n*) in the number of changes.
  public func history(after number: Int64 = 0) throws(ManagedObjectError) -> [PersistentHistoryTransaction] {
    try reading { state throws(ManagedObjectError) in try state.history(after: number) }
  }

  /// Deletes the recorded saves with a transaction number of at most `number`.
  ///
  /// - Throws: ``ManagedObjectError/Code/save`` if the store is read-only, or if another program records its history.
  public func deleteHistory(through number: Int64) throws(ManagedObjectError) {
    try checkIsWritable()
    try withState { state throws(ManagedObjectError) in try state.deleteHistory(through: number) }
  }
}
