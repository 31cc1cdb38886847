public import ManagedObjects

extension SavedChanges {
  /// Combines the changes of several transactions in a store's history, to merge them into a context.
  ///
  /// ```swift
  /// let new = try store.history(after: lastNumber)
  /// try context.mergeChanges(from: SavedChanges(new))
  /// ```
  ///
  /// The author is the one of the transactions if all have the same author, and is empty otherwise. The same applies to
  /// the context name.
  ///
  /// - Parameter transactions: transactions from the oldest to the latest. An object that a later transaction deletes
  ///   is only in `deleted`.
  /// - Complexity: O(*n*) in the number of changes.
  public init(_ transactions: [PersistentHistoryTransaction]) {
    self.init()
    for change in transactions.flatMap(\.changes) {
      switch change.kind {
      case .insert: inserted.insert(change.objectID)
      case .update: updated.insert(change.objectID)
      case .delete:
        inserted.remove(change.objectID)
        updated.remove(change.objectID)
        deleted.insert(change.objectID)
      }
    }
    guard let last = transactions.last else { return }
    if transactions.allSatisfy({ $0.author == last.author }) { author = last.author ?? "" }
    if transactions.allSatisfy({ $0.contextName == last.contextName }) { contextName = last.contextName ?? "" }
  }
}
