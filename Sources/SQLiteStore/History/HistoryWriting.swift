internal import FoundationEssentials
internal import ManagedObjects
internal import SQLQueries

/// Records a save in the history of the store, in the database transaction of the save.
struct HistoryWriting {
  let database: Database
  let schema: StoreSchema
  let state: StoreState
  /// A cache of the properties of entities, by entity index.
  private var known: [Int: EntityProperties] = [:]
  /// The number of columns for the preserved values of deleted objects.
  private var tombstoneCount: Int

  private struct EntityProperties {
    let preserved: [ManagedObjectModel.Entity.Attribute]
    /// The slots of all stored properties, in the order of their bits in `ZCOLUMNS`.
    let slots: [Int]
  }

  init(_ state: StoreState) {
    self.state = state
    database = state.database
    schema = state.schema
    tombstoneCount = state.tombstoneCount
  }

  /// Records a save.
  ///
  /// - Parameters:
  ///   - changes: The saved rows.
  ///   - slots: For each updated row, the slots whose values change.
  ///   - touched: The keys of further rows that the save changes, such as those of related objects.
  /// - Returns: The transaction number.
  mutating func write(
    _ changes: StoreChanges, _ slots: [[Int]], touched: [RowKey]
  ) throws(ManagedObjectError) -> Int64 {
    let transaction = try begin(author: changes.author, contextName: changes.contextName)
    for row in changes.inserted { try write(.insert, row.key, transaction) }
    for (row, slots) in zip(changes.updated, slots) {
      try write(.update, row.key, transaction, bits: bits(row.key.entityIndex, slots))
    }
    for key in touched { try write(.update, key, transaction, bits: bits(key.entityIndex, [])) }
    for row in changes.deleted { try write(.delete, row.key, transaction, tombstone: row) }
    return transaction
  }

  /// Records a transaction without changes. Returns its number.
  func begin(author: String, contextName: String) throws(ManagedObjectError) -> Int64 {
    let transaction = try nextNumber(HistoryTables.entities[1].number)
    let texts = [author, "", contextName, ProcessInfo.processInfo.processName]
    let statement = try database.statement(
      "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS, ZTIMESTAMP) "
        + "VALUES (?, \(HistoryTables.entities[1].number), ?, ?, ?, ?, ?)")
    var textNumbers: [Int64?] = []
    for text in texts { textNumbers.append(text.isEmpty ? nil : try number(of: text)) }
    try statement.bind(1, transaction)
    for (index, number) in textNumbers.enumerated() {
      if let number { try statement.bind(Int32(index + 2), number) } else { try statement.bindNull(Int32(index + 2)) }
    }
    try statement.bind(6, Date().timeIntervalSinceReferenceDate)
    try statement.run()
    return transaction
  }

  private mutating func properties(ofEntity index: Int32) -> EntityProperties {
    if let properties = known[Int(index)] { return properties }
    let entity = ManagedObjectModel.Entity(model: schema.model, index: Int(index))
    let properties = EntityProperties(
      preserved: HistoryTables.preserved(entity), slots: HistoryTables.properties(entity).map(\.slot))
    known[Int(index)] = properties
    return properties
  }

  /// Adds the missing columns for the preserved values of deleted objects.
  ///
  /// Columns can be missing because the version hash of an entity does not show whether an attribute is preserved: the
  /// hash has the same byte for a preserved attribute and for one with external data, and no byte for a preserved
  /// derived attribute. So a model with the same hashes can preserve more values than the model of the program that
  /// created the columns.
  mutating func addTombstoneColumns(_ count: Int) throws(ManagedObjectError) {
    while tombstoneCount < count {
      try database.execute("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(tombstoneCount) BLOB")
      tombstoneCount += 1
    }
  }

  private mutating func write(
    _ kind: PersistentHistoryChange.Kind, _ key: RowKey, _ transaction: Int64, bits: Data? = nil,
    tombstone: StoreRow? = nil
  ) throws(ManagedObjectError) {
    let preserved = tombstone == nil ? [] : properties(ofEntity: key.entityIndex).preserved
    try addTombstoneColumns(preserved.count)
    let columns = preserved.indices.map { ", ZTOMBSTONE\($0)" }.joined()
    let marks = preserved.map { _ in ", ?" }.joined()
    let statement = try database.statement(
      "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS\(columns)) "
        + "VALUES (?, \(HistoryTables.entities[0].number), ?, ?, ?, ?, ?\(marks))")
    try statement.bind(1, nextNumber(HistoryTables.entities[0].number))
    try statement.bind(2, kind.rawValue)
    try statement.bind(3, schema.numbers[Int(key.entityIndex)])
    try statement.bind(4, key.number)
    try statement.bind(5, transaction)
    if let bits { try statement.bind(6, bits) } else { try statement.bindNull(6) }
    for (index, attribute) in preserved.enumerated() {
      guard case .attribute(let value)? = tombstone?.values[attribute.slot] else { continue }
      try statement.bind(Int32(index + 7), SQLValue(value, isExternal: attribute.definition.isExternal))
    }
    try statement.run()
  }

  /// Returns the value of `ZCOLUMNS` for a change of a row of an entity: a bit for each property, which is 1 if `slots`
  /// contains its slot. The first property has the highest bit of the first byte.
  mutating func bits(_ entityIndex: Int32, _ slots: [Int]) -> Data {
    HistoryTables.bits(properties(ofEntity: entityIndex).slots, where: slots.contains)
  }

  /// Returns the primary key of `text` in `ATRANSACTIONSTRING`. Inserts the text if it is missing.
  private func number(of text: String) throws(ManagedObjectError) -> Int64 {
    let search = try database.statement("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?")
    try search.bind(1, text)
    defer { search.reset() }
    if try search.step() { return search.integer(0) }
    let number = try nextNumber(HistoryTables.entities[2].number)
    let insertion = try database.statement("INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?, ?, ?)")
    try insertion.bind(1, number)
    try insertion.bind(2, HistoryTables.entities[2].number)
    try insertion.bind(3, text)
    try insertion.run()
    return number
  }

  /// Returns the next primary key for a row of a history table. If `count` is greater than 1, reserves `count` keys and
  /// returns the last one.
  func nextNumber(_ entity: Int64, count: Int64 = 1) throws(ManagedObjectError) -> Int64 {
    let statement = try database.statement(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = IFNULL(Z_MAX, 0) + ?2 WHERE Z_ENT = ?1 RETURNING Z_MAX")
    try statement.bind(1, entity)
    try statement.bind(2, count)
    defer { statement.reset() }
    guard try statement.step() else {
      throw ManagedObjectError(
        .save, "\(database.path): Z_PRIMARYKEY has no row with Z_ENT \(entity), which the history needs")
    }
    // The sum is a floating-point number if it is too large for an integer.
    guard case .integer(let number) = statement.value(0), number >= count else {
      throw ManagedObjectError(
        .save, "\(database.path): Z_PRIMARYKEY has no number left for Z_ENT \(entity), which the history needs")
    }
    return number
  }
}
