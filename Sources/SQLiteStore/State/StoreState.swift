internal import FoundationEssentials
internal import ManagedObjects
internal import OrderedCollections
internal import PropertyLists
internal import SQLQueries
internal import SystemFiles

/// The state of an open store: its connection, schema, metadata and primary key counters.
struct StoreState {
  let database: Database
  let schema: StoreSchema
  let storeNumber: StoreNumber
  let configuration: String?
  var metadata: StoreMetadata
  /// True if the program has set metadata that is not saved yet.
  var hasNewMetadata = false
  var numbers: RowNumbers
  let reading: ValueReading
  /// The reasons why this package cannot save to the store.
  private(set) var obstacles: [String]
  /// The reasons in ``obstacles`` that concern triggers, views or virtual tables of other programs. Empty if the caller
  /// allows triggers.
  private var foreignParts: [String]
  private let allowsTriggers: Bool
  /// The tables of the history when the tables were last checked; nil if the store has no history.
  private(set) var history: HistoryLayout?
  /// The columns whose changes the history records.
  let historyColumns: HistoryColumnCache
  private let pragmas: StorePragmas
  /// The views that hide the tables of the file; nil unless the store ignores the version of the model.
  let fitted: FittedTables?
  /// The value of ``Database/schemaVersion()`` when the tables were last checked.
  private var schemaVersion: Int64
  private var selections: [Range<Int>: RowSelection] = [:]
  /// The data version at the last call of ``changesByOthers()``, and the number of the last transaction that was
  /// already read; nil before the first call.
  var others: (dataVersion: Int64, historyNumber: Int64)?
  /// The numbers of this store's own transactions that are greater than the history number in ``others``.
  /// ``changesByOthers()`` leaves them out.
  var ownTransactions: [Int64] = []
  /// The state at the beginning of a transaction of several saves, which is restored if the transaction is rolled back;
  /// nil outside such a transaction.
  private var savedState: SavedState?

  private struct SavedState {
    let numbers: RowNumbers
    let metadata: StoreMetadata
    let hasNewMetadata: Bool
    let ownTransactions: [Int64]
    let others: (dataVersion: Int64, historyNumber: Int64)?
  }

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - name: The path to show in messages; nil to use `path`.
  ///   - given: The model; nil to use the model that the file embeds.
  ///   - checksHashes: False for a model that is derived from the tables, which does not have the version hashes of the
  ///     file.
  init(
    path: String, named name: String? = nil, _ given: ManagedObjectModel?, _ configuration: String?,
    _ storeNumber: StoreNumber, _ access: StoreAccess, _ options: SQLiteStoreOptions, checksHashes: Bool
  ) throws(ManagedObjectError) {
    pragmas = try StorePragmas(options.pragmas)
    if let model = given, access.mode == .create, FileSystem.sizeOfRegularFile(path) ?? 0 == 0 {
      try Self.checkNewStore(name ?? path, model, configuration)
      try Self.checkJournalName(path)
    }
    database = try Database(path: path, named: name, access.mode, options.connectionOptions)
    try pragmas.apply(to: database)
    let model: ManagedObjectModel
    if let given { model = given } else { model = try ModelCache.model(in: database) }
    self.storeNumber = storeNumber
    self.configuration = configuration
    if access.mode == .create { try Self.makeTables(model, configuration, database) }
    try pragmas.applyJournalMode(to: database, isReadOnly: access.isReadOnly)
    schemaVersion = try database.schemaVersion()
    let file = try FileSchema(database)
    metadata = try MetadataTable.read(database)
    allowsTriggers = access.allowsTriggers
    history = try HistoryLayout(file, database)
    historyColumns = HistoryColumnCache()
    if access.ignoresModelVersion {
      let tables = try FittedTables(model, configuration, metadata, file, database)
      try tables.makeViews(database)
      fitted = tables
      schema = tables.schema
      (obstacles, foreignParts) = (["the version of the store's model is ignored"], [])
    } else {
      fitted = nil
      if checksHashes { try Self.check(model, configuration, metadata, file, database) }
      schema = try StoreSchema(model, configuration, of: file, in: database)
      (obstacles, foreignParts) = Self.obstacles(file, schema, history, allowsTriggers: allowsTriggers)
    }
    numbers = RowNumbers(schema)
    reading = ValueReading(
      database: database, schema: schema, externalData: ExternalData(ofStore: database.file.path),
      keepsOtherTypes: fitted != nil)
    switch access.tracksHistory {
    case true?: try trackHistory()
    case false?: try stopTrackingHistory()
    case nil: break
    }
  }

  /// The tables of a file, and the reasons why this package cannot save to them.
  struct Tables: Sendable {
    let schema: StoreSchema
    let metadata: StoreMetadata
    fileprivate let pragmas: StorePragmas
    fileprivate let fitted: FittedTables?
    fileprivate let history: HistoryLayout?
    fileprivate let historyColumns: HistoryColumnCache
    fileprivate let obstacles: [String]
    fileprivate let foreignParts: [String]
    fileprivate let allowsTriggers: Bool
    fileprivate let schemaVersion: Int64
  }

  /// The tables as they were last checked.
  var tables: Tables {
    Tables(
      schema: schema, metadata: metadata, pragmas: pragmas, fitted: fitted, history: history,
      historyColumns: historyColumns, obstacles: obstacles, foreignParts: foreignParts, allowsTriggers: allowsTriggers,
      schemaVersion: schemaVersion)
  }

  /// Creates a state with another connection to a file whose tables are known. ``checkTables()`` must be called.
  init(
    _ database: Database, _ tables: Tables, _ configuration: String?, _ storeNumber: StoreNumber
  ) throws(ManagedObjectError) {
    self.database = database
    self.storeNumber = storeNumber
    self.configuration = configuration
    schema = tables.schema
    metadata = tables.metadata
    pragmas = tables.pragmas
    fitted = tables.fitted
    history = tables.history
    historyColumns = tables.historyColumns
    (obstacles, foreignParts) = (tables.obstacles, tables.foreignParts)
    allowsTriggers = tables.allowsTriggers
    schemaVersion = tables.schemaVersion
    numbers = RowNumbers(schema)
    reading = ValueReading(
      database: database, schema: schema, externalData: ExternalData(ofStore: database.file.path),
      keepsOtherTypes: fitted != nil)
    try pragmas.apply(to: database)
    try fitted?.makeViews(database)
  }

  private static func obstacles(
    _ file: FileSchema, _ schema: StoreSchema, _ history: HistoryLayout?, allowsTriggers: Bool
  ) -> (all: [String], foreignParts: [String]) {
    let parts = ForeignParts(file, schema)
    let foreign = allowsTriggers ? [] : parts.obstacles
    let others = WritingObstacles.inFile(
      file, schema, history: history?.obstacles ?? [],
      triggers: allowsTriggers ? file.triggers : parts.ownTriggers)
    return (others + foreign, foreign)
  }

  /// Checks that a model has the version hashes of the file.
  ///
  /// The hash of an entity with certain derived or composite attributes is unknown or inferred. Such an entity is
  /// compared with the entity of the model that the store embeds, because the hashes of the file belong to that model.
  ///
  /// - Throws: ``ManagedObjectError/Code/incompatibleVersionHash`` if an entity differs.
  private static func check(
    _ model: ManagedObjectModel, _ configuration: String?, _ metadata: StoreMetadata, _ file: FileSchema,
    _ database: Database
  ) throws(ManagedObjectError) {
    do { try metadata.check(model, configuration) } catch {
      let entities = error.differingEntities.compactMap { model.entity(named: $0) }
      guard !entities.isEmpty, entities.count == error.differingEntities.count,
        entities.allSatisfy({ !$0.hasCertainVersionHash }), let own = try? ModelCache.read(database, file),
        entities.allSatisfy({ own.entity(named: $0.name)?.isSame(as: $0) == true })
      else { throw error }
    }
  }

  /// Checks that a new store can have a model.
  ///
  /// - Throws: ``ManagedObjectError/Code/save`` if this package cannot create a store with the model.
  private static func checkNewStore(
    _ path: String, _ model: ManagedObjectModel, _ configuration: String?
  ) throws(ManagedObjectError) {
    let obstacles = WritingObstacles.inNewStore(StoreSchema(model, configuration: configuration))
    if !obstacles.isEmpty { throw WritingObstacles.error(obstacles, path) }
  }

  /// Checks that the path of a new store is not too long for its rollback journal. Without this check, SQLite would
  /// create the file, and fail in the first transaction.
  private static func checkJournalName(_ path: String) throws(ManagedObjectError) {
    // SQLite keeps the journal next to the target of a link.
    do throws(FileError) { _ = try FileIdentity(at: FileSystem.target(of: path) + "-journal") } catch {
      guard error.code == ENAMETOOLONG else { return }
      throw ManagedObjectError(
        .open, "\(path.printable()): the name is too long: expected room for \"-journal\", which SQLite appends")
    }
  }

  /// Checks that this package can save to the store.
  ///
  /// - Throws: ``ManagedObjectError/Code/save`` if there are reasons why it cannot.
  func checkObstacles() throws(ManagedObjectError) {
    if !obstacles.isEmpty { throw WritingObstacles.error(obstacles, database.path) }
  }

  /// Checks that writing to the file runs no triggers of other programs, unless the caller allows them.
  ///
  /// - Throws: ``ManagedObjectError/Code/save`` if the file has triggers, views or virtual tables that are not allowed.
  func checkForeignParts() throws(ManagedObjectError) {
    if !foreignParts.isEmpty { throw WritingObstacles.error(foreignParts, database.path) }
  }

  /// Returns the error to throw after a failed read: ``ManagedObjectError/Code/incompatibleVersionHash`` if another
  /// process has changed the model of the store, else `failure`.
  mutating func errorOfReading(_ failure: ManagedObjectError) -> ManagedObjectError {
    do { try checkTables() } catch { return error.code == .incompatibleVersionHash ? error : failure }
    return failure
  }

  /// Reads the tables again if another process has changed them since they were last checked, for example to record a
  /// history. Updates the metadata and the reasons why the store cannot be saved.
  ///
  /// - Throws: ``ManagedObjectError/Code/incompatibleVersionHash`` if the store now has another model.
  mutating func checkTables() throws(ManagedObjectError) {
    let version = try database.schemaVersion()
    if version == schemaVersion {
      database.mayHaveOtherTables = false
      return
    }
    let file = try FileSchema(database)
    var current = try MetadataTable.read(database)
    let hashes = StoreMetadataKey.versionHashes
    guard current.values[hashes] == metadata.values[hashes], try hasEqualTables(file, current) else {
      throw ManagedObjectError(
        .incompatibleVersionHash, "the model of \(database.path) has changed since the store was opened")
    }
    history = try HistoryLayout(file, database)
    if fitted == nil {
      (obstacles, foreignParts) = Self.obstacles(file, schema, history, allowsTriggers: allowsTriggers)
    }
    if hasNewMetadata { current.replace(with: metadata.values) }
    metadata = current
    schemaVersion = version
    database.mayHaveOtherTables = false
  }

  /// True if the tables of the file still fit the schema.
  private func hasEqualTables(_ file: FileSchema, _ metadata: StoreMetadata) throws(ManagedObjectError) -> Bool {
    if let fitted {
      return try FittedTables(schema.model, configuration, metadata, file, database).views == fitted.views
    }
    return try StoreSchema(schema.model, configuration, of: file, in: database).numbers == schema.numbers
  }

  /// Creates the tables of a store in an empty file.
  private static func makeTables(
    _ model: ManagedObjectModel, _ configuration: String?, _ database: Database
  ) throws(ManagedObjectError) {
    func isEmpty() throws(ManagedObjectError) -> Bool {
      let count = try database.statement("SELECT COUNT(*) FROM sqlite_schema")
      defer { count.reset() }
      return try count.step() && count.integer(0) == 0
    }
    guard try isEmpty() else { return }
    try checkNewStore(database.path, model, configuration)
    try database.execute("PRAGMA auto_vacuum = 2")
    try database.transaction(.exclusive) { () throws(ManagedObjectError) in
      // Another process may have created the tables in the meantime.
      guard try isEmpty() else { return }
      var metadata = StoreMetadata(
        identifier: UUID().uuidString, type: MetadataTable.storeType, model: model, configuration: configuration)
      metadata.set(.string("2"), for: StoreMetadataKey.autoVacuumLevel)
      try SchemaWriter(schema: StoreSchema(model, configuration: configuration), database: database).write(metadata)
    }
    try database.execute("PRAGMA journal_mode = WAL")
  }

  /// Begins a transaction of several saves.
  mutating func beginSaving() throws(ManagedObjectError) {
    if database.isInTransaction {
      throw ManagedObjectError(
        .invalidState, "\(database.path): cannot begin a transaction, because one has begun already")
    }
    try database.begin(.immediate)
    savedState = SavedState(
      numbers: numbers, metadata: metadata, hasNewMetadata: hasNewMetadata, ownTransactions: ownTransactions,
      others: others)
  }

  mutating func endSaving(keepsChanges: Bool) throws(ManagedObjectError) {
    guard let before = savedState else {
      throw ManagedObjectError(.invalidState, "\(database.path): no transaction has begun")
    }
    savedState = nil
    var failure: ManagedObjectError?
    if keepsChanges {
      if database.isInTransaction {
        do { return try database.end(.commit) } catch { failure = error }
      } else {
        failure = ManagedObjectError(.save, "\(database.path): an error has ended the transaction")
      }
    }
    database.rollBack()
    numbers = before.numbers
    metadata = before.metadata
    hasNewMetadata = before.hasNewMetadata
    ownTransactions = before.ownTransactions
    others = before.others
    if let failure { throw failure }
  }

  /// Returns a string that changes with each transaction; nil if the file does not exist or cannot be read.
  func changeToken(canWrite: Bool) -> String? {
    let path = database.file.path
    if canWrite, FileSystem.sizeOfRegularFile(path + "-wal") ?? 0 > 0 {
      // If another connection is reading, the log remains, and is a part of the token.
      database.checkpointWithoutWaiting()
    }
    guard let identity = try? FileIdentity(at: path), let header = database.file.beginning(count: 100) else {
      return nil
    }
    var parts = [identity.text]
    // The header of the database from its change counter on: https://sqlite.org/fileformat2.html#the_database_header
    parts.append(header.dropFirst(24).map { String($0, radix: 16) }.joined(separator: " "))
    if let log = try? FileIdentity(at: path + "-wal"), log.size > 0,
      let head = FileSystem.beginning(of: path + "-wal", count: 32)
    {
      parts += [log.text, head.map { String($0, radix: 16) }.joined(separator: " ")]
    }
    return parts.joined(separator: "/")
  }

  /// Returns the metadata that the program has set and not saved yet, or else those in the file.
  mutating func currentMetadata() -> OrderedDictionary<String, PropertyList> {
    if !hasNewMetadata, let metadata = try? MetadataTable.read(database) { self.metadata = metadata }
    return metadata.values
  }

  /// Returns the columns to select for rows of the given entities, which are in one table; nil if the store does not
  /// have the entities. The results are cached.
  mutating func selection(_ entities: Range<Int>) -> RowSelection? {
    if let selection = selections[entities] { return selection }
    guard let table = schema.table(ofEntity: entities.lowerBound) else { return nil }
    let selection = RowSelection(schema, table, entities, storeNumber)
    selections[entities] = selection
    return selection
  }

  /// Returns all rows of a statement that begins with the columns of a selection.
  func rows(_ statement: Statement, _ selection: RowSelection) throws(ManagedObjectError) -> [StoreRow] {
    var rows: [StoreRow] = []
    try statement.forEachRow { () throws(ManagedObjectError) in rows.append(try selection.row(statement, reading)) }
    return rows
  }

  /// Returns one row; nil if it does not exist. Firing a fault reads a single row, so this case has its own function.
  private mutating func row(_ key: RowKey, withFileOf slot: Int?) throws(ManagedObjectError) -> StoreRow? {
    guard key.store == storeNumber, let table = schema.table(ofEntity: Int(key.entityIndex)),
      let selection = selection(table.entities)
    else { return nil }
    let statement = try database.statement(selection.statementOfOne)
    try statement.bind(1, key.number)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let row = try selection.row(statement, reading, withFileOf: slot)
    return row.key == key ? row : nil
  }

  /// Returns the row for each key; nil if it does not exist.
  ///
  /// - Parameter slot: The slot of a value to read even if it is in an external file.
  mutating func rows(_ keys: [RowKey], withFileOf slot: Int? = nil) throws(ManagedObjectError) -> [StoreRow?] {
    if keys.count == 1 { return [try row(keys[0], withFileOf: slot)] }
    var results = [StoreRow?](repeating: nil, count: keys.count)
    for (table, indices) in keyIndices(keys) {
      guard let selection = selection(table.entities) else { continue }
      let statement = try statement(selection, indices.map { keys[$0].number })
      var wanted = RowPositions(capacity: indices.count)
      var repeated: [Int] = []
      for index in indices where !wanted.insert(index, for: keys[index]) { repeated.append(index) }
      try statement.forEachRow { () throws(ManagedObjectError) in
        let row = try selection.row(statement, reading, withFileOf: slot)
        if let index = wanted[row.key] { results[index] = row }
      }
      for index in repeated { results[index] = wanted[keys[index]].flatMap { results[$0] } }
    }
    return results
  }

  /// Returns a statement that reads the rows with the given primary keys.
  private func statement(_ selection: RowSelection, _ numbers: [Int64]) throws(ManagedObjectError) -> Statement {
    let list = NumberList(numbers)
    let statement = try database.statement(
      "SELECT \(selection.list) FROM \(selection.source) WHERE \(QueryTranslation.rootAlias).Z_PK \(list.condition)")
    try list.bind(to: statement, 1)
    return statement
  }

  /// Returns the rows for keys, if they exist, in any order.
  mutating func pagedRows(_ keys: [RowKey]) throws(ManagedObjectError) -> PagedRows {
    var rows = PagedRows(storeNumber)
    if keys.count <= PagedRows.firstCount {
      for row in try self.rows(keys) { if let row { rows.append(row) } }
      return rows
    }
    for (table, indices) in keyIndices(keys) {
      guard let selection = selection(table.entities) else { continue }
      let statement = try statement(selection, indices.map { keys[$0].number })
      try statement.forEachRow { () throws(ManagedObjectError) in try selection.append(to: &rows, statement, reading) }
    }
    rows.finish()
    return rows
  }

  /// Groups keys by table. Returns each table with the indices of its keys in `keys`. Leaves out keys of other stores.
  private func keyIndices(_ keys: [RowKey]) -> [(StoreTable, [Int])] {
    var indices: [Int: [Int]] = [:]
    for (keyIndex, key) in keys.enumerated() where key.store == storeNumber {
      let index = Int(key.entityIndex)
      guard schema.tableIndices.indices.contains(index), schema.tableIndices[index] >= 0 else { continue }
      indices[schema.tableIndices[index], default: []].append(keyIndex)
    }
    return indices.sorted { $0.key < $1.key }.map { (schema.tables[$0.key], $0.value) }
  }

  mutating func values(ofSlot slot: Int, _ keys: [RowKey]) throws(ManagedObjectError) -> [RowValue?] {
    guard let first = keys.first, schema.slotColumns.indices.contains(Int(first.entityIndex)),
      schema.slotColumns[Int(first.entityIndex)].indices.contains(slot)
    else { return Array(repeating: nil, count: keys.count) }
    guard case .toMany(let columns) = schema.slotColumns[Int(first.entityIndex)][slot] else {
      return try rows(keys, withFileOf: slot).map { $0?.values[slot] }
    }
    let found = try ToManyReading(database: database, schema: schema, storeNumber: storeNumber)
      .keys(columns, keys.map(\.number))
    return keys.map { key in
      let targets = found[key.number] ?? []
      return columns.isOrdered ? .orderedToMany(OrderedSet(targets)) : .toMany(Set(targets))
    }
  }

  /// Returns the path of the external file that contains an attribute's value, even if the file does not exist; nil if
  /// the value is in the SQLite file.
  func externalFile(ofSlot slot: Int, _ key: RowKey) throws(ManagedObjectError) -> String? {
    let index = Int(key.entityIndex)
    guard schema.slotColumns.indices.contains(index), schema.slotColumns[index].indices.contains(slot),
      case .attribute(let column, _, isExternal: true) = schema.slotColumns[index][slot],
      let table = schema.table(ofEntity: index)
    else { return nil }
    let statement = try database.statement(
      "SELECT \(table.columns[column].name.sqlName) FROM \(table.name.sqlName) WHERE Z_PK = ?")
    try statement.bind(1, key.number)
    defer { statement.reset() }
    guard try statement.step(), let name = ExternalData.fileName(statement.data(0)) else { return nil }
    return "\(reading.externalData.folder)/\(name)"
  }

  mutating func nextKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey] {
    try numbers.keys(forNew: entityIndices, schema, storeNumber, database)
  }

  mutating func reserveKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey] {
    try checkObstacles()
    let keys = try nextKeys(entityIndices)
    var numbers = numbers
    try database.transaction(.immediate) { () throws(ManagedObjectError) in
      try checkTables()
      try checkObstacles()
      try numbers.use(keys, schema, database)
    }
    numbers.confirm(keys, schema)
    self.numbers = numbers
    return keys
  }
}
