internal import OrderedCollections
internal import Predicates

/// Makes both sides of relationships consistent in a save that may change only one of them.
///
/// A context saves the objects that it has changed. Other objects that it has read may have been saved by another
/// context meanwhile, and their versions are not compared. So each change of one side is applied to the other side,
/// even in rows that are not in the save:
///
/// - An object that a relationship loses drops its reference back, and an object that it gains refers back.
/// - If a to-one relationship gets a new object, its old object drops the reference back. If the save itself sets the
///   relationship to something else, that value stays, and the other rows drop their references to it.
/// - A reference to a deleted row is removed, unless it is to-one and the delete rule of that row's relationship is to
///   do nothing. A to-one relationship without an inverse keeps it.
///
/// Unchanged rows are consistent already, so only changes are examined.
struct SideMending {
  /// A relationship of a row.
  private struct RelationshipOfRow: Hashable {
    let row: Int
    let slot: Int
  }

  private let table: RowTable
  /// The inserted and updated rows of the save, inserted ones first.
  private let asked: [StoreRow]
  private let insertedCount: Int
  private let deleted: Set<RowKey>
  /// The rows of ``asked`` with their final values, followed by rows that change in addition.
  private var rows: [StoreRow]
  private var rowIndices: [RowKey: Int] = [:]
  /// The objects to remove from to-many relationships. They are removed together at the end.
  private var losses: [RelationshipOfRow: Set<RowKey>] = [:]
  private var isMending = false

  /// - Parameter changes: the changes of a save, already checked.
  private init(_ table: RowTable, _ changes: StoreChanges) {
    self.table = table
    asked = changes.inserted + changes.updated
    insertedCount = changes.inserted.count
    deleted = Set(changes.deleted.map(\.key))
    rows = asked
    rowIndices.reserveCapacity(asked.count)
    for (index, row) in asked.enumerated() { rowIndices[row.key] = index }
  }

  /// Completes changes of a table.
  ///
  /// - Returns: the keys of the rows that change in addition, or to other values.
  /// - Complexity: O(*k*) in the number of values of the changed rows.
  static func complete(_ changes: inout StoreChanges, of table: RowTable) -> [RowKey] {
    if table.sides.allSatisfy(\.isEmpty) { return [] }
    var mending = SideMending(table, changes)
    mending.unlink(changes.deleted)
    mending.unlinkUpdated()
    mending.linkAll()
    return mending.isMending ? mending.finish(&changes) : []
  }

  private func sides(_ key: RowKey) -> [RelationshipSide] { table.sides[Int(key.entityIndex)] }

  /// Returns the table's value in a slot of an inserted or updated row; nil for an inserted row.
  private func oldValue(_ index: Int, _ slot: Int) -> RowValue? {
    index < insertedCount ? nil : table.row(asked[index].key)?.values[slot]
  }

  /// Returns the present value of a row; nil if it is deleted. It may still contain references in ``losses``.
  private func value(_ key: RowKey, _ slot: Int) -> RowValue? {
    if let index = rowIndices[key] { return rows[index].values[slot] }
    return deleted.contains(key) ? nil : table.row(key)?.values[slot]
  }

  /// Removes deleted rows from the rows that they refer to.
  private mutating func unlink(_ deletedRows: [StoreRow]) {
    for row in deletedRows {
      guard let old = table.row(row.key) else { continue }
      for side in sides(row.key) where !side.leavesReferences {
        old.values[side.slot].forEachKey { drop(row.key, from: $0, side.inverseSlot) }
      }
    }
  }

  /// Removes updated rows from the rows that they no longer refer to.
  private mutating func unlinkUpdated() {
    for row in asked[insertedCount...] {
      guard let old = table.row(row.key) else { continue }
      for side in sides(row.key) where row.values[side.slot] != old.values[side.slot] {
        old.values[side.slot].forEachKey { key in
          if !row.values[side.slot].refers(to: key) { drop(row.key, from: key, side.inverseSlot) }
        }
      }
    }
  }

  /// Adds inserted and updated rows to the rows that they newly refer to.
  private mutating func linkAll() {
    for index in asked.indices {
      let row = asked[index]
      for side in sides(row.key) {
        let old = oldValue(index, side.slot)
        if row.values[side.slot] == old { continue }
        row.values[side.slot].forEachKey { key in
          if old?.refers(to: key) != true { link(index, side, to: key) }
        }
      }
    }
  }

  private mutating func link(_ index: Int, _ side: RelationshipSide, to target: RowKey) {
    let key = asked[index].key
    // The target may already belong to another row.
    guard rows[index].values[side.slot].refers(to: target),
      losses[RelationshipOfRow(row: index, slot: side.slot)]?.contains(target) != true
    else { return }
    guard let value = value(target, side.inverseSlot) else {
      let isLeft = sides(target).contains { $0.slot == side.inverseSlot && $0.leavesReferences }
      if !isLeft { drop(target, from: key, side.slot) }
      return
    }
    if value.refers(to: key) { return }
    if case .toOne(let owner) = value {
      if isDecided(target, side.inverseSlot) { return drop(target, from: key, side.slot) }
      if let owner { drop(target, from: owner, side.slot) }
    }
    enter(key, into: target, side.inverseSlot)
  }

  /// True if the save changes a relationship.
  private func isDecided(_ key: RowKey, _ slot: Int) -> Bool {
    guard let index = rowIndices[key], index < asked.count else { return false }
    return asked[index].values[slot] != oldValue(index, slot) ?? .toOne(nil)
  }

  /// Removes a reference from a row, if it is there.
  private mutating func drop(_ key: RowKey, from row: RowKey, _ slot: Int) {
    guard value(row, slot)?.refers(to: key) == true, let index = index(row) else { return }
    isMending = true
    if case .toOne = rows[index].values[slot] {
      rows[index].values[slot] = .toOne(nil)
    } else {
      losses[RelationshipOfRow(row: index, slot: slot), default: []].insert(key)
    }
  }

  private mutating func enter(_ key: RowKey, into row: RowKey, _ slot: Int) {
    guard let index = index(row) else { return }
    isMending = true
    rows[index].values[slot].add(key)
  }

  /// Returns the index of a row among ``rows``, after adding it if needed.
  private mutating func index(_ key: RowKey) -> Int? {
    if let index = rowIndices[key] { return index }
    guard let row = table.row(key) else { return nil }
    rowIndices[key] = rows.count
    rows.append(row)
    return rows.count - 1
  }

  private mutating func finish(_ changes: inout StoreChanges) -> [RowKey] {
    for (relationship, keys) in losses { rows[relationship.row].values[relationship.slot].subtract(keys) }
    var mended: [RowKey] = []
    for index in asked.indices where rows[index].values != asked[index].values { mended.append(asked[index].key) }
    changes.inserted = Array(rows[..<insertedCount])
    changes.updated = Array(rows[insertedCount..<asked.count])
    for row in rows[asked.count...] where row.values != table.row(row.key)?.values {
      changes.updated.append(row)
      mended.append(row.key)
    }
    return mended
  }
}

extension RowValue {
  /// Adds an object to a relationship. A to-one relationship loses its old object.
  fileprivate mutating func add(_ key: RowKey) {
    if case .toOne = self { self = .toOne(key) } else { insert(key) }
  }

  /// Removes objects from a to-many relationship.
  mutating func subtract(_ gone: Set<RowKey>) {
    switch self {
    case .toMany(var keys):
      self = .unread
      keys.subtract(gone)
      self = .toMany(keys)
    case .orderedToMany(let keys): self = .orderedToMany(keys.subtracting(gone))
    case .attribute, .unread, .toOne: break
    }
  }
}
