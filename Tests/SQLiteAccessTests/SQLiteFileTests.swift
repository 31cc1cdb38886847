import Foundation
import SQLiteAccess
import TestSupport
import Testing

/// Opening, copying and the header of files; blobs.
@Suite("Files of SQLite databases") struct SQLiteFileTests {
  private let folder = TemporaryFolder(isInMemory: true)

  private func path(_ name: String) -> String { folder.url.appending(path: name).path }

  private func failure(_ body: () throws -> Void) -> SQLiteError? {
    #expect(throws: SQLiteError.self) { try body() }
  }

  @Test func `a file is created, changed and read according to the access`() throws {
    let path = path("a?%20#.db")
    #expect(failure { _ = try SQLiteDatabase(path: path, .readWrite) }?.code.primary == .cannotOpen)
    #expect(failure { _ = try SQLiteDatabase(path: path, .readOnly) }?.code.primary == .cannotOpen)
    try SQLiteDatabase(path: path).execute(script: "CREATE TABLE t (v); INSERT INTO t VALUES (1)")
    try SQLiteDatabase(path: path, .readWrite).run("INSERT INTO t VALUES (2)")
    for access in [SQLiteDatabase.Access.readOnly, .immutable] {
      let reader = try SQLiteDatabase(path: path, access)
      #expect(try reader.rows("SELECT v FROM t").map { try $0[0] as Int } == [1, 2])
      #expect(failure { try reader.run("DELETE FROM t") }?.code == .readOnly)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a?%20#.db"])
  }

  @Test func `a path that is not the path of a database is an error`() throws {
    #expect(failure { _ = try SQLiteDatabase(path: "") }?.message == "not the path of a file")
    #expect(failure { _ = try SQLiteDatabase(path: "a\0b") }?.code == .cannotOpen)
    #expect(failure { _ = try SQLiteDatabase(path: folder.url.path) }?.code == .cannotOpen)
    #expect(failure { _ = try SQLiteDatabase(path: path("missing/a.db")) }?.code.primary == .cannotOpen)
    let text = path("text.db")
    try Data(String(repeating: "This is not a database. ", count: 100).utf8).write(to: URL(fileURLWithPath: text))
    let error = failure { _ = try SQLiteDatabase(path: text) }
    #expect(error?.code == .notADatabase)
    #expect(error?.path == text)
  }

  @Test func `a removed file is an error for the next transaction`() throws {
    let database = try SQLiteDatabase(path: path("a.db"))
    try database.execute(script: "CREATE TABLE t (v)")
    try FileManager.default.removeItem(atPath: database.path)
    let error = failure { try database.transaction { try database.run("INSERT INTO t VALUES (1)") } }
    #expect(error?.code == .moved)
    #expect(error?.description == "the file was removed or replaced: \(database.path)")
  }

  @Test func `the versions in the header are part of a transaction`() throws {
    let database = try SQLiteDatabase.inMemory()
    #expect(try database.userVersion() == 0)
    try database.setUserVersion(-7)
    try database.setApplicationID(0x4E6F_7465)
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try database.transaction {
        try database.setUserVersion(8)
        #expect(try database.userVersion() == 8)
        throw Refusal()
      }
    }
    #expect(try database.userVersion() == -7)
    #expect(try database.applicationID() == 0x4E6F_7465)
  }

  @Test func `a copy has the state of a database that is in use`() throws {
    let database = try SQLiteDatabase(path: path("a.db"), journalMode: .wal, busyTimeout: .zero)
    try database.execute(script: "CREATE TABLE t (v); INSERT INTO t VALUES (1), (2)")
    let rows = try database.rows("SELECT v FROM t")
    _ = try rows.next()
    let copy = try SQLiteDatabase(path: path("b.db"))
    try copy.execute(script: "CREATE TABLE old (v)")
    let writer = try SQLiteDatabase(path: database.path, busyTimeout: .zero)
    try writer.transaction {
      try writer.run("INSERT INTO t VALUES (3)")
      try database.copy(to: copy)
    }
    #expect(try copy.rows("SELECT v FROM t").map { try $0[0] as Int } == [1, 2])
    #expect(failure { try copy.run("SELECT * FROM old") }?.code == .error)
    #expect(failure { try database.copy(to: database) }?.code == .error)
    try copy.transaction { #expect(failure { try database.copy(to: copy) }?.code == .misuse) }
  }

  @Test func `what is written to a blob is committed when it is closed, or rolled back`() throws {
    let database = try SQLiteDatabase(path: path("a.db"))
    try database.execute(script: "CREATE TABLE t (b); INSERT INTO t VALUES (zeroblob(2))")
    func stored() throws -> Data? { try SQLiteDatabase(path: path("a.db"), .readOnly).value("SELECT b FROM t") }
    func write(_ byte: UInt8) throws {
      let blob = try database.blob(table: "t", column: "b", row: 1, isWritable: true)
      try blob.write(Data([byte]), at: 1)
      #expect(try blob.read(0..<2) == Data([0, byte]))
      if !database.isInTransaction { #expect(try stored() != Data([0, byte])) }
      try blob.close()
      try blob.close()
      #expect(failure { try blob.write(Data(), at: 0) }?.message == "the blob is closed")
      #expect(failure { _ = try blob.read(0..<1) }?.message == "the blob is closed")
    }
    try write(5)
    #expect(try stored() == Data([0, 5]))
    struct Refusal: Error {}
    func refuse() throws {
      try database.transaction {
        try write(6)
        throw Refusal()
      }
    }
    #expect(throws: Refusal.self) { try refuse() }
    #expect(try stored() == Data([0, 5]))
    func leaveOpen() throws {
      var blob: SQLiteBlob?
      try database.transaction {
        blob = try database.blob(table: "t", column: "b", row: 1, isWritable: true)
        try blob?.write(Data([7]), at: 1)
      }
    }
    let error = failure { try leaveOpen() }
    #expect(error?.message == "cannot commit transaction - SQL statements in progress")
    #expect(try stored() == Data([0, 5]))
  }

  @Test func `a blob is read and written in parts`() throws {
    let database = try SQLiteDatabase.inMemory()
    try database.execute(script: "CREATE TABLE \"f \"\" t\" (k INTEGER PRIMARY KEY, b)")
    try database.run("INSERT INTO \(name: "f \" t") VALUES (7, zeroblob(10)), (8, 3)")
    let blob = try database.blob(table: "f \" t", column: "b", row: 7, isWritable: true)
    #expect(blob.count == 10)
    try blob.write(Data([1, 2, 3]), at: 2)
    try blob.write(Data(), at: 10)
    #expect(try blob.read(1..<6) == Data([0, 1, 2, 3, 0]))
    #expect(try blob.read(10..<10) == Data())
    for range in [-1..<2, 9..<11, 0..<Int.max, Int.min..<0] {
      #expect(failure { _ = try blob.read(range) }?.code == .range)
    }
    for offset in [-1, 8, 11, Int.max, Int.min] {
      #expect(failure { try blob.write(Data([1, 2, 3]), at: offset) }?.code == .range)
    }
    let stored: Data? = try database.value("SELECT b FROM \(name: "f \" t") WHERE k = 7")
    #expect(stored == Data([0, 0, 1, 2, 3, 0, 0, 0, 0, 0]))
    let reader = try database.blob(table: "f \" t", column: "b", row: 7)
    #expect(failure { try reader.write(Data([1]), at: 0) }?.code == .readOnly)
    try database.run("UPDATE \(name: "f \" t") SET b = x'00' WHERE k = 7")
    #expect(failure { _ = try blob.read(0..<1) }?.code.primary == .aborted)
    for (table, column, row) in [("f \" t", "b", 8), ("f \" t", "b", 9), ("f \" t", "c", 7), ("x", "b", 7)] {
      #expect(failure { _ = try database.blob(table: table, column: column, row: Int64(row)) }?.code == .error)
    }
    #expect(failure { _ = try database.blob(table: "x\0", column: "b", row: 7) }?.code == .misuse)
  }
}
