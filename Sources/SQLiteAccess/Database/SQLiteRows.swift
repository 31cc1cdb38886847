public import FoundationEssentials

/// The rows of a statement, which SQLite computes one after another.
///
/// ```swift
/// let rows = try database.rows("SELECT key, title FROM note ORDER BY title")
/// while let row = try rows.next() {
///   let (key, title): (String, String?) = try (row["key"], row["title"])
///   print(key, title ?? "")
/// }
/// ```
///
/// The statement reads the database until the last row was read, or until this value and its rows are released.
public final class SQLiteRows {
  fileprivate let statement: SQLiteStatement
  private let execution: Int
  private var hasEnded = false

  init(_ statement: SQLiteStatement, execution: Int) {
    self.statement = statement
    self.execution = execution
  }

  deinit { statement.end(execution) }

  /// The names of the columns.
  public var columnNames: [String] { statement.columnNames }

  /// Returns the next row; nil after the last one. The previous row cannot be read any more.
  ///
  /// - Throws: An error of the statement; ``SQLiteResultCode/misuse`` if the statement was executed again.
  public func next() throws(SQLiteError) -> SQLiteRow? {
    if hasEnded { return nil }
    // After an error there are no more rows.
    hasEnded = true
    guard try statement.step(execution) else { return nil }
    hasEnded = false
    return SQLiteRow(self, number: statement.rowNumber)
  }

  /// Returns the results of a function for all remaining rows.
  ///
  /// ```swift
  /// let titles = try database.rows("SELECT title FROM note").map { try $0[0] as String }
  /// ```
  ///
  /// - Throws: An error of the statement, or of `transform`.
  /// - Complexity: Proportional to the number of rows. All results are in memory.
  public func map<Result>(_ transform: (SQLiteRow) throws -> Result) throws -> [Result] {
    var results: [Result] = []
    while let row = try next() { results.append(try transform(row)) }
    return results
  }
}

/// The current row of a statement. The indices of columns start at 0.
///
/// A value is read only as the type that it has, so no value is converted silently. A row is current until the next row
/// is read; reading from it later throws.
public struct SQLiteRow {
  /// The rows. Their statement would be reset if they were released before this row.
  private let rows: SQLiteRows
  private let number: Int

  fileprivate init(_ rows: SQLiteRows, number: Int) {
    self.rows = rows
    self.number = number
  }

  private var statement: PreparedStatement<SQLiteError> { rows.statement.statement }

  /// The number of columns.
  public var columnCount: Int { Int(statement.columnCount) }

  /// The value in a column.
  ///
  /// ```swift
  /// let size: Int = try row[0]
  /// let icon: Data? = try row[1]   // nil for NULL
  /// ```
  ///
  /// - Throws: ``SQLiteResultCode/mismatch`` if the value has another storage class, is a text that is not valid UTF-8,
  ///   or is not valid for the type; ``SQLiteResultCode/range`` if the column does not exist;
  ///   ``SQLiteResultCode/misuse`` if the row is not current.
  public subscript<Value: SQLiteConvertible>(_ column: Int) -> Value {
    get throws(SQLiteError) {
      let index = try checked(column)
      let stored = try value(index)
      if let value = Value(sqliteValue: stored) { return value }
      throw mismatch(index, "expected \(Value.typeName), found \(stored.kind)")
    }
  }

  /// The value in the column with a name, which `AS` sets in the statement.
  ///
  /// ```swift
  /// let rows = try database.rows("SELECT title, COUNT(*) AS count FROM note GROUP BY title")
  /// while let row = try rows.next() { print(try row["title"] as String, try row["count"] as Int) }
  /// ```
  ///
  /// - Throws: The errors of the subscript with an index; ``SQLiteResultCode/range`` also if several columns have the
  ///   name.
  public subscript<Value: SQLiteConvertible>(_ name: String) -> Value {
    get throws(SQLiteError) {
      try checkIsCurrent()
      return try self[Int(try rows.statement.column(named: name))]
    }
  }

  /// Returns the bytes of the text in a column, which need not be valid UTF-8.
  ///
  /// - Throws: ``SQLiteResultCode/mismatch`` if the value is not a text; ``SQLiteResultCode/range`` if the column does
  ///   not exist; ``SQLiteResultCode/misuse`` if the row is not current.
  public func bytesOfText(_ column: Int) throws(SQLiteError) -> Data {
    let index = try checked(column)
    guard statement.kind(index) == .text else {
      throw mismatch(index, "expected a text, found \(try value(index).kind)")
    }
    // Bytes are read after the text, which may have to be converted from UTF-16.
    _ = statement.validText(index)
    return statement.data(index)
  }

  private func checkIsCurrent() throws(SQLiteError) {
    if number != rows.statement.rowNumber { throw statement.misuse("the row is not the current one any more") }
  }

  private func checked(_ column: Int) throws(SQLiteError) -> Int32 {
    try checkIsCurrent()
    if column >= 0, column < columnCount { return Int32(column) }
    throw statement.misuse("expected a column from 0 to \(columnCount - 1), found \(column)", .range)
  }

  private func value(_ column: Int32) throws(SQLiteError) -> SQLiteValue {
    switch statement.kind(column) {
    case .integer: return .integer(statement.integer(column))
    case .real: return .real(statement.real(column))
    case .text:
      if let text = statement.validText(column) { return .text(text) }
      throw mismatch(column, "the text is not valid UTF-8")
    case .blob: return .blob(statement.data(column))
    default: return .null
    }
  }

  private func mismatch(_ column: Int32, _ message: String) -> SQLiteError {
    let name = statement.columnName(column)
    return statement.misuse("column \(column) (\(name)): \(message)", .mismatch)
  }
}
