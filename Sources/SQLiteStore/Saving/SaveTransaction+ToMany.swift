internal import ManagedObjects
internal import OrderedCollections
internal import SQLQueries

/// Functions that write to-many relationships.
extension SaveTransaction {
  /// Returns the value that a to-many relationship of a row has in the file.
  func stored(_ key: RowKey, _ columns: ToManyColumns) throws(ManagedObjectError) -> RowValue {
    let keys =
      try ToManyReading(database: database, schema: schema, storeNumber: storeNumber)
      .keys(columns, [key.number])[key.number] ?? []
    return columns.isOrdered ? .orderedToMany(OrderedSet(keys)) : .toMany(Set(keys))
  }

  /// Adds objects to a to-many relationship, and writes its order. The caller has already removed the objects that the
  /// save removes from the relationship.
  func write(
    _ value: RowValue, _ old: RowValue?, of row: StoreRow, _ slot: Int, _ columns: ToManyColumns
  ) throws(ManagedObjectError) {
    let side = schema.sides[Int(row.key.entityIndex)][slot]
    // Only the added objects are listed and sorted, because the relationship may have many other objects.
    let new = value.keys(where: { old?.refers(to: $0) != true })
    for key in new { try check(key, row, slot, columns.destination) }
    var missing: Set<RowKey> = []
    for key in columns.isOrdered ? new : new.sorted() {
      if try !add(key, to: row, slot, columns, side) { missing.insert(key) }
    }
    if !missing.isEmpty { mended.insert(row.key) }
    if columns.isOrdered { try writeOrder(value.keys(where: { !missing.contains($0) }), of: row.key, columns) }
  }

  /// Adds an object to a to-many relationship.
  ///
  /// - Returns: False if the object does not exist, or if the save gives it another owner.
  private func add(
    _ key: RowKey, to row: StoreRow, _ slot: Int, _ columns: ToManyColumns, _ side: RelationshipSide?
  ) throws(ManagedObjectError) -> Bool {
    switch columns.source {
    case .column(let index, let column, let entityColumn, _):
      // A new object has usually been written with its owner already, because its own to-one relationship has the owner
      // too.
      if let side, let rowIndex = rowIndices[key], rowIndex < changes.inserted.count,
        changes.inserted[rowIndex].values[side.inverseSlot].refers(to: row.key)
      {
        return true
      }
      guard try exists(key) else { return false }
      if let side, isDecided(key, side.inverseSlot) { return value(key, side.inverseSlot)?.refers(to: row.key) == true }
      let own = ToOneColumns(column: column, entityColumn: entityColumn, destination: owners(of: row.key, key, side))
      let owner = try current(key, own)
      if owner == row.key { return true }
      // When a new store is filled, an earlier batch may have set the owner already.
      if filling != nil, side != nil, owner != nil { return false }
      if side != nil {
        if let owner { noteLoss(of: key, by: owner, slot) }
        try assign(row.key, to: key, own, side?.inverseSlot ?? slot, former: owner)
      } else if let owner, try exists(owner) {
        noteOwnedTwice(key, by: row.key, owner, slot)
      } else {
        try setOwner(row.key, of: key, schema.tables[index], column, entityColumn)
        noteOwnerChange(of: key, row.key, slot)
      }
    case .join(let index, let own, let other, let order, let isReflexive):
      guard try exists(key) else { return false }
      let orders = order.map { (", \($0.sqlName)", ", 0") } ?? ("", "")
      let statement = try database.statement(
        "INSERT OR IGNORE INTO \(schema.joins[index].name.sqlName) (\(own.sqlName), \(other.sqlName)\(orders.0)) "
          + "VALUES (?1, ?2\(orders.1))")
      var count = 0
      for (own, other) in isReflexive && key != row.key ? [(row.key, key), (key, row.key)] : [(row.key, key)] {
        try statement.bind(1, own.number)
        try statement.bind(2, other.number)
        try statement.run()
        count += database.changeCount
      }
      guard count > 0, let side else { return true }
      noteGain(of: row.key, by: key, side.inverseSlot)
      if let back = schema.slotColumns[Int(key.entityIndex)][side.inverseSlot].orderedToMany {
        add(row.key, toOrderOf: key, side.inverseSlot, back)
      }
    }
    return true
  }

  /// Records an error: two owners would have the same object in a relationship without an inverse.
  private func noteOwnedTwice(_ key: RowKey, by owner: RowKey, _ other: RowKey, _ slot: Int) {
    let relationship = schema.model.entity(at: Int(owner.entityIndex)).relationships.first { $0.slot == slot }
    ownerErrors.append(
      ManagedObjectError(
        ownedTwice: state.objectID(key), by: state.objectID(owner), state.objectID(other),
        key: relationship?.name ?? ""))
  }

  /// Returns the indices of the entities that the owner of an object can have.
  private func owners(of owner: RowKey, _ key: RowKey, _ side: RelationshipSide?) -> Range<Int> {
    if let side, let columns = schema.slotColumns[Int(key.entityIndex)][side.inverseSlot].toOne {
      return columns.destination
    }
    let index = Int(owner.entityIndex)
    return schema.table(ofEntity: index)?.entities ?? index..<index + 1
  }

  /// Sets the owner of an object in a relationship without an inverse, or the object of a to-one relationship.
  func setOwner(
    _ owner: RowKey, of key: RowKey, _ table: StoreTable, _ column: Int, _ entityColumn: Int?
  ) throws(ManagedObjectError) {
    let entity = entityColumn.map { ", \(table.columns[$0].name.sqlName) = \(schema.numbers[Int(owner.entityIndex)])" }
    let name = table.columns[column].name.sqlName
    let statement = try database.statement(
      "UPDATE \(table.name.sqlName) SET \(name) = ?\(entity ?? "")\(table.endingOrder(of: column)) WHERE Z_PK = ?")
    try statement.bind(1, owner.number)
    try statement.bind(2, key.number)
    try statement.run()
  }

  /// Removes an object from a to-many relationship.
  func remove(
    _ key: RowKey, from row: StoreRow, _ slot: Int, _ columns: ToManyColumns
  ) throws(ManagedObjectError) {
    let side = schema.sides[Int(row.key.entityIndex)][slot]
    switch columns.source {
    case .column(let index, let column, let entityColumn, _):
      // The save has deleted the row.
      if deleted.contains(key) { return }
      let table = schema.tables[index]
      let statement = try database.statement(
        "UPDATE \(table.name.sqlName) SET \(table.settingNull(column, entityColumn)) "
          + "WHERE Z_PK = ? AND \(table.columns[column].name.sqlName) = ?")
      try statement.bind(1, key.number)
      try statement.bind(2, row.key.number)
      try statement.run()
      if database.changeCount == 0 { return }
      if let side {
        noteChange(of: key, side.inverseSlot, changesEntity: true)
      } else {
        noteOwnerChange(of: key, row.key, slot)
      }
    case .join(let index, let own, let other, _, let isReflexive):
      // With an inverse, the rows of the join table were deleted with the object.
      if side != nil, deleted.contains(key) { return }
      let statement = try database.statement(
        "DELETE FROM \(schema.joins[index].name.sqlName) WHERE \(own.sqlName) = ? AND \(other.sqlName) = ?")
      var count = 0
      for (own, other) in isReflexive ? [(row.key, key), (key, row.key)] : [(row.key, key)] {
        try statement.bind(1, own.number)
        try statement.bind(2, other.number)
        try statement.run()
        count += database.changeCount
      }
      if count > 0, let side { noteLoss(of: row.key, by: key, side.inverseSlot) }
    }
  }
}
