public import ManagedObjects

/// The saves that a program has read from the histories of its stores (`NSPersistentHistoryToken`). Keep it in a file,
/// to continue there at the next launch.
///
/// ```swift
/// let token = try store.currentPersistentHistoryToken
/// try JSONEncoder().encode(token).write(to: tokenFile)
/// ```
public struct PersistentHistoryToken: Hashable, Sendable, Codable {
  /// The number of the last transaction of each store, by ``PersistentStore/identifier``; 0 if none was recorded.
  ///
  /// A store refuses a token that does not have its identifier, because it could be the token of an unrelated store. To
  /// read a store that was added to the coordinator later from the beginning of its history, add its identifier:
  ///
  /// ```swift
  /// let extended = PersistentHistoryToken(numbers: token.numbers.merging([added.identifier: 0]) { old, _ in old })
  /// ```
  public let numbers: [String: Int64]

  /// Creates a token.
  public init(numbers: [String: Int64]) { self.numbers = numbers }

  /// Returns the number of the last transaction of a store.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidState`` if the token does not have the store.
  package func number(inStore identifier: String) throws(ManagedObjectError) -> Int64 {
    if let number = numbers[identifier] { return number }
    let found = numbers.keys.sorted().map { $0.printable(limit: 80) }.joined(separator: ", ")
    throw ManagedObjectError(
      .invalidState,
      "expected a history token of the store \(identifier.printable(limit: 80)), found "
        + (found.isEmpty ? "a token without stores" : "one of \(found)"))
  }
}

extension SQLiteStore {
  /// The token of the last recorded save; nil if the store has no history.
  ///
  /// ```swift
  /// let token = try store.currentPersistentHistoryToken
  /// // … other programs save …
  /// let news = try store.history(HistoryRequest(after: token.map { .token($0) }))
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/sqlite`` if the file cannot be read,
  ///   ``ManagedObjectError/Code/incompatibleVersionHash`` if the store now has another model.
  public var currentPersistentHistoryToken: PersistentHistoryToken? {
    get throws(ManagedObjectError) {
      let (number, hasHistory) = try lastRecordedNumber()
      return hasHistory ? PersistentHistoryToken(numbers: [identifier: number]) : nil
    }
  }

  /// Returns the number of the last recorded transaction, even if it has been deleted; 0 if none was recorded.
  fileprivate func lastRecordedNumber() throws(ManagedObjectError) -> (number: Int64, hasHistory: Bool) {
    try reading { state throws(ManagedObjectError) in try state.lastRecordedNumber() }
  }
}

extension PersistentStoreCoordinator {
  /// Returns a token of the last recorded save of each SQLite store.
  ///
  /// ```swift
  /// let token = try container.coordinator.currentPersistentHistoryToken()
  /// ```
  ///
  /// The token also has the stores that have no history yet. If they record one later, the token selects all of it.
  ///
  /// - Parameter stores: The stores; nil for all stores of the coordinator.
  /// - Returns: nil if no store has a history.
  /// - Throws: The errors of ``SQLiteStore/currentPersistentHistoryToken``.
  public func currentPersistentHistoryToken(
    fromStores stores: [any PersistentStore]? = nil
  ) throws(ManagedObjectError) -> PersistentHistoryToken? {
    var numbers: [String: Int64] = [:]
    var isRecorded = false
    for case let store as SQLiteStore in stores ?? self.stores {
      let (number, hasHistory) = try store.lastRecordedNumber()
      numbers[store.identifier] = number
      isRecorded = isRecorded || hasHistory
    }
    return isRecorded ? PersistentHistoryToken(numbers: numbers) : nil
  }
}
