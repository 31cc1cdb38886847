internal import ManagedObjects

/// What others save.
extension StoreState {
  /// What others saved since the last call; nil for nothing, and for the first call.
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
      // Whoever saved without a history, or removed the part of it that nobody here has read.
      if transactions.first?.number != known.historyNumber + 1 { changes?.isComplete = false }
      return (version, transactions.last?.number ?? known.historyNumber)
    }
    others = latest
    ownTransactions.removeAll { $0 <= latest.historyNumber }
    return known == nil ? nil : changes
  }

  /// Remembers a transaction of this store, which is no change by others.
  mutating func noteOwnTransaction(_ number: Int64) {
    guard let known = others else { return }
    // The next one, unless others have saved since the last look.
    if number == known.historyNumber + 1 { others?.historyNumber = number } else { ownTransactions.append(number) }
  }
}

extension SavedChanges {
  /// What transactions changed, the oldest first.
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
    // Of several, nobody could say whose changes they are.
    guard let last = transactions.last else { return }
    if transactions.allSatisfy({ $0.author == last.author }) { author = last.author ?? "" }
    if transactions.allSatisfy({ $0.contextName == last.contextName }) { contextName = last.contextName ?? "" }
  }
}
