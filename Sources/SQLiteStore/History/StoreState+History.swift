internal import ManagedObjects
internal import PropertyLists

/// The history of saves.
extension StoreState {
  /// True if saves of this store are recorded in its history.
  var tracksHistory: Bool { metadata.tracksHistory }

  func hasHistory() throws(ManagedObjectError) -> Bool { try HistoryTables.areThere(FileSchema(database)) }

  func history(after number: Int64) throws(ManagedObjectError) -> [PersistentHistoryTransaction] {
    // In a transaction, all statements see the same state. Without it, the result could have a save but not its
    // changes.
    try database.transaction(.deferred) { () throws(ManagedObjectError) in
      try hasHistory() ? HistoryReading(self).transactions(after: number) : []
    }
  }

  /// Starts to record a history.
  ///
  /// - Throws: ``ManagedObjectError/Code/operation`` if another program records the history of the store.
  mutating func trackHistory() throws(ManagedObjectError) {
    if tracksHistory { return }
    try checkForeignParts()
    var metadata = metadata
    try database.transaction(.exclusive) { () throws(ManagedObjectError) in
      metadata = try MetadataTable.read(database)
      if metadata.tracksHistory { return }
      if try hasHistory() {
        throw ManagedObjectError(.operation, "another program records the history of the store")
      }
      try HistoryTables.make(schema, database)
      metadata.set(.boolean(true), for: StoreMetadataKey.historyTracking)
      try MetadataTable.write(metadata, database)
    }
    self.metadata = metadata
  }

  func deleteHistory(through number: Int64) throws(ManagedObjectError) {
    guard try hasHistory() else { return }
    guard tracksHistory else {
      throw ManagedObjectError(.save, "another program records the history of the store")
    }
    try checkForeignParts()
    try database.transaction(.immediate) { () throws(ManagedObjectError) in
      for (table, column) in [(HistoryTables.changes, "ZTRANSACTIONID"), (HistoryTables.transactions, "Z_PK")] {
        let statement = try database.statement("DELETE FROM \(table) WHERE \(column) <= ?")
        try statement.bind(1, number)
        try statement.run()
      }
    }
  }
}

extension StoreMetadata {
  /// True if this package records the history of the store.
  package var tracksHistory: Bool { values[StoreMetadataKey.historyTracking]?.boolean == true }
}
