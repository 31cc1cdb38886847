internal import FoundationEssentials
internal import ManagedObjects
internal import PropertyLists
internal import SQLiteAccess
internal import SystemFiles

/// Migrates a store to another version of its model, in one or more steps.
///
/// If all steps are inferred, the tables of the file are changed. If a step has a mapping or a handler, a new store is
/// created in a file next to the old one, and its tables then replace the old ones. In both cases the store changes in
/// one transaction, which locks the file from the beginning: no other process can save meanwhile, and after a crash the
/// file has either the old store or the new one.
struct MigrationRun {
  let path: String
  let configuration: String?
  /// The model of the store before the migration.
  let source: ManagedObjectModel
  let steps: [MigrationStep]
  var metadata: StoreMetadata
  let policy: DroppedValuePolicy
  /// True if the store gets a new history in place of its old one.
  let startsNewHistory: Bool
  /// The options of the store, without pragmas, for the stores in temporary files.
  let scratchOptions: SQLiteStoreOptions
  /// The options of the connections to temporary files.
  let options: ConnectionOptions
  let reports: MigrationReports
  /// The values and objects that the steps have dropped so far.
  private(set) var losses: [MigrationLoss] = []

  /// True if all steps are inferred, so that the tables of the file can be changed directly.
  private var isInferred: Bool {
    steps.allSatisfy { if case .inferred = $0.kind { !$0.hasHandlers } else { false } }
  }

  private var historyRules: MigratedHistory.Rules {
    MigratedHistory.Rules(isOwn: metadata.ownsHistory, startsNew: startsNewHistory)
  }

  /// Checks that the history of the store can be treated as the caller wants, before the first step.
  private func checkHistory(
    _ old: StoreSchema, _ file: FileSchema, _ database: Database
  ) throws(ManagedObjectError) {
    _ = try MigratedHistory(steps.map(\.kind), historyRules, old, configuration, file, database)
  }

  /// Migrates the store, in a transaction that locks it.
  ///
  /// - Returns: The names of the external files that are no longer used.
  mutating func migrateInPlace(_ database: Database) throws(ManagedObjectError) -> Set<String> {
    let externalData = ExternalData(ofStore: path)
    guard let last = steps.last else { return [] }
    let file = try FileSchema(database)
    let old = try StoreSchema(source, configuration, of: file, in: database)
    try checkHistory(old, file, database)
    if isInferred {
      ScratchFolder.removeLeftovers(beside: path)
      var files: Set<String> = []
      for (number, step) in steps.enumerated() {
        guard case .inferred(let mapping) = step.kind else { continue }
        files.formUnion(try migrateTables(database, mapping, externalData, number))
      }
      return files
    }
    let tables = StoreTables(schema: old, file: file, database: database)
    try tables.check()
    let files = try ExternalColumns(old).files(database)
    try externalData.require(files)
    let folder = try ScratchFolder(beside: path, isLocked: true)
    let made = try makeStore(folder, from: path, isCopy: false)
    try tables.replace(
      with: StoreSchema(last.destination, configuration: configuration), of: made, scratchOptions.encryptionKey)
    withExtendedLifetime(folder) {}
    metadata.describe(last.destination, configuration)
    try MetadataTable.write(metadata, database)
    try ModelCache.write(last.destination, database)
    return files
  }

  /// A copy of the old store in a temporary folder next to the path of the new store.
  struct Copy {
    let path: String
    let folder: ScratchFolder
  }

  /// Copies the old store, to migrate the copy. The copy has the state that the transaction of `database` sees.
  ///
  /// - Parameter output: The path of the new store.
  func copy(_ database: Database, for output: String) throws(ManagedObjectError) -> Copy {
    for file in [output, output + "-wal", output + "-journal"] where FileSystem.exists(file) {
      throw ManagedObjectError(.migration, "the file \(file) already exists")
    }
    let file = try FileSchema(database)
    let schema = try StoreSchema(source, configuration, of: file, in: database)
    try checkHistory(schema, file, database)
    try StoreTables(schema: schema, file: file, database: database).check()
    do { try FileSystem.makeFolder(FileSystem.parent(of: output), below: nil, permissions: 0o777) } catch {
      throw ManagedObjectError(.migration, error.message)
    }
    let folder = try ScratchFolder(beside: output, isLocked: false)
    return Copy(path: try copy(database, folder), folder: folder)
  }

  /// Migrates a copy of the store, and moves the new store to its final path.
  mutating func migrateCopy(_ copy: Copy, to output: String) throws(ManagedObjectError) {
    let made = try makeStore(copy.folder, from: copy.path, isCopy: true)
    do {
      let database = try Database(path: made, .readWrite, options)
      if let last = steps.last { metadata.describe(last.destination, configuration) }
      try database.execute("PRAGMA journal_mode = WAL")
      // This commit also syncs everything that was written to the file before without syncing.
      try database.transaction(.immediate) { () throws(ManagedObjectError) in
        try MetadataTable.write(metadata, database)
      }
      try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    do {
      try FileSystem.move(made, to: output)
      try FileSystem.synchronizeFolder(of: output)
    } catch {
      throw ManagedObjectError(.migration, error.message)
    }
    withExtendedLifetime(copy.folder) {}
  }

  private mutating func migrateTables(
    _ database: Database, _ mapping: InferredMapping, _ externalData: ExternalData, _ number: Int
  ) throws(ManagedObjectError) -> Set<String> {
    let migration = try StoreMigration(
      database, mapping, configuration, externalData, policy, history: historyRules,
      report: reports.step(number))
    losses += migration.losses
    return try migration.changeTables(&metadata)
  }

  /// Performs all steps in temporary files.
  ///
  /// - Parameters:
  ///   - original: The path of the file to begin with.
  ///   - isCopy: True if that file is a copy, which may be changed.
  /// - Returns: The path of the resulting file.
  private mutating func makeStore(
    _ folder: ScratchFolder, from original: String, isCopy: Bool
  ) throws(ManagedObjectError) -> String {
    var (file, isCopy) = (original, isCopy)
    for (number, step) in steps.enumerated() {
      if !isCopy, step.hasHandlers {
        file = try copy(Database(path: file, .readOnly, options), folder)
        isCopy = true
      }
      try callHandler(step, .before, file)
      switch step.kind {
      case .inferred(let mapping):
        if !isCopy { file = try copy(Database(path: file, .readOnly, options), folder) }
        let database = try Database(path: file, .readWrite, options)
        try database.relax(rollsBack: false)
        try database.transaction(.immediate) { () throws(ManagedObjectError) in
          _ = try migrateTables(database, mapping, ExternalData(ofStore: file), number)
        }
      case .mapped(let plan):
        let new = folder.newFile()
        try makeObjects(plan, file, new, number)
        file = new
      }
      isCopy = true
      try callHandler(step, .after, file)
    }
    return file
  }

  /// Calls a function of the program with the store in a temporary file.
  private mutating func callHandler(
    _ step: MigrationStep, _ moment: MigrationStep.Moment, _ file: String
  ) throws(ManagedObjectError) {
    let store = try step.callHandler(moment) { model throws(ManagedObjectError) in
      let store = try SQLiteStore(
        URL(filePath: file), model: model, configuration: configuration, options: scratchOptions)
      try store.relax()
      return store
    }
    if let store { metadata.replace(with: store.metadata) }
  }

  /// Copies the store to a temporary file, and moves the data of external files into the rows of the copy.
  private func copy(_ original: Database, _ folder: ScratchFolder) throws(ManagedObjectError) -> String {
    let file = folder.newFile()
    let database = try Database(path: file, .create, options)
    try database.relax(rollsBack: false)
    try original.copy(to: database)
    // The copy has the journal mode of the original, which may be WAL.
    try database.execute("PRAGMA journal_mode = DELETE")
    try database.relax(rollsBack: false)
    let schema = try StoreSchema(source, configuration, of: FileSchema(database), in: database)
    try database.transaction(.immediate) { () throws(ManagedObjectError) in
      try ExternalColumns(schema).takeIntoRows(database, ExternalData(ofStore: path))
    }
    return file
  }

  private mutating func makeObjects(
    _ plan: MappingPlan, _ old: String, _ new: String, _ number: Int
  ) throws(ManagedObjectError) {
    let source = try SQLiteStore(
      URL(filePath: old), model: plan.source, configuration: configuration, access: .readOnly,
      options: scratchOptions)
    try source.beginReading()
    // Ends the transaction even if a function of the program still retains objects, and with them the store.
    defer { try? source.endReading() }
    if let inferred = plan.inferred {
      let lost = try source.withState { state throws(ManagedObjectError) in
        try MigrationLoss.all(inferred, state.schema, state.database, except: plan.handledEntities)
      }
      try policy.check(lost)
      losses += lost
    }
    var metadata = metadata
    metadata.describe(plan.destination, configuration)
    let ownsHistory = metadata.ownsHistory
    // The new objects are created without a history.
    metadata.set(nil, for: StoreMetadataKey.historyTracking)
    let schema = StoreSchema(plan.destination, configuration: configuration)
    do {
      let database = try Database(path: new, .create, options)
      try database.execute("PRAGMA auto_vacuum = 2")
      try database.relax(rollsBack: false)
      try database.transaction(.exclusive) { () throws(ManagedObjectError) in
        try SchemaWriter(schema: schema, database: database).write(metadata)
        for (root, former) in plan.numbering {
          let statement = try database.statement("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
          try statement.bind(1, source.highestNumber(ofEntity: former))
          try statement.bind(2, schema.numbers[root])
          try statement.run()
        }
      }
    }
    do {
      let destination = try SQLiteStore(
        URL(filePath: new), model: plan.destination, configuration: configuration, options: scratchOptions)
      try destination.relax()
      try ObjectMigration(plan, from: source, to: destination, report: reports.step(number)).migrateObjects()
    }
    let last = try source.withState { state throws(ManagedObjectError) -> [Int64]? in
      guard ownsHistory || state.history != nil else { return nil }
      return try HistoryTables.lastKeys(state.database)
    }
    guard let last else { return }
    if ownsHistory { metadata.set(.boolean(true), for: StoreMetadataKey.historyTracking) }
    let database = try Database(path: new, .readWrite, options)
    try database.transaction(.exclusive) { () throws(ManagedObjectError) in
      // The old history refers to other objects, so all transaction numbers from before the migration are expired.
      // The migration itself counts as a transaction.
      try HistoryTables.make(schema, database, after: last[1] < .max ? last[1] + 1 : last[1])
      for index in [0, 2] where last[index] > 0 {
        _ = try HistoryTables.nextKey(of: index, database, count: last[index])
      }
      try MetadataTable.write(metadata, database)
    }
  }
}

/// Functions that ``MigrationRun`` calls.
extension SQLiteStore {
  /// Returns the highest primary key that any object of an entity hierarchy has or had.
  fileprivate func highestNumber(ofEntity root: Int) throws(ManagedObjectError) -> Int64 {
    try withState { state throws(ManagedObjectError) in
      guard let table = state.schema.table(ofEntity: root) else { return 0 }
      return try RowNumbers.highest(inTable: table.name.sqlName, ofEntity: state.schema.numbers[root], state.database)
    }
  }

  /// Turns off syncing to the disk. Transactions can still be rolled back, because a function of the program may save,
  /// and continue if the save fails.
  fileprivate func relax() throws(ManagedObjectError) {
    try withState { state throws(ManagedObjectError) in try state.database.relax(rollsBack: true) }
  }
}
