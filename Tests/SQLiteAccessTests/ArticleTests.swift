import Foundation
import SQLiteAccess
import TestSupport
import Testing

/// Checks that all code in the articles is compiled and run.
@Suite("The code in the articles about SQLite by hand") struct ArticleTests {
  private static let folder = "Sources/SQLiteAccess/Documentation.docc/"
  private static let examples = "Tests/SQLiteAccessTests/ArticleTests.swift"

  @Test(arguments: ["SQLiteAccess.md", "UseSQLiteByHand.md"])
  func `each code line of an article is in a test`(_ name: String) throws {
    let article = try ArticleText(path: Self.folder + name)
    #expect(try !article.blocks.isEmpty && article.blocks(notIn: Self.examples) == [])
  }

  private let files = TemporaryFolder(isInMemory: true)
  private var path: String { files.url.appending(path: "films.db").path }

  @Test func `the overview reads what it wrote`() throws {
    let (name, age) = ("Ada", 36)
    let database = try SQLiteDatabase(path: path)
    try database.execute(script: "CREATE TABLE IF NOT EXISTS person (name TEXT PRIMARY KEY, age INTEGER)")
    try database.run("INSERT INTO person (name, age) VALUES (\(name), \(age))")
    let adults = try database.rows("SELECT name FROM person WHERE age >= \(18)").map { try $0["name"] as String }
    #expect(adults == ["Ada"])
  }

  private func makeDatabase() throws -> SQLiteDatabase {
    let database = try SQLiteDatabase(path: path, journalMode: .wal)
    try database.transaction {
      guard try database.userVersion() < 1 else { return }
      try database.execute(script: "CREATE TABLE film (title TEXT PRIMARY KEY, year INTEGER NOT NULL, poster BLOB)")
      try database.setUserVersion(1)
    }
    return database
  }

  private func films(_ database: SQLiteDatabase) throws -> [[SQLiteValue]] {
    try database.rows("SELECT title, year, poster FROM film ORDER BY title").map { row in
      try (0..<3).map { try row[$0] }
    }
  }

  @Test func `rows are inserted, replaced and updated`() throws {
    _ = try makeDatabase()
    let database = try makeDatabase()
    let (title, titles, year, poster) = ("M", ["M", "Z"], 1931, Data([1, 2]))
    try database.run("INSERT INTO film (title, year, poster) VALUES (\(title), \(year), \(poster))")
    try database.run("INSERT OR REPLACE INTO film (title, year) VALUES (\(title), \(year))")
    try database.run("UPDATE film SET year = year + 1 WHERE title IN (\(list: titles))")
    #expect(try films(database) == [["M", 1932, nil]])
    try database.run("UPDATE film SET poster = \(poster)")
    try database.run(
      """
      INSERT INTO film (title, year) VALUES (\(title), \(year))
      ON CONFLICT (title) DO UPDATE SET year = excluded.year
      """)
    #expect(try films(database) == [["M", 1931, .blob(Data([1, 2]))]])
  }

  @Test func `rows of a prepared statement are read and deleted`() throws {
    struct Film { let title: String, year: Int }
    let films = [Film(title: "Z", year: 1969), Film(title: "Ran", year: 1985), Film(title: "Heat", year: 1995)]
    let database = try makeDatabase()
    let insert = try database.prepare("INSERT INTO film (title, year) VALUES (:title, :year)")
    for film in films {
      try insert.bind(film.title, to: ":title")
      try insert.bind(film.year, to: ":year")
      try insert.run()
    }
    var printed: [String] = []
    func print(_ title: String, _ year: Int, _ size: Int) { printed.append("\(title) \(year) \(size)") }
    let rows = try database.rows("SELECT title, year, poster FROM film ORDER BY year")
    while let row = try rows.next() {
      let (title, year): (String, Int) = (try row["title"], try row["year"])
      let poster: Data? = try row["poster"]
      print(title, year, poster?.count ?? 0)
    }
    let count: Int? = try database.value("SELECT COUNT(*) FROM film")
    #expect(printed == ["Z 1969 0", "Ran 1985 0", "Heat 1995 0"] && count == 3)

    try database.transaction {
      try database.run("DELETE FROM film WHERE year < \(1990)")
      try? database.transaction {
        try database.run("UPDATE film SET year = NULL")  // fails, and changes nothing
      }
    }
    #expect(try self.films(database) == [["Heat", 1995, nil]])

    try database.addFunction("initial", argumentCount: 1, isDeterministic: true) { arguments in
      String(sqliteValue: arguments[0])?.first.map { String($0) }
    }
    let initials = try database.rows("SELECT DISTINCT initial(title) FROM film").map { try $0[0] as String? }
    #expect(initials == ["H"])
  }

  @Test func `a second film with the same title is an error`() throws {
    let database = try makeDatabase()
    let (title, year) = ("M", 1931)
    var printed: [String] = []
    func print(_ text: String) { printed.append(text) }
    func add() throws(SQLiteError) {
      do throws(SQLiteError) {
        try database.run("INSERT INTO film (title, year) VALUES (\(title), \(year))")
      } catch {
        guard error.code == .constraintPrimaryKey else { throw error }
        print("there is a film \(title) already")
      }
    }
    try add()
    #expect(printed == [])
    try add()
    #expect(printed == ["there is a film M already"])
  }

  @Test func `a large blob is written and read`() throws {
    let database = try makeDatabase()
    let (title, year, size) = ("M", 1931, 1 << 20)
    try database.run("INSERT OR REPLACE INTO film (title, year, poster) VALUES (\(title), \(year), zeroblob(\(size)))")
    let blob = try database.blob(
      table: "film", column: "poster", row: database.lastInsertedRowID, isWritable: true)
    try blob.write(Data([1, 2, 3]), at: 0)
    let beginning = try blob.read(0..<3)
    try blob.close()  // commits, if there is no transaction
    #expect(beginning == Data([1, 2, 3]) && blob.count == size)
  }

  @Test func `a database is copied`() throws {
    let database = try makeDatabase()
    let backupPath = files.url.appending(path: "copy.db").path
    try database.run("INSERT INTO film (title, year) VALUES ('M', 1931)")
    try database.copy(to: try SQLiteDatabase(path: backupPath))
    let received = try SQLiteDatabase(path: backupPath, .readOnly, workLimit: .sizeOfFile)
    let titlesInCopy = try received.rows("SELECT title FROM film").map { try $0[0] as String }
    #expect(titlesInCopy == ["M"])
  }
}
