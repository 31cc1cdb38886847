public import FoundationEssentials
public import ManagedObjects
internal import PropertyLists
internal import SQLQueries
internal import SQLiteAccess
public import SQLiteStore

/// The history of an SQLite store: the saves and changes that Core Data or this package recorded in the file. A model
/// is not required.
///
/// ```swift
/// try StoreHistory(file).run { print($0.number, $0.date ?? .distantPast, $0.changes.count) }
/// ```
///
/// For an open store, use ``SQLiteStore/history(_:)``, which returns the changes with object IDs.
public struct StoreHistory: Sendable {
  /// The file of the store.
  public var file: URL
  /// The model of the objects; nil to use the model that the store embeds, or else a model that is derived from the
  /// tables.
  public var model: ManagedObjectModel?
  /// True to write nothing at all, not even the files that SQLite needs to share the store with other processes. No
  /// other process may save to the store meanwhile.
  public var writesNothing = true

  /// Creates the history of a file.
  public init(_ file: URL, model: ManagedObjectModel? = nil) {
    self.file = file
    self.model = model
  }

  /// A save.
  public struct Transaction: Hashable, Sendable {
    /// The transaction number. It increases with each save.
    public var number: Int64
    /// The time of the save; nil if the file has only the changes of the transaction and not the transaction itself.
    public var date: Date?
    /// The author of the save (`transactionAuthor` of the context in Core Data); nil if it was not recorded.
    public var author: String?
    /// The name of the context that saved; nil if it was not recorded.
    public var contextName: String?
    /// The bundle identifier of the program that saved; nil if it was not recorded.
    public var bundleIdentifier: String?
    /// The name of the process that saved; nil if it was not recorded.
    public var processName: String?
    /// The changes to objects, in the order they were recorded.
    public var changes: [Change] = []
  }

  /// A change to an object.
  public struct Change: Hashable, Sendable {
    /// The kind of change; nil if it is unknown.
    public var kind: PersistentHistoryChange.Kind?
    /// The name of the entity; nil if the model does not have it.
    public var entity: String?
    /// The entity number (`Z_ENT`).
    public var entityNumber: Int64
    /// The primary key of the object (`Z_PK`).
    public var number: Int64
    /// The URI of the object ID, as in ``ManagedObjectID/uriRepresentation``; nil if the entity is unknown.
    public var objectURI: String?
    /// For an update, the names of the properties whose values changed, sorted; nil if they are unknown, and for other
    /// changes.
    public var updatedProperties: [String]?
    /// The bits that show which properties changed, as the file contains them; nil if the file has no bits for this
    /// change.
    public var propertyBits: Data?
    /// The values of a deleted object that the model says to preserve, by attribute name, or by column name if the
    /// attribute is unknown.
    public var tombstone: [String: AttributeValue] = [:]
  }

  /// Calls `body` for each transaction that a request selects. Does not call it if the store has no history.
  ///
  /// Only one transaction at a time is in memory.
  ///
  /// ```swift
  /// try StoreHistory(file).run(HistoryRequest(after: .number(1200))) { transaction in
  ///   for change in transaction.changes where change.kind == .update {
  ///     print(change.entity ?? "", change.number, change.updatedProperties ?? [])  // Note 2 ["title"]
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter request: The request. This reads whatever transactions the file has. Unlike in an open store, it is
  ///   not an error if transactions after the token or number were deleted.
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the model does not have an entity of the request,
  ///   ``ManagedObjectError/Code/invalidState`` for a token of another store,
  ///   ``ManagedObjectError/Code/unsupportedRequest`` for a negative limit, ``ManagedObjectError/Code/noSuchFile`` if
  ///   the file does not exist, ``ManagedObjectError/Code/open`` if it is not a store,
  ///   ``ManagedObjectError/Code/storeTypeMismatch`` if it is a store of another kind than SQLite, and the error of
  ///   `body`.
  /// - Complexity: O(*n*) in the number of changes, O(*n* log *n*) if the index of the transactions is missing.
  public func run(
    _ request: HistoryRequest = HistoryRequest(), _ body: (Transaction) throws(ManagedObjectError) -> Void
  ) throws(ManagedObjectError) {
    try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      let tables = try InspectedTables(file, model: model, configuration: nil, writesNothing: writesNothing)
      try tables.database.transaction(.deferred) { () throws(ManagedObjectError) in
        try StoreHistoryReading(tables).forEachTransaction(request, body)
      }
    }
  }
}

/// Reads the tables of a store's history, one transaction at a time.
struct StoreHistoryReading {
  private let tables: InspectedTables
  private let columns = HistoryColumnCache()
  private var database: Database { tables.database }
  private var file: FileSchema { tables.file }

  init(_ tables: InspectedTables) { self.tables = tables }

  /// True if the store has the tables of a history.
  var isThere: Bool {
    [
      ("Z_PK", HistoryTables.transactions), ("ZTIMESTAMP", HistoryTables.transactions), ("Z_PK", HistoryTables.changes),
      ("ZTRANSACTIONID", HistoryTables.changes), ("ZCHANGETYPE", HistoryTables.changes),
      ("ZENTITY", HistoryTables.changes), ("ZENTITYPK", HistoryTables.changes),
    ].allSatisfy { file.has($0.1, $0.0) }
  }

  func forEachTransaction(
    _ request: HistoryRequest, _ body: (StoreHistory.Transaction) throws(ManagedObjectError) -> Void
  ) throws(ManagedObjectError) {
    let selection = try HistorySelection(request, tables)
    guard isThere else { return }
    let direction = request.isNewestFirst ? "DESC" : "ASC"
    var count = 0
    let hasTexts = file.has(HistoryTables.texts, "Z_PK") && file.has(HistoryTables.texts, "ZNAME")
    let texts = hasTexts ? try HistoryTexts.read(database) : [:]
    let transactions = try database.statement(
      "SELECT Z_PK, ZTIMESTAMP, \(HistoryTexts.columns(file).joined(separator: ", ")) FROM ATRANSACTION "
        + "WHERE Z_PK > ? AND Z_PK <= ? ORDER BY Z_PK \(direction)")
    try transactions.bind(1, selection.after)
    try transactions.bind(2, selection.last)
    let bits = file.has(HistoryTables.changes, "ZCOLUMNS") ? "ZCOLUMNS" : "NULL"
    let tombstones = file.tombstoneColumns
    let columns = tombstones.map { ", " + $0.sqlName }.joined()
    let changes = try database.statement(
      "SELECT ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK, \(bits)\(columns) FROM ACHANGE "
        + "WHERE ZTRANSACTIONID > ? AND ZTRANSACTIONID <= ? ORDER BY ZTRANSACTIONID \(direction), Z_PK")
    try changes.bind(1, selection.after)
    try changes.bind(2, selection.last)
    defer {
      transactions.reset()
      changes.reset()
    }
    var (hasTransaction, hasChange) = (try transactions.step(), try changes.step())
    func precedes(_ first: Int64, _ second: Int64) -> Bool { request.isNewestFirst ? first > second : first < second }
    while hasTransaction || hasChange {
      var transaction = StoreHistory.Transaction(number: 0)
      // Changes whose transaction is missing get a transaction without a date.
      if hasTransaction, !hasChange || !precedes(changes.integer(0), transactions.integer(0)) {
        transaction.number = transactions.integer(0)
        if !transactions.isNull(1) { transaction.date = Date(timeIntervalSinceReferenceDate: transactions.real(1)) }
        func text(_ column: Int32) throws(ManagedObjectError) -> String? {
          try HistoryTexts.text(transactions, column) { texts[$0] }
        }
        (transaction.author, transaction.contextName) = (try text(2), try text(3))
        (transaction.bundleIdentifier, transaction.processName) = (try text(4), try text(5))
        hasTransaction = try transactions.step()
      } else {
        transaction.number = changes.integer(0)
      }
      while hasChange, !precedes(transaction.number, changes.integer(0)) {
        transaction.changes.append(try readChange(changes, tombstones))
        hasChange = try changes.step()
      }
      guard selection.includes(&transaction) else { continue }
      try body(transaction)
      count += 1
      if count == request.fetchLimit { return }
    }
  }

  private func readChange(_ row: Statement, _ tombstones: [String]) throws(ManagedObjectError) -> StoreHistory.Change {
    let kind = row.isNull(1) ? nil : PersistentHistoryChange.Kind(rawValue: row.integer(1))
    let entity = tables.schema.entityIndices[row.integer(2)].map {
      ManagedObjectModel.Entity(model: tables.schema.model, index: $0)
    }
    var change = StoreHistory.Change(
      kind: kind, entity: entity?.name, entityNumber: row.integer(2), number: row.integer(3))
    if let entity, let identifier = tables.metadata?.identifier {
      change.objectURI = ObjectURI(storeIdentifier: identifier, entityName: entity.name, number: change.number).text
    }
    let isKnown = tables.modelSource != .tables
    if !row.isNull(4) {
      let bits = row.data(4)
      change.propertyBits = bits
      if kind == .update, isKnown, let entity {
        let columns = try columns.columns(tables.schema, database)[entity.index]
        change.updatedProperties = columns?.names(bits) ?? []
      }
    }
    guard kind == .delete else { return change }
    let preserved = isKnown ? entity.map(HistoryTables.preserved) ?? [] : []
    for (index, name) in tombstones.enumerated() {
      let column = Int32(5 + index)
      if row.isNull(column) { continue }
      if index < preserved.count {
        let definition = preserved[index].definition
        let external = definition.isExternal ? ExternalData(ofStore: database.file.path) : nil
        let value = try? ValueReading.value(StatementColumn(statement: row, column: column), definition.type, external)
        if let value {
          change.tombstone[definition.name] = value
          continue
        }
      }
      change.tombstone[name] = AttributeValue(raw: row.value(column))
    }
    return change
  }
}

extension AttributeValue {
  /// Creates a value from a column whose attribute type is unknown.
  init(raw value: SQLValue) {
    switch value {
    case .null: self = .null
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .double(value)
    case .text(let value): self = .string(value)
    case .blob(let value): self = .data(value)
    }
  }
}
