import CSQLite
import FoundationEssentials

/// Notes in two SQLite tables with hand-written SQL: the simplest way to keep them in a database.
///
/// ``run(_:_:_:)`` executes all statements: it binds values, steps through rows and finalizes. README.md says when this
/// is enough.
final class NoteTable: Notebook {
  private let path: String
  private var database: OpaquePointer?

  /// Opens the database in a file. Creates the file and the tables if they do not exist.
  init(_ file: URL) throws {
    path = file.path
    let code = sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
    // SQLite returns a connection even if the file cannot be opened. It contains the message, and `deinit` closes it.
    guard code == SQLITE_OK else { throw failure("open") }
    // If another process is writing, a statement waits up to 10 seconds instead of failing immediately.
    sqlite3_busy_timeout(database, 10_000)
    sqlite3_extended_result_codes(database, 1)
    try run("PRAGMA foreign_keys = ON")
    try makeTables()
  }

  // All statements have been finalized, so this cannot fail.
  deinit { sqlite3_close(database) }
}

/// The operations of a notebook.
extension NoteTable {
  func add(_ note: Note, forKey key: String) throws {
    try transaction(.writing) {
      do {
        try run(
          "INSERT INTO note (key, title, author, text, changed, published) VALUES (?, ?, ?, ?, ?, ?)",
          [.text(key)] + Self.values(note))
      } catch let failure as SQLiteFailure where failure.code == Self.uniqueConstraint {
        throw NotebookError.alreadyThere(key)
      }
      try addTags(of: note, key)
    }
  }

  /// `SQLITE_CONSTRAINT_UNIQUE`. Swift does not import this macro.
  private static let uniqueConstraint = SQLITE_CONSTRAINT | 8 << 8

  func note(_ key: String) throws -> Note {
    // The transaction makes both statements see the same state of the file.
    try transaction(.reading) { try find(key) }
  }

  func change(_ key: String, _ change: (inout Note) -> Void) throws {
    // The transaction keeps other processes from changing the note between the statements.
    try transaction(.writing) {
      var note = try find(key)
      change(&note)
      try run(
        "UPDATE note SET title = ?, author = ?, text = ?, changed = ?, published = ? WHERE key = ?",
        Self.values(note) + [.text(key)])
      try run("DELETE FROM tag WHERE note = ?", [.text(key)])
      try addTags(of: note, key)
    }
  }

  func remove(_ key: String) throws {
    try transaction(.writing) {
      // ON DELETE CASCADE also removes the tags.
      try run("DELETE FROM note WHERE key = ?", [.text(key)])
      guard sqlite3_changes(database) == 1 else { throw NotebookError.noSuchNote(key) }
    }
  }

  func titles() throws -> [(key: String, title: String)] {
    var titles: [(key: String, title: String)] = []
    try run("SELECT key, title FROM note ORDER BY number") { titles.append(($0.text(0), $0.text(1))) }
    return titles
  }

  private func find(_ key: String) throws -> Note {
    var found: Note?
    try run("SELECT title, author, text, changed, published FROM note WHERE key = ?", [.text(key)]) { row in
      found = Note(
        title: row.text(0), author: row.text(1), text: row.text(2),
        changed: Date(timeIntervalSince1970: row.real(3)), isPublished: row.integer(4) != 0, tags: [])
    }
    guard var note = found else { throw NotebookError.noSuchNote(key) }
    try run("SELECT name FROM tag WHERE note = ? ORDER BY place", [.text(key)]) { note.tags.append($0.text(0)) }
    return note
  }

  private func addTags(of note: Note, _ key: String) throws {
    for (position, name) in note.tags.enumerated() {
      // Ignores duplicate tags.
      try run(
        "INSERT INTO tag (note, place, name) VALUES (?, ?, ?) ON CONFLICT (note, name) DO NOTHING",
        [.text(key), .integer(Int64(position)), .text(name)])
    }
  }

  /// The values of a note in the order of the columns.
  private static func values(_ note: Note) -> [SQLiteValue] {
    [
      .text(note.title), .text(note.author), .text(note.text), .real(note.changed.timeIntervalSince1970),
      .integer(note.isPublished ? 1 : 0),
    ]
  }
}

/// Creation of the tables.
extension NoteTable {
  /// The application ID in the header of this program's files: "Note" in ASCII.
  private static let applicationID: Int64 = 0x4E6F_7465

  private func makeTables() throws {
    if try isMade() { return }
    try transaction(.writing) {
      // Another process may have created the tables in the meantime.
      if try isMade() { return }
      try run(
        """
        CREATE TABLE note (
          number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, title TEXT NOT NULL, author TEXT NOT NULL,
          text TEXT NOT NULL, changed REAL NOT NULL, published INTEGER NOT NULL)
        """)
      try run(
        """
        CREATE TABLE tag (
          note TEXT NOT NULL REFERENCES note (key) ON DELETE CASCADE, place INTEGER NOT NULL, name TEXT NOT NULL,
          PRIMARY KEY (note, name))
        """)
      try run("PRAGMA application_id = \(Self.applicationID)")
    }
  }

  /// Returns true if the database has the tables, and false if it is empty.
  ///
  /// - Throws: ``NotebookError/notOfNotes(_:)`` if the database belongs to another program.
  private func isMade() throws -> Bool {
    var (id, count): (Int64, Int64) = (0, 0)
    try run("SELECT application_id, (SELECT COUNT(*) FROM sqlite_master) FROM pragma_application_id") { row in
      (id, count) = (row.integer(0), row.integer(1))
    }
    if id == Self.applicationID { return true }
    guard id == 0, count == 0 else { throw NotebookError.notOfNotes(path) }
    return false
  }
}

/// Execution of statements.
extension NoteTable {
  private enum Access: String {
    /// All statements see the state at the first read.
    case reading = "BEGIN"
    /// Waits for other writers here, at the beginning of the transaction.
    case writing = "BEGIN IMMEDIATE"
  }

  /// Runs a function in a transaction, which is rolled back if the function throws.
  private func transaction<Result>(_ access: Access, _ body: () throws -> Result) throws -> Result {
    try run(access.rawValue)
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // Some errors have already ended the transaction. The first error is the one to report.
      try? run("ROLLBACK")
      throw error
    }
  }

  /// Runs one statement.
  ///
  /// Values are bound. They never become part of the statement's text, so that they cannot inject SQL.
  ///
  /// - Parameters:
  ///   - values: One value for each question mark.
  ///   - body: Called with each row.
  private func run(_ sql: String, _ values: [SQLiteValue] = [], _ body: (SQLiteRow) throws -> Void = { _ in }) throws {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
    // Finalizes on every exit: a connection with open statements cannot be closed.
    defer { sqlite3_finalize(statement) }
    for (index, value) in zip(Int32(1)..., values) {
      let code =
        switch value {
        case .text(let text):
          sqlite3_bind_text64(statement, index, text, UInt64(text.utf8.count), Self.copying, UInt8(SQLITE_UTF8))
        case .real(let number): sqlite3_bind_double(statement, index, number)
        case .integer(let number): sqlite3_bind_int64(statement, index, number)
        }
      guard code == SQLITE_OK else { throw failure(sql) }
    }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: try body(SQLiteRow(statement: statement))
      case SQLITE_DONE: return
      default: throw failure(sql)
      }
    }
  }

  /// `SQLITE_TRANSIENT`, another macro that Swift does not import: SQLite copies the text before the call returns.
  private static let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  /// The last error of the connection.
  private func failure(_ action: String) -> SQLiteFailure {
    SQLiteFailure(
      code: sqlite3_extended_errcode(database), message: String(cString: sqlite3_errmsg(database)), path: path,
      action: action)
  }
}

/// A value to bind to a statement.
private enum SQLiteValue {
  case text(String)
  case real(Double)
  case integer(Int64)
}

/// The current row of a statement. Columns are counted from 0.
private struct SQLiteRow {
  let statement: OpaquePointer?

  func text(_ column: Int32) -> String {
    guard let bytes = sqlite3_column_text(statement, column) else { return "" }
    // Reads the text before its length, because reading it can convert the stored value.
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  func real(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
}

/// An error of SQLite.
struct SQLiteFailure: Error, CustomStringConvertible {
  /// An extended result code.
  let code: Int32
  let message: String
  let path: String
  /// The statement that failed.
  let action: String

  var description: String { "\(path): \(message) (SQLite error \(code), in: \(action))" }
}
