internal import ManagedObjects
internal import SQLQueries

/// Functions that write the order of ordered relationships. The objects have position numbers in steps of 1,024, so
/// that another object can be inserted between two of them without changing their numbers.
extension SaveTransaction {
  private static let step: Int64 = 1_024
  private static let first: Int64 = 2_048

  /// An ordered relationship of one object, the owner.
  struct OrderedSlot: Hashable {
    let owner: RowKey
    let slot: Int
  }

  /// An object to append to an ordered relationship.
  struct Addition {
    let key: RowKey
    let relationship: OrderedSlot
    let columns: ToManyColumns
  }

  /// Writes the order of a relationship. Objects whose position numbers are already in order keep their numbers.
  func writeOrder(_ keys: [RowKey], of owner: RowKey, _ columns: ToManyColumns) throws(ManagedObjectError) {
    guard let order = OrderColumn(columns, schema) else { return }
    var numbers: [Int64: Int64] = [:]
    let reading = try database.statement(order.reading)
    try reading.bind(1, owner.number)
    try reading.forEachRow { numbers[reading.integer(0)] = reading.integer(1) }
    let old = keys.map { numbers[$0.number] ?? 0 }
    let new = OrderNumbers.numbers(old, OrderNumbers.kept(old), first: Self.first, step: Self.step)
    let writing = try database.statement(order.writing)
    for (key, number) in zip(keys, new) where numbers[key.number] != number {
      try writing.bind(1, number)
      try writing.bind(2, owner.number)
      try writing.bind(3, key.number)
      try writing.run()
    }
  }

  /// Remembers to append an object to an ordered relationship after the orders in the save have been written. Does
  /// nothing if the save itself determines the position of the object.
  func add(_ key: RowKey, toOrderOf owner: RowKey, _ slot: Int, _ columns: ToManyColumns) {
    if value(owner, slot)?.refers(to: key) == true, isDecided(owner, slot) { return }
    additions.append(Addition(key: key, relationship: OrderedSlot(owner: owner, slot: slot), columns: columns))
  }

  /// Appends an object to an ordered relationship.
  func append(_ addition: Addition) throws(ManagedObjectError) {
    guard let order = OrderColumn(addition.columns, schema) else { return }
    let owner = addition.relationship.owner
    let known = lastNumbers[addition.relationship]
    let last = if let known { known } else { try lastNumber(owner, order) }
    guard last <= Int64.max - Self.step else { return try appendAnew(addition) }
    let number = max(last + Self.step, Self.first)
    lastNumbers[addition.relationship] = number
    let writing = try database.statement(order.writing)
    try writing.bind(1, number)
    try writing.bind(2, owner.number)
    try writing.bind(3, addition.key.number)
    try writing.run()
  }

  /// Appends an object by changing the position numbers of all objects, because no greater number is left.
  private func appendAnew(_ addition: Addition) throws(ManagedObjectError) {
    let owner = addition.relationship.owner
    let keys = try stored(owner, addition.columns).keys.filter { $0 != addition.key }
    lastNumbers[addition.relationship] = nil
    try writeOrder(keys + [addition.key], of: owner, addition.columns)
  }

  private func lastNumber(_ owner: RowKey, _ order: OrderColumn) throws(ManagedObjectError) -> Int64 {
    let reading = try database.statement("SELECT MAX(n) FROM (\(order.reading))")
    try reading.bind(1, owner.number)
    defer { reading.reset() }
    return try reading.step() ? max(reading.integer(0), 0) : 0
  }

  /// Statements for the column with the position numbers of a relationship.
  private struct OrderColumn {
    /// A statement that returns the primary key and the position number of each object of an owner.
    let reading: String
    /// A statement that sets the position number of one of an owner's objects.
    let writing: String

    init?(_ columns: ToManyColumns, _ schema: StoreSchema) {
      let table: String
      let (own, other, order): (String, String, String)
      switch columns.source {
      case .column(let index, let column, _, let orderColumn?):
        table = schema.tables[index].name.sqlName
        own = schema.tables[index].columns[column].name.sqlName
        other = "Z_PK"
        order = schema.tables[index].columns[orderColumn].name.sqlName
      case .join(let index, let ownColumn, let otherColumn, let orderColumn?, _):
        table = schema.joins[index].name.sqlName
        (own, other, order) = (ownColumn.sqlName, otherColumn.sqlName, orderColumn.sqlName)
      default: return nil
      }
      reading = "SELECT \(other), IFNULL(\(order), 0) AS n FROM \(table) WHERE \(own) = ?1"
      writing = "UPDATE \(table) SET \(order) = ?1 WHERE \(own) = ?2 AND \(other) = ?3"
    }
  }
}
