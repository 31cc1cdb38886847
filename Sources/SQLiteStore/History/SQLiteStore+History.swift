public import ManagedObjects

/// The history of saves.
extension SQLiteStore {
  /// Returns the recorded saves with a transaction number greater than `number`, the oldest first. Returns none if the
  /// store has no history.
  ///
  /// ```swift
  /// for transaction in try store.history(after: last) {
  ///   for change in transaction.changes { print(change.kind, change.objectID) }  // update Note/p2
  ///   last = transaction.number
  /// }
  /// ```
  ///
  /// To record a history, open the store with ``StoreAccess/readWrite(createsFile:tracksHistory:allowsTriggers:)``.
  ///
  /// After a migration without a mapping, the history has the same transactions. Their changes refer to the entities
  /// and properties of the new model; changes to objects of removed entities are missing. A migration with a mapping
  /// creates the objects again. It deletes the history, and numbers from before it are expired.
  ///
  /// - Throws: ``ManagedObjectError/Code/historyTokenExpired`` if `number` is positive and the history, which this
  ///   package records, does not have all transactions after it, ``ManagedObjectError/Code/sqlite`` if the file cannot
  ///   be read, ``ManagedObjectError/Code/incompatibleVersionHash`` if the store now has another model.
  /// - Complexity: O(*n*) in the number of changes.
  public func history(after number: Int64 = 0) throws(ManagedObjectError) -> [PersistentHistoryTransaction] {
    try reading { state throws(ManagedObjectError) in try state.history(after: number) }
  }

  /// Deletes the recorded saves with a transaction number of at most `number`.
  ///
  /// ```swift
  /// let monthAgo = Date.now.addingTimeInterval(-30 * 24 * 60 * 60)
  /// if let last = try store.history().last(where: { $0.date < monthAgo }) {
  ///   try store.deleteHistory(through: last.number)
  /// }
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/save`` if the store is read-only, if another program records the history of
  ///   the store, or if the file has triggers, views or virtual tables that the access does not allow.
  /// - Complexity: O(*n*) in the number of recorded changes.
  public func deleteHistory(through number: Int64) throws(ManagedObjectError) {
    try checkIsWritable()
    try withState { state throws(ManagedObjectError) in try state.deleteHistory(through: number) }
  }

  /// Stops recording a history, and deletes the history. Programs that cannot record it, such as those that use Core
  /// Data, can then save to the store. Does nothing if the store has no history.
  ///
  /// ```swift
  /// try store.stopTrackingHistory()
  /// print(try store.history())  // []
  /// ```
  ///
  /// If a history is recorded again later, its numbers continue after those of the deleted one.
  ///
  /// - Throws: ``ManagedObjectError/Code/save`` if the store is read-only, or if the file has triggers, views or
  ///   virtual tables that the access does not allow, ``ManagedObjectError/Code/operation`` if another program records
  ///   the history of the store.
  /// - Complexity: O(*n*) in the number of recorded changes.
  public func stopTrackingHistory() throws(ManagedObjectError) {
    try checkIsWritable()
    try withState { state throws(ManagedObjectError) in try state.stopTrackingHistory() }
  }
}
