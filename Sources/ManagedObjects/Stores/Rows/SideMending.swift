internal import OrderedCollections
internal import Predicates

/// A pass over the changes of a save that keeps relationships and their inverses consistent, even if the save changes
/// only one of the two.
///
/// A context saves only the objects that it changed. Related objects may have been saved by another context meanwhile,
/// and their versions are not compared. So each change of a relationship is also applied to its inverse, even in rows
/// that are not in the save:
///
/// - If an object is removed from a relationship, its inverse reference is removed. If an object is added, its inverse
///   reference is added.
/// - If an inverse reference replaces the object of a to-one relationship, the reference from the old object is
///   removed. But if the save itself sets this to-one relationship to another value, that value stays, and the
///   references that contradict it are removed.
/// - A reference to a deleted row is removed. It is kept only by a to-one relationship that has no inverse, or whose
///   inverse has the delete rule to do nothing.
///
/// Unchanged rows are consistent already, so only changes are examined.
struct SideMending {
  /// A relationship of a row.
  private struct RelationshipOfRow: Hashable {
    let row: Int
    let slot: Int
  }

  private let table: RowTable
  /// The inserted rows of the save, followed by the updated rows. The values are those that the caller wants to save.
  private let asked: [StoreRow]
  private let insertedCount: Int
  private let deleted: Set<RowKey>
  /// The rows of ``asked`` with the values to save, followed by other rows that change.
  private var rows: [StoreRow]
  private var rowIndices: [RowKey: Int] = [:]
  /// The references to remove from to-many relationships, which are removed together at the end.
  private var losses: [RelationshipOfRow: Set<RowKey>] = [:]
  private var isMending = false

  /// Prepares the pass.
  ///
  /// - Parameter changes: the changes of a save. Their keys, values and versions must have been checked.
  private init(_ table: RowTable, _ changes: StoreChanges) {
    self.table = table
    asked = changes.inserted + changes.updated
    insertedCount = changes.inserted.count
    deleted = Set(changes.deleted.map(\.key))
    rows = asked
    rowIndices.reserveCapacity(asked.count)
    for (index, row) in asked.enumerated() { rowIndices[row.key] = index }
  }

  /// Adds the missing changes of inverse relationships to the changes of a save.
  ///
  /// - Returns: the keys of the rows that were added to the changes, and of the rows whose values were changed.
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

  /// Returns the value in a slot of an element of ``asked`` before the save; nil for an inserted row.
  private func oldValue(_ index: Int, _ slot: Int) -> RowValue? {
    index < insertedCount ? nil : table.row(asked[index].key)?.values[slot]
  }

  /// Returns the current value in a slot of a row, including the changes made so far; nil if the row is deleted or does
  /// not exist. References that are listed in ``losses`` are removed only at the end, so a to-many value may still
  /// contain them.
  private func value(_ key: RowKey, _ slot: Int) -> RowValue? {
    if let index = rowIndices[key] { return rows[index].values[slot] }
    return deleted.contains(key) ? nil : table.row(key)?.values[slot]
  }

  /// Removes the references to deleted rows from the rows that the deleted rows refer to.
  private mutating func unlink(_ deletedRows: [StoreRow]) {
    for row in deletedRows {
      guard let old = table.row(row.key) else { continue }
      for side in sides(row.key) where !side.leavesReferences {
        old.values[side.slot].forEachKey { drop(row.key, from: $0, side.inverseSlot) }
      }
    }
  }

  /// Removes the references to updated rows from the rows that the updated rows no longer refer to.
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

  /// For each new reference of an inserted or updated row, adds the inverse reference to the row that it refers to. If
  /// that row is missing or already refers to another row, the rules in the comment of ``SideMending`` apply.
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
    // An earlier call may have removed the reference, because it set the target's to-one inverse to another row.
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

  /// True if the save itself changes the value in a slot of a row.
  private func isDecided(_ key: RowKey, _ slot: Int) -> Bool {
    guard let index = rowIndices[key], index < asked.count else { return false }
    return asked[index].values[slot] != oldValue(index, slot) ?? .toOne(nil)
  }

  /// Removes a reference from the value in a slot of a row, if the value has it.
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

  /// Returns the index of a row in ``rows``, after appending the row if needed; nil if the row does not exist.
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
  /// Adds an object to a relationship. In a to-one relationship, the object replaces the old one.
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
