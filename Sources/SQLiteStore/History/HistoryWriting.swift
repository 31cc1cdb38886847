internal import FoundationEssentials
internal import ManagedObjects
internal import SQLQueries

/// Records a save in the history of the store, in the database transaction of the save, as Core Data records it.
struct HistoryWriting {
  let database: Database
  let schema: StoreSchema
  let state: StoreState
  /// The attributes to preserve, by the index of the entity.
  private var preserved: [Int32: [ManagedObjectModel.Entity.Attribute]] = [:]
  /// The number of columns for the preserved values of deleted objects.
  private var tombstoneCount: Int

  /// A change of a column that the save does not contain: the other side of a relationship.
  struct SideChange {
    let key: RowKey
    let column: HistoryColumns.Column
  }

  init(_ state: StoreState) {
    self.state = state
    database = state.database
    schema = state.schema
    tombstoneCount = state.history?.tombstoneCount ?? 0
  }

  /// Records a save: first the inserted objects, then the updated ones, then the deleted ones.
  ///
  /// - Parameters:
  ///   - changes: The saved rows.
  ///   - slots: For each updated row, the slots whose values change.
  ///   - touched: The keys of further rows that the save changes, such as those of related objects.
  ///   - sides: The changes of columns that `changes` does not contain.
  /// - Returns: The transaction number; nil if there is nothing to record, because the save changes only properties
  ///   that are not stored.
  mutating func write(
    _ changes: StoreChanges, _ slots: [[Int]], touched: [RowKey], _ sides: [SideChange]
  ) throws(ManagedObjectError) -> Int64? {
    let updates = try updates(changes, slots, touched, sides)
    let count = changes.inserted.count + updates.count + changes.deleted.count
    if count == 0 { return nil }
    let transaction = try begin(author: changes.author, contextName: changes.contextName)
    var number = try HistoryTables.nextKey(of: 0, database, count: Int64(count)) - Int64(count)
    func next() -> Int64 {
      number += 1
      return number
    }
    for row in changes.inserted { try write(.insert, row.key, next(), transaction) }
    for (key, bits) in updates { try write(.update, key, next(), transaction, bits: bits) }
    for row in changes.deleted { try write(.delete, row.key, next(), transaction, tombstone: row) }
    return transaction
  }

  /// Returns the updated rows with their values of `ZCOLUMNS`.
  private func updates(
    _ changes: StoreChanges, _ slots: [[Int]], _ touched: [RowKey], _ sides: [SideChange]
  ) throws(ManagedObjectError) -> [(key: RowKey, bits: Data)] {
    if changes.updated.isEmpty, touched.isEmpty { return [] }
    let all = try columns()
    var sideBits: [RowKey: [Int]] = [:]
    for side in sides {
      let bit = all[Int(side.key.entityIndex)]?.bit(side.column)
      sideBits[side.key, default: []] += bit.map { [$0] } ?? []
    }
    var updates: [(key: RowKey, bits: Data)] = []
    for (index, row) in changes.updated.enumerated() {
      guard let columns = all[Int(row.key.entityIndex)] else { continue }
      let own = columns.bits(slots[index], from: changes.snapshots[index], to: row)
      let others = sideBits[row.key]
      if own == nil, others == nil { continue }
      updates.append((row.key, columns.data((own ?? []) + (others ?? []))))
    }
    for key in touched {
      guard let columns = all[Int(key.entityIndex)] else { continue }
      updates.append((key, columns.data(sideBits[key] ?? [])))
    }
    return updates
  }

  /// Returns the columns of all entities, by the index of the entity.
  func columns() throws(ManagedObjectError) -> [HistoryColumns?] {
    try state.historyColumns.columns(schema, database)
  }

  /// Records a transaction without changes. Returns its number.
  func begin(author: String, contextName: String) throws(ManagedObjectError) -> Int64 {
    let transaction = try HistoryTables.nextKey(of: 1, database)
    // Core Data has the identifier of the main bundle here. A program without one is identified by its name.
    let process = ProcessInfo.processInfo.processName
    let texts = [author, process, process, contextName]
    let hasNumbers = state.history?.hasTexts ?? true
    let columns = ["ZAUTHOR", "ZBUNDLEID", "ZPROCESSID", "ZCONTEXTNAME"].map { $0 + (hasNumbers ? "TS" : "") }
    let statement = try database.statement(
      "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, \(columns.joined(separator: ", "))) "
        + "VALUES (?, \(HistoryTables.entities[1].number), ?, ?, ?, ?, ?)")
    var values: [SQLValue] = [.integer(transaction), .real(Date().timeIntervalSinceReferenceDate)]
    for text in texts {
      if text.isEmpty {
        values.append(.null)
      } else {
        values.append(hasNumbers ? .integer(try number(of: text)) : .text(text))
      }
    }
    try statement.bind(values)
    try statement.run()
    return transaction
  }

  private mutating func preserved(_ index: Int32) -> [ManagedObjectModel.Entity.Attribute] {
    if let known = preserved[index] { return known }
    let attributes = HistoryTables.preserved(ManagedObjectModel.Entity(model: schema.model, index: Int(index)))
    preserved[index] = attributes
    return attributes
  }

  /// Adds the missing columns for the preserved values of deleted objects.
  ///
  /// Columns can be missing because the version hash of an entity does not show whether an attribute is preserved: the
  /// hash has the same byte for a preserved attribute and for one with external data, and no byte for a preserved
  /// derived attribute. So a model with the same hashes can preserve more values than the model of the program that
  /// created the columns.
  ///
  /// - Throws: ``ManagedObjectError/Code/save`` if columns are missing in a history that Core Data has started.
  mutating func addTombstoneColumns(_ count: Int) throws(ManagedObjectError) {
    if tombstoneCount >= count { return }
    guard state.metadata.ownsHistory else {
      throw ManagedObjectError(
        .save,
        "\(database.path): the history cannot preserve the values of deleted objects: expected \(count) columns "
          + "ZTOMBSTONE…, found \(tombstoneCount)")
    }
    while tombstoneCount < count {
      try database.execute("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(tombstoneCount) BLOB")
      tombstoneCount += 1
    }
  }

  private mutating func write(
    _ kind: PersistentHistoryChange.Kind, _ key: RowKey, _ number: Int64, _ transaction: Int64, bits: Data? = nil,
    tombstone: StoreRow? = nil
  ) throws(ManagedObjectError) {
    let preserved = tombstone == nil ? [] : preserved(key.entityIndex)
    try addTombstoneColumns(preserved.count)
    let columns = preserved.indices.map { ", ZTOMBSTONE\($0)" }.joined()
    let marks = preserved.map { _ in ", ?" }.joined()
    let statement = try database.statement(
      "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS\(columns)) "
        + "VALUES (?, \(HistoryTables.entities[0].number), ?, ?, ?, ?, ?\(marks))")
    try statement.bind(1, number)
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

  /// Returns the primary key of `text` in `ATRANSACTIONSTRING`. Inserts the text if it is missing.
  private func number(of text: String) throws(ManagedObjectError) -> Int64 {
    let search = try database.statement("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?")
    try search.bind(1, text)
    defer { search.reset() }
    if try search.step() { return search.integer(0) }
    let number = try HistoryTables.nextKey(of: 2, database)
    let insertion = try database.statement("INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?, ?, ?)")
    try insertion.bind(1, number)
    try insertion.bind(2, HistoryTables.entities[2].number)
    try insertion.bind(3, text)
    try insertion.run()
    return number
  }
}
