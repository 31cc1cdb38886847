public import ManagedObjects

/// The history of changes.
extension SQLiteStore {
  /// The saves with greater numbers, the oldest first; none of a store that keeps no history.
  ///
  /// - Complexity: O(*n*) in the number of changes.
  public func history(after number: Int64 = 0) throws(ManagedObjectError) -> [PersistentHistoryTransaction] {
    try reading { state throws(ManagedObjectError) in try state.history(after: number) }
  }

  /// Forgets the saves up to a number.
  ///
  /// - Throws: ``ManagedObjectError/Code/save`` for a store that is open for reading only, and for one whose history
  ///   another program keeps.
  public func deleteHistory(through number: Int64) throws(ManagedObjectError) {
    try checkIsWritable()
    try withState { state throws(ManagedObjectError) in try state.deleteHistory(through: number) }
  }
}
