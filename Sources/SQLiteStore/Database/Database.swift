package import FoundationEssentials
package import ManagedObjects
internal import PropertyLists
package import SQLQueries
package import SQLiteAccess

/// A connection to the file of a store.
package typealias Database = Connection<ManagedObjectError>

/// A prepared statement of a store.
package typealias Statement = PreparedStatement<ManagedObjectError>

extension Connection where Failure == ManagedObjectError {
  package typealias Mode = ConnectionMode

  /// Opens a file, and registers the functions of this package.
  ///
  /// - Parameters:
  ///   - name: The path to show in messages; nil to use `path`.
  ///   - options: The time to wait for other processes.
  /// - Throws: ``ManagedObjectError/Code/open`` if the file cannot be opened. SQLite reads the file only at the first
  ///   statement, which throws if the file is not a database.
  package convenience init(
    path: String, named name: String? = nil, _ mode: ConnectionMode, _ options: ConnectionOptions = ConnectionOptions()
  ) throws(ManagedObjectError) {
    try self.init(opening: path, named: name, mode, options)
    try registerFunctions()
  }

  /// Sets the journal mode if `mode` is not nil, and returns the mode that the database then has.
  func journalMode(_ mode: String? = nil) throws(ManagedObjectError) -> String {
    let statement = try statement(mode.map { "PRAGMA journal_mode = \($0)" } ?? "PRAGMA journal_mode")
    defer { statement.reset() }
    return try statement.step() ? statement.text(0) : ""
  }
}

extension PreparedStatement where Failure == ManagedObjectError {
  func bind(_ parameter: Int32, _ value: SQLValue) throws(ManagedObjectError) {
    switch value {
    case .null: try bindNull(parameter)
    case .integer(let value): try bind(parameter, value)
    case .real(let value): try bind(parameter, value)
    case .text(let value): try bind(parameter, value)
    case .blob(let value): try bind(parameter, value)
    }
  }

  func bind(_ values: [SQLValue]) throws(ManagedObjectError) {
    for (index, value) in values.enumerated() { try bind(Int32(index + 1), value) }
  }

  package func value(_ column: Int32) -> SQLValue {
    switch kind(column) {
    case .integer: .integer(integer(column))
    case .real: .real(real(column))
    case .text: .text(text(column))
    case .blob: .blob(data(column))
    default: .null
    }
  }
}

/// A column of the current row of a statement.
package struct StatementColumn: StoredValue {
  let statement: Statement
  let column: Int32

  package init(statement: Statement, column: Int32) {
    self.statement = statement
    self.column = column
  }

  package var kind: StorageClass { statement.kind(column) }
  package var integer: Int64 { statement.integer(column) }
  package var real: Double { statement.real(column) }
  package var text: String { statement.text(column) }
  package var data: Data { statement.data(column) }
}
