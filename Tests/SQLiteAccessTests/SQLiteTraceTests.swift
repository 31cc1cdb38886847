import Foundation
import SQLiteAccess
import Synchronization
import TestSupport
import Testing

@Suite("Traces of SQLite statements") struct SQLiteTraceTests {
  /// The events of a trace.
  private final class Log: Sendable {
    let events = Mutex<[SQLiteTrace.Event]>([])

    func trace(includesValues: Bool = false) -> SQLiteTrace {
      SQLiteTrace(includesValues: includesValues) { event in self.events.withLock { $0.append(event) } }
    }

    var all: [SQLiteTrace.Event] { events.withLock { $0 } }
  }

  private func database() throws -> SQLiteDatabase {
    let database = try SQLiteDatabase.inMemory()
    try database.execute(script: "CREATE TABLE note (key TEXT, size INTEGER)")
    return database
  }

  @Test func `each executed statement is reported once, with its rows`() throws {
    let (database, log) = (try database(), Log())
    database.setTrace(log.trace())
    for size in 0..<3 { try database.run("INSERT INTO note VALUES (\("a"), \(size))") }
    let rows = try database.rows("SELECT size FROM note WHERE size > \(0)")
    #expect(try rows.map { try $0[0] as Int } == [1, 2])
    let events = log.all
    #expect(
      events.map(\.sql) == Array(repeating: "INSERT INTO note VALUES (?, ?)", count: 3) + [
        "SELECT size FROM note WHERE size > ?"
      ])
    #expect(events.map(\.rowCount) == [0, 0, 0, 2])
    #expect(events.allSatisfy { $0.sqlWithValues == nil && $0.duration >= .zero && $0.path == ":memory:" })
  }

  @Test func `values are reported only on request`() throws {
    let (database, log) = (try database(), Log())
    database.setTrace(log.trace(includesValues: true))
    try database.run("INSERT INTO note VALUES (\("it's"), \(7))")
    #expect(log.all.map(\.sqlWithValues) == ["INSERT INTO note VALUES ('it''s', 7)"])
    #expect(log.all[0].description.hasSuffix(" ms, 0 rows: INSERT INTO note VALUES ('it''s', 7)"))
    database.setTrace(log.trace())
    try database.run("INSERT INTO note VALUES (\("it's"), \(7))")
    #expect(log.all.count == 2 && log.all[1].sqlWithValues == nil)
    #expect(!log.all[1].description.contains("it's"))
  }

  @Test func `statements that fail, nested ones and those of scripts are reported`() throws {
    let (database, log) = (try database(), Log())
    try database.execute(script: "CREATE UNIQUE INDEX i ON note (key); INSERT INTO note VALUES ('a', 1), ('b', 2)")
    database.setTrace(log.trace())
    #expect(throws: SQLiteError.self) { try database.run("INSERT INTO note VALUES (\("a"), 0)") }
    let outer = try database.rows("SELECT key FROM note")
    while let row = try outer.next() {
      let key = try row[0] as String
      #expect(try database.value("SELECT size FROM note WHERE key = \(key)") as Int? != nil)
    }
    try database.execute(script: "DELETE FROM note;SELECT 1")
    let kinds = log.all.map { "\($0.sql.prefix(8)) \($0.rowCount)" }
    #expect(kinds == ["INSERT I 0", "SELECT s 1", "SELECT s 1", "SELECT k 2", "DELETE F 0", "SELECT 1 1"], "\(kinds)")
  }

  @Test func `triggers belong to their statement`() throws {
    let (database, log) = (try database(), Log())
    try database.execute(
      script: "CREATE TRIGGER t AFTER INSERT ON note BEGIN UPDATE note SET size = size + 1; END")
    database.setTrace(log.trace())
    try database.run("INSERT INTO note VALUES (\("a"), 0)")
    #expect(log.all.map(\.sql) == ["INSERT INTO note VALUES (?, 0)"])
  }

  @Test func `a removed trace is not called`() throws {
    let (database, log) = (try database(), Log())
    database.setTrace(log.trace())
    let rows = try database.rows("SELECT 1")
    #expect(try rows.next() != nil)
    database.setTrace(nil)
    try database.run("INSERT INTO note VALUES ('a', 0)")
    #expect(try rows.next() == nil)
    #expect(log.all.isEmpty)
  }
}
