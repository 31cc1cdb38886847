#if SwiftLog
  import Logging
  import Synchronization
  import Testing

  @testable import SQLiteAccess

  @Suite("Statements in swift-log") struct SQLiteTraceLoggingTests {
    private struct Entry: Sendable {
      let level: Logger.Level
      let message: String
      let metadata: Logger.Metadata
    }

    private final class Log: Sendable {
      let entries = Mutex<[Entry]>([])

      /// Returns a logger that adds its entries to this log.
      func logger(_ level: Logger.Level = .trace) -> Logger {
        var logger = Logger(label: "test") { _ in Handler(log: self) }
        logger.logLevel = level
        return logger
      }

      var all: [Entry] { entries.withLock { $0 } }
    }

    private struct Handler: LogHandler {
      let log: Log
      var metadata: Logger.Metadata = [:]
      var logLevel = Logger.Level.trace

      subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
      }

      func log(event: LogEvent) {
        let entry = Entry(level: event.level, message: "\(event.message)", metadata: event.metadata ?? [:])
        log.entries.withLock { $0.append(entry) }
      }
    }

    private func database(_ trace: SQLiteTrace) throws -> SQLiteDatabase {
      let database = try SQLiteDatabase.inMemory()
      try database.execute(script: "CREATE TABLE note (title TEXT); INSERT INTO note VALUES ('a'), ('b')")
      database.setTrace(trace)
      return database
    }

    @Test func `a statement is an entry with metadata, and without values`() throws {
      let log = Log()
      let database = try database(.logger(log.logger()))
      let rows = try database.rows("SELECT title FROM note WHERE title > \("A")")
      #expect(try rows.map { try $0[0] as String } == ["a", "b"])
      let entry = try #require(log.all.first)
      #expect(log.all.count == 1 && entry.level == .debug && entry.message == "statement")
      #expect(Set(entry.metadata.keys) == ["sql", "duration", "rows", "store"])
      #expect(entry.metadata["sql"] == "SELECT title FROM note WHERE title > ?" && entry.metadata["rows"] == "2")
      #expect(entry.metadata["store"] == ":memory:")
      #expect(entry.metadata["duration"].map { "\($0)".hasSuffix(" ms") } == true)
    }

    @Test func `a statement of a store has the number of its request`() throws {
      let log = Log()
      let database = try database(.logger(log.logger()))
      database.connection.beginRequest(12, [])
      try database.run("DELETE FROM note")
      #expect(log.all.map { $0.metadata["request"] } == ["12"])
    }

    @Test func `values are logged on request`() throws {
      let log = Log()
      let database = try database(.logger(log.logger(), includesValues: true))
      try database.run("INSERT INTO note VALUES (\("secret"))")
      #expect(log.all.map { $0.metadata["sql"] } == ["INSERT INTO note VALUES ('secret')"])
    }

    @Test func `a statement that is slow is a warning`() throws {
      let log = Log()
      let database = try database(.logger(log.logger(), slowStatements: .zero))
      try database.run("DELETE FROM note")
      database.setTrace(.logger(log.logger(), slowStatements: .seconds(3600)))
      try database.run("DELETE FROM note")
      database.setTrace(.logger(log.logger(), level: .error, slowStatements: .zero))
      try database.run("DELETE FROM note")
      #expect(log.all.map(\.level) == [.warning, .debug, .error])
      #expect(log.all.map(\.message) == ["slow statement", "statement", "slow statement"])
    }

    @Test func `statements below the level of the logger are not logged`() throws {
      let log = Log()
      let database = try database(.logger(log.logger(.info), level: .debug))
      try database.run("DELETE FROM note")
      database.setTrace(.logger(log.logger(.info), level: .info))
      try database.run("DELETE FROM note")
      #expect(log.all.map(\.level) == [.info])
    }
  }
#endif
