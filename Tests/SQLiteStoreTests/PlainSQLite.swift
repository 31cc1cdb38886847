import CSQLite
import Foundation
import ManagedObjects
import Testing

/// A database connection that uses SQLite directly, without the store.
final class PlainSQLite {
  private var handle: OpaquePointer?

  init(_ file: URL) throws {
    try #require(sqlite3_open(file.path, &handle) == SQLITE_OK)
    sqlite3_busy_timeout(handle, 10_000)
  }

  deinit { sqlite3_close(handle) }

  /// Runs a statement, and returns the rows. Values are text; a null value is `NULL`.
  @discardableResult
  func run(_ sql: String) throws -> [[String]] {
    var statement: OpaquePointer?
    try #require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, "\(sql): \(message)")
    defer { sqlite3_finalize(statement) }
    var rows: [[String]] = []
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return rows }
      try #require(code == SQLITE_ROW, "\(sql): \(message)")
      rows.append(
        (0..<sqlite3_column_count(statement)).map { column in
          sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL"
        })
    }
  }

  private var message: String { String(cString: sqlite3_errmsg(handle)) }

  /// True if no other connection holds a write lock. Does not wait for it.
  var canWrite: Bool {
    sqlite3_busy_timeout(handle, 1)
    defer {
      sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
      sqlite3_busy_timeout(handle, 10_000)
    }
    return sqlite3_exec(handle, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK
  }

  /// Returns the first column of all rows.
  func column(_ sql: String) throws -> [String] { try run(sql).map { $0[0] } }

  /// Returns the defects that SQLite finds in the file.
  func defects() throws -> [String] { try column("PRAGMA integrity_check").filter { $0 != "ok" } }
}

/// Returns the code of the error that a function throws, `validation` for an error of another type, or nil.
func errorCode(_ body: () throws -> Void) -> ManagedObjectError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? ManagedObjectError)?.code ?? .validation
  }
}
