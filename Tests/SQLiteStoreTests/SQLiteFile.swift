import Foundation
import TestSupport

/// Does something to a database file with Python's `sqlite3`.
enum SQLiteFile {
  /// Executes statements.
  ///
  /// - Parameter setup: lines of Python to run first, with the connection in `store`.
  static func change(_ file: URL, _ statements: String, setup: String = "") throws {
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

  /// What `PRAGMA integrity_check` says: `ok` for a sound file.
  static func integrity(of file: URL) throws -> String {
    let program = """
      import sqlite3, sys
      store = sqlite3.connect(sys.argv[1])
      print("\\n".join(row[0] for row in store.execute("PRAGMA integrity_check")))
      """
    return try run(program, [file.path]).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @discardableResult
  static func run(_ program: String, _ arguments: [String], input: Data = Data()) throws -> String {
    let result = try Program.run(
      URL(filePath: "/usr/bin/env"), ["python3", "-c", program] + arguments, input: input)
    guard result.status == 0 else { throw StoreReader.Failure(description: result.errors) }
    return result.text
  }
}
