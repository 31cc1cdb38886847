internal import ManagedObjects
internal import PropertyLists

/// Assigns primary keys to new rows, in ascending order for each table.
///
/// The column `Z_MAX` of `Z_PRIMARYKEY` has the highest primary key of each table. After a key was assigned and before
/// its row is saved, another connection may save a row with the same key. So this type records the keys that other
/// connections have taken.
struct RowNumbers {
  /// The highest primary key that was assigned for each table, even if its row is not saved; nil if no key was assigned
  /// yet.
  private var last: [Int64?]
  /// The highest primary key of each table in the file when this store last read or saved it.
  private var known: [Int64]
  /// For each table, the primary keys that other connections have taken, as sorted ranges.
  private var taken: [[ClosedRange<Int64>]]

  init(_ schema: StoreSchema) {
    last = Array(repeating: nil, count: schema.tables.count)
    known = Array(repeating: 0, count: schema.tables.count)
    taken = Array(repeating: [], count: schema.tables.count)
  }

  /// Returns a key for a new object of each entity.
  mutating func keys(
    forNew entityIndices: [Int], _ schema: StoreSchema, _ store: StoreNumber, _ database: Database
  ) throws(ManagedObjectError) -> [RowKey] {
    var keys: [RowKey] = []
    keys.reserveCapacity(entityIndices.count)
    var isRead = [Bool](repeating: false, count: schema.tables.count)
    for index in entityIndices {
      guard schema.tableIndices.indices.contains(index), schema.tableIndices[index] >= 0 else {
        throw ManagedObjectError(
          .invalidState, "the store has no table for the entity \(schema.model.entity(at: index).name)")
      }
      let table = schema.tableIndices[index]
      if !isRead[table] {
        try read(table, schema, database)
        isRead[table] = true
      }
      let (number, overflows) = (last[table] ?? 0).addingReportingOverflow(1)
      if overflows { throw ManagedObjectError(.operation, "the store has no primary key left for another object") }
      last[table] = number
      keys.append(RowKey(store: store, entityIndex: index, number: number))
    }
    return keys
  }

  /// Reserves primary keys for new objects of an entity, in the transaction that saves them, and returns the first one.
  /// No other connection can take these keys.
  mutating func reserve(
    _ count: Int64, forNew index: Int, _ schema: StoreSchema, _ database: Database
  ) throws(ManagedObjectError) -> Int64 {
    let table = schema.tableIndices[index]
    try read(table, schema, database)
    let before = last[table] ?? 0
    let (number, overflows) = before.addingReportingOverflow(count)
    if overflows { throw ManagedObjectError(.operation, "the store has no primary key left for another object") }
    last[table] = number
    return before + 1
  }

  /// Returns the highest primary key that a table has or had.
  ///
  /// - Parameters:
  ///   - table: The name of the table, quoted for SQL.
  ///   - entity: The entity number of the table's root entity.
  static func highest(
    inTable table: String, ofEntity entity: Int64, _ database: Database
  ) throws(ManagedObjectError) -> Int64 {
    // `Z_MAX` can be too low, or not a number, if another program has written the file.
    let statement = try database.statement(
      "SELECT MAX(IFNULL((SELECT CAST(Z_MAX AS INTEGER) FROM Z_PRIMARYKEY WHERE Z_ENT = ?), 0), "
        + "IFNULL((SELECT MAX(Z_PK) FROM \(table)), 0))")
    try statement.bind(1, entity)
    defer { statement.reset() }
    return try statement.step() ? max(statement.integer(0), 0) : 0
  }

  /// Reads the highest primary key of a table, and records those that other connections have taken.
  private mutating func read(_ table: Int, _ schema: StoreSchema, _ database: Database) throws(ManagedObjectError) {
    let highest = try Self.highest(
      inTable: schema.tables[table].name.sqlName, ofEntity: schema.numbers[schema.tables[table].entities.lowerBound],
      database)
    if last[table] != nil, highest > known[table] { take(known[table] + 1...highest, table) }
    known[table] = max(known[table], highest)
    last[table] = max(last[table] ?? 0, highest)
  }

  /// Records primary keys that other connections have taken.
  ///
  /// - Parameter numbers: Primary keys, which must be greater than all those recorded before.
  private mutating func take(_ numbers: ClosedRange<Int64>, _ table: Int) {
    if let previous = taken[table].last, previous.upperBound == numbers.lowerBound - 1 {
      taken[table][taken[table].count - 1] = previous.lowerBound...numbers.upperBound
    } else {
      taken[table].append(numbers)
    }
  }

  private func isTaken(_ number: Int64, _ table: Int) -> Bool {
    let ranges = taken[table]
    let index = ranges.partitioningIndex { $0.upperBound >= number }
    return index < ranges.count && ranges[index].contains(number)
  }

  /// Updates `Z_MAX` for the primary keys of new rows, in the transaction that saves the rows.
  ///
  /// - Throws: ``ManagedObjectError/Code/keysTaken`` if another connection has saved a row with one of the keys.
  mutating func use(_ keys: [RowKey], _ schema: StoreSchema, _ database: Database) throws(ManagedObjectError) {
    var highest: [Int: Int64] = [:]
    for key in keys {
      let table = schema.tableIndices[Int(key.entityIndex)]
      highest[table] = max(highest[table] ?? 0, key.number)
    }
    for (table, number) in highest {
      try read(table, schema, database)
      try write(number, table, schema, database)
    }
    for key in keys {
      let table = schema.tableIndices[Int(key.entityIndex)]
      if isTaken(key.number, table) { throw Self.keysTaken }
    }
  }

  private func write(
    _ number: Int64, _ table: Int, _ schema: StoreSchema, _ database: Database
  ) throws(ManagedObjectError) {
    let statement = try database.statement(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = ?2 AND IFNULL(CAST(Z_MAX AS INTEGER), 0) < ?1")
    try statement.bind(1, number)
    try statement.bind(2, schema.numbers[schema.tables[table].entities.lowerBound])
    try statement.run()
  }

  /// Sets `Z_MAX` to the highest key from ``reserve(_:forNew:_:_:)`` that a row uses, and records the key as saved.
  mutating func useReserved(_ key: RowKey, _ schema: StoreSchema, _ database: Database) throws(ManagedObjectError) {
    try write(key.number, schema.tableIndices[Int(key.entityIndex)], schema, database)
    confirm([key], schema)
  }

  /// Records that new rows with these keys were saved.
  mutating func confirm(_ keys: [RowKey], _ schema: StoreSchema) {
    for key in keys {
      let table = schema.tableIndices[Int(key.entityIndex)]
      known[table] = max(known[table], key.number)
      last[table] = max(last[table] ?? 0, key.number)
    }
  }

  static let keysTaken = ManagedObjectError(
    .keysTaken, "cannot save new objects, because other objects were saved with the same primary keys")
}
