import FoundationEssentials
import SQLiteAccess

/// Notes in two SQLite tables with hand-written SQL: the simplest way to keep them in a database.
///
/// README.md says when this is enough.
final class NoteTable: Notebook {
  private let database: SQLiteDatabase

  /// Opens the database in a file. Creates the file and the tables if they do not exist.
  init(_ file: URL) throws {
    // If another process is writing, a statement waits up to 10 seconds instead of failing immediately.
    database = try SQLiteDatabase(path: file.path, busyTimeout: .seconds(10))
    try makeTables()
  }
}

/// The operations of a notebook.
extension NoteTable {
  func add(_ note: Note, forKey key: String) throws {
    try database.transaction {
      do throws(SQLiteError) {
        try database.run(
          """
          INSERT INTO note (key, title, author, text, changed, published)
          VALUES (\(key), \(note.title), \(note.author), \(note.text), \(note.changed.timeIntervalSince1970),
            \(note.isPublished))
          """)
      } catch {
        throw error.code == .constraintUnique ? NotebookError.alreadyThere(key) : error as any Error
      }
      try addTags(of: note, key)
    }
  }

  func note(_ key: String) throws -> Note {
    // The transaction makes both statements see the same state of the file.
    try database.transaction(.deferred) { try find(key) }
  }

  func change(_ key: String, _ change: (inout Note) -> Void) throws {
    // The transaction keeps other processes from changing the note between the statements.
    try database.transaction {
      var note = try find(key)
      change(&note)
      try database.run(
        """
        UPDATE note SET title = \(note.title), author = \(note.author), text = \(note.text),
          changed = \(note.changed.timeIntervalSince1970), published = \(note.isPublished) WHERE key = \(key)
        """)
      try database.run("DELETE FROM tag WHERE note = \(key)")
      try addTags(of: note, key)
    }
  }

  func remove(_ key: String) throws {
    try database.transaction {
      // ON DELETE CASCADE also removes the tags.
      try database.run("DELETE FROM note WHERE key = \(key)")
      guard database.changeCount == 1 else { throw NotebookError.noSuchNote(key) }
    }
  }

  func titles() throws -> [(key: String, title: String)] {
    try database.rows("SELECT key, title FROM note ORDER BY number").map { (try $0["key"], try $0["title"]) }
  }

  private func find(_ key: String) throws -> Note {
    let found = try database.rows("SELECT title, author, text, changed, published FROM note WHERE key = \(key)")
    guard let row = try found.next() else { throw NotebookError.noSuchNote(key) }
    return Note(
      title: try row["title"], author: try row["author"], text: try row["text"],
      changed: Date(timeIntervalSince1970: try row["changed"]), isPublished: try row["published"],
      tags: try database.rows("SELECT name FROM tag WHERE note = \(key) ORDER BY place").map { try $0[0] })
  }

  private func addTags(of note: Note, _ key: String) throws {
    for (position, name) in note.tags.enumerated() {
      // Ignores duplicate tags.
      try database.run(
        """
        INSERT INTO tag (note, place, name) VALUES (\(key), \(position), \(name))
        ON CONFLICT (note, name) DO NOTHING
        """)
    }
  }
}

/// Creation of the tables.
extension NoteTable {
  /// The application ID in the header of this program's files: "Note" in ASCII.
  private static let applicationID: Int32 = 0x4E6F_7465

  private func makeTables() throws {
    if try isMade() { return }
    try database.transaction {
      // Another process may have created the tables in the meantime.
      if try isMade() { return }
      try database.execute(
        script: """
          CREATE TABLE note (
            number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, title TEXT NOT NULL, author TEXT NOT NULL,
            text TEXT NOT NULL, changed REAL NOT NULL, published INTEGER NOT NULL);
          CREATE TABLE tag (
            note TEXT NOT NULL REFERENCES note (key) ON DELETE CASCADE, place INTEGER NOT NULL, name TEXT NOT NULL,
            PRIMARY KEY (note, name));
          """)
      try database.setApplicationID(Self.applicationID)
    }
  }

  /// Returns true if the database has the tables, and false if it is empty.
  ///
  /// - Throws: ``NotebookError/notOfNotes(_:)`` if the database belongs to another program.
  private func isMade() throws -> Bool {
    // One statement, because another process may create the tables between two.
    let header = try database.rows(
      "SELECT application_id, (SELECT COUNT(*) FROM sqlite_schema) AS count FROM pragma_application_id")
    guard let row = try header.next() else { return false }
    let (id, count): (Int32, Int) = (try row["application_id"], try row["count"])
    if id == Self.applicationID { return true }
    guard id == 0, count == 0 else { throw NotebookError.notOfNotes(database.path) }
    return false
  }
}
