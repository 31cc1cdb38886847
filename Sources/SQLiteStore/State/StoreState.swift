internal import FoundationEssentials
internal import ManagedObjects
internal import OrderedCollections
internal import PropertyLists
internal import SQLQueries
internal import SystemFiles

/// The open file of a store.
struct StoreState {
  let database: Database
  let schema: StoreSchema
  let storeNumber: StoreNumber
  let configuration: String?
  var metadata: StoreMetadata
  /// True if a program has set metadata that are not saved.
  var hasNewMetadata = false
  var numbers: RowNumbers
  let reading: ValueReading
  /// The reasons why nothing can be saved.
  private(set) var obstacles: [String]
  /// The obstacles that are parts of the file which a save would run. Empty if the caller allows such parts.
  private var foreignParts: [String]
  private let allowsTriggers: Bool
  /// The version of the tables that the store was opened with: ``Database/schemaVersion()``.
  private var schemaVersion: Int64
  private var selections: [Range<Int>: RowSelection] = [:]
  /// What others had saved when somebody asked; nil if nobody does.
  var others: (dataVersion: Int64, historyNumber: Int64)?
  /// The numbers of this store's own transactions in the history since then.
  var ownTransactions: [Int64] = []
  /// The part of the state that a rollback of several saves restores; nil without a transaction of several saves.
  private var savedState: SavedState?

  private struct SavedState {
    let numbers: RowNumbers
    let metadata: StoreMetadata
    let hasNewMetadata: Bool
    let ownTransactions: [Int64]
    let others: (dataVersion: Int64, historyNumber: Int64)?
  }

  /// - Parameters:
  ///   - name: the path for messages; nil for that of the file.
  ///   - given: the model; nil for the one that the file has in it.
  ///   - checksHashes: false for a model of the file's tables, which has no version hashes of the file.
  init(
    path: String, named name: String? = nil, _ given: ManagedObjectModel?, _ configuration: String?,
    _ storeNumber: StoreNumber, _ access: StoreAccess, checksHashes: Bool
  ) throws(ManagedObjectError) {
    if let model = given, access.mode == .create, FileSystem.sizeOfRegularFile(path) ?? 0 == 0 {
      try Self.checkNewStore(name ?? path, model, configuration)
    }
    database = try Database(path: path, named: name, access.mode)
    let model: ManagedObjectModel
    if let given { model = given } else { model = try ModelCache.model(in: database) }
    self.storeNumber = storeNumber
    self.configuration = configuration
    if access.mode == .create { try Self.makeTables(model, configuration, database) }
    schemaVersion = try database.schemaVersion()
    let file = try FileSchema(database)
    metadata = try MetadataTable.read(database)
    if checksHashes { try Self.check(model, configuration, metadata, file, database) }
    schema = try StoreSchema(model, configuration, of: file, in: database)
    allowsTriggers = access.allowsTriggers
    (obstacles, foreignParts) = Self.obstacles(
      file, schema, allowsTriggers: allowsTriggers, tracksHistory: metadata.tracksHistory)
    numbers = RowNumbers(schema)
    reading = ValueReading(database: database, schema: schema, externalData: ExternalData(ofStore: database.file.path))
    if access.tracksHistory { try trackHistory() }
  }

  private static func obstacles(
    _ file: FileSchema, _ schema: StoreSchema, allowsTriggers: Bool, tracksHistory: Bool
  ) -> (all: [String], foreignParts: [String]) {
    let parts = ForeignParts(file, schema)
    let foreign = allowsTriggers ? [] : parts.obstacles
    let others = WritingObstacles.inFile(
      file, schema, triggers: allowsTriggers ? file.triggers : parts.ownTriggers, tracksHistory: tracksHistory)
    return (others + foreign, foreign)
  }

  /// Compares a model with the version hashes of the file.
  ///
  /// Nobody knows how Core Data makes the hash of an entity with derived attributes. Such an entity is compared with
  /// the one of the model in the store, of which the hashes are.
  ///
  /// - Throws: ``ManagedObjectError/Code/incompatibleVersionHash``.
  private static func check(
    _ model: ManagedObjectModel, _ configuration: String?, _ metadata: StoreMetadata, _ file: FileSchema,
    _ database: Database
  ) throws(ManagedObjectError) {
    do { try metadata.check(model, configuration) } catch {
      let entities = error.differingEntities.compactMap { model.entity(named: $0) }
      guard !entities.isEmpty, entities.count == error.differingEntities.count,
        entities.allSatisfy({ !$0.hasKnownVersionHash }), let own = try? ModelCache.read(database, file),
        entities.allSatisfy({ own.entity(named: $0.name)?.isSame(as: $0) == true })
      else { throw error }
    }
  }

  /// - Throws: ``ManagedObjectError/Code/save`` if a store of the model cannot be made.
  private static func checkNewStore(
    _ path: String, _ model: ManagedObjectModel, _ configuration: String?
  ) throws(ManagedObjectError) {
    let obstacles = WritingObstacles.inNewStore(StoreSchema(model, configuration: configuration))
    if !obstacles.isEmpty { throw WritingObstacles.error(obstacles, path) }
  }

  /// - Throws: ``ManagedObjectError/Code/save`` if nothing can be saved.
  func checkObstacles() throws(ManagedObjectError) {
    if !obstacles.isEmpty { throw WritingObstacles.error(obstacles, database.path) }
  }

  /// - Throws: ``ManagedObjectError/Code/save`` if writing to the file would run parts that the caller does not allow.
  func checkForeignParts() throws(ManagedObjectError) {
    if !foreignParts.isEmpty { throw WritingObstacles.error(foreignParts, database.path) }
  }

  /// Returns the error to throw after reading failed: ``ManagedObjectError/Code/incompatibleVersionHash`` if another
  /// process has migrated the tables to another model, because SQLite reports a missing table or column then; else the
  /// failure itself.
  mutating func errorOfReading(_ failure: ManagedObjectError) -> ManagedObjectError {
    do { try checkTables() } catch { return error.code == .incompatibleVersionHash ? error : failure }
    return failure
  }

  /// Takes notice of what others have done to the tables since the store was opened: a history is kept from then on.
  ///
  /// - Throws: ``ManagedObjectError/Code/incompatibleVersionHash`` for a store that has another model by now.
  mutating func checkTables() throws(ManagedObjectError) {
    let version = try database.schemaVersion()
    if version == schemaVersion {
      database.mayHaveOtherTables = false
      return
    }
    let file = try FileSchema(database)
    var current = try MetadataTable.read(database)
    let hashes = StoreMetadataKey.versionHashes
    guard current.values[hashes] == metadata.values[hashes],
      try StoreSchema(schema.model, configuration, of: file, in: database).numbers == schema.numbers
    else {
      throw ManagedObjectError(
        .incompatibleVersionHash, "somebody has changed the model of \(database.path) since it was opened")
    }
    (obstacles, foreignParts) = Self.obstacles(
      file, schema, allowsTriggers: allowsTriggers, tracksHistory: current.tracksHistory)
    if hasNewMetadata { current.replace(with: metadata.values) }
    metadata = current
    schemaVersion = version
    database.mayHaveOtherTables = false
  }

  /// Makes the tables of a store in a file that has none.
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
      // Somebody else may have made them by now.
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
      throw ManagedObjectError(.invalidState, "\(database.path): a transaction has begun already")
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

  /// A text that is another one after each transaction; nil if there is no file.
  func changeToken(canWrite: Bool) -> String? {
    let path = database.file.path
    if canWrite, FileSystem.sizeOfRegularFile(path + "-wal") ?? 0 > 0 {
      database.wait(0)
      // Others may be reading. The log stays part of the state then.
      try? database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      database.wait(Database.busyTime)
    }
    guard let identity = try? FileIdentity(at: path), let header = FileSystem.beginning(of: path, count: 100) else {
      return nil
    }
    var parts = [identity.text]
    // The counter of changes, and what else the first page has: https://sqlite.org/fileformat2.html#the_database_header
    parts.append(header.dropFirst(24).map { String($0, radix: 16) }.joined(separator: " "))
    if let log = try? FileIdentity(at: path + "-wal"), log.size > 0,
      let head = FileSystem.beginning(of: path + "-wal", count: 32)
    {
      parts += [log.text, head.map { String($0, radix: 16) }.joined(separator: " ")]
    }
    return parts.joined(separator: "/")
  }

  /// The metadata as the file has them now, but for what a program has set and not saved.
  mutating func currentMetadata() -> OrderedDictionary<String, PropertyList> {
    if !hasNewMetadata, let metadata = try? MetadataTable.read(database) { self.metadata = metadata }
    return metadata.values
  }

  /// The columns of entities, and the way to rows of them.
  mutating func selection(_ entities: Range<Int>) -> RowSelection? {
    if let selection = selections[entities] { return selection }
    guard let table = schema.table(ofEntity: entities.lowerBound) else { return nil }
    let selection = RowSelection(schema, table, entities, storeNumber)
    selections[entities] = selection
    return selection
  }

  /// Calls a function with all rows that a statement has. Its first columns are those of a selection.
  func rows(_ statement: Statement, _ selection: RowSelection) throws(ManagedObjectError) -> [StoreRow] {
    var rows: [StoreRow] = []
    try statement.forEachRow { () throws(ManagedObjectError) in rows.append(try selection.row(statement, reading)) }
    return rows
  }

  /// A row alone, as a fault needs it.
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

  /// - Parameter slot: one that is read also where its value is in a file.
  mutating func rows(_ keys: [RowKey], withFileOf slot: Int? = nil) throws(ManagedObjectError) -> [StoreRow?] {
    if keys.count == 1 { return [try row(keys[0], withFileOf: slot)] }
    var results = [StoreRow?](repeating: nil, count: keys.count)
    for (table, indices) in keyIndices(keys) {
      guard let selection = selection(table.entities) else { continue }
      let list = NumberList(indices.map { keys[$0].number })
      let statement = try database.statement(
        "SELECT \(selection.list) FROM \(selection.source) WHERE \(QueryTranslation.rootAlias).Z_PK \(list.condition)")
      try list.bind(to: statement, 1)
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

  /// The indices of keys that may be in this store, by table.
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

  /// The path of the file that has the value of a slot; nil for a value that is in the store itself.
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
