import Foundation
import SQLiteAccess
import TestSupport
import Testing

/// Prepared statements, rows and errors.
@Suite("Statements of an SQLite database") struct SQLiteStatementTests {
  private let database: SQLiteDatabase

  init() throws {
    database = try SQLiteDatabase.inMemory()
    try database.execute(script: "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT UNIQUE)")
  }

  private func failure(_ body: () throws -> Void) -> SQLiteError? {
    #expect(throws: SQLiteError.self) { try body() }
  }

  @Test func `a prepared statement is executed with several values`() throws {
    let insert = try database.prepare("INSERT INTO t (k, v) VALUES (:k, :v)")
    for key in 1...3 {
      try insert.bind(key, to: ":k")
      try insert.bind("v\(key)", at: 2)
      try insert.run()
    }
    try insert.bind([4, nil])
    try insert.run()
    #expect(database.changeCount == 1)
    #expect(database.lastInsertedRowID == 4)
    let rows = try database.rows("SELECT k, v FROM t ORDER BY k")
    let values = try rows.map { [try $0["k"], try $0[1]] as [SQLiteValue] }
    #expect(values == [[1, "v1"], [2, "v2"], [3, "v3"], [4, nil]])
    #expect(try rows.next() == nil)
    #expect(!insert.isReadOnly)
    #expect(insert.parameterCount == 2)
    #expect(try database.prepare("SELECT k AS a, v FROM t").columnNames == ["a", "v"])
  }

  @Test func `a bound text stays until its parameter is bound again`() throws {
    var random = SeededGenerator(seed: 5)
    let parameters = (1...40).map { "?\($0)" }.joined(separator: ", ")
    let select = try database.prepare(SQL(text: "SELECT \(parameters)", values: []))
    var texts = [String](repeating: "", count: 40)
    for round in 0..<60 {
      for index in texts.indices where round == 0 || Bool.random(using: &random) {
        let length = [0, 1, 15, 16, 255, 256, 257, 5_000].randomElement(using: &random) ?? 0
        texts[index] = String(repeating: ["a", "b", "c"].randomElement(using: &random) ?? "", count: length)
        try select.bind(texts[index], at: index + 1)
      }
      let rows = try select.rows()
      #expect(try rows.map { row in try texts.indices.map { try row[$0] } } == [texts.map { SQLiteValue.text($0) }])
    }
  }

  @Test func `a text cannot be bound between the rows of a statement`() throws {
    let select = try database.prepare("SELECT ?1 UNION ALL SELECT ?1")
    try select.bind("first", at: 1)
    let rows = try select.rows()
    #expect(try rows.next()?[0] == "first")
    #expect(failure { try select.bind("second", at: 1) }?.code == .misuse)
    #expect(try rows.next()?[0] == "first")
  }

  @Test func `a parameter without a value is an error`() throws {
    let select = try database.prepare("SELECT :a, ?2")
    #expect(failure { try select.run() }?.message == "parameter 1 (:a) has no value")
    try select.bind(1, to: ":a")
    #expect(failure { _ = try select.rows() }?.message == "parameter 2 (?2) has no value")
    #expect(failure { try select.bind(1, at: 3) }?.code == .range)
    #expect(failure { try select.bind(1, at: 0) }?.code == .range)
    #expect(failure { try select.bind(1, to: "a") }?.message == "the statement has no parameter a")
    #expect(failure { try select.bind(1, to: ":a\0") }?.code == .range)
    #expect(failure { try select.bind([1]) }?.message == "expected 2 values, found 1")
    #expect(failure { try database.run(SQL(text: "SELECT ?", values: [1, 2])) }?.code == .range)
  }

  @Test func `one statement is expected where one is executed`() throws {
    #expect(failure { try database.run("SELECT 1; DELETE FROM t") }?.message == "expected one statement, found more")
    #expect(failure { try database.run(" -- nothing") }?.message == "expected a statement, found none")
    #expect(failure { try database.run("") }?.code == .misuse)
    #expect(failure { try database.run("SELECT 1\0; DELETE") }?.message == "the SQL contains a null character")
    #expect(failure { try database.execute(script: "DELETE FROM t\0") }?.code == .misuse)
    try database.run("SELECT 1; -- a comment\n ; ")
  }

  @Test func `an error has the statement and the offset in it`() throws {
    let error = try #require(failure { try database.run("SELECT k FROM missing") })
    #expect(error.code == .error)
    #expect(error.message == "no such table: missing")
    #expect(error.sql == "SELECT k FROM missing")
    #expect(error.path == ":memory:")
    let misspelled = try #require(failure { try database.execute(script: "SELECT 1;\nSELECT zz") })
    #expect(misspelled.offset == 17)
    #expect(
      misspelled.description == ":memory:: no such column: zz (SQLite error 1, in SELECT 1;\nSELECT zz, offset 17)")
  }

  @Test func `a script is executed up to the statement that fails`() throws {
    let error = failure {
      try database.execute(
        script: "INSERT INTO t VALUES (1, 'a'); INSERT INTO t VALUES (2, 'a'); INSERT INTO t VALUES (3, 'c')")
    }
    #expect(error?.code == .constraintUnique)
    #expect(error?.sql == " INSERT INTO t VALUES (2, 'a');")
    let count: Int? = try database.value("SELECT COUNT(*) FROM t")
    #expect(count == 1)
  }

  @Test func `each violated constraint has its code`() throws {
    try database.execute(
      script: """
        CREATE TABLE c (k TEXT PRIMARY KEY, n NOT NULL DEFAULT 1, p CHECK (p > 0), t REFERENCES t (k)) WITHOUT ROWID;
        CREATE TABLE s (i INTEGER) STRICT;
        INSERT INTO c (k) VALUES ('a');
        INSERT INTO t VALUES (1, 'a');
        CREATE TRIGGER r BEFORE DELETE ON t BEGIN SELECT RAISE(ABORT, 'never'); END;
        """)
    let statements: [(SQL, SQLiteResultCode)] = [
      ("INSERT INTO c (k) VALUES ('a')", .constraintPrimaryKey),
      ("INSERT INTO t VALUES (1, 'b')", .constraintPrimaryKey),
      ("INSERT INTO t VALUES (2, 'a')", .constraintUnique), ("UPDATE c SET n = NULL", .constraintNotNull),
      ("UPDATE c SET p = 0", .constraintCheck), ("UPDATE c SET t = 9", .constraintForeignKey),
      ("INSERT INTO s VALUES ('x')", .constraintDataType), ("DELETE FROM t", .constraintTrigger),
    ]
    for (sql, code) in statements {
      let error = failure { try database.run(sql) }
      #expect(error?.code == code, "\(sql.text)")
      #expect(error?.code.primary == .constraint)
    }
  }

  @Test func `a row is read only while it is current`() throws {
    try database.execute(script: "INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    let statement = try database.prepare("SELECT k FROM t")
    let rows = try statement.rows()
    let first = try #require(try rows.next())
    let second = try #require(try rows.next())
    #expect(try second[0] == 2)
    #expect(failure { let _: Int = try first[0] }?.message == "the row is not the current one any more")
    let others = try statement.rows()
    #expect(failure { let _: Int = try second[0] }?.code == .misuse)
    #expect(failure { _ = try rows.next() }?.message == "the statement was executed again")
    let third = try #require(try others.next())
    #expect(try third["k"] == 1)
    #expect(failure { let _: Int = try third[1] }?.message == "expected a column from 0 to 0, found 1")
    #expect(failure { let _: Int = try third[-1] }?.code == .range)
    #expect(failure { let _: Int = try third["K"] }?.message == "expected a column K, found k")
    while try others.next() != nil {}
    #expect(failure { let _: Int = try third["k"] }?.code == .misuse)
  }

  @Test func `a name of several columns is ambiguous`() throws {
    let row = try #require(try database.rows("SELECT 1 AS a, 2 AS a").next())
    #expect(failure { let _: Int = try row["a"] }?.message == "several columns have the name a")
  }

  @Test func `a statement cannot be bound while its rows are read`() throws {
    let statement = try database.prepare("VALUES (?1), (?1)")
    try statement.bind([1])
    let rows = try statement.rows()
    _ = try rows.next()
    #expect(failure { try statement.bind(2, at: 1) }?.message == "a value cannot be bound while rows are being read")
    while try rows.next() != nil {}
    try statement.bind(2, at: 1)
    #expect(try statement.rows().map { try $0[0] as Int } == [2, 2])
  }

  @Test func `the same SQL can be executed while its rows are read`() throws {
    try database.execute(script: "INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    func keys(_ least: Int) throws -> SQLiteRows { try database.rows("SELECT k FROM t WHERE k >= \(least)") }
    let (one, two) = (try keys(1), try keys(2))
    #expect(try two.map { try $0[0] as Int } == [2])
    #expect(try one.map { try $0[0] as Int } == [1, 2])
  }

  @Test func `rows that are released do not lock a table`() throws {
    try database.execute(script: "INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    var rows: SQLiteRows? = try database.rows("SELECT k FROM t")
    _ = try rows?.next()
    #expect(failure { try database.run("DROP TABLE t") }?.code == .locked)
    rows = nil
    try database.run("DROP TABLE t")
  }

  @Test func `a statement outlives the last use of its database`() throws {
    func rows() throws -> SQLiteRows {
      let database = try SQLiteDatabase.inMemory()
      return try database.prepare("VALUES (1), (2)").rows()
    }
    #expect(try rows().map { try $0[0] as Int } == [1, 2])
  }
}
