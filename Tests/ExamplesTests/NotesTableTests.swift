import CSQLite
import Foundation
import ManagedObjects
import PropertyLists
import SQLiteStore
import TestSupport
import Testing

/// Hand-written SQL.
@Suite("The notes example with an SQLite table") struct NotesTableTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var url: URL { folder.url.appending(path: "notes.db") }

  private func notes(_ command: String, _ arguments: String...) throws -> Program {
    try Program.run("notes", [command, "--file", url.path] + arguments)
  }

  /// The first column of the result of a statement in SQLite itself.
  private func column(_ sql: String, _ url: URL? = nil) throws -> [String] {
    var database: OpaquePointer?
    try #require(sqlite3_open((url ?? self.url).path, &database) == SQLITE_OK)
    defer { sqlite3_close(database) }
    var statement: OpaquePointer?
    try #require(sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK)
    defer { sqlite3_finalize(statement) }
    var column: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      column.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL")
    }
    return column
  }

  private static let texts = [
    "'); DROP TABLE note; --", "\"quoted\" ?1 :a", "", "Zoë 日本 \u{1F600}", "a\nb\tc", "%_*",
  ]

  @Test(arguments: LongForm.isWanted ? texts : [texts.joined(separator: " "), ""])
  func `any text is stored unchanged`(_ text: String) throws {
    #expect(try notes("add", "--", text, text).status == 0)
    #expect(try notes("edit", "--text", text, "--tag", text, "--", text).status == 0)
    let shown = try notes("show", "--", text).text
    #expect(shown.hasPrefix(text + "\nby ") && shown.hasSuffix("\ntags: \(text)\n\(text)\n"), "\(shown)")
    #expect(try column("SELECT key FROM note") == [text])
    #expect(try notes("remove", "--", text).status == 0)
    #expect(try column("SELECT key FROM note").isEmpty)
  }

  @Test func `removing a note removes only its own tags`() throws {
    _ = try notes("add", "a", "First", "--tag", "home", "--tag", "shop", "--tag", "home")
    _ = try notes("add", "b", "Second", "--tag", "shop")
    #expect(try column("SELECT note || ' ' || name FROM tag ORDER BY note, place") == ["a home", "a shop", "b shop"])
    _ = try notes("edit", "a", "--tag", "work")
    #expect(try column("SELECT note || ' ' || name FROM tag ORDER BY note, place") == ["a work", "b shop"])
    _ = try notes("remove", "a")
    #expect(try column("SELECT note || ' ' || name FROM tag ORDER BY note, place") == ["b shop"])
    #expect(try column("PRAGMA foreign_key_check").isEmpty)
  }

  @Test func `a database of another program, or another file, is left unchanged`() throws {
    _ = try column("CREATE TABLE invoice (number INTEGER)")
    let store = folder.url.appending(path: "store.db")
    _ = try SQLiteStore(store, model: ManagedObjectModel(entities: [EntityDescription("Invoice")]))
    let text = folder.url.appending(path: "text.db")
    try Data(String(repeating: "This is no database. ", count: 100).utf8).write(to: text)
    for (url, message) in [
      (url, "is a database of another program"), (store, "is a database of another program"),
      (text, "file is not a database"),
    ] {
      let before = try Data(contentsOf: url)
      let run = try Program.run("notes", ["add", "--file", url.path, "a", "First"])
      #expect(run.status == 1)
      #expect(run.errors.contains(message) && run.errors.contains(url.path), "\(run.errors)")
      #expect(try Data(contentsOf: url) == before)
    }
  }

  @Test func `an error names the file and the statement, and changes nothing`() throws {
    _ = try notes("add", "a", "First", "--tag", "home")
    // The last statement of a change fails after the others have succeeded.
    _ = try column(
      "CREATE TRIGGER no BEFORE INSERT ON tag WHEN NEW.name = 'work' BEGIN SELECT RAISE(ABORT, 'not here'); END")
    let run = try notes("edit", "a", "--title", "Second", "--tag", "work")
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("Error: \(url.path): not here (SQLite error "), "\(run.errors)")
    #expect(run.errors.contains("INSERT INTO tag"))
    #expect(try notes("list").text == "a\tFirst\n")
    #expect(try column("SELECT name FROM tag") == ["home"])
    let folder = try Program.run("notes", ["list", "--store", "table", "--file", folder.url.path])
    #expect(folder.status == 1 && folder.errors.contains("it is not a regular file"), "\(folder.errors)")
  }
}
