import CSQLite
import Foundation
import TestSupport

/// Changes a database file without the code under test.
enum SQLiteFile {
  /// Executes statements.
  static func change(_ file: URL, _ statements: String) throws {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    let code = sqlite3_open(file.path, &database)
    guard code == SQLITE_OK, sqlite3_exec(database, statements, nil, nil, nil) == SQLITE_OK else {
      throw StoreReader.Failure(description: String(cString: sqlite3_errmsg(database)))
    }
  }

  /// Executes statements with Python's `sqlite3`.
  ///
  /// - Parameter setup: Python code to run first, with the connection in `store`.
  static func change(_ file: URL, _ statements: String, setup: String) throws {
    let program = """
      import sqlite3, sys
      store = sqlite3.connect(sys.argv[1])
      \(setup)
      store.executescript(sys.stdin.read())
      store.commit()
      store.close()
      """
    try run(program, [file.path], input: Data(statements.utf8))
  }

  /// Returns the result of `PRAGMA integrity_check`: `ok` for a valid file.
  static func integrity(of file: URL) throws -> String {
    try PlainSQLite(file).column("PRAGMA integrity_check").joined(separator: "\n")
  }

  @discardableResult
  static func run(_ program: String, _ arguments: [String], input: Data = Data()) throws -> String {
    let result = try Program.runPython(["-c", program] + arguments, input: input)
    guard result.status == 0 else { throw StoreReader.Failure(description: result.errors) }
    return result.text
  }
}
