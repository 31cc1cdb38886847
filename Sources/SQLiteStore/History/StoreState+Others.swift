internal import ManagedObjects

/// Changes that other connections save.
extension StoreState {
  /// Returns the changes that other connections saved since the last call; nil without changes, and for the first call.
  mutating func changesByOthers() throws(ManagedObjectError) -> SavedChanges? {
    try database.checkHasNotMoved()
    let known = others
    var changes: SavedChanges?
    let latest = try database.transaction(.deferred) { () throws(ManagedObjectError) in
      let version = try database.dataVersion()
      if let known, known.dataVersion == version { return known }
      guard try hasHistory() else {
        changes = SavedChanges()
        changes?.isComplete = false
        return (version, 0)
      }
      guard let known else { return (version, try HistoryReading(self).lastNumber()) }
      let transactions = try HistoryReading(self).transactions(after: known.historyNumber)
      changes = SavedChanges(transactions.filter { !ownTransactions.contains($0.number) })
      // Transactions are missing: another program saved without a history, or removed a part of the history.
      if transactions.first?.number != known.historyNumber + 1 { changes?.isComplete = false }
      return (version, transactions.last?.number ?? known.historyNumber)
    }
    others = latest
    ownTransactions.removeAll { $0 <= latest.historyNumber }
    return known == nil ? nil : changes
  }

  /// Records a transaction of this store, so that it is not reported as a change of another connection.
  mutating func noteOwnTransaction(_ number: Int64) {
    guard let known = others else { return }
    // It is the next number, unless another connection has saved since the last call.
    if number == known.historyNumber + 1 { others?.historyNumber = number } else { ownTransactions.append(number) }
  }
}

extension SavedChanges {
  /// Combines the changes of transactions, the oldest first.
  fileprivate init(_ transactions: [PersistentHistoryTransaction]) {
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
    // The author and the context name are set only if all transactions agree on them.
    guard let last = transactions.last else { return }
    if transactions.allSatisfy({ $0.author == last.author }) { author = last.author ?? "" }
    if transactions.allSatisfy({ $0.contextName == last.contextName }) { contextName = last.contextName ?? "" }
  }
}
