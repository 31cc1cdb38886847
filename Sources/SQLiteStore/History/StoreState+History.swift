internal import FoundationEssentials
internal import ManagedObjects
internal import PropertyLists

/// Functions that start, read, delete and stop the history of saves.
extension StoreState {
  /// True if saves of this store are recorded in its history: if it has the tables of one.
  var tracksHistory: Bool { history != nil }

  func hasHistory() throws(ManagedObjectError) -> Bool { try historyReading() != nil }

  /// Returns a reader of the history; nil if the store has no history.
  ///
  /// - Parameter known: The tables of an earlier reader. They are read again if the schema has changed.
  func historyReading(_ known: HistoryReading.Tables? = nil) throws(ManagedObjectError) -> HistoryReading? {
    let version = try database.schemaVersion()
    if let known, known.schemaVersion == version { return HistoryReading(state: self, tables: known) }
    let file = try FileSchema(database)
    guard HistoryTables.areThere(file) else { return nil }
    return HistoryReading(state: self, tables: HistoryReading.Tables(schemaVersion: version, file: file))
  }

  /// Calls `body` with a reader of the history, or returns nil if the store has no history.
  ///
  /// - Parameters:
  ///   - position: The position after which `body` reads.
  ///   - known: The tables of an earlier reader.
  /// - Throws: ``ManagedObjectError/Code/historyTokenExpired`` if the history does not have all transactions after the
  ///   position, and the error of `body`.
  func withHistory<Result>(
    after position: HistoryRequest.Position?, _ known: HistoryReading.Tables? = nil,
    _ body: (inout HistoryReading) throws(ManagedObjectError) -> Result
  ) throws(ManagedObjectError) -> Result? {
    // In a transaction, all statements see the same state. Without it, the result could have a save but not its
    // changes.
    try database.transaction(.deferred) { () throws(ManagedObjectError) in
      let number: Int64? =
        switch position {
        case .number(let number): number > 0 ? number : nil
        case .token(let token): try token.number(inStore: metadata.identifier)
        case .date, nil: nil
        }
      guard var reading = try historyReading(known) else {
        if case .token = position, try max(number ?? 0, MetadataTable.read(database).lastHistoryNumber) > 0 {
          throw ManagedObjectError(.historyTokenExpired, "the store has no history: it was switched off or deleted")
        }
        return nil
      }
      if let number { try checkHasAll(after: number) }
      return try body(&reading)
    }
  }

  /// Returns the number of the last recorded transaction, even if it or the history has been deleted; 0 if none was
  /// recorded.
  func lastRecordedNumber() throws(ManagedObjectError) -> (number: Int64, hasHistory: Bool) {
    try database.transaction(.deferred) { () throws(ManagedObjectError) in
      if let reading = try historyReading() { return (try reading.lastRecordedNumber(), true) }
      return (try MetadataTable.read(database).lastHistoryNumber, false)
    }
  }

  /// Throws if the history does not have all transactions after a number.
  private func checkHasAll(after number: Int64) throws(ManagedObjectError) {
    let last = try HistoryTables.lastNumber(database)
    let deleted = try database.number(
      "SELECT IFNULL(MIN(Z_PK) - 1, \(last)) FROM \(HistoryTables.transactions)")
    if number >= deleted, number <= last { return }
    throw ManagedObjectError(
      .historyTokenExpired,
      number > last
        ? "the history has no transaction \(number): the last one has the number \(last)"
        : "the history does not have all transactions after \(number): those through \(deleted) were deleted")
  }

  /// Starts recording a history. Does nothing if the store has one already.
  mutating func trackHistory() throws(ManagedObjectError) {
    if tracksHistory { return }
    try checkForeignParts()
    var metadata = metadata
    try database.transaction(.exclusive) { () throws(ManagedObjectError) in
      metadata = try MetadataTable.read(database)
      if try hasHistory() { return }
      try HistoryTables.make(schema, database, after: metadata.lastHistoryNumber)
      metadata.set(.boolean(true), for: StoreMetadataKey.historyTracking)
      metadata.set(nil, for: StoreMetadataKey.lastHistoryNumber)
      try MetadataTable.write(metadata, database)
    }
    try noteHistory(metadata)
  }

  /// Stops recording a history, and deletes the history. Does nothing if the store has no history.
  ///
  /// - Throws: ``ManagedObjectError/Code/operation`` if Core Data has started the history of the store.
  mutating func stopTrackingHistory() throws(ManagedObjectError) {
    guard try hasHistory() else { return }
    try checkForeignParts()
    var metadata = metadata
    try database.transaction(.exclusive) { () throws(ManagedObjectError) in
      metadata = try MetadataTable.read(database)
      guard try hasHistory() else { return }
      guard metadata.ownsHistory else {
        throw ManagedObjectError(.operation, "cannot stop the history of the store, because Core Data has started it")
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

  func deleteHistory(before position: HistoryRequest.Position) throws(ManagedObjectError) {
    try position.check()
    switch position {
    case .number(let number):
      if number > .min { try deleteHistory { number - 1 } }
    case .token(let token):
      let number = try token.number(inStore: metadata.identifier)
      if number > .min { try deleteHistory { number - 1 } }
    case .date(let date):
      // If the clock was changed, the numbers can have another order than the dates. The history keeps all transactions
      // after the first one that is not before the date, so that no transaction in its middle is missing.
      try deleteHistory { () throws(ManagedObjectError) in
        let statement = try database.statement(
          "SELECT IFNULL(MIN(+Z_PK) - 1, \(Int64.max)) FROM ATRANSACTION WHERE ZTIMESTAMP >= ?")
        try statement.bind(1, date.timeIntervalSinceReferenceDate)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
      }
    }
  }

  /// Deletes the transactions up to a number.
  ///
  /// - Parameter last: Returns the number of the last transaction to delete. It is called in the database transaction
  ///   that deletes.
  func deleteHistory(through last: () throws(ManagedObjectError) -> Int64) throws(ManagedObjectError) {
    try checkForeignParts()
    try database.transaction(.immediate) { () throws(ManagedObjectError) in
      guard let history = try HistoryLayout(FileSchema(database), database) else { return }
      if !history.obstacles.isEmpty { throw WritingObstacles.error(history.obstacles, database.path) }
      if history.isMirrored {
        throw ManagedObjectError(
          .save, "cannot delete the history of the store: CloudKit reads it, and would lose what it has not exported")
      }
      let number = try last()
      for (table, column) in [(HistoryTables.changes, "ZTRANSACTIONID"), (HistoryTables.transactions, "Z_PK")] {
        let statement = try database.statement("DELETE FROM \(table) WHERE \(column) <= ?")
        try statement.bind(1, number)
        try statement.run()
      }
    }
  }
}

extension StoreMetadata {
  /// True if this package has started the history of the store.
  package var ownsHistory: Bool { values[StoreMetadataKey.historyTracking]?.boolean == true }

  /// The last transaction number of a history that ``StoreState/stopTrackingHistory()`` has deleted; 0 if none was
  /// deleted.
  fileprivate var lastHistoryNumber: Int64 {
    values[StoreMetadataKey.lastHistoryNumber]?.integer.flatMap { Int64(exactly: $0) } ?? 0
  }
}
