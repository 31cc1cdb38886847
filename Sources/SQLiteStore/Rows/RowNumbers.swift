internal import ManagedObjects
internal import PropertyLists

/// Hands out the numbers of new rows, one after the other in each table.
///
/// The file has the highest one of each table that was saved (`Z_MAX`). Others may save rows meanwhile: what they have
/// taken since is not given to rows of this store.
struct RowNumbers {
  /// The highest number that was given to an object of each table, saved or not; nil if nobody asked.
  private var last: [Int64?]
  /// The highest number in the file that this store knows of.
  private var known: [Int64]
  /// The numbers that others have taken, in order.
  private var taken: [[ClosedRange<Int64>]]

  init(_ schema: StoreSchema) {
    last = Array(repeating: nil, count: schema.tables.count)
    known = Array(repeating: 0, count: schema.tables.count)
    taken = Array(repeating: [], count: schema.tables.count)
  }

  /// Keys for new objects, one for each index.
  mutating func keys(
    forNew entityIndices: [Int], _ schema: StoreSchema, _ store: StoreNumber, _ database: Database
  ) throws(ManagedObjectError) -> [RowKey] {
    var keys: [RowKey] = []
    keys.reserveCapacity(entityIndices.count)
    var isRead = [Bool](repeating: false, count: schema.tables.count)
    for index in entityIndices {
      guard schema.tableIndices.indices.contains(index), schema.tableIndices[index] >= 0 else {
        throw ManagedObjectError(
          .invalidState, "the store has no objects of the entity \(schema.model.entity(at: index).name)")
      }
      let table = schema.tableIndices[index]
      if !isRead[table] {
        try read(table, schema, database)
        isRead[table] = true
      }
      let (number, overflows) = (last[table] ?? 0).addingReportingOverflow(1)
      if overflows { throw ManagedObjectError(.operation, "the store has no number left for another object") }
      last[table] = number
      keys.append(RowKey(store: store, entityIndex: index, number: number))
    }
    return keys
  }

  /// The highest number that a row of a table has or had.
  ///
  /// - Parameters:
  ///   - table: the name of the table as statements have it.
  ///   - entity: the number of the entity at the top of the table's hierarchy.
  static func highest(
    inTable table: String, ofEntity entity: Int64, _ database: Database
  ) throws(ManagedObjectError) -> Int64 {
    // The row can say less than there is in a file that others have written.
    let statement = try database.statement(
      "SELECT MAX(IFNULL((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?), 0), "
        + "IFNULL((SELECT MAX(Z_PK) FROM \(table)), 0))")
    try statement.bind(1, entity)
    defer { statement.reset() }
    return try statement.step() ? max(statement.integer(0), 0) : 0
  }

  /// Takes notice of what others have saved.
  private mutating func read(_ table: Int, _ schema: StoreSchema, _ database: Database) throws(ManagedObjectError) {
    let highest = try Self.highest(
      inTable: schema.tables[table].name.sqlName, ofEntity: schema.numbers[schema.tables[table].entities.lowerBound],
      database)
    if last[table] != nil, highest > known[table] { take(known[table] + 1...highest, table) }
    known[table] = max(known[table], highest)
    last[table] = max(last[table] ?? 0, highest)
  }

  /// - Parameter numbers: greater than all that were taken before.
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

  /// Enters the numbers of new rows as taken, in the transaction that saves them.
  ///
  /// - Throws: ``ManagedObjectError/Code/keysTaken`` if others have taken one.
  mutating func use(_ keys: [RowKey], _ schema: StoreSchema, _ database: Database) throws(ManagedObjectError) {
    var highest: [Int: Int64] = [:]
    for key in keys {
      let table = schema.tableIndices[Int(key.entityIndex)]
      highest[table] = max(highest[table] ?? 0, key.number)
    }
    for (table, number) in highest {
      try read(table, schema, database)
      let statement = try database.statement(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = ?2 AND IFNULL(Z_MAX, 0) < ?1")
      try statement.bind(1, number)
      try statement.bind(2, schema.numbers[schema.tables[table].entities.lowerBound])
      try statement.run()
    }
    for key in keys {
      let table = schema.tableIndices[Int(key.entityIndex)]
      if isTaken(key.number, table) { throw Self.keysTaken }
    }
  }

  /// Remembers that rows were saved.
  mutating func confirm(_ keys: [RowKey], _ schema: StoreSchema) {
    for key in keys {
      let table = schema.tableIndices[Int(key.entityIndex)]
      known[table] = max(known[table], key.number)
      last[table] = max(last[table] ?? 0, key.number)
    }
  }

  static let keysTaken = ManagedObjectError(.keysTaken, "others have saved objects under the numbers of new ones")
}
