import Foundation
import GRDB

/// The same objects as GRDB records.
final class GRDBLibrary {
  private let folder: URL
  private let count: Int

  init(_ folder: URL, _ count: Int) {
    self.folder = folder
    self.count = count
  }

  func measure(_ kind: ObjectsWork.Kind) throws -> Measurement? {
    if kind == .insert {
      return try Measurement.measure {
        _ = try Storage.empty(folder)
        try fill(open())
        return 0
      }
    }
    let queue = try open()
    try fill(queue)
    switch kind {
    case .fetchAll:
      return try Measurement.measure {
        var sum = 0.0
        for item in try queue.read({ try GRDBItem.fetchAll($0) }) {
          sum += item.price + Double(item.number + item.title.utf8.count + (item.text?.utf8.count ?? 0))
          sum += item.date.timeIntervalSinceReferenceDate
        }
        keep(sum)
        return 0
      }
    case .fetchSome:
      return try measure(queue) { [count] in try GRDBItem.filter(Column("number") >= count / 2).fetchAll($0) }
    case .fetchOne:
      return try ObjectsWork.fetchEach(count) { title in
        keep(try queue.read { try GRDBItem.filter(Column("title") == title).fetchAll($0) })
      }
    case .sort: return try measure(queue) { try GRDBItem.order(Column("text").desc).fetchAll($0) }
    case .walk:
      return try measure(queue) {
        try GRDBOwner.including(all: GRDBOwner.items).asRequest(of: GRDBFullOwner.self).fetchAll($0)
      }
    case .fault:
      return try Measurement.measure {
        var sum = 0
        try queue.read { database in
          for number in 1...count { sum += try GRDBItem.fetchOne(database, key: number)?.number ?? 0 }
        }
        keep(sum)
        return 0
      }
    case .changeOne:
      let items = try queue.read { try GRDBItem.fetchAll($0) }
      var number = 0
      return try Measurement.measure {
        number += 1
        var item = items[number % items.count]
        item.price = Double(number) + 0.25
        try queue.write { try item.update($0, columns: ["price"]) }
        return 0
      }
    case .memory:
      let before = memoryInUse()
      var loaded: [[GRDBItem]] = []
      for _ in 0..<4 { loaded.append(try queue.read { try GRDBItem.fetchAll($0) }) }
      let each = (memoryInUse() - before) / (4 * count)
      keep(loaded)
      return Measurement(seconds: 0, peakMemory: 0, outputLength: each)
    case .insert, .onDemand, .open, .openMany: return nil
    }
  }

  private func measure<Value>(
    _ queue: DatabaseQueue, _ read: @Sendable (Database) throws -> [Value]
  ) throws -> Measurement {
    try Measurement.measure {
      keep(try queue.read { keep(try read($0)) })
      return 0
    }
  }

  private func open() throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.journalMode = .wal
    let queue = try DatabaseQueue(path: Storage.sqlite.file(in: folder).path, configuration: configuration)
    try queue.write { database in
      try database.create(table: "owner") { table in
        table.autoIncrementedPrimaryKey("id")
        table.column("name", .text).notNull()
        table.column("city", .text)
      }
      try database.create(table: "item") { table in
        table.autoIncrementedPrimaryKey("id")
        table.column("title", .text).notNull().indexed()
        table.column("text", .text)
        table.column("number", .integer).notNull()
        table.column("price", .double).notNull()
        table.column("date", .double).notNull()
        table.column("ownerId", .integer).indexed().references("owner")
      }
    }
    // The same durability as the other implementations.
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    return queue
  }

  private func fill(_ queue: DatabaseQueue) throws {
    try queue.write { database in
      var owner = GRDBOwner(id: nil, OwnerValues(0))
      for number in 0..<count {
        if number % ItemValues.countOfAnOwner == 0 {
          owner = GRDBOwner(id: nil, OwnerValues(number / ItemValues.countOfAnOwner))
          try owner.insert(database)
        }
        var item = GRDBItem(id: nil, ItemValues(number), ownerId: owner.id)
        try item.insert(database)
      }
    }
  }
}

/// Records with hand-written conversions, the fastest kind in GRDB.
private struct GRDBOwner: FetchableRecord, MutablePersistableRecord {
  static let databaseTableName = "owner"
  static let items = hasMany(GRDBItem.self)
  var id: Int64?
  var name: String
  var city: String?

  init(id: Int64?, _ values: OwnerValues) {
    self.id = id
    name = values.name
    city = values.city
  }

  init(row: Row) {
    id = row[0]
    name = row[1]
    city = row[2]
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["name"] = name
    container["city"] = city
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private struct GRDBItem: FetchableRecord, MutablePersistableRecord {
  static let databaseTableName = "item"
  var id: Int64?
  var title: String
  var text: String?
  var number: Int
  var price: Double
  var date: Date
  var ownerId: Int64?

  init(id: Int64?, _ values: ItemValues, ownerId: Int64?) {
    self.id = id
    title = values.title
    text = values.text
    number = values.number
    price = values.price
    date = values.date
    self.ownerId = ownerId
  }

  init(row: Row) {
    id = row[0]
    title = row[1]
    text = row[2]
    number = row[3]
    price = row[4]
    date = Date(timeIntervalSinceReferenceDate: row[5])
    ownerId = row[6]
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["title"] = title
    container["text"] = text
    container["number"] = number
    container["price"] = price
    container["date"] = date.timeIntervalSinceReferenceDate
    container["ownerId"] = ownerId
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private struct GRDBFullOwner: FetchableRecord {
  let owner: GRDBOwner
  let items: [GRDBItem]

  init(row: Row) {
    owner = GRDBOwner(row: row)
    items = row["items"]
  }
}
