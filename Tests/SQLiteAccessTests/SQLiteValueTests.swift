import Foundation
import SQLiteAccess
import TestSupport
import Testing

/// Binding and reading of values.
@Suite("Values of an SQLite database") struct SQLiteValueTests {
  private let database: SQLiteDatabase

  init() throws { database = try SQLiteDatabase.inMemory() }

  private enum Color: String, SQLiteConvertible { case red, green }

  /// Returns a value after SQLite has stored it in a column without affinity.
  private func stored<Value: SQLiteConvertible>(_ value: Value) throws -> Value? {
    try database.execute(script: "DROP TABLE IF EXISTS t; CREATE TABLE t (v)")
    try database.run("INSERT INTO t VALUES (\(value))")
    return try database.value("SELECT v FROM t")
  }

  @Test func `each Swift type is read as it was bound`() throws {
    for value in [Int.min, -1, 0, Int.max] { #expect(try stored(value) == value) }
    for value in [Int8.min, Int8.max] { #expect(try stored(value) == value) }
    for value in [Int16.min, Int16.max] { #expect(try stored(value) == value) }
    for value in [Int32.min, Int32.max] { #expect(try stored(value) == value) }
    for value in [Int64.min, Int64.max] { #expect(try stored(value) == value) }
    for value in [0.1, -.infinity, .greatestFiniteMagnitude, 5] { #expect(try stored(value) == value) }
    for value in ["", "a\0b", "Zoë 日本 \u{1F600}", "'); DROP TABLE t; --"] { #expect(try stored(value) == value) }
    for value in [Data(), Data([0, 255, 0])] { #expect(try stored(value) == value) }
    for value in [[], [0, 255, 0] as [UInt8]] { #expect(try stored(value) == value) }
    for value in [true, false] { #expect(try stored(value) == value) }
    for value in [nil, 7] { #expect(try stored(value) == .some(value)) }
    #expect(try stored(Color.green) == .green)
    for value: SQLiteValue in [nil, 3, 1.5, "a", .blob(Data([1]))] { #expect(try stored(value) == value) }
  }

  @Test func `SQLite stores each value in its storage class`() throws {
    let values: SQL =
      "SELECT typeof(\(nil as Int?)), typeof(\(true)), typeof(\(2.0)), typeof(\("")), typeof(\([UInt8]()))"
    let row = try #require(try database.rows(values).next())
    let kinds = try (0..<5).map { try row[$0] as String }
    #expect(kinds == ["null", "integer", "real", "text", "blob"])
  }

  @Test func `NaN is stored as NULL`() throws {
    try database.execute(script: "CREATE TABLE n (v)")
    try database.run("INSERT INTO n VALUES (\(Double.nan))")
    let value: SQLiteValue? = try database.value("SELECT v FROM n")
    #expect(value == .null)
  }

  @Test(arguments: ["NULL", "1", "1.5", "'1'", "x'31'"])
  func `a value of another storage class is an error and not converted`(_ literal: String) throws {
    /// Returns 1 if the value can be read as the type, 0 if that is a mismatch.
    func reads<Value: SQLiteConvertible>(_ type: Value.Type) throws -> Int {
      do throws(SQLiteError) {
        let _: Value? = try database.value(SQL(text: "SELECT \(literal)"))
        return 1
      } catch {
        #expect(error.code == .mismatch)
        return 0
      }
    }
    let readable = [
      try reads(Int.self), try reads(Double.self), try reads(String.self), try reads(Data.self),
      try reads([UInt8].self), try reads(Bool.self),
    ]
    let expected = [
      "NULL": [0, 0, 0, 0, 0, 0], "1": [1, 0, 0, 0, 0, 1], "1.5": [0, 1, 0, 0, 0, 0], "'1'": [0, 0, 1, 0, 0, 0],
      "x'31'": [0, 0, 0, 1, 1, 0],
    ]
    #expect(readable == expected[literal])
    #expect(try reads(Optional<Int>.self) == (literal == "NULL" || literal == "1" ? 1 : 0))
  }

  @Test func `a mismatch names the column, the type and the value's storage class`() throws {
    let row = try #require(try database.rows("SELECT 1 AS a, 'x' AS b").next())
    let error = #expect(throws: SQLiteError.self) { let _: Int = try row["b"] }
    #expect(error?.message == "column 1 (b): expected Int, found a text")
    #expect(error?.sql == "SELECT 1 AS a, 'x' AS b")
  }

  @Test func `a value out of range of its type is a mismatch`() throws {
    for type: any SQLiteConvertible.Type in [Int8.self, Int16.self, Int32.self, Bool.self, Color.self] {
      func read<Value: SQLiteConvertible>(_ type: Value.Type) throws {
        let _: Value? = try database.value("SELECT \(Int64(1) << 40)")
      }
      let error = #expect(throws: SQLiteError.self) { try read(type) }
      #expect(error?.code == .mismatch)
    }
  }

  @Test func `a text that is not valid UTF-8 is an error, and its bytes can be read`() throws {
    let row = try #require(try database.rows("SELECT CAST(x'41FF42' AS TEXT), x'41'").next())
    let error = #expect(throws: SQLiteError.self) { let _: String = try row[0] }
    #expect(error?.code == .mismatch)
    #expect(error?.message.hasSuffix("the text is not valid UTF-8") == true)
    #expect(throws: SQLiteError.self) { let _: SQLiteValue = try row[0] }
    #expect(try row.bytesOfText(0) == Data([0x41, 0xFF, 0x42]))
    let other = #expect(throws: SQLiteError.self) { _ = try row.bytesOfText(1) }
    #expect(other?.message == "column 1 (x'41'): expected a text, found a blob")
  }

  @Test func `an interpolated optional is a parameter, which is NULL for nil`() throws {
    let (number, name): (Int?, String?) = (nil, "a")
    let sql: SQL = "SELECT \(number), \(name)"
    #expect(sql.text == "SELECT ?, ?" && sql.values == [.null, "a"])
    let row = try #require(try database.rows(sql).next())
    #expect(try row[0] as SQLiteValue == .null && row[1] as String == "a")
  }

  @Test func `interpolated values and names are never part of the SQL`() throws {
    let name = "a \"b\"; DROP TABLE x"
    try database.execute(script: "CREATE TABLE x (v)")
    try database.run("CREATE TABLE \(name: name) (k, \(name: "\""))")
    let condition: SQL = "k = \("1; DROP TABLE x") AND v2 IN (\(list: [1, 2]))"
    #expect(condition.text == "k = ? AND v2 IN (?, ?)")
    #expect(condition.values == ["1; DROP TABLE x", 1, 2])
    let sql: SQL = "SELECT k FROM \(name: name) WHERE \(condition) OR k = \(3)"
    #expect(sql.text == "SELECT k FROM \"a \"\"b\"\"; DROP TABLE x\" WHERE k = ? AND v2 IN (?, ?) OR k = ?")
    #expect(sql.values == ["1; DROP TABLE x", 1, 2, 3])
    let count: Int? = try database.value("SELECT COUNT(*) FROM sqlite_schema")
    #expect(count == 2)
  }
}
