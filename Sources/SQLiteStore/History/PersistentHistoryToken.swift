public import ManagedObjects

/// The saves that a program has read from the histories of its stores (`NSPersistentHistoryToken`). Keep it in a file,
/// to continue there at the next launch.
///
/// ```swift
/// let token = try store.currentPersistentHistoryToken
/// try JSONEncoder().encode(token).write(to: tokenFile)
/// ```
public struct PersistentHistoryToken: Hashable, Sendable, Codable {
  /// The number of the last transaction of each store, by ``PersistentStore/identifier``; 0 before the first one.
  public let numbers: [String: Int64]

  /// Creates a token.
  public init(numbers: [String: Int64]) { self.numbers = numbers }

  /// Returns the number of the last transaction of a store.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidState`` if the token has no transaction of the store.
  package func number(inStore identifier: String) throws(ManagedObjectError) -> Int64 {
    if let number = numbers[identifier] { return number }
    let found = numbers.keys.sorted().map { $0.printable(limit: 80) }.joined(separator: ", ")
    throw ManagedObjectError(
      .invalidState,
      "expected a history token of the store \(identifier.printable(limit: 80)), found one of "
        + (found.isEmpty ? "no store" : found))
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
      let number = try reading { state throws(ManagedObjectError) in try state.lastHistoryNumber() }
      return number.map { PersistentHistoryToken(numbers: [identifier: $0]) }
    }
  }
}

extension PersistentStoreCoordinator {
  /// Returns a token of the last recorded save of each store. Leaves out stores without a history.
  ///
  /// ```swift
  /// let token = try container.coordinator.currentPersistentHistoryToken()
  /// ```
  ///
  /// - Parameter stores: The stores; nil for all stores of the coordinator.
  /// - Returns: nil if no store has a history.
  /// - Throws: The errors of ``SQLiteStore/currentPersistentHistoryToken``.
  public func currentPersistentHistoryToken(
    fromStores stores: [any PersistentStore]? = nil
  ) throws(ManagedObjectError) -> PersistentHistoryToken? {
    var numbers: [String: Int64] = [:]
    for case let store as SQLiteStore in stores ?? self.stores {
      try numbers.merge(store.currentPersistentHistoryToken?.numbers ?? [:]) { $1 }
    }
    return numbers.isEmpty ? nil : PersistentHistoryToken(numbers: numbers)
  }
}
