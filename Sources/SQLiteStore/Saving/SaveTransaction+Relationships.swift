internal import ManagedObjects
internal import OrderedCollections
internal import SQLQueries

/// Functions that write both sides of relationships.
///
/// The columns of the rows in the save have already been written. If the save changes one side of a relationship, these
/// functions change the other side, also in rows outside the save: they first remove objects, and then add objects. If
/// the save contains contradictory changes, the value of a to-one relationship has precedence.
extension SaveTransaction {
  func writeRelationships() throws(ManagedObjectError) {
    try forgetDeletedRows()
    for (row, old) in zip(changes.updated, changes.snapshots) { try unlink(row, old) }
    for row in changes.inserted { try link(row, nil) }
    for (row, old) in zip(changes.updated, changes.snapshots) { try link(row, old) }
    for addition in additions { try append(addition) }
    for key in touched.sorted() { try raiseVersion(of: key) }
  }

  /// Removes a row from the inverse relationships of the rows that it no longer refers to.
  private func unlink(_ row: StoreRow, _ old: StoreRow) throws(ManagedObjectError) {
    let entity = Int(row.key.entityIndex)
    for (slot, columns) in schema.slotColumns[entity].enumerated() {
      let value = row.values[slot]
      if value == .unread || value == old.values[slot] { continue }
      switch (columns, old.values[slot]) {
      case (.toOne, .toOne(let previous?)):
        guard let side = schema.sides[entity][slot], let back = inverseColumns(of: previous, side) else { continue }
        if let back = back.toOne {
          try clear(previous, back, side.inverseSlot, row.key)
        } else {
          noteLoss(of: row.key, by: previous, side.inverseSlot)
        }
      case (.toMany(let columns), let before):
        for key in before.keys(where: { !value.refers(to: $0) }).sorted() {
          try remove(key, from: row, slot, columns)
        }
      default: continue
      }
    }
  }

  /// Adds a row to the inverse relationships of the rows that it now refers to.
  ///
  /// - Parameter old: The row before the save; nil for a new row.
  func link(_ row: StoreRow, _ old: StoreRow?) throws(ManagedObjectError) {
    let entity = Int(row.key.entityIndex)
    for (slot, columns) in schema.slotColumns[entity].enumerated() {
      let value = row.values[slot]
      if case .attribute = value { continue }
      if value == .unread || value == old?.values[slot] { continue }
      switch (columns, value) {
      case (.toOne, .toOne(let target?)):
        guard let side = schema.sides[entity][slot], let own = columns.toOne, try exists(target) else { continue }
        let index = Int(target.entityIndex)
        if let back = schema.slotColumns[index][side.inverseSlot].toOne {
          try pair(row.key, own, target, back, side)
        } else if schema.slotColumns[index][side.inverseSlot].isToMany {
          noteGain(of: row.key, by: target, side.inverseSlot)
          if let back = schema.slotColumns[index][side.inverseSlot].orderedToMany {
            add(row.key, toOrderOf: target, side.inverseSlot, back)
          }
        }
      case (.toMany(let columns), _): try write(value, old?.values[slot], of: row, slot, columns)
      default: continue
      }
    }
  }

  /// Makes two rows refer to each other in a one-to-one relationship. Clears the references of other rows to these two.
  private func pair(
    _ key: RowKey, _ column: ToOneColumns, _ target: RowKey, _ back: ToOneColumns, _ side: RelationshipSide
  ) throws(ManagedObjectError) {
    // The relationship of another row in the save may have got the target in the meantime.
    guard try current(key, column) == target else { return }
    let owner = try current(target, back)
    if owner == key { return }
    if isDecided(target, side.inverseSlot) || filling != nil && owner != nil {
      return try clear(key, column, side.slot, target)
    }
    if let owner { try clear(owner, column, side.slot, target) }
    try assign(key, to: target, back, side.inverseSlot, former: owner)
  }

  /// Returns the key to write for a to-one relationship: the key `target`, or nil if the object was deleted and the
  /// relationship does not keep references to deleted objects.
  func existing(
    _ target: RowKey, _ row: StoreRow, _ slot: Int, _ destination: Range<Int>
  ) throws(ManagedObjectError) -> RowKey? {
    try check(target, row, slot, destination)
    let side = schema.sides[Int(row.key.entityIndex)][slot]
    if side == nil, filling == nil { return target }
    if try exists(target) { return target }
    // When a new store is filled, it is unknown which keys belong to deleted objects.
    if filling == nil, let side, schema.sides[Int(target.entityIndex)][side.inverseSlot]?.leavesReferences == true {
      return target
    }
    mended.insert(row.key)
    return nil
  }

  /// Checks that a relationship can have an object.
  ///
  /// - Throws: ``ManagedObjectError/Code/externalRelationship`` if the object belongs to another store,
  ///   ``ManagedObjectError/Code/invalidValue`` if the relationship cannot have the object for another reason.
  func check(_ target: RowKey, _ row: StoreRow, _ slot: Int, _ destination: Range<Int>) throws(ManagedObjectError) {
    guard target.store != storeNumber || target.number <= 0 || !destination.contains(Int(target.entityIndex)) else {
      return
    }
    var error = unsuitable("the relationship refers to an object of another entity", row, slot)
    if target.number <= 0 {
      error = unsuitable("the relationship refers to an object that was never saved", row, slot)
    } else if target.store != storeNumber {
      error = ManagedObjectError(
        .externalRelationship, "the relationship refers to an object of another store", objectID: error.objectID,
        key: error.key)
    }
    throw error
  }

  /// Returns the columns of a relationship's inverse in the row `target`.
  ///
  /// - Returns: Nil if the relationship cannot lead to the entity of `target`. This can happen, because the old values
  ///   in a save can contain any key.
  func inverseColumns(of target: RowKey, _ side: RelationshipSide) -> SlotColumns? {
    let index = Int(target.entityIndex)
    guard schema.slotColumns.indices.contains(index), schema.slotColumns[index].indices.contains(side.inverseSlot)
    else { return nil }
    return schema.slotColumns[index][side.inverseSlot]
  }

  /// Returns the object that a to-one relationship of a row now refers to in the file; nil if it refers to none.
  func current(_ key: RowKey, _ columns: ToOneColumns) throws(ManagedObjectError) -> RowKey? {
    guard let table = schema.table(ofEntity: Int(key.entityIndex)) else { return nil }
    let statement = try database.statement(
      "SELECT \(table.selecting(columns)) FROM \(table.name.sqlName) WHERE Z_PK = ?")
    try statement.bind(1, key.number)
    defer { statement.reset() }
    return try statement.step() ? try target(statement, columns) : nil
  }

  /// Returns the object of a to-one relationship from the row of a statement that selects its columns; nil if there is
  /// none.
  func target(_ statement: Statement, _ columns: ToOneColumns) throws(ManagedObjectError) -> RowKey? {
    if statement.isNull(0) { return nil }
    let number = statement.integer(0)
    var index: Int? = columns.destination.lowerBound
    if columns.destination.count > 1 {
      if let known = schema.entityIndices[statement.integer(1)], columns.destination.contains(known) {
        index = known
      } else {
        index = try state.reading.entity(ofRow: number, columns.destination)
      }
    }
    return index.map { RowKey(store: storeNumber, entityIndex: $0, number: number) }
  }

  /// Sets a to-one relationship of a row to NULL, if it refers to `target`.
  func clear(
    _ key: RowKey, _ columns: ToOneColumns, _ slot: Int, _ target: RowKey
  ) throws(ManagedObjectError) {
    guard !deleted.contains(key), let table = schema.table(ofEntity: Int(key.entityIndex)) else { return }
    let statement = try database.statement(
      "UPDATE \(table.name.sqlName) SET \(table.settingNull(columns.column, columns.entityColumn)) "
        + "WHERE Z_PK = ? AND \(table.columns[columns.column].name.sqlName) = ?")
    try statement.bind(1, key.number)
    try statement.bind(2, target.number)
    try statement.run()
    if database.changeCount > 0 { noteChange(of: key, slot, changesEntity: true) }
  }

  /// Sets a to-one relationship of a row.
  ///
  /// - Parameter former: The object to which the relationship refers now.
  func assign(
    _ target: RowKey, to key: RowKey, _ columns: ToOneColumns, _ slot: Int, former: RowKey?
  ) throws(ManagedObjectError) {
    guard let table = schema.table(ofEntity: Int(key.entityIndex)) else { return }
    let entity = columns.entityColumn.map {
      ", \(table.columns[$0].name.sqlName) = \(schema.numbers[Int(target.entityIndex)])"
    }
    let name = table.columns[columns.column].name.sqlName
    let statement = try database.statement(
      "UPDATE \(table.name.sqlName) SET \(name) = ?\(entity ?? "")\(table.endingOrder(of: columns.column)) WHERE Z_PK = ?"
    )
    try statement.bind(1, target.number)
    try statement.bind(2, key.number)
    try statement.run()
    noteChange(of: key, slot, changesEntity: former?.entityIndex != target.entityIndex)
  }

  // Finding rows that change although they are not in the save, and rows that get other values than those in the save.

  /// Returns the value that the save contains for a slot of a row; nil if the row is not in the save, or if the value
  /// is unread.
  func value(_ key: RowKey, _ slot: Int) -> RowValue? {
    guard let rowIndex = rowIndices[key] else { return nil }
    let inserted = changes.inserted.count
    let value =
      rowIndex < inserted ? changes.inserted[rowIndex].values[slot] : changes.updated[rowIndex - inserted].values[slot]
    if case .unread = value { return nil }
    return value
  }

  /// True if the save itself contains a change of a relationship of a row.
  func isDecided(_ key: RowKey, _ slot: Int) -> Bool {
    guard let rowIndex = rowIndices[key], let value = value(key, slot) else { return false }
    let inserted = changes.inserted.count
    return rowIndex < inserted ? value.count > 0 : changes.snapshots[rowIndex - inserted].values[slot] != value
  }

  /// Records that the row `owner` changes because its relationship loses the object `key`. Does nothing if the save
  /// already writes `owner` with a value that does not contain `key`.
  func noteLoss(of key: RowKey, by owner: RowKey, _ slot: Int) {
    if rowIndices[owner] == nil || value(owner, slot)?.refers(to: key) != false { noteChange(of: owner, slot) }
  }

  /// Records that the row `owner` changes because its relationship gains the object `key`. Does nothing if the save
  /// already writes `owner` with a value that contains `key`.
  func noteGain(of key: RowKey, by owner: RowKey, _ slot: Int) {
    if value(owner, slot)?.refers(to: key) != true { noteChange(of: owner, slot) }
  }

  /// Records that a row outside the save changes, or that a row in the save gets another value than the one in the
  /// save.
  ///
  /// - Parameters:
  ///   - slot: The slot of the relationship that changes.
  ///   - changesEntity: True if the object of a to-one relationship has another entity, or if it becomes empty.
  func noteChange(of key: RowKey, _ slot: Int, changesEntity: Bool = false) {
    if rowIndices[key] != nil { mended.insert(key) } else if !deleted.contains(key) { touched.insert(key) }
    guard isRecorded else { return }
    sideChanges.append(HistoryWriting.SideChange(key: key, column: .property(slot: slot)))
    if changesEntity { sideChanges.append(HistoryWriting.SideChange(key: key, column: .entityNumber(slot: slot))) }
  }

  /// Records that an object gets another owner in a relationship without an inverse. Core Data counts this as a change
  /// of the object only if it records a history.
  func noteOwnerChange(of key: RowKey, _ owner: RowKey, _ slot: Int) {
    let entity = ManagedObjectModel.Entity(model: schema.model, index: Int(owner.entityIndex))
    guard isRecorded, !deleted.contains(key), let name = entity.relationships.first(where: { $0.slot == slot })?.name
    else { return }
    if rowIndices[key] == nil { touched.insert(key) }
    sideChanges.append(HistoryWriting.SideChange(key: key, column: .owner(PropertyName(entity, name))))
  }

  /// True if a row exists in the file or in the save, and the save does not delete it.
  func exists(_ key: RowKey) throws(ManagedObjectError) -> Bool {
    if rowIndices[key] != nil { return true }
    if deleted.contains(key) { return false }
    if let filling { return filling.contains(key) }
    if let known = existence[key] { return known }
    guard let table = schema.table(ofEntity: Int(key.entityIndex)) else { return false }
    let statement = try database.statement("SELECT 1 FROM \(table.name.sqlName) WHERE Z_PK = ? AND Z_ENT = ?")
    try statement.bind(1, key.number)
    try statement.bind(2, schema.numbers[Int(key.entityIndex)])
    let exists = try statement.step()
    statement.reset()
    existence[key] = exists
    return exists
  }

  private func raiseVersion(of key: RowKey) throws(ManagedObjectError) {
    guard let table = schema.table(ofEntity: Int(key.entityIndex)) else { return }
    let statement = try database.statement(
      "UPDATE \(table.name.sqlName) SET Z_OPT = \(table.nextVersion) WHERE Z_PK = ? AND Z_ENT = ?")
    try statement.bind(1, key.number)
    try statement.bind(2, schema.numbers[Int(key.entityIndex)])
    try statement.run()
    if database.changeCount > 0 { mended.insert(key) }
  }
}

/// The columns of a to-one relationship in a table, by index.
struct ToOneColumns {
  let column: Int
  /// The column with the entity number of the related object; nil if the destination entity has no subentities, or if
  /// the file lacks the column.
  let entityColumn: Int?
  /// The indices of the entities that the related object can have.
  let destination: Range<Int>
}

extension SlotColumns {
  /// The columns of the property if it is a to-one relationship; otherwise nil.
  var toOne: ToOneColumns? {
    guard case .toOne(let column, let entityColumn, let destination) = self else { return nil }
    return ToOneColumns(column: column, entityColumn: entityColumn, destination: destination)
  }

  /// True if the property is a to-many relationship.
  var isToMany: Bool { if case .toMany = self { true } else { false } }

  /// The columns of the property if it is an ordered to-many relationship; otherwise nil.
  var orderedToMany: ToManyColumns? {
    guard case .toMany(let columns) = self, columns.isOrdered else { return nil }
    return columns
  }
}

extension StoreTable {
  /// SQL for the version number of a row, as reading the row returns it. Values below 1, and values that are not
  /// numbers, count as 1.
  var version: String { "MAX(IFNULL(CAST(Z_OPT AS INTEGER), 1), 1)" }

  /// SQL for the next version number of a row, as ``Swift/Int64/nextVersion`` computes it.
  var nextVersion: String { "CASE \(version) WHEN \(Int64.max) THEN 1 ELSE \(version) + 1 END" }

  /// SQL that selects the columns of a to-one relationship: the primary key, and the entity number or NULL.
  func selecting(_ columns: ToOneColumns) -> String {
    let entity = columns.entityColumn.map { self.columns[$0].name.sqlName } ?? "NULL"
    return "\(self.columns[columns.column].name.sqlName), \(entity)"
  }

  /// Returns assignments for an UPDATE statement. They clear a to-one relationship: they set its columns for the
  /// primary key, the entity number and the position to NULL.
  func settingNull(_ column: Int, _ entityColumn: Int?) -> String {
    [column, entityColumn, order(of: column)].compactMap(\.self).map { "\(columns[$0].name.sqlName) = NULL" }
      .joined(separator: ", ")
  }

  /// Returns an assignment for an UPDATE statement that changes the owner of a row. It sets the row's position in the
  /// order of the former owner to NULL, and begins with a comma. Empty for an unordered relationship.
  func endingOrder(of column: Int) -> String { order(of: column).map { ", \(columns[$0].name.sqlName) = NULL" } ?? "" }

  /// Returns the position column of the relationship that stores the owner's primary key in `column`; nil for an
  /// unordered relationship.
  func order(of column: Int) -> Int? {
    (toOneColumns.values.first { $0.key == column } ?? ownerColumns.values.first { $0.key == column })?.order
  }
}
