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
    var places: [(number: Int64, list: Int, place: Int)] = []
    places.reserveCapacity(count)
    for (list, rows) in lists.enumerated() {
      for (place, row) in rows.enumerated() { places.append((row.key.number, list, place)) }
    }
    places.sort { $0.number < $1.number }
    return places.map { lists[$0.list][$0.place] }
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

  /// Removes references to rows that are not there, which no file has room for. Versions stay.
  ///
  /// Only the rows that changes bring, and rows that may refer to what they delete, are looked at.
  ///
  /// - Parameter changes: what was applied last.
  /// - Returns: the numbers of the rows that had such references.
  /// - Complexity: O(*k*) in the changes; if any row is deleted, O(*n*) in all rows.
  mutating func removeDanglingReferences(after changes: StoreChanges) -> Set<Int64> {
    var cleaned: [StoreRow] = []
    for row in changes.inserted + changes.updated {
      if let row = self.row(row.key), let values = values(of: row, without: { self.row($0) == nil }) {
        cleaned.append(StoreRow(key: row.key, version: row.version, values: values))
      }
    }
    let deleted = Set(changes.deleted.map(\.key))
    if !deleted.isEmpty {
      for index in entityRows.indices where !model.records[index].relationships.isEmpty {
        for row in entityRows[index].rows {
          if let values = values(of: row, without: { deleted.contains($0) }) {
            cleaned.append(StoreRow(key: row.key, version: row.version, values: values))
          }
        }
      }
    }
    for row in cleaned { entityRows[Int(row.key.entityIndex)].replace(with: row) }
    return Set(cleaned.map(\.key.number))
  }

  /// The values of a row without some references; nil if it has none of them.
  private func values(of row: StoreRow, without isGone: (RowKey) -> Bool) -> [RowValue]? {
    var changed: [RowValue]?
    for relationship in model.records[Int(row.key.entityIndex)].relationships {
      let slot = relationship.slot
      switch row.values[slot] {
      case .toOne(let key?) where isGone(key): changed = changed ?? row.values
      case .toMany(let keys) where keys.contains(where: isGone): changed = changed ?? row.values
      case .orderedToMany(let keys) where keys.contains(where: isGone): changed = changed ?? row.values
      default: continue
      }
      changed?[slot] =
        switch row.values[slot] {
        case .toMany(let keys): .toMany(keys.filter { !isGone($0) })
        case .orderedToMany(let keys): .orderedToMany(keys.filter { !isGone($0) })
        default: .toOne(nil)
        }
    }
    return changed
  }
}
