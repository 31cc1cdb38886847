internal import ManagedObjects
internal import SQLQueries

/// Functions that delete rows. A statement deletes many rows.
extension SaveTransaction {
  /// The greatest number of rows that one statement deletes.
  private static let greatestCount = 8_192

  /// Deletes the rows of the save. Adds those that no longer exist with the expected version number to ``conflicts``,
  /// in the order of the save.
  func deleteRows() throws(ManagedObjectError) {
    let groups = Dictionary(grouping: changes.deleted.indices) { DeletedKind(changes.deleted[$0]) }
      .sorted { $0.value[0] < $1.value[0] }
    for (kind, indices) in groups {
      for part in parts(of: indices) { try noteOwners(of: part, kind.entity) }
    }
    var missing: [Int] = []
    for (kind, indices) in groups {
      for part in parts(of: indices) { missing += try deleteRows(part, kind) }
    }
    for index in missing.sorted() {
      conflicts.append(MergeConflict(object: nil, snapshot: changes.deleted[index], stored: nil))
    }
  }

  /// The rows that one statement can delete: those of the same entity with the same version number.
  private struct DeletedKind: Hashable {
    let entity: Int
    let version: Int64

    init(_ row: StoreRow) {
      entity = Int(row.key.entityIndex)
      version = row.version
    }
  }

  private func parts(of indices: [Int]) -> [ArraySlice<Int>] {
    stride(from: 0, to: indices.count, by: Self.greatestCount).map {
      indices[$0..<min($0 + Self.greatestCount, indices.count)]
    }
  }

  /// Deletes rows with one statement.
  ///
  /// - Parameter indices: The indices of the rows in the save.
  /// - Returns: The indices of the rows that do not exist with the expected version number.
  private func deleteRows(_ indices: ArraySlice<Int>, _ kind: DeletedKind) throws(ManagedObjectError) -> [Int] {
    let table = schema.tables[schema.tableIndices[kind.entity]]
    let list = NumberList(indices.map { changes.deleted[$0].key.number })
    // The plus sign keeps SQLite from using an index of the entities, which would read all rows of the entity.
    let statement = try database.statement(
      "DELETE FROM \(table.name.sqlName) WHERE Z_PK \(list.condition) AND +Z_ENT = ?2 AND \(table.version) = ?3 "
        + "RETURNING Z_PK")
    try list.bind(to: statement, 1)
    try statement.bind(2, schema.numbers[kind.entity])
    try statement.bind(3, kind.version)
    var found: [Int64] = []
    found.reserveCapacity(indices.count)
    try statement.forEachRow { found.append(statement.integer(0)) }
    if found.count == indices.count { return [] }
    let all = Set(found)
    return indices.filter { !all.contains(changes.deleted[$0].key.number) }
  }

  /// Adds to ``mended`` the objects that own deleted rows in a relationship without an inverse, because they lose the
  /// objects. They keep their version numbers, because their own rows do not change.
  private func noteOwners(of indices: ArraySlice<Int>, _ entity: Int) throws(ManagedObjectError) {
    let table = schema.tables[schema.tableIndices[entity]]
    for (name, columns) in table.ownerColumns {
      let entities = name.owner(in: schema.model).subtree
      let toOne = ToOneColumns(column: columns.key, entityColumn: columns.entity, destination: entities)
      let list = NumberList(indices.map { changes.deleted[$0].key.number })
      let statement = try database.statement(
        "SELECT DISTINCT \(table.selecting(toOne)) FROM \(table.name.sqlName) WHERE Z_PK \(list.condition)")
      try list.bind(to: statement, 1)
      var owners: [RowKey] = []
      try statement.forEachRow { () throws(ManagedObjectError) in
        if let owner = try target(statement, toOne) { owners.append(owner) }
      }
      owners.removeAll { deleted.contains($0) }
      try readExistence(of: owners)
      for owner in owners where try exists(owner) { mended.insert(owner) }
    }
  }

  /// Adds rows outside the save to ``existence``, those of an entity with one statement.
  private func readExistence(of keys: [RowKey]) throws(ManagedObjectError) {
    let unknown = keys.filter { rowIndices[$0] == nil && existence[$0] == nil }
    for (entity, keys) in Dictionary(grouping: unknown, by: \.entityIndex) {
      guard let table = schema.table(ofEntity: Int(entity)) else { continue }
      let list = NumberList(keys.map(\.number))
      let statement = try database.statement(
        "SELECT Z_PK FROM \(table.name.sqlName) WHERE Z_PK \(list.condition) AND +Z_ENT = ?2")
      try list.bind(to: statement, 1)
      try statement.bind(2, schema.numbers[Int(entity)])
      for key in keys { existence[key] = false }
      try statement.forEachRow {
        existence[RowKey(store: storeNumber, entityIndex: Int(entity), number: statement.integer(0))] = true
      }
    }
  }

  /// Removes the references to the deleted rows from other rows and from join tables.
  func forgetDeletedRows() throws(ManagedObjectError) {
    let groups = Dictionary(grouping: changes.deleted.indices) { changes.deleted[$0].key.entityIndex }
    for (entity, rows) in groups.sorted(by: { $0.value[0] < $1.value[0] }) {
      for (slot, columns) in schema.slotColumns[Int(entity)].enumerated() {
        let side = schema.sides[Int(entity)][slot]
        switch columns {
        case .none, .attribute, .composite: continue
        case .toOne:
          guard let side, !side.leavesReferences else { continue }
          for index in rows { try forgetTarget(of: changes.deleted[index], slot, side) }
        case .toMany(let columns):
          if case .column = columns.source, side?.leavesReferences == true { continue }
          for part in parts(of: rows) {
            try forget(part.map { changes.deleted[$0].key }, slot, columns, side)
          }
        }
      }
    }
  }

  /// Removes a deleted row from the inverse of its to-one relationship.
  private func forgetTarget(
    of row: StoreRow, _ slot: Int, _ side: RelationshipSide
  ) throws(ManagedObjectError) {
    guard case .toOne(let target?) = row.values[slot], let back = inverseColumns(of: target, side) else { return }
    if let back = back.toOne {
      try clear(target, back, side.inverseSlot, row.key)
    } else {
      noteLoss(of: row.key, by: target, side.inverseSlot)
    }
  }

  /// Removes deleted rows of an entity from the inverse of their to-many relationship.
  private func forget(
    _ keys: [RowKey], _ slot: Int, _ columns: ToManyColumns, _ side: RelationshipSide?
  ) throws(ManagedObjectError) {
    let list = NumberList(keys.map(\.number))
    switch columns.source {
    case .column(let index, let column, let entityColumn, _):
      let owner = keys.first.map { (key: $0, slot: slot) }
      try clear(schema.tables[index], column, entityColumn, list, side, owner)
    case .join(let index, let own, let other, _, let isReflexive):
      let found =
        try ToManyReading(database: database, schema: schema, storeNumber: storeNumber)
        .keys(columns, keys.map(\.number))
      for key in keys {
        for target in found[key.number] ?? [] { noteLoss(of: key, by: target, side?.inverseSlot ?? slot) }
      }
      let name = schema.joins[index].name.sqlName
      for column in isReflexive ? [own, other] : [own] {
        let statement = try database.statement("DELETE FROM \(name) WHERE \(column.sqlName) \(list.condition)")
        try list.bind(to: statement, 1)
        try statement.run()
      }
    }
  }

  /// Sets a foreign key column to NULL in all rows that refer to deleted rows.
  ///
  /// - Parameters:
  ///   - side: The relationship of the deleted rows whose inverse is the to-one relationship that the column stores.
  ///     Nil if the column stores a to-many relationship without an inverse: the rows themselves then count as changed
  ///     only in a history.
  ///   - owner: One of the deleted rows, and the slot of their relationship.
  private func clear(
    _ table: StoreTable, _ column: Int, _ entityColumn: Int?, _ list: NumberList, _ side: RelationshipSide?,
    _ owner: (key: RowKey, slot: Int)?
  ) throws(ManagedObjectError) {
    let statement = try database.statement(
      "UPDATE \(table.name.sqlName) SET \(table.settingNull(column, entityColumn)) "
        + "WHERE \(table.columns[column].name.sqlName) \(list.condition) RETURNING Z_PK, Z_ENT")
    try list.bind(to: statement, 1)
    try statement.forEachRow {
      guard let index = schema.entityIndices[statement.integer(1)], table.entities.contains(index) else { return }
      let key = RowKey(store: storeNumber, entityIndex: index, number: statement.integer(0))
      if let side {
        noteChange(of: key, side.inverseSlot, changesEntity: true)
      } else if let owner {
        noteOwnerChange(of: key, owner.key, owner.slot)
      }
    }
  }
}
