internal import Predicates

/// Methods for stores that read and write all rows at once.
extension RowTable {
  /// Adds rows of an entity, whose numbers are all different, in any order.
  mutating func load(_ rows: [StoreRow], ofEntity index: Int) {
    var rows = rows
    if !zip(rows, rows.dropFirst()).allSatisfy({ $0.key.number < $1.key.number }) {
      rows.sort { $0.key.number < $1.key.number }
    }
    entityRows[index].insert(rows)
  }

  /// All rows by number, those of all entities together.
  ///
  /// - Complexity: O(*n* log *n*), O(*n*) for one entity.
  var rowsByNumber: [StoreRow] {
    let lists = entityRows.map(\.rows).filter { !$0.isEmpty }
    guard lists.count > 1 else { return lists.first ?? [] }
    var entries: [(number: Int64, list: Int, index: Int)] = []
    entries.reserveCapacity(count)
    for (list, rows) in lists.enumerated() {
      for (index, row) in rows.enumerated() { entries.append((row.key.number, list, index)) }
    }
    entries.sort { $0.number < $1.number }
    return entries.map { lists[$0.list][$0.index] }
  }

  /// The table that somebody else saved, with versions that go on from those of this one: a row that has other values
  /// than here has another version.
  func carryingVersions(into saved: RowTable) -> RowTable {
    var saved = saved
    for index in entityRows.indices {
      var changed: [StoreRow] = []
      for row in saved.entityRows[index].rows {
        guard let known = entityRows[index].row(row.key.number) else { continue }
        let version = known.values == row.values ? known.version : max(row.version, known.version.nextVersion)
        guard version != row.version else { continue }
        var row = row
        row.version = version
        changed.append(row)
      }
      for row in changed { saved.entityRows[index].replace(with: row) }
    }
    return saved
  }

  /// The keys of rows that are new, have another version, or are gone, compared with an older table.
  ///
  /// - Complexity: O(*n*) in the number of rows.
  func changes(since old: RowTable) -> (inserted: [RowKey], updated: [RowKey], deleted: [RowKey]) {
    var (inserted, updated, deleted): ([RowKey], [RowKey], [RowKey]) = ([], [], [])
    for (rows, oldRows) in zip(entityRows, old.entityRows) {
      for row in rows.rows {
        guard let known = oldRows.row(row.key.number) else {
          inserted.append(row.key)
          continue
        }
        if known.version != row.version { updated.append(row.key) }
      }
      for row in oldRows.rows where rows.row(row.key.number) == nil { deleted.append(row.key) }
    }
    return (inserted, updated, deleted)
  }
}
