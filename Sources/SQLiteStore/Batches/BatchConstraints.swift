internal import ManagedObjects
internal import SQLQueries

/// A uniqueness constraint of the entities whose rows a batch request changes.
struct BatchConstraint {
  let names: [String]
  /// The columns, quoted for SQL.
  let columns: [String]
  /// The entity that declares the constraint, and its subentities.
  let entities: Range<Int>
}

extension BatchTransaction {
  /// The uniqueness constraints of all entities whose rows are in the table.
  func constraints() -> [BatchConstraint] {
    table.entities.flatMap { index in
      let entity = ManagedObjectModel.Entity(model: schema.model, index: index)
      return entity.definition.uniquenessConstraints.compactMap { names -> BatchConstraint? in
        let columns = names.compactMap { name in
          entity.property(named: name).flatMap { schema.slotColumns[index][$0.slot].columns.first }
        }.map { table.columns[$0].name.sqlName }
        guard columns.count == names.count else { return nil }
        return BatchConstraint(names: names, columns: columns, entities: entity.subtree)
      }
    }
  }

  /// Checks that no two rows will have the same values for a uniqueness constraint after an update.
  func checkConstraints(_ updated: [BatchColumn]) throws(ManagedObjectError) {
    var values: [String: String] = [:]
    for (position, column) in updated.enumerated() {
      values[table.columns[column.column].name.sqlName] = "b.v\(position)"
    }
    var conflicts: [MergeConflict] = []
    var repeated: Set<RowKey> = []
    for constraint in constraints() where constraint.columns.contains(where: { values[$0] != nil }) {
      let numbers = constraint.entities.map { "\(schema.numbers[$0])" }.joined(separator: ", ")
      let name = table.name.sqlName
      let new = constraint.columns.enumerated().map { "\(values[$1] ?? "t.\($1)") AS c\($0)" }.joined(separator: ", ")
      let present = constraint.columns.map { "\(values[$0] ?? "t.\($0)") IS NOT NULL" }.joined(separator: " AND ")
      let changed = constraint.columns.compactMap { column in values[column].map { "t.\(column) IS NOT \($0)" } }
        .joined(separator: " OR ")
      let rows =
        "SELECT b.z, b.e, (\(changed)) AS changed, \(new) FROM \(Self.rows) b JOIN \(name) t ON t.Z_PK = b.z "
        + "WHERE \(present) AND b.e IN (\(numbers))"
      let list = constraint.columns.indices.map { "c\($0)" }.joined(separator: ", ")
      let limit = "LIMIT \(Self.greatestErrorCount)"
      let doubles = try database.statement(
        "WITH x AS MATERIALIZED (\(rows)) SELECT e, z FROM x WHERE (\(list)) IN "
          + "(SELECT \(list) FROM x GROUP BY \(list) HAVING COUNT(*) > 1) ORDER BY e, z \(limit)", .pairs)
      var keys: [RowKey] = []
      try doubles.forEachRow { if let key = key(doubles.integer(0), doubles.integer(1)) { keys.append(key) } }
      for key in keys where repeated.insert(key).inserted {
        conflicts.append(try conflict(of: key, updated, with: nil, constraint.names))
      }
      let equal = constraint.columns.enumerated().map { "o.\($1) = x.c\($0)" }.joined(separator: " AND ")
      let others = try database.statement(
        "SELECT x.e, x.z, o.Z_ENT, o.Z_PK FROM (\(rows)) x JOIN \(name) o ON \(equal) "
          + "WHERE x.changed AND o.Z_PK NOT IN (\(Self.keys)) ORDER BY x.e, x.z \(limit)", .pairs)
      var pairs: [(RowKey, RowKey)] = []
      try others.forEachRow {
        if let key = key(others.integer(0), others.integer(1)),
          let other = self.key(others.integer(2), others.integer(3))
        {
          pairs.append((key, other))
        }
      }
      for (key, other) in pairs { conflicts.append(try conflict(of: key, updated, with: other, constraint.names)) }
    }
    if let error = ManagedObjectError(constraintMerge: conflicts) { throw error }
  }

  /// Returns the conflict of an updated row with another row; nil for another row of the same update.
  private func conflict(
    of key: RowKey, _ updated: [BatchColumn], with other: RowKey?, _ names: [String]
  ) throws(ManagedObjectError) -> MergeConflict {
    var state = state
    let found = try state.wholeRows([key] + (other.map { [$0] } ?? []))
    var row = found[key]
    let list = updated.indices.map { ", v\($0)" }.joined()
    let values = try database.statement("SELECT z\(list) FROM \(Self.rows) WHERE z = ?")
    try values.bind(1, key.number)
    defer { values.reset() }
    if try values.step() {
      for (position, column) in updated.enumerated() {
        let target = column.assignment.target
        if !column.keys.isEmpty, case .constant(let value) = column.assignment.value {
          row?.values[target.slot] = .attribute(value)
          continue
        }
        let value = try state.reading.value(values, Int32(position + 1), target.type, isExternal: column.isExternal)
        row?.values[target.slot] = .attribute(value ?? .null)
      }
    }
    return MergeConflict(object: row, snapshot: found[key], stored: other.flatMap { found[$0] }, constraint: names)
  }
}
