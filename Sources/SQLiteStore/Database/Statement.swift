internal import CSQLite
package import FoundationEssentials
package import ManagedObjects
package import SQLQueries

/// A prepared SQL statement. Bind values to its parameters, then step through its rows.
@safe package final class Statement {
  private let handle: OpaquePointer
  private unowned let database: Database
  private let workLimit: WorkLimit
  /// The number of the last call of ``Database/statement(_:_:)`` that returned this statement. The least recently used
  /// statements have the lowest numbers.
  var lastUse = 0
  /// True between the first step and the end of the rows.
  private(set) var isActive = false
  /// The number of virtual machine instructions since the first step.
  private var work: Int64 = 0
  private var rowCount = 0
  /// The number of bytes of text and data read since the first step.
  private var byteCount = 0
  private var limits: WorkLimit.Statement

  init(_ handle: OpaquePointer, _ database: Database, _ limits: WorkLimit.Statement) {
    unsafe self.handle = handle
    self.database = database
    workLimit = database.workLimit
    self.limits = limits
  }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Advances to the next row. After the last row, the statement can be stepped again from the start.
  ///
  /// - Returns: False after the last row.
  package func step() throws(ManagedObjectError) -> Bool {
    let isFirst = !isActive
    workLimit.work = work
    workLimit.statement = limits
    let code = unsafe sqlite3_step(handle)
    work = workLimit.work
    limits = workLimit.statement
    if isFirst {
      database.executedStatements += 1
      // SQLite prepares a statement again if the schema has changed since it was prepared.
      if unsafe sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 1) != 0 { database.mayHaveOtherTables = true }
    }
    if code == SQLITE_ROW {
      isActive = true
      rowCount += 1
      if rowCount > workLimit.greatestRowCount || byteCount > workLimit.greatestByteCount {
        try workLimit.check(rowCount: rowCount, byteCount: byteCount, limits.growth)
      }
      return true
    }
    let failure = code == SQLITE_DONE ? nil : database.failure(code)
    reset()
    if let failure { throw failure }
    return false
  }

  /// Executes a statement that returns no rows.
  func run() throws(ManagedObjectError) { while try step() {} }

  /// Resets the statement, so that it can be executed again with the same bound values.
  package func reset() {
    isActive = false
    work = 0
    rowCount = 0
    byteCount = 0
    limits.boundSize = 0
    unsafe sqlite3_reset(handle)
  }

  /// Resets the statement and its bindings.
  func clear() {
    reset()
    unsafe sqlite3_clear_bindings(handle)
  }

  /// Calls `body` for each row. `body` reads the current row from this statement.
  package func forEachRow(_ body: () throws(ManagedObjectError) -> Void) throws(ManagedObjectError) {
    defer { reset() }
    while try step() { try body() }
  }
}

/// Binding of values to parameters. The indices of parameters start at 1.
extension Statement {
  package func bind(_ parameter: Int32, _ value: Int64) throws(ManagedObjectError) {
    try check(unsafe sqlite3_bind_int64(handle, parameter, value))
  }

  func bind(_ parameter: Int32, _ value: Double) throws(ManagedObjectError) {
    try check(unsafe sqlite3_bind_double(handle, parameter, value))
  }

  func bindNull(_ parameter: Int32) throws(ManagedObjectError) {
    try check(unsafe sqlite3_bind_null(handle, parameter))
  }

  func bind(_ parameter: Int32, _ text: String) throws(ManagedObjectError) {
    let bytes = text.utf8Span.span
    limits.boundSize += bytes.count
    let code = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
        // A null pointer would bind NULL, not an empty text.
        unsafe sqlite3_bind_text64(
          handle, parameter, characters.baseAddress ?? UnsafePointer(bitPattern: 1), UInt64(characters.count),
          sqlite_transient(), UInt8(SQLITE_UTF8))
      }
    }
    try check(code)
  }

  func bind(_ parameter: Int32, _ data: Data) throws(ManagedObjectError) {
    let code = unsafe data.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return unsafe sqlite3_bind_zeroblob(handle, parameter, 0) }
      return unsafe sqlite3_bind_blob64(handle, parameter, start, UInt64(bytes.count), sqlite_transient())
    }
    try check(code)
  }

  func bind(_ parameter: Int32, _ value: SQLValue) throws(ManagedObjectError) {
    switch value {
    case .null: try bindNull(parameter)
    case .integer(let value): try bind(parameter, value)
    case .real(let value): try bind(parameter, value)
    case .text(let value): try bind(parameter, value)
    case .blob(let value): try bind(parameter, value)
    }
  }

  /// Binds an object that the statement passes to an SQL function. The statement retains the object until the parameter
  /// is bound again.
  func bind(_ parameter: Int32, object: FunctionObject) throws(ManagedObjectError) {
    let pointer = unsafe Unmanaged.passRetained(object).toOpaque()
    try check(
      unsafe sqlite_bind_object(handle, parameter, pointer) { pointer in
        if let pointer = unsafe pointer { unsafe Unmanaged<FunctionObject>.fromOpaque(pointer).release() }
      })
  }

  /// The number of parameters, which is the index of the last one.
  var parameterCount: Int32 { unsafe sqlite3_bind_parameter_count(handle) }

  func bind(_ values: [SQLValue]) throws(ManagedObjectError) {
    for (index, value) in values.enumerated() { try bind(Int32(index + 1), value) }
  }

  private func check(_ code: Int32) throws(ManagedObjectError) {
    if code != SQLITE_OK { throw database.failure(code) }
  }
}

/// The values of the current row. The indices of columns start at 0.
extension Statement {
  func kind(_ column: Int32) -> SQLValue.Kind {
    SQLValue.Kind(code: unsafe sqlite3_column_type(handle, column))
  }

  package func isNull(_ column: Int32) -> Bool { kind(column) == .null }

  package func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  package func real(_ column: Int32) -> Double { unsafe sqlite3_column_double(handle, column) }

  /// Returns the text in a column. Replaces invalid UTF-8.
  package func text(_ column: Int32) -> String {
    guard let start = unsafe sqlite3_column_text(handle, column) else { return "" }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    byteCount += count
    return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  package func data(_ column: Int32) -> Data {
    guard let start = unsafe sqlite3_column_blob(handle, column) else { return Data() }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    byteCount += count
    return unsafe Data(bytes: start, count: count)
  }

  /// Returns the number of bytes of the text or blob in a column.
  func byteCount(_ column: Int32) -> Int { Int(unsafe sqlite3_column_bytes(handle, column)) }

  package func value(_ column: Int32) -> SQLValue {
    switch kind(column) {
    case .integer: .integer(integer(column))
    case .real: .real(real(column))
    case .text: .text(text(column))
    case .blob: .blob(data(column))
    default: .null
    }
  }

  var columnCount: Int32 { unsafe sqlite3_column_count(handle) }

  func columnName(_ column: Int32) -> String {
    unsafe sqlite3_column_name(handle, column).map { unsafe String(cString: $0) } ?? ""
  }
}

extension SQLValue {
  /// The type of a value in a database, as SQLite's type code.
  package struct Kind: Equatable {
    let code: Int32

    static var null: Kind { Kind(code: SQLITE_NULL) }
    static var integer: Kind { Kind(code: SQLITE_INTEGER) }
    static var real: Kind { Kind(code: SQLITE_FLOAT) }
    static var text: Kind { Kind(code: SQLITE_TEXT) }
    static var blob: Kind { Kind(code: SQLITE_BLOB) }
  }
}

/// A value that SQLite returns in a row, or passes to a function.
package protocol StoredValue {
  var kind: SQLValue.Kind { get }
  var integer: Int64 { get }
  var real: Double { get }
  var text: String { get }
  var data: Data { get }
}

/// A column of the current row of a statement.
package struct StatementColumn: StoredValue {
  let statement: Statement
  let column: Int32

  @inline(__always)
  package init(statement: Statement, column: Int32) {
    self.statement = statement
    self.column = column
  }

  @inline(__always)
  package var kind: SQLValue.Kind { statement.kind(column) }
  @inline(__always)
  package var integer: Int64 { statement.integer(column) }
  @inline(__always)
  package var real: Double { statement.real(column) }
  @inline(__always)
  package var text: String { statement.text(column) }
  @inline(__always)
  package var data: Data { statement.data(column) }
}
