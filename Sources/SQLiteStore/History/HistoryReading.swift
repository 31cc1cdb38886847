internal import FoundationEssentials
internal import ManagedObjects

/// Reads the history of an open store.
struct HistoryReading {
  let state: StoreState
  private(set) var tables: Tables
  /// True if ``Tables/texts`` are those of the current state of the file.
  private var hasCurrentTexts = false
  private var database: Database { state.database }

  /// The schema of the file and the texts of its history. An enumeration keeps them from batch to batch.
  struct Tables: Sendable {
    let schemaVersion: Int64
    let file: FileSchema
    /// The rows of `ATRANSACTIONSTRING` when a text was last missing.
    fileprivate(set) var texts: [Int64: String] = [:]
  }

  init(state: StoreState, tables: Tables) {
    self.state = state
    self.tables = tables
  }

  /// All transactions of a request, or the first ones.
  struct Page: Sendable {
    var transactions: [PersistentHistoryTransaction] = []
    /// False if there are more transactions.
    var isLast = true
  }

  /// All transaction numbers.
  static let allNumbers = Int64.min...Int64.max

  /// Returns the transactions with a number greater than `number`, the oldest first.
  mutating func transactions(after number: Int64) throws(ManagedObjectError) -> [PersistentHistoryTransaction] {
    try page(HistoryRequest(after: .number(number))).transactions
  }

  /// Returns the transactions of a request.
  ///
  /// - Parameters:
  ///   - numbers: The transaction numbers to read.
  ///   - size: The page ends after the transaction that makes the number of transactions and changes reach `size`. So
  ///     its last transaction has all its changes.
  mutating func page(
    _ request: HistoryRequest, _ numbers: ClosedRange<Int64> = allNumbers, size: Int = .max
  ) throws(ManagedObjectError) -> Page {
    let query = try HistoryQuery(request, numbers, state, tables.file)
    let statement = try database.statement(query.selection, .pairs)
    try statement.bind(query.values)
    defer { statement.reset() }
    var page = Page()
    var count = 0
    while try statement.step() {
      let number = statement.integer(0)
      if page.transactions.last?.number != number {
        if request.fetchLimit > 0, page.transactions.count == request.fetchLimit { break }
        if count >= size {
          page.isLast = false
          break
        }
        page.transactions.append(try transaction(statement))
        count += 1
      }
      guard request.includesChanges, let change = try change(statement, query.tombstones.count) else { continue }
      page.transactions[page.transactions.count - 1].changes.append(change)
      count += 1
    }
    return page
  }

  /// Returns the number of transactions, and of their changes.
  func count(_ request: HistoryRequest) throws(ManagedObjectError) -> (transactions: Int, changes: Int) {
    let query = try HistoryQuery(request, Self.allNumbers, state, tables.file)
    let statement = try database.statement(query.count, .pairs)
    try statement.bind(query.values)
    defer { statement.reset() }
    guard try statement.step() else { return (0, 0) }
    return (Int(statement.integer(0)), Int(statement.integer(1)))
  }

  /// Returns the number of the last recorded transaction, even if it has been deleted; 0 if none was recorded.
  func lastRecordedNumber() throws(ManagedObjectError) -> Int64 {
    try max(lastNumber(), HistoryTables.lastNumber(database))
  }

  /// Returns the greatest transaction number, or 0 if the history is empty.
  func lastNumber() throws(ManagedObjectError) -> Int64 { try database.number("SELECT MAX(Z_PK) FROM ATRANSACTION") }

  private mutating func transaction(_ statement: Statement) throws(ManagedObjectError) -> PersistentHistoryTransaction {
    PersistentHistoryTransaction(
      storeIdentifier: state.metadata.identifier, number: statement.integer(0),
      date: Date(timeIntervalSinceReferenceDate: statement.real(1)), author: try text(statement, 2),
      contextName: try text(statement, 3), bundleIdentifier: try text(statement, 4),
      processName: try text(statement, 5), changes: [])
  }

  private mutating func text(_ statement: Statement, _ column: Int32) throws(ManagedObjectError) -> String? {
    try HistoryTexts.text(statement, column) { number throws(ManagedObjectError) in
      if tables.texts[number] == nil, !hasCurrentTexts {
        tables.texts = try HistoryTexts.read(database)
        hasCurrentTexts = true
      }
      return tables.texts[number]
    }
  }

  /// Returns the change in the current row; nil if the row is a transaction without selected changes.
  private func change(
    _ statement: Statement, _ tombstoneCount: Int
  ) throws(ManagedObjectError) -> PersistentHistoryChange? {
    let first = HistoryQuery.firstChangeColumn
    guard !statement.isNull(first), let kind = PersistentHistoryChange.Kind(rawValue: statement.integer(first)),
      let index = state.schema.entityIndices[statement.integer(first + 1)]
    else { return nil }
    let entity = ManagedObjectModel.Entity(model: state.schema.model, index: index)
    let key = RowKey(store: state.storeNumber, entityIndex: index, number: statement.integer(first + 2))
    var change = PersistentHistoryChange(kind: kind, objectID: state.objectID(key))
    if kind == .update {
      change.updatedProperties =
        try state.historyColumns.columns(state.schema, database)[index]?.names(statement.data(first + 3)) ?? []
    }
    guard kind == .delete else { return change }
    for (position, attribute) in HistoryTables.preserved(entity).prefix(tombstoneCount).enumerated() {
      let value = try state.reading.value(
        statement, first + 4 + Int32(position), attribute.definition.type, isExternal: attribute.definition.isExternal)
      change.tombstone[attribute.name] = value ?? .null
    }
    return change
  }
}
