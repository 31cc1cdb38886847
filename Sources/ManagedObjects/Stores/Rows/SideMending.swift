internal import OrderedCollections

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
  private var places: [RowKey: Int] = [:]
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
    places.reserveCapacity(asked.count)
    for (place, row) in asked.enumerated() { places[row.key] = place }
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
  private func oldValue(_ place: Int, _ slot: Int) -> RowValue? {
    place < insertedCount ? nil : table.row(asked[place].key)?.values[slot]
  }

  /// The value of a row by now; nil if it is gone. References in ``losses`` are still there.
  private func value(_ key: RowKey, _ slot: Int) -> RowValue? {
    if let place = places[key] { return rows[place].values[slot] }
    return deleted.contains(key) ? nil : table.row(key)?.values[slot]
  }
}

extension SideMending {
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
    for place in asked.indices {
      let row = asked[place]
      for side in sides(row.key) {
        let old = oldValue(place, side.slot)
        if row.values[side.slot] == old { continue }
        row.values[side.slot].forEachKey { key in
          if old?.refers(to: key) != true { link(place, side, to: key) }
        }
      }
    }
  }

  private mutating func link(_ place: Int, _ side: RelationshipSide, to target: RowKey) {
    let key = asked[place].key
    // Another row may have got the target already.
    guard rows[place].values[side.slot].refers(to: target),
      losses[RelationshipOfRow(row: place, slot: side.slot)]?.contains(target) != true
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
    guard let place = places[key], place < asked.count else { return false }
    return asked[place].values[slot] != oldValue(place, slot) ?? .toOne(nil)
  }

  /// Takes a reference out of a row, if it is there.
  private mutating func drop(_ key: RowKey, from row: RowKey, _ slot: Int) {
    guard value(row, slot)?.refers(to: key) == true, let place = place(row) else { return }
    isMending = true
    if case .toOne = rows[place].values[slot] {
      rows[place].values[slot] = .toOne(nil)
    } else {
      losses[RelationshipOfRow(row: place, slot: slot), default: []].insert(key)
    }
  }

  private mutating func enter(_ key: RowKey, into row: RowKey, _ slot: Int) {
    guard let place = place(row) else { return }
    isMending = true
    rows[place].values[slot].add(key)
  }

  /// The place of a row that is to change.
  private mutating func place(_ key: RowKey) -> Int? {
    if let place = places[key] { return place }
    guard let row = table.row(key) else { return nil }
    places[key] = rows.count
    rows.append(row)
    return rows.count - 1
  }

  private mutating func finish(_ changes: inout StoreChanges) -> [RowKey] {
    for (place, keys) in losses { rows[place.row].values[place.slot].subtract(keys) }
    var mended: [RowKey] = []
    for place in asked.indices where rows[place].values != asked[place].values { mended.append(asked[place].key) }
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
