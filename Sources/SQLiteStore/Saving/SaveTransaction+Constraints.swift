internal import ManagedObjects
internal import PropertyLists
internal import SQLQueries

/// Functions that check uniqueness constraints. They run before rows are written, so that one error reports all
/// conflicts.
extension SaveTransaction {
  private struct Constraint {
    let names: [String]
    let slots: [Int]
    let table: StoreTable
    let columns: [String]

    /// A statement that finds the rows whose constraint columns are equal to its parameters.
    var search: String {
      let conditions = columns.enumerated().map { "\($1.sqlName) = ?\($0 + 1)" }
      return "SELECT Z_PK, Z_ENT FROM \(table.name.sqlName) WHERE \(conditions.joined(separator: " AND "))"
    }
  }

  private struct Values: Hashable {
    let table: String
    let names: [String]
    let values: [RowValue]
  }

  /// Checks that no two rows will have the same values for a uniqueness constraint after the save.
  ///
  /// - Parameter changed: For each updated row, the slots whose values change.
  func checkConstraints(_ changed: [[Int]]) throws(ManagedObjectError) {
    guard schema.model.entities.contains(where: { !$0.definition.uniquenessConstraints.isEmpty }) else { return }
    var byEntity: [Int: [Constraint]] = [:]
    func constraints(_ key: RowKey) -> [Constraint] {
      let index = Int(key.entityIndex)
      if let known = byEntity[index] { return known }
      let all = self.constraints(ofEntity: index)
      byEntity[index] = all
      return all
    }
    var conflicts: [MergeConflict] = []
    var owners: [Values: StoreRow] = [:]
    var repeated: Set<RowKey> = []
    var old: [RowKey: StoreRow] = [:]
    for snapshot in changes.snapshots { old[snapshot.key] = snapshot }
    let rows = changes.inserted.map { ($0, nil as [Int]?) } + zip(changes.updated, changed).map { ($0, $1) }
    for (row, slots) in rows {
      for constraint in constraints(row.key) {
        let values = constraint.slots.map { row.values[$0] }
        if values.contains(where: { $0 == .null || $0 == .toOne(nil) || $0 == .unread }) { continue }
        let key = Values(table: constraint.table.name, names: constraint.names, values: values)
        if let other = owners.updateValue(row, forKey: key) {
          for row in [other, row] where repeated.insert(row.key).inserted {
            conflicts.append(
              MergeConflict(object: row, snapshot: old[row.key], stored: nil, constraint: constraint.names))
          }
        }
        if let slots, constraint.slots.allSatisfy({ !slots.contains($0) }) { continue }
        for owner in try self.owners(of: constraint, row) where owner != row.key && !deleted.contains(owner) {
          if let index = rowIndices[owner] {
            // The row `owner` is in this save too, and gets other values later. Until then, it must not keep the values
            // that `row` gets.
            let updated = index - changes.inserted.count
            if updated >= 0 { try vacate(owner, constraint, changed[updated]) }
            continue
          }
          var state = state
          conflicts.append(
            MergeConflict(
              object: row, snapshot: old[row.key], stored: try state.wholeRows([owner])[owner],
              constraint: constraint.names))
        }
      }
    }
    if let error = ManagedObjectError(constraintMerge: conflicts) { throw error }
  }

  /// Returns the uniqueness constraints of an entity and its superentities.
  private func constraints(ofEntity index: Int) -> [Constraint] {
    guard let table = schema.table(ofEntity: index) else { return [] }
    var constraints: [Constraint] = []
    var next: ManagedObjectModel.Entity? = ManagedObjectModel.Entity(model: schema.model, index: index)
    while let entity = next {
      for names in entity.definition.uniquenessConstraints {
        let slots = names.compactMap { entity.property(named: $0)?.slot }
        let columns = slots.compactMap { schema.slotColumns[index][$0].columns.first.map { table.columns[$0].name } }
        guard columns.count == names.count else { continue }
        constraints.append(Constraint(names: names, slots: slots, table: table, columns: columns))
      }
      next = entity.superentity
    }
    return constraints
  }

  /// Returns the keys of the rows in the file that have the same values for a constraint as `row`.
  private func owners(of constraint: Constraint, _ row: StoreRow) throws(ManagedObjectError) -> [RowKey] {
    let statement = try database.statement(constraint.search)
    for (index, slot) in constraint.slots.enumerated() {
      if case .toOne(let target?) = row.values[slot] {
        try statement.bind(Int32(index + 1), target.number)
      } else {
        let kind = schema.slotColumns[Int(row.key.entityIndex)][slot].parameterKind
        try bindValue(row, slot, kind, statement, Int32(index + 1))
      }
    }
    var owners: [RowKey] = []
    try statement.forEachRow {
      guard let index = schema.entityIndices[statement.integer(1)], constraint.table.entities.contains(index) else {
        return
      }
      owners.append(RowKey(store: storeNumber, entityIndex: index, number: statement.integer(0)))
    }
    return owners
  }

  /// Sets the columns of a constraint to NULL in a row, because the save assigns their values to another row.
  ///
  /// - Parameter changed: The slots whose values the save changes in the row. Only their columns are set to NULL,
  ///   because other columns must keep their values.
  private func vacate(_ key: RowKey, _ constraint: Constraint, _ changed: [Int]) throws(ManagedObjectError) {
    let columns = zip(constraint.columns, constraint.slots).filter { changed.contains($0.1) }
    if columns.isEmpty { return }
    let sets = columns.map { "\($0.0.sqlName) = NULL" }
    let statement = try database.statement(
      "UPDATE \(constraint.table.name.sqlName) SET \(sets.joined(separator: ", ")) WHERE Z_PK = ?")
    try statement.bind(1, key.number)
    try statement.run()
  }
}
