internal import CSQLite

/// Prepares the statements of a text one after another.
struct StatementReader {
  private let sql: String
  /// The bytes of the text, with a null byte at the end.
  private let text: [CChar]
  /// The offset of the next statement.
  private var offset = 0

  /// Creates a reader of the statements in a text.
  ///
  /// - Throws: ``SQLiteResultCode/misuse`` if the text contains a null character, because SQLite would ignore the text
  ///   after it.
  init<Failure>(_ sql: String, _ connection: Connection<Failure>) throws(Failure) {
    if sql.utf8.contains(0) { throw connection.misuse("the SQL contains a null character", sql) }
    self.sql = sql
    text = Array(sql.utf8CString)
  }

  /// Prepares the next statement. Skips white space, comments and empty statements.
  ///
  /// - Returns: A statement that the caller finalizes; nil at the end.
  mutating func next<Failure>(_ connection: Connection<Failure>) throws(Failure) -> OpaquePointer? {
    var prepared: OpaquePointer?
    while unsafe prepared == nil, text[offset] != 0 {
      let start = offset
      let (code, end) = unsafe text.withUnsafeBufferPointer { text in
        var tail: UnsafePointer<CChar>?
        let first = unsafe text.baseAddress.map { unsafe $0 + start }
        let code = unsafe sqlite3_prepare_v2(connection.handle, first, -1, &prepared, &tail)
        guard let first = unsafe first, let tail = unsafe tail else { return (code, start) }
        return unsafe (code, start + first.distance(to: tail))
      }
      // After an error, the end of the statement is unknown.
      if code != SQLITE_OK { throw connection.failure(code, .preparing, sql, start: start) }
      if end == start { break }
      offset = end
    }
    return unsafe prepared
  }
}

extension Connection {
  /// Executes all statements of a text, and ignores their rows.
  package func executeScript(_ sql: String) throws(Failure) {
    var reader = try StatementReader(sql, self)
    let work = WorkLimit.Statement(growth: .pairs, size: sql.utf8.count)
    workLimit.begin(work)
    while let handle = unsafe try reader.next(self) {
      try unsafe PreparedStatement(handle, self, work).run()
      workLimit.begin(work)
    }
  }
}
