internal import ManagedObjects
internal import SQLQueries

/// Functions that update rows in a batch.
extension StoreState {
  mutating func update(
    _ request: FetchRequest, _ assignments: [BatchAssignment], of entity: ManagedObjectModel.Entity,
    _ origin: BatchOrigin
  ) throws(ManagedObjectError) -> StoreBatchResult {
    guard let table = schema.table(ofEntity: entity.index) else { return StoreBatchResult(count: 0) }
    return try batch { state throws(ManagedObjectError) in
      var columns: [BatchColumn] = []
      for assignment in assignments {
        columns += try state.columns(of: assignment, entity)
      }
      let batch = try BatchTransaction(state, entity, table, origin, columns: columns.map(\.column))
      try state.find(request, columns, batch)
      let count = try batch.count()
      if count > 0 {
        try batch.checkRows()
        try batch.checkMandatoryValues(columns)
        try batch.checkConstraints(columns)
        try batch.noteChangedValues(columns)
        try batch.assign(columns)
        try batch.recordUpdates(
          of: BatchTransaction.rows,
          columns.map { HistoryColumns.Column(slot: $0.assignment.target.slot, keys: $0.keys) })
      }
      let result = try batch.result(count: count, changed: "SELECT e, z FROM \(BatchTransaction.rows) ORDER BY e, z")
      try batch.dropTables()
      return (result, batch.historyNumber)
    }
  }

  /// Returns the columns that a batch update sets for an attribute: one, or one for each leaf of a composite attribute.
  /// Returns none for an attribute that has no column because it has no type.
  private func columns(
    of assignment: BatchAssignment, _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> [BatchColumn] {
    func made(
      _ column: Int, _ keys: [String], isExternal: Bool
    ) throws(ManagedObjectError) -> BatchColumn {
      let value: AssignmentQuery.Value
      switch assignment.value {
      case .constant(let constant):
        do throws(ManagedObjectError) {
          value = .constant(try SQLValue(saving: constant.leaf(at: keys[...]), isExternal: isExternal))
        } catch {
          throw ManagedObjectError(
            error.code, error.message, key: ([assignment.target.name] + keys).joined(separator: "."),
            value: error.value)
        }
      case .expression(let expression):
        value = .expression(expression, assignment.target, isExternal: isExternal)
      }
      return BatchColumn(assignment: assignment, keys: keys, column: column, isExternal: isExternal, value: value)
    }
    switch schema.slotColumns[entity.index][assignment.target.slot] {
    case .none: return []
    case .attribute(let column, _, let isExternal): return [try made(column, [], isExternal: isExternal)]
    case .composite(let columns):
      return try columns.leaves.map { leaf throws(ManagedObjectError) in
        try made(leaf.column, leaf.keys, isExternal: leaf.definition.isExternal)
      }
    default:
      throw ManagedObjectError(
        .invalidValue, "the value does not match the kind of the property", key: assignment.target.name)
    }
  }

  /// Writes the objects that match a request, and their new values, to the table of the batch. Finds the objects and
  /// computes the values in memory if SQL cannot.
  mutating func find(
    _ request: FetchRequest, _ columns: [BatchColumn], _ batch: BatchTransaction
  ) throws(ManagedObjectError) {
    if try list(request, columns, batch) { return }
    let hasKeys = columns.isEmpty ? false : try list(request, [], batch)
    if !hasKeys {
      var request = request
      request.resultType = .objectIDs
      guard case .keys(let keys) = try perform(request, of: batch.entity) else { return }
      for key in keys {
        try batch.run(
          "INSERT INTO \(BatchTransaction.rows) (z, e) VALUES (?1, ?2)", .integer(key.number),
          .integer(schema.numbers[Int(key.entityIndex)]))
      }
    }
    if !columns.isEmpty { try compute(columns, batch) }
  }

  /// Writes the objects and their new values to the table of the batch with one SQL statement.
  ///
  /// - Returns: False, without a change, if SQL cannot express the request.
  private func list(
    _ request: FetchRequest, _ columns: [BatchColumn], _ batch: BatchTransaction
  ) throws(ManagedObjectError) -> Bool {
    let query = AssignmentQuery(
      request, request.entities(batch.entity), columns.map(\.value), schema, storeNumber, SQLiteDialect())?.query
    guard let query else { return false }
    let names = ["z", "e"] + columns.indices.map { "v\($0)" }
    let sql = "INSERT INTO \(BatchTransaction.rows) (\(names.joined(separator: ", "))) \(query.sql)"
    let statement: Statement
    do { statement = try database.statement(sql, .pairs) } catch {
      if error.isFailedStatement || error.isTooBig { return false }
      throw error
    }
    let arguments = QueryArguments(query.bindings, functionContext)
    try arguments.bind(to: statement)
    defer { statement.clear() }
    do { try statement.run() } catch {
      // A function failed. In memory, it may not be called for the same rows.
      guard arguments.hasFailed else { throw error }
      return false
    }
    return true
  }

  /// Computes the new values of the objects in the table in memory. Processes the objects in batches, or all at once if
  /// the expressions follow relationships.
  private mutating func compute(
    _ columns: [BatchColumn], _ batch: BatchTransaction
  ) throws(ManagedObjectError) {
    let assignments = columns.map(\.assignment)
    let request = assignments.readingRequest(batch.entity)
    let names = RequestKeys(request).names
    let follows = schema.model.entities.contains { entity in
      entity.relationships.contains { names.contains($0.name) }
    }
    let limit = follows || RequestKeys(request).asksForAll ? -1 : SQLiteStore.chunkSize
    var last: Int64 = 0
    while true {
      var keys: [RowKey] = []
      let list = try database.statement(
        "SELECT e, z FROM \(BatchTransaction.rows) WHERE z > ? ORDER BY z LIMIT \(limit)", .pairs)
      try list.bind(1, last)
      try list.forEachRow {
        last = list.integer(1)
        if let key = batch.key(list.integer(0), last) { keys.append(key) }
      }
      if keys.isEmpty { return }
      let rows = try self.rows(keys).compactMap(\.self).sorted { $0.key < $1.key }
      let source = try LoadedRows(request, batch.entity, rows, &self)
      let evaluation = try BatchEvaluation(assignments, source)
      let sets = columns.indices.map { "v\($0) = ?\($0 + 2)" }.joined(separator: ", ")
      for row in source.completed(rows) {
        let values = try evaluation.values(row)
        let statement = try database.statement("UPDATE \(BatchTransaction.rows) SET \(sets) WHERE z = ?1")
        try statement.bind(1, row.key.number)
        for (index, value) in values.enumerated() {
          let column = columns[index]
          try statement.bind(
            Int32(index + 2), SQLValue(saving: value.leaf(at: column.keys[...]), isExternal: column.isExternal))
        }
        try statement.run()
      }
      if limit < 0 { return }
    }
  }
}

/// A column that a batch update sets.
struct BatchColumn {
  let assignment: BatchAssignment
  /// The keys that lead from a composite attribute to the leaf with the column; empty for another attribute.
  let keys: [String]
  /// The index of the column in the table.
  let column: Int
  let isExternal: Bool
  let value: AssignmentQuery.Value

  /// True if the attribute can become null. All columns of a composite attribute are NULL then.
  var canBeNull: Bool {
    if case .constant(let value) = assignment.value { return value == .null }
    return true
  }
}

extension BatchTransaction {
  /// Checks that no mandatory attribute becomes null.
  fileprivate func checkMandatoryValues(_ columns: [BatchColumn]) throws(ManagedObjectError) {
    var errors: [ManagedObjectError] = []
    for index in try entityIndices() {
      let rules = ValidationRules(ManagedObjectModel.Entity(model: schema.model, index: index)).attributes
      let mandatory = columns.enumerated().compactMap { position, column -> (Int32, ManagedObjectError)? in
        // For a composite attribute, the first column represents all.
        let slot = column.assignment.target.slot
        guard column.canBeNull, position == columns.firstIndex(where: { $0.assignment.target.slot == slot }),
          let rule = rules.first(where: { $0.slot == slot })
        else { return nil }
        return rule.failure(.null).map { (Int32(position), $0) }
      }
      if mandatory.isEmpty { continue }
      let names = mandatory.map { "v\($0.0)" }
      let conditions = names.map { "\($0) IS NULL" }.joined(separator: " OR ")
      let statement = try database.statement(
        "SELECT z, \(names.joined(separator: ", ")) FROM \(Self.rows) WHERE e = \(schema.numbers[index]) "
          + "AND (\(conditions)) ORDER BY z LIMIT \(Self.greatestErrorCount)", .pairs)
      try statement.forEachRow {
        for (result, rule) in mandatory.enumerated() where statement.isNull(Int32(result + 1)) {
          var error = rule.1
          error.objectID = key(schema.numbers[index], statement.integer(0)).map(state.objectID)
          errors.append(error)
        }
      }
    }
    if let error = ManagedObjectError(all: Array(errors.prefix(Self.greatestErrorCount))) { throw error }
  }

  static let greatestErrorCount = 100

  /// For the history, records which new values differ from the old ones. All attributes from the 63rd on share one bit:
  /// if one of them changes, all count as changed.
  fileprivate func noteChangedValues(_ columns: [BatchColumn]) throws(ManagedObjectError) {
    guard state.tracksHistory else { return }
    let flags = columns.enumerated().map { position, column in
      "((t.\(table.columns[column.column].name.sqlName) IS NOT v\(position)) << \(min(position, 62)))"
    }
    let sum = flags.isEmpty ? "0" : flags.joined(separator: " | ")
    try run("UPDATE \(Self.rows) SET f = (SELECT \(sum) FROM \(table.name.sqlName) t WHERE t.Z_PK = z)")
  }

  /// Writes the new values. If a uniqueness constraint contains one of the columns, the old values of all rows are set
  /// to NULL first, so that rows can exchange values.
  fileprivate func assign(_ columns: [BatchColumn]) throws(ManagedObjectError) {
    let name = table.name.sqlName
    let names = columns.map { table.columns[$0.column].name.sqlName }
    let unique = Set(constraints().flatMap(\.columns))
    let vacated = names.filter { unique.contains($0) }
    if !vacated.isEmpty {
      let sets = vacated.map { "\($0) = NULL" }.joined(separator: ", ")
      try run("UPDATE \(name) SET \(sets) WHERE Z_PK IN (\(Self.keys))")
    }
    let sets = names.enumerated().map { ", \($1) = b.v\($0)" }.joined()
    do {
      try run(
        "UPDATE \(name) SET Z_OPT = \(table.nextVersion)\(sets) FROM \(Self.rows) AS b WHERE b.z = \(name).Z_PK")
    } catch {
      throw error.isUniqueness ? uniqueness(error) : error
    }
  }

  /// Returns the error for rows that violate a unique index of the file, although they violate no constraint of the
  /// model.
  func uniqueness(_ error: ManagedObjectError) -> ManagedObjectError {
    var failure = ManagedObjectError(.constraintMerge, error.message)
    failure.sqliteCode = error.sqliteCode
    return failure
  }
}
