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
      guard try hasHistory() else { return [] }
      if number > 0, try MetadataTable.read(database).tracksHistory { try checkHasAll(after: number) }
      return try HistoryReading(self).transactions(after: number)
    }
  }

  /// Throws if the history does not have all transactions after a number.
  private func checkHasAll(after number: Int64) throws(ManagedObjectError) {
    let last = try HistoryTables.lastNumber(database)
    let first = try database.number(
      "SELECT IFNULL(MIN(Z_PK), \(last + 1)) FROM \(HistoryTables.transactions)")
    if number >= first - 1, number <= last { return }
    throw ManagedObjectError(
      .historyTokenExpired,
      number > last
        ? "the history has no transaction \(number): the last one has the number \(last)"
        : "the history does not have all transactions after \(number): those before \(first) were deleted")
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
      try HistoryTables.make(schema, database, after: metadata.lastHistoryNumber)
      metadata.set(.boolean(true), for: StoreMetadataKey.historyTracking)
      metadata.set(nil, for: StoreMetadataKey.lastHistoryNumber)
      try MetadataTable.write(metadata, database)
    }
    try noteHistory(metadata)
  }

  /// Stops to record a history, and deletes the history. Does nothing if the store has no history.
  ///
  /// - Throws: ``ManagedObjectError/Code/operation`` if another program records the history of the store.
  mutating func stopTrackingHistory() throws(ManagedObjectError) {
    guard try hasHistory() else { return }
    try checkForeignParts()
    var metadata = metadata
    try database.transaction(.exclusive) { () throws(ManagedObjectError) in
      metadata = try MetadataTable.read(database)
      guard try hasHistory() else { return }
      guard metadata.tracksHistory else {
        throw ManagedObjectError(.operation, "another program records the history of the store")
      }
      metadata.set(nil, for: StoreMetadataKey.historyTracking)
      let last = try HistoryTables.lastNumber(database)
      if last > 0 { metadata.set(.integer(PropertyList.Integer(last)), for: StoreMetadataKey.lastHistoryNumber) }
      try HistoryTables.drop(database)
      try MetadataTable.write(metadata, database)
    }
    try noteHistory(metadata)
  }

  /// Updates the state after history was switched on or off. Keeps metadata that the program has set and not saved yet.
  private mutating func noteHistory(_ current: StoreMetadata) throws(ManagedObjectError) {
    try checkTables()
    var current = current
    if hasNewMetadata { current.replace(with: metadata.values) }
    metadata = current
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

  /// The number of the last transaction of a history that was switched off; 0 if there was none.
  fileprivate var lastHistoryNumber: Int64 {
    values[StoreMetadataKey.lastHistoryNumber]?.integer.flatMap { Int64(exactly: $0) } ?? 0
  }
}
