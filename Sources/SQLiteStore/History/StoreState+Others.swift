internal import ManagedObjects

/// Functions that detect changes that other connections save.
extension StoreState {
  /// Returns the changes that other connections have saved since the last call; nil at the first call, and if no other
  /// connection has committed a transaction since the last one.
  mutating func changesByOthers() throws(ManagedObjectError) -> SavedChanges? {
    try database.checkHasNotMoved()
    let known = others
    var changes: SavedChanges?
    let latest = try database.transaction(.deferred) { () throws(ManagedObjectError) in
      let version = try database.dataVersion()
      if let known, known.dataVersion == version { return known }
      guard var reading = try historyReading() else {
        changes = SavedChanges()
        changes?.isComplete = false
        return (version, 0)
      }
      guard let known else { return (version, try reading.lastNumber()) }
      let transactions = try reading.transactions(after: known.historyNumber)
      changes = SavedChanges(transactions.filter { !ownTransactions.contains($0.number) })
      // The next transaction is missing from the history: another program saved without recording it, or deleted a part
      // of the history.
      if transactions.first.map({ $0.number - 1 }) != known.historyNumber { changes?.isComplete = false }
      return (version, transactions.last?.number ?? known.historyNumber)
    }
    others = latest
    ownTransactions.removeAll { $0 <= latest.historyNumber }
    return known == nil ? nil : changes
  }

  /// Remembers a transaction of this store, so that ``changesByOthers()`` does not return its changes.
  mutating func noteOwnTransaction(_ number: Int64) {
    guard let known = others else { return }
    // The number is the next one, unless another connection has saved in between.
    if number - 1 == known.historyNumber { others?.historyNumber = number } else { ownTransactions.append(number) }
  }
}
