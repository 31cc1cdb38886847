import Foundation
import SQLiteAccess
import TestSupport
import Testing

/// Transactions, savepoints and locks.
@Suite("Transactions of an SQLite database") struct SQLiteTransactionTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private let database: SQLiteDatabase

  init() throws {
    database = try SQLiteDatabase(path: folder.url.appending(path: "a.db").path, busyTimeout: .zero)
    try database.execute(script: "CREATE TABLE t (v INTEGER UNIQUE)")
  }

  private struct Refusal: Error {}

  private func values(_ database: SQLiteDatabase) throws -> [Int] {
    try database.rows("SELECT v FROM t ORDER BY v").map { try $0[0] as Int }
  }

  private func other(_ access: SQLiteDatabase.Access = .readWrite) throws -> SQLiteDatabase {
    try SQLiteDatabase(path: database.path, access, busyTimeout: .zero)
  }

  @Test(arguments: [SQLiteTransactionKind.deferred, .immediate, .exclusive])
  func `a transaction is committed, or rolled back if it throws`(_ kind: SQLiteTransactionKind) throws {
    let result = try database.transaction(kind) {
      try database.run("INSERT INTO t VALUES (1)")
      #expect(database.isInTransaction)
      return 5
    }
    #expect(result == 5)
    #expect(throws: Refusal.self) {
      try database.transaction(kind) {
        try database.run("INSERT INTO t VALUES (2)")
        throw Refusal()
      }
    }
    #expect(!database.isInTransaction)
    #expect(try values(other()) == [1])
  }

  @Test func `an inner transaction is rolled back alone`() throws {
    func refuse() throws {
      try database.transaction {
        try database.run("INSERT INTO t VALUES (2)")
        try database.transaction { try database.run("INSERT INTO t VALUES (3)") }
        throw Refusal()
      }
    }
    func fail() throws {
      try database.transaction {
        try database.run("INSERT INTO t VALUES (5)")
        try database.run("INSERT INTO t VALUES (4)")
      }
    }
    try database.transaction {
      try database.run("INSERT INTO t VALUES (1)")
      #expect(throws: Refusal.self) { try refuse() }
      try database.transaction { try database.run("INSERT INTO t VALUES (4)") }
      #expect(throws: SQLiteError.self) { try fail() }
    }
    #expect(try values(other()) == [1, 4])
  }

  @Test func `an outer transaction that throws also reverts inner ones`() throws {
    #expect(throws: Refusal.self) {
      try database.transaction {
        try database.transaction { try database.run("INSERT INTO t VALUES (1)") }
        throw Refusal()
      }
    }
    #expect(try values(database) == [])
  }

  @Test func `a full disk rolls back, and no later statement of the transaction is executed`() throws {
    try database.execute(script: "CREATE TABLE big (b)")
    let pages: Int? = try database.value("PRAGMA page_count")
    try database.execute(script: "PRAGMA max_page_count = \(try #require(pages) + 2)")
    func fill() throws {
      try database.transaction { try database.run("INSERT INTO big VALUES (\(Data(count: 1 << 20)))") }
    }
    func change() throws {
      try database.transaction {
        try database.run("INSERT INTO t VALUES (1)")
        let full = #expect(throws: SQLiteError.self) { try fill() }
        #expect(full?.code == .full)
        // SQLite rolls back the transaction, or only the statement, depending on its cache.
        if database.isInTransaction { try database.run("ROLLBACK") }
        try database.run("INSERT INTO t VALUES (2)")
      }
    }
    let error = #expect(throws: SQLiteError.self) { try change() }
    #expect(error?.message == "the transaction has ended already, because of an error or an SQL statement")
    #expect(try values(database) == [])
    try database.run("INSERT INTO t VALUES (3)")
    #expect(try values(other()) == [3])
  }

  @Test func `a transaction that SQL has ended or begun is an error`() throws {
    #expect(throws: SQLiteError.self) { try database.transaction { try database.run("COMMIT") } }
    try database.run("BEGIN")
    let error = #expect(throws: SQLiteError.self) { try database.transaction {} }
    #expect(error?.message.hasPrefix("cannot begin a transaction: one is already open") == true)
    try database.run("COMMIT")
    try database.transaction {}
  }

  @Test func `a commit that violates a constraint is rolled back`() throws {
    try database.execute(script: "CREATE TABLE c (v REFERENCES t (v) DEFERRABLE INITIALLY DEFERRED)")
    let error = #expect(throws: SQLiteError.self) {
      try database.transaction { try database.run("INSERT INTO c VALUES (9)") }
    }
    #expect(error?.code == .constraintForeignKey)
    #expect(error?.sql == "COMMIT")
    #expect(!database.isInTransaction)
  }

  @Test func `a locked file is an error after the time-out`() throws {
    let other = try other()
    try database.transaction {
      try database.run("INSERT INTO t VALUES (1)")
      let error = #expect(throws: SQLiteError.self) { try other.run("INSERT INTO t VALUES (2)") }
      #expect(error?.code == .busy)
      #expect(
        error?.description.hasPrefix("\(database.path): another connection has locked the file (SQLite error 5, in ")
          == true)
      #expect(throws: SQLiteError.self) { try other.transaction {} }
      #expect(!other.isInTransaction)
    }
    try other.run("INSERT INTO t VALUES (2)")
    #expect(try values(database) == [1, 2])
  }

  @Test func `a statement waits for another connection until the time-out`() throws {
    let path = database.path
    try database.run("BEGIN IMMEDIATE")
    try database.run("INSERT INTO t VALUES (1)")
    let (isReady, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      defer { hasEnded.signal() }
      let other = try? SQLiteDatabase(path: path, .readWrite, busyTimeout: .seconds(60))
      isReady.signal()
      try? other?.run("INSERT INTO t VALUES (2)")
    }
    isReady.wait()
    usleep(2000)
    try database.run("COMMIT")
    hasEnded.wait()
    #expect(try values(database) == [1, 2])
  }

  @Test func `readers do not wait for a writer of a write-ahead log`() throws {
    try database.setJournalMode(.wal)
    let reader = try other(.readOnly)
    try database.transaction {
      try database.run("INSERT INTO t VALUES (1)")
      #expect(try values(reader) == [])
    }
    #expect(try values(reader) == [1])
    let error = #expect(throws: SQLiteError.self) { try reader.run("DELETE FROM t") }
    #expect(error?.code == .readOnly)
  }

  @Test func `a journal mode that cannot be set is an error`() throws {
    let memory = try SQLiteDatabase.inMemory()
    let error = #expect(throws: SQLiteError.self) { try memory.setJournalMode(.wal) }
    #expect(error?.message == "the journal mode cannot be wal, and stays memory")
  }
}
