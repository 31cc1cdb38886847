internal import FoundationEssentials
internal import ManagedObjects
internal import SQLQueries

/// Functions that record a batch request in the history.
extension BatchTransaction {
  private static let entity = HistoryTables.entities[0].number

  /// Records the transaction, if the store has a history.
  func beginHistory() throws(ManagedObjectError) {
    guard state.tracksHistory else { return }
    historyNumber = try history.begin(author: origin.author, contextName: origin.contextName)
  }

  /// Records a change for each row that a SELECT statement finds.
  ///
  /// - Parameters:
  ///   - selection: SQL for the entity number, the primary key, the value of `ZCOLUMNS`, and the values of `columns`.
  ///   - columns: The names of further columns of the history table to write.
  ///   - clauses: The clauses of the statement, beginning with FROM.
  ///   - order: The SQL expression that determines the order of the changes.
  private func record(
    _ kind: PersistentHistoryChange.Kind, _ selection: String, columns: [String] = [], _ clauses: String,
    orderedBy order: String
  ) throws(ManagedObjectError) {
    guard let historyNumber else { return }
    let count = try number("SELECT COUNT(*) \(clauses)")
    if count == 0 { return }
    let last = try history.nextNumber(Self.entity, count: count)
    let names = columns.map { ", \($0)" }.joined()
    try run(
      "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZTRANSACTIONID, ZENTITY, ZENTITYPK, ZCOLUMNS\(names)) "
        + "SELECT ?1 + ROW_NUMBER() OVER (ORDER BY \(order)), \(Self.entity), \(kind.rawValue), ?2, \(selection) "
        + clauses,
      .integer(last - count), .integer(historyNumber))
  }

  func recordInsertions(from first: Int64, through last: Int64) throws(ManagedObjectError) {
    try record(
      .insert, "Z_ENT, Z_PK, NULL", "FROM \(table.name.sqlName) WHERE Z_PK BETWEEN \(first) AND \(last)",
      orderedBy: "Z_PK")
  }

  /// Records the updates of rows.
  ///
  /// - Parameters:
  ///   - rows: The name of a table with the columns of ``rows``.
  ///   - slots: The slots of the updated properties, in the order of their bits in the column `f`.
  func recordUpdates(of rows: String, _ slots: [Int]) throws(ManagedObjectError) {
    guard historyNumber != nil else { return }
    for index in try entityIndices(of: rows) {
      let number = schema.numbers[index]
      var cases = ""
      let flags = try database.statement("SELECT DISTINCT f FROM \(rows) WHERE e = \(number)", .pairs)
      var values: [Int64] = []
      try flags.forEachRow { values.append(flags.integer(0)) }
      for value in values {
        let changed = slots.enumerated().filter { value >> Int64(min($0.offset, 62)) & 1 == 1 }.map(\.element)
        cases += " WHEN \(value) THEN \(hex(history.bits(Int32(index), changed)))"
      }
      if values.isEmpty { continue }
      try record(
        .update, "e, z, CASE f\(cases) END", "FROM \(rows) WHERE e = \(number)", orderedBy: "z")
    }
  }

  /// Records an update, without changed properties, of each row in ``touched`` that gets a new version number.
  func recordTouchedRows() throws(ManagedObjectError) {
    guard historyNumber != nil else { return }
    for index in try entityIndices(of: Self.touched) {
      try record(
        .update, "e, z, \(hex(history.bits(Int32(index), [])))",
        "FROM \(Self.touched) WHERE r = 1 AND e = \(schema.numbers[index])", orderedBy: "z")
    }
  }

  /// Records the deletions of rows, before they are deleted, with the values that the model says to preserve.
  func recordDeletions() throws(ManagedObjectError) {
    guard let historyNumber else { return }
    for index in try entityIndices() {
      let number = schema.numbers[index]
      var columns: [String] = []
      var values = ""
      var files: [(tombstone: String, column: String)] = []
      let preserved = HistoryTables.preserved(ManagedObjectModel.Entity(model: schema.model, index: index))
      try history.addTombstoneColumns(preserved.count)
      for (position, attribute) in preserved.enumerated() {
        guard case .attribute(let column, _, let isExternal) = schema.slotColumns[index][attribute.slot] else {
          continue
        }
        let name = table.columns[column].name.sqlName
        columns.append("ZTOMBSTONE\(position)")
        values += ", t.\(name)"
        if isExternal { files.append(("ZTOMBSTONE\(position)", name)) }
      }
      try record(
        .delete, "b.e, b.z, NULL\(values)", columns: columns,
        "FROM \(Self.rows) b JOIN \(table.name.sqlName) t ON t.Z_PK = b.z WHERE b.e = \(number)", orderedBy: "b.z")
      for (tombstone, column) in files { try preserveFiles(tombstone, column, number, historyNumber) }
    }
  }

  /// In a column with preserved values, replaces the names of external files by the contents of the files.
  private func preserveFiles(
    _ tombstone: String, _ column: String, _ entity: Int64, _ transaction: Int64
  ) throws(ManagedObjectError) {
    let names = try database.statement(
      "SELECT b.z, t.\(column) FROM \(Self.rows) b JOIN \(table.name.sqlName) t ON t.Z_PK = b.z "
        + "WHERE b.e = \(entity) AND \(ExternalData.isInFile("t.\(column)"))", .pairs)
    try names.forEachRow { () throws(ManagedObjectError) in
      let external = state.reading.externalData
      let content = try external.content(of: names.data(1))
      try run(
        "UPDATE ACHANGE SET \(tombstone) = ?1 WHERE ZTRANSACTIONID = ?2 AND ZENTITY = ?3 AND ZENTITYPK = ?4",
        content.map { .blob(external.value($0)) } ?? .null, .integer(transaction), .integer(entity),
        .integer(names.integer(0)))
    }
  }

  private func hex(_ data: Data) -> String {
    "x'" + data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
  }
}
