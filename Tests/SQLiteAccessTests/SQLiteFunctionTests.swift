import Foundation
import SQLiteAccess
import TestSupport
import Testing

/// Functions in Swift, limits and interruptions.
@Suite("SQL functions in Swift") struct SQLiteFunctionTests {
  private let database: SQLiteDatabase

  init() throws { database = try SQLiteDatabase.inMemory() }

  private struct Refusal: Error, CustomStringConvertible { var description: String { "not this one" } }

  private func failure(_ body: () throws -> Void) -> SQLiteError? {
    #expect(throws: SQLiteError.self) { try body() }
  }

  @Test func `a function gets and returns each storage class`() throws {
    try database.addFunction("same", argumentCount: 1) { $0[0] }
    for value: SQLiteValue in [nil, 3, 1.5, "", "a", .blob(Data()), .blob(Data([0, 1]))] {
      let result: SQLiteValue? = try database.value("SELECT same(\(value))")
      #expect(result == value)
    }
  }

  @Test func `a function has any number of arguments, or a fixed one`() throws {
    try database.addFunction("many", argumentCount: nil, isDeterministic: true) { $0.count }
    let counts = try #require(try database.rows("SELECT many(), many(1, 2, 3)").next())
    #expect(try counts[0] == 0)
    #expect(try counts[1] == 3)
    try database.addFunction("two", argumentCount: 2) { _ in true }
    #expect(failure { try database.run("SELECT two(1)") }?.code == .error)
    #expect(failure { try database.addFunction("f", argumentCount: 128) { _ in true } }?.code == .misuse)
    #expect(failure { try database.addFunction("f", argumentCount: -1) { _ in true } }?.code == .misuse)
    #expect(failure { try database.addFunction("f\0g", argumentCount: 1) { _ in true } }?.code == .misuse)
    let name = String(repeating: "f", count: 300)
    #expect(failure { try database.addFunction(name, argumentCount: 1) { _ in true } }?.code == .misuse)
  }

  @Test func `an error of a function is the error of the statement`() throws {
    try database.addFunction("refuse", argumentCount: 1) { _ -> Int in throw Refusal() }
    let error = failure { try database.run("SELECT refuse(1)") }
    #expect(error?.message == "refuse: not this one")
    #expect(error?.sql == "SELECT refuse(?)" || error?.sql == "SELECT refuse(1)")
    let invalid = failure { try database.run("SELECT refuse(CAST(x'FF' AS TEXT))") }
    #expect(invalid?.message == "refuse: argument 1 is not valid UTF-8")
  }

  @Test func `an aggregate function has a state for each group`() throws {
    try database.addAggregate("joined", argumentCount: 1, initial: "") { state, arguments in
      guard let text = String(sqliteValue: arguments[0]) else { throw Refusal() }
      state += text
    } result: {
      $0 + "."
    }
    let groups: SQL = """
      SELECT k, joined(v) FROM (SELECT 1 AS k, 'a' AS v UNION ALL SELECT 1, 'b' UNION ALL SELECT 2, 'c')
      GROUP BY k ORDER BY k
      """
    #expect(try database.rows(groups).map { try $0[1] as String } == ["ab.", "c."])
    let empty: String? = try database.value("SELECT joined('x') WHERE 0")
    #expect(empty == ".")
    #expect(failure { try database.run("SELECT joined(1)") }?.message == "joined: not this one")
  }

  @Test func `a view calls only a harmless function`() throws {
    try database.execute(script: "CREATE TABLE t (v); CREATE VIEW w AS SELECT f() AS x")
    try database.addFunction("f", argumentCount: 0) { _ in 1 }
    #expect(failure { try database.run("SELECT x FROM w") }?.message.contains("unsafe use of f()") == true)
    try database.addFunction("f", argumentCount: 0, isHarmless: true) { _ in 1 }
    let value: Int? = try database.value("SELECT x FROM w")
    #expect(value == 1)
  }

  @Test func `a function is released with its connection, or when it is replaced`() throws {
    final class Token {}
    weak var token: Token?
    func add(_ database: SQLiteDatabase) throws {
      let new = Token()
      token = new
      try database.addFunction("f", argumentCount: 0) { _ in withExtendedLifetime(new) { true } }
    }
    try add(database)
    #expect(token != nil)
    try database.addFunction("f", argumentCount: 0) { _ in false }
    #expect(token == nil)
    try add(SQLiteDatabase.inMemory())
    #expect(token == nil)
  }

  /// A statement that never ends.
  private static let endless: SQL =
    "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT COUNT(*) FROM c"

  @Test func `a limit ends a statement`() throws {
    database.workLimit = .instructions(50_000)
    let error = failure { try database.run(Self.endless) }
    #expect(error?.code == .interrupted)
    #expect(error?.message == "the statement takes more than 50000 instructions")
    try database.run("SELECT 1")
    database.workLimit = .unlimited
    let sum: Int? = try database.value(
      "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT \(20_000)) SELECT SUM(n) FROM c")
    #expect(sum == 200_010_000)
  }

  @Test func `a limit counts the bytes that functions get`() throws {
    try database.addFunction("f", argumentCount: 1) { _ in true }
    database.workLimit = .instructions(1000)
    #expect(failure { try database.run("SELECT f(\(Data(count: 10_000)))") }?.code == .interrupted)
  }

  @Test func `a statement is interrupted by its own functions and by other threads`() throws {
    let interruption = database.interruption
    var count = 0
    try database.addFunction("f", argumentCount: 0) { _ in
      count += 1
      if count == 3 { interruption.interrupt() }
      return count
    }
    let error = failure {
      try database.run("WITH RECURSIVE c (n) AS (SELECT f() UNION ALL SELECT f() FROM c) SELECT COUNT(*) FROM c")
    }
    #expect(error?.code == .interrupted)
    #expect(error?.message == "the statement was interrupted")
    #expect(count < 10)
    let isRunning = DispatchSemaphore(value: 0)
    try database.addFunction("g", argumentCount: 0) { _ in
      isRunning.signal()
      return 1
    }
    Thread.detachNewThread {
      isRunning.wait()
      interruption.interrupt()
    }
    let other = failure {
      try database.run("WITH RECURSIVE c (n) AS (SELECT g() UNION ALL SELECT 1 FROM c) SELECT COUNT(*) FROM c")
    }
    #expect(other?.code == .interrupted)
  }

  @Test func `an interruption after the connection has closed does nothing`() throws {
    let interruption = try SQLiteDatabase.inMemory().interruption
    interruption.interrupt()
  }
}
