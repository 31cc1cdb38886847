internal import ObjectModels
internal import Predicates

/// Methods for stores that read and write their file as a whole.
extension RowTable {
  /// Adds rows of an entity, in any order. Each must have a different primary key.
  mutating func load(_ rows: [StoreRow], ofEntity index: Int) {
    var rows = rows
    if !zip(rows, rows.dropFirst()).allSatisfy({ $0.key.number < $1.key.number }) {
      rows.sort { $0.key.number < $1.key.number }
    }
    entityRows[index].insert(rows)
  }

  /// The rows of all entities, sorted by primary key.
  ///
  /// - Complexity: O(*n* log *n*); O(*n*) for one entity.
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

  /// Returns the rows in `saved`, which another process has written to the file, with versions that continue the
  /// versions in this table. A row gets a higher version if its values differ from those in this table, and the same
  /// version if they are equal. So saves find conflicts even if the file contains no versions.
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

  /// Returns the keys of the rows that were inserted, updated (have a different version) or deleted since an older
  /// table.
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

  // References whose counterpart in the inverse relationship is missing in the file.

  /// The error for a row that refers to an object whose inverse to-one relationship refers to a different row.
  struct InverseDefect: Error {
    let key: RowKey
    let message: String
  }

  /// Makes relationships consistent after a file was read: if a row refers to an object that does not refer back
  /// through the inverse relationship, adds that reference.
  ///
  /// - Parameter defects: receives contradictory references; if nil, the first one is thrown.
  /// - Returns: the primary keys of the rows that did not refer back.
  /// - Throws: ``InverseDefect`` if the inverse is to-one, and already refers to a different object or would have to
  ///   refer to several.
  mutating func mendInverses(_ defects: StoreDefects? = nil) throws(InverseDefect) -> Set<Int64> {
    var missing: [(key: RowKey, slot: Int, source: RowKey)] = []
    for (index, record) in model.records.enumerated() where entityRows[index].count > 0 {
      let entity = ManagedObjectModel.Entity(model: model, index: index)
      for relationship in record.relationships where !relationship.isTransient {
        guard let inverse = entity.inverse(of: relationship), !inverse.isTransient else { continue }
        for row in entityRows[index].rows {
          row.values[relationship.slot].forEachKey { key in
            guard let other = self.row(key) else { return }
            if !other.values[inverse.slot].refers(to: row.key) { missing.append((key, inverse.slot, row.key)) }
          }
        }
      }
    }
    // Sorts the references, so that the order in ordered relationships does not depend on the random order of sets.
    missing.sort { ($0.key, $0.slot, $0.source) < ($1.key, $1.slot, $1.source) }
    var start = 0
    while start < missing.count {
      let (key, slot, _) = missing[start]
      let end = missing[start...].firstIndex { $0.key != key || $0.slot != slot } ?? missing.count
      defer { start = end }
      guard var row = row(key) else { continue }
      let sources = missing[start..<end].map(\.source)
      switch row.values[slot] {
      case .toMany(let keys): row.values[slot] = .toMany(keys.union(sources))
      case .orderedToMany(let keys): row.values[slot] = .orderedToMany(keys.union(sources))
      case .toOne(nil) where sources.count == 1: row.values[slot] = .toOne(sources[0])
      case .toOne(let other):
        let name = model.entity(at: Int(key.entityIndex)).relationships.first { $0.slot == slot }?.name ?? ""
        let defect = InverseDefect(
          key: sources[0],
          message: "object \(sources[0].number) refers to object \(key.number), whose relationship \(name.quoted) "
            + "refers to object \(other?.number ?? sources[1].number)")
        guard let defects else { throw defect }
        defects.report(StoreDefects.Defect(kind: .brokenInverse, key: key, slot: slot, message: defect.message))
      default: continue
      }
      entityRows[Int(key.entityIndex)].replace(with: row)
    }
    return Set(missing.map(\.key.number))
  }
}
