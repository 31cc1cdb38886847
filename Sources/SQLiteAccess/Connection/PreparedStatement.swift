internal import CSQLite
package import FoundationEssentials

/// A prepared SQL statement. Bind values to its parameters, then step through its rows.
///
/// If other modules call the generic code of this class, it is not specialized for their `Failure`. So functions that
/// are called for each row use `Failure` only to throw it.
@safe package final class PreparedStatement<Failure: ConnectionFailure> {
  @usableFromInline let handle: OpaquePointer
  private unowned let connection: Connection<Failure>
  private let workLimit: WorkLimit
  /// The number of the last call of ``Connection/statement(_:_:)`` that returned this statement. The least recently
  /// used statements have the lowest numbers.
  var lastUse = 0
  /// True between the first step and the end of the rows.
  private(set) var isActive = false
  /// True if the caller may still bind values or step, so that the cache must not return this statement again.
  var isHeld = false
  /// The number of virtual machine instructions since the first step.
  private var work: Int64 = 0
  private var rowCount = 0
  /// True if binding the next text resets the size of the bound texts to 0 first.
  private var bindsAnew = false
  /// The number of bytes of text and data read since the first step.
  private var byteCount = 0
  private var limits: WorkLimit.Statement
  /// Memory for the short texts that are bound, so that SQLite need not allocate a copy of each. Each parameter has its
  /// own part, because SQLite keeps the values of all parameters that are not bound again.
  private var texts: UnsafeMutableRawBufferPointer?
  private static var textSize: Int { 256 }
  private static var textCount: Int32 { 32 }

  init(_ handle: OpaquePointer, _ connection: Connection<Failure>, _ limits: WorkLimit.Statement) {
    unsafe self.handle = handle
    self.connection = connection
    workLimit = connection.workLimit
    self.limits = limits
  }

  deinit {
    unsafe sqlite3_finalize(handle)
    unsafe texts?.deallocate()
  }

  /// Advances to the next row. After the last row, the statement can be stepped again from the start.
  ///
  /// - Returns: False after the last row.
  package func step() throws(Failure) -> Bool {
    do { return try advance() } catch { throw Failure(error) }
  }

  /// See ``step()``.
  private func advance() throws(SQLiteError) -> Bool {
    let isFirst = !isActive
    workLimit.resume(limits, work: work)
    let code = unsafe sqlite3_step(handle)
    work = workLimit.work
    limits = workLimit.statement
    if isFirst {
      connection.executedStatements += 1
      // SQLite prepares a statement again if the schema has changed since it was prepared.
      let preparations = unsafe sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 1)
      if preparations != 0 { connection.mayHaveOtherTables = true }
    }
    if code == SQLITE_ROW {
      isActive = true
      rowCount += 1
      if rowCount > workLimit.greatestRowCount || byteCount > workLimit.greatestByteCount {
        try workLimit.check(rowCount: rowCount, byteCount: byteCount, limits.growth)
      }
      return true
    }
    let error = code == SQLITE_DONE ? nil : connection.error(code, .running, sql)
    reset()
    if let error { throw error }
    return false
  }

  /// Executes the statement, and ignores its rows.
  package func run() throws(Failure) { while try step() {} }

  /// Resets the statement, so that it can be executed again with the same bound values.
  package func reset() {
    isActive = false
    work = 0
    rowCount = 0
    byteCount = 0
    bindsAnew = true
    unsafe sqlite3_reset(handle)
  }

  /// Resets the statement and its bindings.
  package func clear() {
    reset()
    unsafe sqlite3_clear_bindings(handle)
  }

  /// Calls `body` for each row. `body` reads the current row from this statement.
  package func forEachRow(_ body: () throws(Failure) -> Void) throws(Failure) {
    defer { reset() }
    while try step() { try body() }
  }
}

/// Functions that bind values to parameters. The indices of parameters start at 1.
extension PreparedStatement {
  package func bind(_ parameter: Int32, _ value: Int64) throws(Failure) {
    try check(unsafe sqlite3_bind_int64(handle, parameter, value))
  }

  package func bind(_ parameter: Int32, _ value: Double) throws(Failure) {
    try check(unsafe sqlite3_bind_double(handle, parameter, value))
  }

  package func bindNull(_ parameter: Int32) throws(Failure) {
    try check(unsafe sqlite3_bind_null(handle, parameter))
  }

  package func bind(_ parameter: Int32, _ text: String) throws(Failure) {
    let bytes = text.utf8Span.span
    limits.boundSize = bindsAnew ? bytes.count : limits.boundSize + bytes.count
    bindsAnew = false
    let code = unsafe bytes.withUnsafeBytes { bytes in
      // An active statement refuses the text, and keeps the old one.
      let isKept = bytes.count <= Self.textSize && 1...Self.textCount ~= parameter && !isActive
      let kept = isKept ? unsafe keep(bytes, parameter) : nil
      // A null pointer would bind NULL, not an empty text.
      let start = unsafe kept ?? bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)
      return unsafe sqlite3_bind_text64(
        handle, parameter, start?.assumingMemoryBound(to: CChar.self), UInt64(bytes.count),
        kept == nil ? sqlite_transient() : nil, UInt8(SQLITE_UTF8))
    }
    try check(code)
  }

  /// Copies a short text to the memory of its parameter. It stays there until the parameter is bound again.
  private func keep(_ text: UnsafeRawBufferPointer, _ parameter: Int32) -> UnsafeRawPointer? {
    if unsafe texts == nil {
      let count = Int(min(parameterCount, Self.textCount))
      unsafe texts = .allocate(byteCount: max(count, 1) * Self.textSize, alignment: 1)
    }
    let end = Int(parameter) * Self.textSize
    guard let texts = unsafe texts, end <= texts.count else { return nil }
    let part = unsafe UnsafeMutableRawBufferPointer(rebasing: texts[(end - Self.textSize)..<end])
    unsafe part.copyMemory(from: text)
    return UnsafeRawPointer(part.baseAddress)
  }

  package func bind(_ parameter: Int32, _ data: Data) throws(Failure) {
    let code = unsafe data.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return unsafe sqlite3_bind_zeroblob(handle, parameter, 0) }
      return unsafe sqlite3_bind_blob64(handle, parameter, start, UInt64(bytes.count), sqlite_transient())
    }
    try check(code)
  }

  /// Binds an object that the statement passes to an SQL function. The statement retains the object until the parameter
  /// is bound again.
  package func bind(_ parameter: Int32, object: AnyObject) throws(Failure) {
    let pointer = unsafe Unmanaged.passRetained(object).toOpaque()
    try check(
      unsafe sqlite_bind_object(handle, parameter, pointer) { pointer in
        if let pointer = unsafe pointer { unsafe Unmanaged<AnyObject>.fromOpaque(pointer).release() }
      })
  }

  /// The number of parameters. It is also the index of the last parameter.
  package var parameterCount: Int32 { unsafe sqlite3_bind_parameter_count(handle) }

  /// Returns the index of the parameter with a name, such as `:key`; nil if the statement does not have it.
  package func parameter(named name: String) -> Int32? {
    // A name ends at a null character in C.
    let index = name.utf8.contains(0) ? 0 : unsafe sqlite3_bind_parameter_index(handle, name)
    return index == 0 ? nil : index
  }

  /// Returns the name of a parameter; nil for a parameter without a name, such as `?`.
  package func parameterName(_ parameter: Int32) -> String? {
    unsafe sqlite3_bind_parameter_name(handle, parameter).map { unsafe String(cString: $0) }
  }

  /// The SQL of this statement, without bound values.
  package var sql: String { unsafe sqlite3_sql(handle).map { unsafe String(cString: $0) } ?? "" }

  /// True if the statement does not change the database.
  package var isReadOnly: Bool { unsafe sqlite3_stmt_readonly(handle) != 0 }

  private func failure(_ code: Int32) -> Failure { connection.failure(code, .running, sql) }

  /// Returns the error for a wrong use of this statement.
  package func misuse(_ message: String, _ code: SQLiteResultCode = .misuse) -> Failure {
    connection.misuse(message, sql, code)
  }

  private func check(_ code: Int32) throws(Failure) {
    if code != SQLITE_OK { throw failure(code) }
  }
}

/// Functions that return the values of the current row. The indices of columns start at 0.
extension PreparedStatement {
  /// Returns the value in a column. It is valid until the next step. To read the kind and the content of a value, this
  /// is faster than the other functions, which find the column each time.
  ///
  /// - Complexity: O(1). Does not count the bytes of the value.
  @inlinable package func columnValue(_ column: Int32) -> SQLiteValueReference {
    // Memory-safe: only one thread at a time uses the connection.
    unsafe SQLiteValueReference(sqlite3_column_value(handle, column))
  }

  package func kind(_ column: Int32) -> StorageClass {
    StorageClass(code: unsafe sqlite3_column_type(handle, column))
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

  /// Adds the bytes of a text of the current row to an array. They may be invalid UTF-8.
  package func append(_ text: SQLiteValueReference, to bytes: inout [UInt8]) {
    guard let start = unsafe sqlite3_value_text(text.value) else { return }
    let count = Int(unsafe sqlite3_value_bytes(text.value))
    byteCount += count
    unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
  }

  /// Returns the text in a column; nil if it is not valid UTF-8.
  package func validText(_ column: Int32) -> String? {
    guard let start = unsafe sqlite3_column_text(handle, column) else { return nil }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    byteCount += count
    return unsafe String(validating: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  package func data(_ column: Int32) -> Data {
    guard let start = unsafe sqlite3_column_blob(handle, column) else { return Data() }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    byteCount += count
    return unsafe Data(bytes: start, count: count)
  }

  /// Returns the number of bytes of the text or blob in a column.
  package func byteCount(_ column: Int32) -> Int { Int(unsafe sqlite3_column_bytes(handle, column)) }

  package var columnCount: Int32 { unsafe sqlite3_column_count(handle) }

  package func columnName(_ column: Int32) -> String {
    unsafe sqlite3_column_name(handle, column).map { unsafe String(cString: $0) } ?? ""
  }
}
