internal import OrderedCollections
internal import Predicates

/// Brings both sides of relationships in step in a save that may change one of them only.
///
/// A context writes the objects that it has changed. Others that it has read may have been saved by somebody else
/// meanwhile, and nobody compares their versions. So what a save does to one side is done to the other, also in rows
/// that it does not have:
///
/// - What a relationship loses loses it, and what it gets refers back.
/// - A to-one relationship that gets another object is lost by the old one. If the save itself changes it to something
///   else, that stands, and those that claim the object lose it.
/// - A reference to a deleted row is dropped, unless it is a to-one relationship and the rule of that row's
///   relationship was to do nothing. A to-one relationship without an inverse keeps it.
///
/// Rows have both sides already where nothing changes, so that only what changes is looked at.
struct SideMending {
  /// A relationship of a row.
  private struct RelationshipOfRow: Hashable {
    let row: Int
    let slot: Int
  }

  private let table: RowTable
  /// The rows that the save brings, new ones first.
  private let asked: [StoreRow]
  private let insertedCount: Int
  private let deleted: Set<RowKey>
  /// Those of ``asked``, as they are to be, and then those that are changed besides.
  private var rows: [StoreRow]
  private var rowIndices: [RowKey: Int] = [:]
  /// The objects that are taken out of to-many relationships, all at once in the end.
  private var losses: [RelationshipOfRow: Set<RowKey>] = [:]
  private var isMending = false

  /// - Parameter changes: what is to be saved, checked.
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
  /// - Returns: the keys of the rows that were not to change, or not to these values.
  /// - Complexity: O(*k*) in the values of the rows that change.
  static func complete(_ changes: inout StoreChanges, of table: RowTable) -> [RowKey] {
    if table.sides.allSatisfy(\.isEmpty) { return [] }
    var mending = SideMending(table, changes)
    mending.unlink(changes.deleted)
    mending.unlinkUpdated()
    mending.linkAll()
    return mending.isMending ? mending.finish(&changes) : []
  }

  private func sides(_ key: RowKey) -> [RelationshipSide] { table.sides[Int(key.entityIndex)] }

  /// The table's value in a slot of a row that the save brings; nil for a new row.
  private func oldValue(_ index: Int, _ slot: Int) -> RowValue? {
    index < insertedCount ? nil : table.row(asked[index].key)?.values[slot]
  }

  /// The value of a row by now; nil if it is gone. References in ``losses`` are still there.
  private func value(_ key: RowKey, _ slot: Int) -> RowValue? {
    if let index = rowIndices[key] { return rows[index].values[slot] }
    return deleted.contains(key) ? nil : table.row(key)?.values[slot]
  }

  /// Takes rows that go out of those that they refer to.
  private mutating func unlink(_ deletedRows: [StoreRow]) {
    for row in deletedRows {
      guard let old = table.row(row.key) else { continue }
      for side in sides(row.key) where !side.leavesReferences {
        old.values[side.slot].forEachKey { drop(row.key, from: $0, side.inverseSlot) }
      }
    }
  }

  /// Takes rows out of those that they do not refer to any more.
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

  /// Enters rows into those that they refer to now.
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
    // Another row may have got the target already.
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

  /// Takes a reference out of a row, if it is there.
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

  /// Returns the index of a row that is to change.
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
  /// Makes a relationship refer to an object: a to-one relationship to nothing else.
  fileprivate mutating func add(_ key: RowKey) {
    if case .toOne = self { self = .toOne(key) } else { insert(key) }
  }

  /// Takes objects out of a to-many relationship.
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
