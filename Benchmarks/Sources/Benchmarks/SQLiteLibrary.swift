import CSQLite
import Foundation
import SQLiteStore

/// The same objects with only SQLite's C interface, in the tables of one of this library's stores.
final class SQLiteLibrary {
  private let folder: URL
  private let count: Int

  init(_ folder: URL, _ count: Int) {
    self.folder = folder
    self.count = count
  }

  struct Failure: Error {
    let message: String
  }

  func measure(_ kind: ObjectsWork.Kind) throws -> Measurement? {
    if kind == .insert {
      return try Measurement.measure {
        _ = try Storage.empty(folder)
        let connection = try open()
        try fill(connection)
        sqlite3_close_v2(connection)
        return 0
      }
    }
    let connection = try open()
    defer { sqlite3_close_v2(connection) }
    try fill(connection)
    switch kind {
    case .fetchAll:
      return try measure(connection, "SELECT \(Self.columns) FROM ZITEM", []) { items in
        var sum = 0.0
        for item in items {
          sum += item.price + Double(item.number + item.title.utf8.count + (item.text?.utf8.count ?? 0))
          sum += item.date.timeIntervalSinceReferenceDate
        }
        keep(sum)
      }
    case .fetchSome:
      return try measure(connection, "SELECT \(Self.columns) FROM ZITEM WHERE ZNUMBER >= ?", [count / 2]) { keep($0) }
    case .fetchOne:
      let statement = try prepare(connection, "SELECT \(Self.columns) FROM ZITEM WHERE ZTITLE = ?")
      defer { sqlite3_finalize(statement) }
      return try ObjectsWork.fetchEach(count) { title in
        sqlite3_bind_text(statement, 1, title, -1, Self.transient)
        keep(try Self.items(statement))
      }
    case .sort:
      return try measure(connection, "SELECT \(Self.columns) FROM ZITEM ORDER BY ZTEXT DESC", []) { keep($0) }
    case .fault:
      let statement = try prepare(connection, "SELECT \(Self.columns) FROM ZITEM WHERE Z_PK = ?")
      defer { sqlite3_finalize(statement) }
      return try Measurement.measure {
        var sum = 0
        for number in 1...count {
          sqlite3_bind_int64(statement, 1, Int64(number))
          sum += try Self.items(statement).reduce(0) { $0 + $1.number }
        }
        keep(sum)
        return 0
      }
    case .changeOne: return try changeOne(connection)
    case .memory:
      let before = memoryInUse()
      var loaded: [[ItemValues]] = []
      for _ in 0..<4 {
        let statement = try prepare(connection, "SELECT \(Self.columns) FROM ZITEM")
        loaded.append(try Self.items(statement))
        sqlite3_finalize(statement)
      }
      let each = (memoryInUse() - before) / (4 * count)
      keep(loaded)
      return Measurement(seconds: 0, peakMemory: 0, outputLength: each)
    case .insert, .onDemand, .walk, .open, .openMany: return nil
    }
  }

  /// Opens a new store with empty tables.
  private func open() throws -> OpaquePointer {
    _ = try Storage.sqlite.container(in: folder)
    var connection: OpaquePointer?
    try check(sqlite3_open_v2(Storage.sqlite.file(in: folder).path, &connection, SQLITE_OPEN_READWRITE, nil), nil)
    guard let connection else { throw Failure(message: "no connection") }
    try check(sqlite3_exec(connection, "PRAGMA synchronous = FULL", nil, nil, nil), connection)
    return connection
  }

  private func check(_ code: Int32, _ connection: OpaquePointer?) throws {
    guard code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW else {
      throw Failure(message: String(cString: sqlite3_errmsg(connection)))
    }
  }

  private func prepare(_ connection: OpaquePointer, _ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(connection, sql, -1, &statement, nil), connection)
    guard let statement else { throw Failure(message: "no statement") }
    return statement
  }

  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  private func fill(_ connection: OpaquePointer) throws {
    try check(sqlite3_exec(connection, "BEGIN IMMEDIATE", nil, nil, nil), connection)
    let owners = try prepare(connection, "INSERT INTO ZOWNER (Z_PK, Z_ENT, Z_OPT, ZNAME, ZCITY) VALUES (?, 2, 1, ?, ?)")
    let items = try prepare(
      connection,
      "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNUMBER, ZOWNER, ZDATE, ZPRICE, ZTEXT, ZTITLE) "
        + "VALUES (?, 1, 1, ?, ?, ?, ?, ?, ?)")
    for number in 0..<count {
      let owner = number / ItemValues.countOfAnOwner
      if number % ItemValues.countOfAnOwner == 0 {
        let values = OwnerValues(owner)
        sqlite3_bind_int64(owners, 1, Int64(owner + 1))
        sqlite3_bind_text(owners, 2, values.name, -1, Self.transient)
        sqlite3_bind_text(owners, 3, values.city, -1, Self.transient)
        try check(sqlite3_step(owners), connection)
        sqlite3_reset(owners)
      }
      let values = ItemValues(number)
      sqlite3_bind_int64(items, 1, Int64(number + 1))
      sqlite3_bind_int64(items, 2, Int64(values.number))
      sqlite3_bind_int64(items, 3, Int64(owner + 1))
      sqlite3_bind_double(items, 4, values.date.timeIntervalSinceReferenceDate)
      sqlite3_bind_double(items, 5, values.price)
      sqlite3_bind_text(items, 6, values.text, -1, Self.transient)
      sqlite3_bind_text(items, 7, values.title, -1, Self.transient)
      try check(sqlite3_step(items), connection)
      sqlite3_reset(items)
    }
    sqlite3_finalize(owners)
    sqlite3_finalize(items)
    try check(sqlite3_exec(connection, "COMMIT", nil, nil, nil), connection)
  }

  private static let columns = "ZTITLE, ZTEXT, ZNUMBER, ZPRICE, ZDATE"

  private static func items(_ statement: OpaquePointer) throws -> [ItemValues] {
    var items: [ItemValues] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      items.append(
        ItemValues(
          title: sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "",
          text: sqlite3_column_text(statement, 1).map { String(cString: $0) },
          number: Int(sqlite3_column_int64(statement, 2)), price: sqlite3_column_double(statement, 3),
          date: Date(timeIntervalSinceReferenceDate: sqlite3_column_double(statement, 4))))
    }
    sqlite3_reset(statement)
    return items
  }

  private func measure(
    _ connection: OpaquePointer, _ sql: String, _ values: [Any], _ use: ([ItemValues]) -> Void
  ) throws -> Measurement {
    let statement = try prepare(connection, sql)
    defer { sqlite3_finalize(statement) }
    for (index, value) in values.enumerated() {
      switch value {
      case let value as Int: sqlite3_bind_int64(statement, Int32(index + 1), Int64(value))
      case let value as String: sqlite3_bind_text(statement, Int32(index + 1), value, -1, Self.transient)
      default: break
      }
    }
    return try Measurement.measure {
      use(try Self.items(statement))
      return 0
    }
  }

  private func changeOne(_ connection: OpaquePointer) throws -> Measurement {
    let statement = try prepare(connection, "UPDATE ZITEM SET ZPRICE = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?")
    defer { sqlite3_finalize(statement) }
    var number = 0
    return try Measurement.measure {
      number += 1
      sqlite3_bind_double(statement, 1, Double(number) + 0.25)
      sqlite3_bind_int64(statement, 2, Int64(number % count + 1))
      try check(sqlite3_step(statement), connection)
      sqlite3_reset(statement)
      return 0
    }
  }
}
