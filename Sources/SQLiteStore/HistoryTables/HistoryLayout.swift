package import ManagedObjects

/// The tables of the history that a file has.
package struct HistoryLayout: Sendable {
  /// The number of columns for the preserved values of deleted objects.
  let tombstoneCount: Int
  /// True if the texts of transactions are in a table of their own. Files of older frameworks do not have that table.
  let hasTexts: Bool
  /// The reasons why this package cannot continue the history.
  package private(set) var obstacles: [String] = []
  /// True if the file has tables of CloudKit, which reads the history.
  let isMirrored: Bool

  /// Returns nil if a file has no history.
  package init?(_ file: FileSchema, _ database: Database) throws(ManagedObjectError) {
    let names = [HistoryTables.changes, HistoryTables.transactions]
    guard names.contains(where: { file.tables[$0] != nil }) else { return nil }
    tombstoneCount = file.tombstoneColumns.count
    hasTexts = file.tables[HistoryTables.texts] != nil
    isMirrored = file.isMirrored
    for name in names + (hasTexts ? [HistoryTables.texts] : []) {
      guard let table = file.tables[name] else {
        obstacles.append("the history has no table \(name)")
        continue
      }
      let expected = HistoryTables.columns(of: name, hasTexts: hasTexts, tombstoneCount: tombstoneCount)
      if !table.hasNumbers || Set(table.columns) != Set(expected) || !table.computedColumns.isEmpty {
        obstacles.append("the table \(name) of the history has other columns than those of Core Data")
      }
    }
    for (number, name) in HistoryTables.entities {
      let statement = try database.statement("SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
      try statement.bind(1, number)
      defer { statement.reset() }
      if try statement.step(), statement.text(0) != name {
        obstacles.append(
          "Z_PRIMARYKEY has the name \(statement.text(0).quoted) for the number \(number), expected \(name)")
      }
    }
  }
}

extension FileSchema {
  /// True if the file has tables of CloudKit.
  var isMirrored: Bool { tables.keys.contains { $0.hasPrefix("ANSCK") } }
}
