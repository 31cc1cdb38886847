public import ManagedObjects
internal import SQLiteAccess

/// Functions that read, delete and stop the history of saves.
extension SQLiteStore {
  /// Returns the recorded saves with a transaction number greater than `number`, the oldest first. The result is empty
  /// if the store has no history.
  ///
  /// ```swift
  /// for transaction in try store.history(after: last) {
  ///   for change in transaction.changes { print(change.kind, change.objectID) }  // update Note/p2
  ///   last = transaction.number
  /// }
  /// ```
  ///
  /// To record a history, open the store with ``StoreAccess/readWrite(createsFile:tracksHistory:allowsTriggers:)``. A
  /// history that Core Data has started in the file is continued as Core Data continues it. A history has no save that
  /// changed only properties that are not stored.
  ///
  /// After a migration without a mapping, the history has the same transactions. Their changes refer to the entities
  /// and properties of the new model; changes to objects of removed entities are missing. A migration with a mapping
  /// creates the objects again. It deletes the history, and numbers from before it are expired.
  ///
  /// - Throws: ``ManagedObjectError/Code/historyTokenExpired`` if `number` is positive, but transactions after
  ///   `number` were deleted, or `number` is greater than that of the last one;
  ///   ``ManagedObjectError/Code/sqlite`` if the file cannot be read;
  ///   ``ManagedObjectError/Code/incompatibleVersionHash`` if the store now has another model.
  /// - Complexity: O(*n*) in the number of changes.
  public func history(after number: Int64 = 0) throws(ManagedObjectError) -> [PersistentHistoryTransaction] {
    try history(HistoryRequest(after: .number(number)))
  }

  /// Returns the recorded saves that a request selects. The result is empty if the store has no history.
  ///
  /// ```swift
  /// var request = HistoryRequest(after: .date(yesterday))
  /// request.author = .oneOf(["import"])
  /// request.isNewestFirst = true
  /// request.fetchLimit = 10
  /// let imports = try store.history(request)
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/historyTokenExpired`` if ``HistoryRequest/after`` is a token or a positive
  ///   number and the history does not have all transactions after it, or if it is a token and the history was deleted;
  ///   ``ManagedObjectError/Code/invalidState`` for a token of another store;
  ///   ``ManagedObjectError/Code/undefinedKey`` if the model does not have an entity of the request;
  ///   ``ManagedObjectError/Code/unsupportedRequest`` for a negative limit or a date that is not a number; the errors
  ///   of ``history(after:)``.
  /// - Complexity: O(*n*) in the number of saves between the two positions and of the changes of the saves that satisfy
  ///   the conditions on saves. With a limit, only until it is reached.
  public func history(_ request: HistoryRequest) throws(ManagedObjectError) -> [PersistentHistoryTransaction] {
    try reading { state throws(ManagedObjectError) in
      try state.withHistory(after: request.after) { reading throws(ManagedObjectError) in
        try reading.page(request).transactions
      } ?? []
    }
  }

  /// Returns the number of recorded saves that a request selects, and the number of their selected changes. The latter
  /// is 0 if ``HistoryRequest/includesChanges`` is false.
  ///
  /// ```swift
  /// print(try store.historyCount().transactions)  // 1200
  /// ```
  ///
  /// - Throws: The errors of ``history(_:)``.
  /// - Complexity: That of ``history(_:)``, but nothing is loaded.
  public func historyCount(
    _ request: HistoryRequest = HistoryRequest()
  ) throws(ManagedObjectError) -> (transactions: Int, changes: Int) {
    try reading { state throws(ManagedObjectError) in
      try state.withHistory(after: request.after) { reading throws(ManagedObjectError) in try reading.count(request) }
        ?? (0, 0)
    }
  }

  /// Calls a function with each recorded save that a request selects, in the order of the request. Reads the saves in
  /// batches, so that memory holds only a part of a large history.
  ///
  /// ```swift
  /// try store.enumerateHistory(HistoryRequest(after: .token(token))) { transaction in
  ///   try index.update(transaction.changes)
  ///   token = transaction.token
  /// }
  /// ```
  ///
  /// The function may use the store. Saves made after the beginning are not visited.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - batchSize: The number of saves and changes after which a batch ends; at least 1. A batch has all changes of
  ///     its last save.
  ///   - body: The function. If it throws, no more saves are visited.
  /// - Throws: ``ManagedObjectError/Code/unsupportedRequest`` for a batch size less than 1;
  ///   ``ManagedObjectError/Code/historyTokenExpired`` if saves that were not visited yet are deleted meanwhile and the
  ///   order is from the oldest to the latest; the errors of ``history(_:)``; the error of the function.
  /// - Complexity: That of ``history(_:)``. Memory holds the saves of one batch.
  public func enumerateHistory(
    _ request: HistoryRequest = HistoryRequest(), batchSize: Int = 1_000,
    _ body: (PersistentHistoryTransaction) throws -> Void
  ) throws {
    guard batchSize > 0 else {
      throw ManagedObjectError(.unsupportedRequest, "the batch size must be at least 1, found \(batchSize)")
    }
    let requestNumber = SQLiteTrace.nextRequest()
    let beginning = try reading(requestNumber) { state throws(ManagedObjectError) in
      try state.withHistory(after: nil) { reading throws(ManagedObjectError) in
        (try reading.lastRecordedNumber(), reading.tables)
      }
    }
    guard case (let end, var tables)? = beginning else {
      // Throws for a token.
      _ = try history(request)
      return
    }
    var request = request
    var numbers = Int64.min...end
    // The position after which the history must be complete. What was visited can be deleted meanwhile. In the other
    // order, the oldest saves can be deleted before they are visited.
    var checked = request.after
    while true {
      let result = try reading(requestNumber) { [request, numbers, checked, tables] state throws(ManagedObjectError) in
        try state.withHistory(after: checked, tables) { reading throws(ManagedObjectError) in
          (try reading.page(request, numbers, size: batchSize), reading.tables)
        }
      }
      guard case (let page, let current)? = result else { return }
      for transaction in page.transactions { try body(transaction) }
      guard !page.isLast, let number = page.transactions.last?.number else { return }
      // In a damaged table, the numbers can be texts and have another order.
      guard numbers.contains(number) else {
        throw ManagedObjectError(.sqlite, "the transaction numbers of the history are not integers").naming(url)
      }
      numbers = request.isNewestFirst ? numbers.lowerBound...number - 1 : number + 1...numbers.upperBound
      if request.fetchLimit > 0 { request.fetchLimit -= page.transactions.count }
      tables = current
      checked = request.isNewestFirst ? nil : page.transactions.last.map { .transaction($0) }
    }
  }

  /// Deletes the recorded saves with a transaction number of at most `number`.
  ///
  /// ```swift
  /// let transactions = try store.history()
  /// try index.update(transactions.flatMap(\.changes))
  /// if let last = transactions.last { try store.deleteHistory(through: last.number) }
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/save`` if the store is read-only, if its history has other columns than those
  ///   of Core Data, if the file has tables of CloudKit, which reads the history, or triggers, views or virtual tables
  ///   that the access does not allow.
  /// - Complexity: O(*n*) in the number of recorded changes.
  public func deleteHistory(through number: Int64) throws(ManagedObjectError) {
    try checkIsWritable()
    try withState { state throws(ManagedObjectError) in try state.deleteHistory { number } }
  }

  /// Deletes the recorded saves before a position. The save at the position is kept.
  ///
  /// ```swift
  /// try store.deleteHistory(before: .date(Date.now.addingTimeInterval(-30 * 24 * 60 * 60)))
  /// ```
  ///
  /// For a date, the first save that is not before the date is kept, and so are all later saves, even if some of them
  /// have earlier dates because the clock was changed.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidState`` for a token of another store;
  ///   ``ManagedObjectError/Code/unsupportedRequest`` for a date that is not a number; the errors of
  ///   ``deleteHistory(through:)``.
  /// - Complexity: O(*n*) in the number of recorded changes.
  public func deleteHistory(before position: HistoryRequest.Position) throws(ManagedObjectError) {
    try checkIsWritable()
    try withState { state throws(ManagedObjectError) in try state.deleteHistory(before: position) }
  }

  /// Stops recording a history, and deletes the history. Does nothing if the store has no history.
  ///
  /// ```swift
  /// try store.stopTrackingHistory()
  /// print(try store.history())  // []
  /// ```
  ///
  /// If a history is recorded again later, its numbers continue after those of the deleted one.
  ///
  /// - Throws: ``ManagedObjectError/Code/save`` if the store is read-only, or if the file has triggers, views or
  ///   virtual tables that the access does not allow, ``ManagedObjectError/Code/operation`` if Core Data has started
  ///   the history of the store.
  /// - Complexity: O(*n*) in the number of recorded changes.
  public func stopTrackingHistory() throws(ManagedObjectError) {
    try checkIsWritable()
    try withState { state throws(ManagedObjectError) in try state.stopTrackingHistory() }
  }
}
