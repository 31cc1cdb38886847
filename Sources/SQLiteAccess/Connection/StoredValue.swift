internal import CSQLite
package import FoundationEssentials

/// The type of a value in a database, as SQLite's type code.
package struct StorageClass: Equatable {
  @usableFromInline let code: Int32

  @inlinable init(code: Int32) { self.code = code }

  @inlinable package static var null: StorageClass { StorageClass(code: SQLITE_NULL) }
  @inlinable package static var integer: StorageClass { StorageClass(code: SQLITE_INTEGER) }
  @inlinable package static var real: StorageClass { StorageClass(code: SQLITE_FLOAT) }
  @inlinable package static var text: StorageClass { StorageClass(code: SQLITE_TEXT) }
  @inlinable package static var blob: StorageClass { StorageClass(code: SQLITE_BLOB) }
}

/// A value that SQLite returns in a row, or passes to a function.
package protocol StoredValue {
  var kind: StorageClass { get }
  var integer: Int64 { get }
  var real: Double { get }
  var text: String { get }
  var data: Data { get }
}

/// A column of the current row of a statement.
package struct StatementColumn<Failure: ConnectionFailure>: StoredValue {
  @usableFromInline let statement: PreparedStatement<Failure>
  @usableFromInline let column: Int32

  @inlinable package init(statement: PreparedStatement<Failure>, column: Int32) {
    self.statement = statement
    self.column = column
  }

  @inlinable package var kind: StorageClass { statement.kind(column) }
  @inlinable package var integer: Int64 { statement.integer(column) }
  @inlinable package var real: Double { statement.real(column) }
  @inlinable package var text: String { statement.text(column) }
  @inlinable package var data: Data { statement.data(column) }
}
