package import ManagedObjects

/// The texts of transactions: author, context name, bundle identifier and process name.
///
/// A row of `ATRANSACTION` has the numbers of the texts in `ATRANSACTIONSTRING`. Older files do not have that table.
/// They have the texts in other columns of the row.
package enum HistoryTexts {
  /// The columns of the texts in older files. The columns of the numbers have the suffix `TS`.
  private static let columns = ["ZAUTHOR", "ZCONTEXTNAME", "ZBUNDLEID", "ZPROCESSID"]

  /// Returns the SQL of the columns to select: those of the numbers, and then those of the texts. Missing columns are
  /// `NULL`.
  package static func columns(_ file: FileSchema, prefix: String = "") -> [String] {
    (columns.map { $0 + "TS" } + columns).map { file.has(HistoryTables.transactions, $0) ? prefix + $0 : "NULL" }
  }

  /// Returns the rows of `ATRANSACTIONSTRING`.
  package static func read(_ database: Database) throws(ManagedObjectError) -> [Int64: String] {
    var texts: [Int64: String] = [:]
    let statement = try database.statement("SELECT Z_PK, ZNAME FROM \(HistoryTables.texts)")
    try statement.forEachRow { texts[statement.integer(0)] = statement.text(1) }
    return texts
  }

  /// Returns the text in the current row of a statement that selects ``columns(_:prefix:)``.
  ///
  /// - Parameters:
  ///   - column: The index of the text's number in the row.
  ///   - find: Returns the text with a number in `ATRANSACTIONSTRING`; nil if it is missing.
  package static func text(
    _ statement: Statement, _ column: Int32, find: (Int64) throws(ManagedObjectError) -> String?
  ) throws(ManagedObjectError) -> String? {
    if !statement.isNull(column) { return try find(statement.integer(column)) }
    let older = column + Int32(columns.count)
    return statement.isNull(older) ? nil : statement.text(older)
  }
}
