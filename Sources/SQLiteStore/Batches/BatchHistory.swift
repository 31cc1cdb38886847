internal import FoundationEssentials
internal import ManagedObjects
internal import SQLQueries

/// Functions that record a batch request in the history.
extension BatchTransaction {
  private static let entity = HistoryTables.entities[0].number

  /// Returns the number of the transaction, which is recorded with its first change.
  private func transaction() throws(ManagedObjectError) -> Int64 {
    if let historyNumber { return historyNumber }
    let number = try history.begin(author: origin.author, contextName: origin.contextName)
    historyNumber = number
    return number
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
    guard state.tracksHistory else { return }
    let count = try number("SELECT COUNT(*) \(clauses)")
    if count == 0 { return }
    let last = try HistoryTables.nextKey(of: 0, database, count: count)
    let names = columns.map { ", \($0)" }.joined()
    try run(
      "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZTRANSACTIONID, ZENTITY, ZENTITYPK, ZCOLUMNS\(names)) "
        + "SELECT ?1 + ROW_NUMBER() OVER (ORDER BY \(order)), \(Self.entity), \(kind.rawValue), ?2, \(selection) "
        + clauses,
      .integer(last - count), .integer(try transaction()))
  }

  func recordInsertions(from first: Int64, through last: Int64) throws(ManagedObjectError) {
    try record(
      .insert, "Z_ENT, Z_PK, NULL", "FROM \(table.name.sqlName) WHERE Z_PK BETWEEN \(first) AND \(last)",
      orderedBy: "Z_PK")
  }

  /// Records the updates of rows whose values change.
  ///
  /// - Parameters:
  ///   - rows: The name of a table with the columns of ``rows``.
  ///   - updated: The updated columns, in the order of their bits in the column `f`.
  func recordUpdates(of rows: String, _ updated: [HistoryColumns.Column]) throws(ManagedObjectError) {
    guard state.tracksHistory else { return }
    let columns = try history.columns()
    for index in try entityIndices(of: rows) {
      guard let columns = columns[index] else { continue }
      let number = schema.numbers[index]
      var cases = ""
      let flags = try database.statement("SELECT DISTINCT f FROM \(rows) WHERE e = \(number) AND f <> 0", .pairs)
      var values: [Int64] = []
      try flags.forEachRow { values.append(flags.integer(0)) }
      for value in values {
        let changed = updated.enumerated().filter { value >> Int64(min($0.offset, 62)) & 1 == 1 }.map(\.element)
        cases += " WHEN \(value) THEN \(hex(columns.data(changed.compactMap(columns.bit))))"
      }
      if values.isEmpty { continue }
      try record(
        .update, "e, z, CASE f\(cases) END", "FROM \(rows) WHERE e = \(number) AND f <> 0", orderedBy: "z")
    }
  }

  /// Records an update of each row in ``touched`` that gets a new version number.
  func recordTouchedRows() throws(ManagedObjectError) {
    guard state.tracksHistory else { return }
    let columns = try history.columns()
    for index in try entityIndices(of: Self.touched) {
      guard let columns = columns[index] else { continue }
      let number = schema.numbers[index]
      // For each row, the list of its side changes.
      let lists =
        "(SELECT t.e, t.z, (SELECT group_concat(c) FROM (SELECT c FROM \(Self.sides) s WHERE s.e = t.e AND s.z = t.z "
        + "ORDER BY c)) AS l FROM \(Self.touched) t WHERE t.r = 1 AND t.e = \(number))"
      var cases = ""
      let found = try database.statement("SELECT DISTINCT l FROM \(lists) WHERE l IS NOT NULL", .pairs)
      try found.forEachRow {
        let list = found.text(0)
        let bits = list.split(separator: ",").compactMap { Int($0) }.compactMap { columns.bit(sideColumns[$0]) }
        cases += " WHEN '\(list)' THEN \(hex(columns.data(bits)))"
      }
      let none = hex(columns.data([]))
      try record(
        .update, "e, z, \(cases.isEmpty ? none : "CASE l\(cases) ELSE \(none) END")", "FROM \(lists)", orderedBy: "z")
    }
  }

  /// Records the deletions of rows, before they are deleted, with the values that the model says to preserve.
  func recordDeletions() throws(ManagedObjectError) {
    guard state.tracksHistory else { return }
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
      for (tombstone, column) in files { try preserveFiles(tombstone, column, number, transaction()) }
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
