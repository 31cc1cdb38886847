internal import FoundationEssentials
internal import ManagedObjects

/// Reads the history of an open store.
struct HistoryReading {
  let state: StoreState
  private var database: Database { state.database }

  init(_ state: StoreState) { self.state = state }

  /// Returns the transactions with a number greater than `number`, the oldest first.
  func transactions(after number: Int64) throws(ManagedObjectError) -> [PersistentHistoryTransaction] {
    let texts = try texts()
    let statement = try database.statement(
      "SELECT Z_PK, ZTIMESTAMP, ZAUTHORTS, ZCONTEXTNAMETS, ZBUNDLEIDTS, ZPROCESSIDTS, ZAUTHOR, ZCONTEXTNAME, ZBUNDLEID, "
        + "ZPROCESSID FROM ATRANSACTION WHERE Z_PK > ? ORDER BY Z_PK")
    try statement.bind(1, number)
    var changes = try changes(after: number)
    var transactions: [PersistentHistoryTransaction] = []
    try statement.forEachRow {
      // Older files do not have the table of strings. They have the strings in the row of the transaction.
      func text(_ column: Int32, _ older: Int32) -> String? {
        if !statement.isNull(column) { return texts[statement.integer(column)] }
        return statement.isNull(older) ? nil : statement.text(older)
      }
      let number = statement.integer(0)
      transactions.append(
        PersistentHistoryTransaction(
          number: number, date: Date(timeIntervalSinceReferenceDate: statement.real(1)), author: text(2, 6),
          contextName: text(3, 7), bundleIdentifier: text(4, 8), processName: text(5, 9),
          changes: changes.removeValue(forKey: number) ?? []))
    }
    return transactions
  }

  /// Returns the greatest transaction number, or 0 if the history is empty.
  func lastNumber() throws(ManagedObjectError) -> Int64 { try database.number("SELECT MAX(Z_PK) FROM ATRANSACTION") }

  private func texts() throws(ManagedObjectError) -> [Int64: String] {
    var texts: [Int64: String] = [:]
    let statement = try database.statement("SELECT Z_PK, ZNAME FROM ATRANSACTIONSTRING")
    try statement.forEachRow { texts[statement.integer(0)] = statement.text(1) }
    return texts
  }

  private func changes(after number: Int64) throws(ManagedObjectError) -> [Int64: [PersistentHistoryChange]] {
    let statement = try database.statement(
      "SELECT ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS, * FROM ACHANGE WHERE ZTRANSACTIONID > ? "
        + "ORDER BY Z_PK")
    try statement.bind(1, number)
    let tombstones = tombstoneColumns(statement)
    var changes: [Int64: [PersistentHistoryChange]] = [:]
    try statement.forEachRow { () throws(ManagedObjectError) in
      guard let kind = PersistentHistoryChange.Kind(rawValue: statement.integer(1)),
        let index = state.schema.entityIndices[statement.integer(2)], statement.integer(3) > 0
      else { return }
      let entity = ManagedObjectModel.Entity(model: state.schema.model, index: index)
      let key = RowKey(store: state.storeNumber, entityIndex: index, number: statement.integer(3))
      var change = PersistentHistoryChange(kind: kind, objectID: state.objectID(key))
      if kind == .update { change.updatedProperties = HistoryTables.names(entity, statement.data(4)) }
      if kind == .delete {
        for (attribute, column) in zip(HistoryTables.preserved(entity), tombstones) {
          let value = try state.reading.value(
            statement, column, attribute.definition.type,
            isExternal: attribute.definition.isExternal)
          change.tombstone[attribute.name] = value ?? .null
        }
      }
      changes[statement.integer(0), default: []].append(change)
    }
    return changes
  }

  private func tombstoneColumns(_ statement: Statement) -> [Int32] {
    var columns: [Int: Int32] = [:]
    for column in 5..<statement.columnCount {
      let name = statement.columnName(column).uppercased()
      if name.hasPrefix("ZTOMBSTONE"), let number = Int(name.dropFirst(10)) { columns[number] = column }
    }
    return columns.sorted { $0.key < $1.key }.map(\.value)
  }
}
