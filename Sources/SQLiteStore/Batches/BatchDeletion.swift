internal import ManagedObjects
internal import SQLQueries

/// A function that deletes rows in a batch.
extension StoreState {
  mutating func delete(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity, _ origin: BatchOrigin
  ) throws(ManagedObjectError) -> StoreBatchResult {
    guard let table = schema.table(ofEntity: entity.index) else { return StoreBatchResult(count: 0) }
    return try batch { state throws(ManagedObjectError) in
      let batch = try BatchTransaction(state, entity, table, origin)
      try state.find(request, [], batch)
      let count = try batch.count()
      if count > 0 {
        try batch.checkRows()
        try batch.checkReferences()
        try batch.forget()
        try batch.raiseVersions()
        try batch.recordTouchedRows()
        try batch.recordDeletions()
        try batch.run("DELETE FROM \(table.name.sqlName) WHERE Z_PK IN (\(BatchTransaction.keys))")
      }
      let result = try batch.result(count: count, changed: "SELECT e, z FROM \(BatchTransaction.rows) ORDER BY e, z")
      try batch.dropTables()
      return (result, batch.historyNumber)
    }
  }
}

/// Functions that remove the references to deleted rows from the rows that stay.
extension BatchTransaction {
  /// A statement for the rows that refer to deleted rows. The list of the deleted rows is inserted between its two
  /// parts.
  private struct Step: Hashable {
    /// SQL before the list; ``end`` is the SQL after it.
    let start: String
    let end: String
  }

  /// Removes the references to the deleted rows from other rows and from join tables. Adds the other rows that change
  /// to ``touched``.
  func forget() throws(ManagedObjectError) {
    // Subentities have the same statements for inherited relationships.
    var order: [Step] = []
    var entities: [Step: [Int]] = [:]
    let present = try entityIndices()
    for index in present {
      for step in steps(ofEntity: index) {
        if entities[step] == nil { order.append(step) }
        entities[step, default: []].append(index)
      }
    }
    for step in order {
      let found = entities[step] ?? []
      let numbers = found.map { "\(schema.numbers[$0])" }.joined(separator: ", ")
      let condition = found == present ? "" : " WHERE e IN (\(numbers))"
      try run(step.start + "(\(Self.keys)\(condition))" + step.end)
    }
    // Owners in relationships without an inverse lose the object, but keep their version numbers.
    for (name, columns) in table.ownerColumns {
      guard let owners = schema.table(ofEntity: name.owner(in: schema.model).index) else { continue }
      try run(
        noting(
          owners,
          "t.Z_PK IN (SELECT \(table.columns[columns.key].name.sqlName) FROM \(table.name.sqlName) "
            + "WHERE Z_PK IN (\(Self.keys)))", raises: false))
    }
    try run(
      "DELETE FROM \(Self.touched) WHERE EXISTS (SELECT 1 FROM \(Self.rows) b WHERE b.z = managed_touched.z "
        + "AND b.e = managed_touched.e)")
  }

  /// Returns a statement that adds the rows of a table that satisfy a condition to ``touched``.
  ///
  /// - Parameter raises: True to give the rows new version numbers.
  private func noting(_ table: StoreTable, _ condition: String, raises: Bool = true) -> String {
    let numbers = table.entities.map { "\(schema.numbers[$0])" }.joined(separator: ", ")
    return "INSERT OR IGNORE INTO \(Self.touched) (e, z, r) SELECT t.Z_ENT, t.Z_PK, \(raises ? 1 : 0) "
      + "FROM \(table.name.sqlName) t WHERE t.Z_ENT IN (\(numbers)) AND \(condition)"
  }

  /// Returns the steps that add rows to ``touched`` and, if the store has a history, to ``sides``.
  ///
  /// - Parameters:
  ///   - start: The beginning of the condition for the rows, before the list of the deleted rows.
  ///   - columns: The columns that change in the rows.
  private func noting(
    _ table: StoreTable, start: String, end: String = "", _ columns: [HistoryColumns.Column]
  ) -> [Step] {
    var steps = [Step(start: noting(table, start), end: end)]
    if !state.tracksHistory { return steps }
    let numbers = table.entities.map { "\(schema.numbers[$0])" }.joined(separator: ", ")
    for column in columns {
      let index = sideColumns.firstIndex(of: column) ?? sideColumns.count
      if index == sideColumns.count { sideColumns.append(column) }
      let insertion =
        "INSERT OR IGNORE INTO \(Self.sides) (e, z, c) SELECT t.Z_ENT, t.Z_PK, \(index) "
        + "FROM \(table.name.sqlName) t WHERE t.Z_ENT IN (\(numbers)) AND \(start)"
      steps.append(Step(start: insertion, end: end))
    }
    return steps
  }

  private func steps(ofEntity index: Int) -> [Step] {
    var steps: [Step] = []
    for (slot, source) in schema.slotColumns[index].enumerated() {
      let side = schema.sides[index][slot]
      switch source {
      case .none, .attribute, .composite: continue
      case .toOne(let column, _, let destination):
        guard let side, !side.leavesReferences, let other = schema.table(ofEntity: destination.lowerBound) else {
          continue
        }
        if let back = schema.slotColumns[destination.lowerBound][side.inverseSlot].toOne {
          steps += clearing(other, back.column, back.entityColumn, .toOne(side.inverseSlot))
        } else {
          let own = table.columns[column].name.sqlName
          let condition = "t.Z_PK IN (SELECT \(own) FROM \(table.name.sqlName) WHERE Z_PK IN "
          steps += noting(other, start: condition, end: ")", [.property(slot: side.inverseSlot)])
        }
      case .toMany(let columns):
        switch columns.source {
        case .column(let other, let column, let entityColumn, _):
          if side?.leavesReferences == true { continue }
          let cleared = side.map { ClearedColumn.toOne($0.inverseSlot) } ?? owner(index, slot)
          steps += clearing(schema.tables[other], column, entityColumn, cleared)
        case .join(let join, let own, let other, _, let isReflexive):
          guard let target = schema.table(ofEntity: columns.destination.lowerBound) else { continue }
          let name = schema.joins[join].name.sqlName
          for (own, other) in isReflexive ? [(own, other), (other, own)] : [(own, other)] {
            let condition = "t.Z_PK IN (SELECT \(other.sqlName) FROM \(name) WHERE \(own.sqlName) IN "
            steps += noting(target, start: condition, end: ")", [.property(slot: side?.inverseSlot ?? slot)])
          }
          for column in isReflexive ? [own, other] : [own] {
            steps.append(Step(start: "DELETE FROM \(name) WHERE \(column.sqlName) IN ", end: ""))
          }
        }
      }
    }
    return steps
  }

  /// A foreign key column that is set to NULL.
  private enum ClearedColumn {
    /// It stores the to-one relationship with this slot. Its rows count as changed.
    case toOne(Int)
    /// It stores a to-many relationship without an inverse. Its rows count as changed only in a history.
    case owner(PropertyName)
  }

  private func owner(_ index: Int, _ slot: Int) -> ClearedColumn {
    let entity = ManagedObjectModel.Entity(model: schema.model, index: index)
    return .owner(PropertyName(entity, entity.relationships.first { $0.slot == slot }?.name ?? ""))
  }

  /// Returns statements that set a foreign key column to NULL in all rows that refer to deleted rows.
  private func clearing(
    _ table: StoreTable, _ column: Int, _ entityColumn: Int?, _ cleared: ClearedColumn
  ) -> [Step] {
    let name = table.columns[column].name.sqlName
    var steps: [Step] = []
    switch cleared {
    case .toOne(let slot):
      steps += noting(table, start: "t.\(name) IN ", [.property(slot: slot), .entityNumber(slot: slot)])
    case .owner(let property):
      if state.tracksHistory { steps += noting(table, start: "t.\(name) IN ", [.owner(property)]) }
    }
    let sets = table.settingNull(column, entityColumn)
    steps.append(Step(start: "UPDATE \(table.name.sqlName) SET \(sets) WHERE \(name) IN ", end: ""))
    return steps
  }

  /// Checks that the relationships of other rows will have enough objects when the references to the deleted rows are
  /// removed.
  func checkReferences() throws(ManagedObjectError) {
    var errors: [ManagedObjectError] = []
    let deleted = try entityIndices()
    entities: for index in schema.model.records.indices {
      guard let owners = schema.table(ofEntity: index) else { continue }
      let owner = ManagedObjectModel.Entity(model: schema.model, index: index)
      for rule in ValidationRules(owner).relationships {
        // Without objects, an optional relationship and one without a minimum count are valid.
        guard rule.failure(count: 0) != nil || rule.failure(count: 1) != nil,
          let relationship = owner.relationships.first(where: { $0.slot == rule.slot }),
          deleted.contains(where: { owner.destination(of: relationship).subtree.contains($0) }),
          let statement = try losses(index, owners, rule.slot)
        else { continue }
        try statement.forEachRow {
          if errors.count < Self.greatestErrorCount, var error = rule.failure(count: Int(statement.integer(1))) {
            error.objectID = key(schema.numbers[index], statement.integer(0)).map(state.objectID)
            errors.append(error)
          }
        }
        if errors.count == Self.greatestErrorCount { break entities }
      }
    }
    if let error = ManagedObjectError(all: errors) { throw error }
  }

  /// Returns a statement that finds the rows of an entity whose relationship loses objects, and for each row the number
  /// of objects that remain. Returns nil if the relationship cannot lose objects, for example because it keeps
  /// references to deleted ones.
  private func losses(
    _ index: Int, _ owners: StoreTable, _ slot: Int
  ) throws(ManagedObjectError) -> Statement? {
    let side = schema.sides[index][slot]
    let losing: String
    var rest = "0"
    switch schema.slotColumns[index][slot] {
    case .none, .attribute, .composite: return nil
    case .toOne(let column, _, let destination):
      guard let side, schema.sides[destination.lowerBound][side.inverseSlot]?.leavesReferences == false,
        destination.lowerBound >= table.entities.lowerBound, table.entities.contains(destination.lowerBound)
      else { return nil }
      losing = "o.\(owners.columns[column].name.sqlName) IN (\(Self.keys))"
    case .toMany(let columns):
      switch columns.source {
      case .column(let other, let column, _, _):
        let name = schema.tables[other].name.sqlName
        let key = schema.tables[other].columns[column].name.sqlName
        losing = "o.Z_PK IN (SELECT \(key) FROM \(name) WHERE Z_PK IN (\(Self.keys)))"
        rest = "SELECT COUNT(*) FROM \(name) r WHERE r.\(key) = o.Z_PK AND r.Z_PK NOT IN (\(Self.keys))"
      case .join(let join, let own, let other, _, let isReflexive):
        let name = schema.joins[join].name.sqlName
        let (own, other) = (own.sqlName, other.sqlName)
        var found = "SELECT \(own) FROM \(name) WHERE \(other) IN (\(Self.keys))"
        var kept = "SELECT \(other) AS x FROM \(name) WHERE \(own) = o.Z_PK"
        if isReflexive {
          found += " UNION SELECT \(other) FROM \(name) WHERE \(own) IN (\(Self.keys))"
          kept += " UNION SELECT \(own) FROM \(name) WHERE \(other) = o.Z_PK"
        }
        losing = "o.Z_PK IN (\(found))"
        rest = "SELECT COUNT(*) FROM (\(kept)) WHERE x NOT IN (\(Self.keys))"
      }
    }
    let isKept = owners.name == table.name ? " AND o.Z_PK NOT IN (\(Self.keys))" : ""
    return try database.statement(
      "SELECT o.Z_PK, (\(rest)) FROM \(owners.name.sqlName) o WHERE o.Z_ENT = \(schema.numbers[index]) "
        + "AND \(losing)\(isKept) ORDER BY o.Z_PK", .pairs)
  }
}
