import Foundation
import SQLiteAccess
import TestSupport
import Testing

/// A note with a picture.
private struct Note: Equatable {
  var id: Int64?
  var date: Date
  var content: String
  var picture: Data?
}

/// The data access object of notes in a table.
private struct NoteDAO {
  let database: SQLiteDatabase

  init(_ file: URL) throws {
    database = try SQLiteDatabase(path: file.path)
    try database.execute(
      script: """
        CREATE TABLE IF NOT EXISTS note (
          id INTEGER PRIMARY KEY AUTOINCREMENT, date REAL NOT NULL UNIQUE, content TEXT NOT NULL, picture BLOB)
        """)
  }

  @discardableResult
  func create(_ note: Note) throws -> Int64 {
    try database.run(
      """
      INSERT INTO note (id, date, content, picture)
      VALUES (\(note.id), \(note.date.timeIntervalSince1970), \(note.content), \(note.picture))
      """)
    return database.lastInsertedRowID
  }

  func createOrReplace(_ note: Note) throws {
    try database.run(
      """
      INSERT OR REPLACE INTO note (id, date, content, picture)
      VALUES (\(note.id), \(note.date.timeIntervalSince1970), \(note.content), \(note.picture))
      """)
  }

  /// Returns true if the note exists.
  func modify(_ note: Note) throws -> Bool {
    try database.run("UPDATE note SET content = \(note.content), picture = \(note.picture) WHERE id = \(note.id)")
    return database.changeCount == 1
  }

  func remove(_ id: Int64) throws -> Bool {
    try database.run("DELETE FROM note WHERE id = \(id)")
    return database.changeCount == 1
  }

  func findAll() throws -> [Note] {
    try database.rows("SELECT id, date, content, picture FROM note ORDER BY date").map(note)
  }

  func find(_ id: Int64) throws -> Note? {
    try database.rows("SELECT id, date, content, picture FROM note WHERE id = \(id)").map(note).first
  }

  private func note(_ row: SQLiteRow) throws -> Note {
    Note(
      id: try row["id"], date: Date(timeIntervalSince1970: try row["date"]), content: try row["content"],
      picture: try row["picture"])
  }
}

@Suite("A program that keeps notes in an SQLite table") struct NoteDatabaseProgramTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "Notes.db") }
  private let date = Date(timeIntervalSince1970: 1_000_000)

  @Test func `notes are created, found, changed and removed by their ID`() throws {
    let dao = try NoteDAO(file)
    let milk = try dao.create(Note(date: date, content: "Milk"))
    let bread = try dao.create(Note(date: date - 1, content: "'); DROP TABLE note; --", picture: Data([0, 255])))
    #expect(try dao.findAll().map(\.id) == [bread, milk])
    #expect(try dao.find(bread)?.picture == Data([0, 255]))
    #expect(try dao.modify(Note(id: milk, date: date, content: "Butter")))
    #expect(try dao.find(milk) == Note(id: milk, date: date, content: "Butter"))
    #expect(try dao.remove(milk))
    #expect(try !dao.remove(milk) && !dao.modify(Note(id: milk, date: date, content: "")))
    #expect(try dao.find(milk) == nil)
    // Another connection reads the file.
    #expect(try NoteDAO(file).findAll().map(\.id) == [bread])
  }

  @Test func `INSERT OR REPLACE replaces the note with the same date`() throws {
    let dao = try NoteDAO(file)
    let first = try dao.create(Note(date: date, content: "Milk", picture: Data([1])))
    try dao.createOrReplace(Note(date: date, content: "Bread"))
    let notes = try dao.findAll()
    #expect(notes.map(\.content) == ["Bread"] && notes[0].picture == nil && notes[0].id != first)
    try dao.createOrReplace(Note(id: notes[0].id, date: date + 1, content: "Butter"))
    #expect(try dao.findAll().map(\.content) == ["Butter"])
    let error = #expect(throws: SQLiteError.self) { try dao.create(Note(date: date + 1, content: "Tea")) }
    #expect(error?.code == .constraintUnique && error?.sql?.contains("INSERT INTO note") == true)
  }

  @Test func `a transaction that fails changes nothing`() throws {
    let dao = try NoteDAO(file)
    try dao.create(Note(date: date, content: "Milk"))
    #expect(throws: SQLiteError.self) {
      try dao.database.transaction {
        try dao.create(Note(date: date + 1, content: "Bread"))
        try dao.create(Note(date: date, content: "Butter"))
      }
    }
    #expect(try dao.findAll().map(\.content) == ["Milk"])
    try dao.database.transaction {
      for number in 1...100 { try dao.create(Note(date: date + Double(number), content: "Note \(number)")) }
    }
    #expect(try dao.database.value("SELECT COUNT(*) FROM note") == 101)
  }

  @Test func `a prepared statement binds and reads all storage classes`() throws {
    let database = try NoteDAO(file).database
    try database.execute(script: "CREATE TABLE sample (value)")
    let values: [SQLiteValue] = [.null, .integer(.min), .real(0.1), .text("é\u{0}日"), .blob(Data([0, 1, 255]))]
    let insert = try database.prepare("INSERT INTO sample (value) VALUES (?)")
    for value in values {
      try insert.bind(value, at: 1)
      try insert.run()
    }
    #expect(try database.rows("SELECT value FROM sample").map { try $0[0] as SQLiteValue } == values)
  }

  @Test func `the user version says which tables a file has`() throws {
    let database = try NoteDAO(file).database
    #expect(try database.userVersion() == 0)
    try database.transaction {
      try database.execute(script: "ALTER TABLE note ADD COLUMN author TEXT NOT NULL DEFAULT 'unknown'")
      try database.setUserVersion(1)
    }
    try NoteDAO(file).create(Note(date: date, content: "Milk"))
    #expect(try database.value("SELECT author FROM note") == "unknown")
    #expect(try SQLiteDatabase(path: file.path, .readOnly).userVersion() == 1)
  }
}
