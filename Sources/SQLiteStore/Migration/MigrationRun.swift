internal import FoundationEssentials
internal import ManagedObjects
internal import PropertyLists
internal import SystemFiles

/// Takes a store through steps to another version of its model.
///
/// Steps that the models tell are done in the file itself. For others a new store is made in a file beside it, whose
/// tables then take the place of those of the store. Either way the store changes in one transaction, which has a lock
/// on it from the beginning: nobody else saves meanwhile, and whatever happens, the file has the old store or the new
/// one.
struct MigrationRun {
  typealias Report = (MigrationProgress) throws -> Void

  /// A step to a version of the model.
  enum Step {
    case inferred(InferredMapping)
    case mapped(MappingPlan)

    /// - Throws: all that cannot be done.
    init(
      _ mapping: StoreMapping, from source: ManagedObjectModel, to destination: ManagedObjectModel, _ path: String,
      _ configuration: String?
    ) throws(ManagedObjectError) {
      let obstacles = WritingObstacles.inNewStore(StoreSchema(destination, configuration: configuration))
      if !obstacles.isEmpty { throw WritingObstacles.error(obstacles, path) }
      if mapping.isInferred {
        let inferred = InferredMapping(from: source, to: destination)
        try inferred.check()
        self = .inferred(inferred)
      } else {
        self = .mapped(
          try MappingPlan(mapping, from: source.withoutClasses, to: destination.withoutClasses))
      }
    }

    var destination: ManagedObjectModel {
      switch self {
      case .inferred(let mapping): mapping.destination
      case .mapped(let plan): plan.destination
      }
    }
  }

  let path: String
  let configuration: String?
  /// The model of the store.
  let source: ManagedObjectModel
  let steps: [Step]
  private var metadata: StoreMetadata
  private let report: Report

  init(
    _ path: String, _ configuration: String?, from source: ManagedObjectModel, _ steps: [Step],
    _ metadata: StoreMetadata, report: @escaping Report
  ) {
    self.path = path
    self.configuration = configuration
    self.source = source
    self.steps = steps
    self.metadata = metadata
    self.report = report
  }

  private var isInPlace: Bool { steps.allSatisfy { if case .inferred = $0 { true } else { false } } }

  /// Changes the store, within a transaction that locks it.
  ///
  /// - Returns: the names of the files that no value is in any more.
  mutating func run(_ database: Database) throws(ManagedObjectError) -> Set<String> {
    let externalData = ExternalData(ofStore: path)
    guard let last = steps.last else { return [] }
    if isInPlace {
      ScratchFolder.removeLeftovers(beside: path)
      var files: Set<String> = []
      for case .inferred(let mapping) in steps { files.formUnion(try change(database, mapping, externalData)) }
      return files
    }
    let file = try FileSchema(database)
    let old = try StoreSchema(source, configuration, of: file, in: database)
    let tables = StoreTables(old, file, database)
    try tables.check()
    let files = try ExternalColumns(old).files(database)
    try externalData.require(files)
    let folder = try ScratchFolder(beside: path, isLocked: true)
    let made = try makeStore(folder)
    try tables.replace(with: StoreSchema(last.destination, configuration: configuration), of: made)
    withExtendedLifetime(folder) {}
    metadata.describe(last.destination, configuration)
    try MetadataTable.write(metadata, database)
    try ModelCache.write(last.destination, database)
    return files
  }

  /// Makes a new store, and leaves the old one as it is.
  mutating func run(to output: String) throws(ManagedObjectError) {
    for file in [output, output + "-wal", output + "-journal"] where FileSystem.exists(file) {
      throw ManagedObjectError(.migration, "there is a file \(file) already")
    }
    do throws(FileError) {
      try FileSystem.makeFolder(FileSystem.parent(of: output), below: nil, permissions: 0o777)
    } catch {
      throw ManagedObjectError(.migration, error.message)
    }
    do {
      let database = try Database(path: path, .readOnly)
      let file = try FileSchema(database)
      try StoreTables(StoreSchema(source, configuration, of: file, in: database), file, database).check()
    }
    let folder = try ScratchFolder(beside: output, isLocked: false)
    let made = try makeStore(folder)
    do {
      let database = try Database(path: made, .readWrite)
      if let last = steps.last { metadata.describe(last.destination, configuration) }
      try database.execute("PRAGMA journal_mode = WAL")
      // All that was written before is brought to the disk with it.
      try database.transaction(.immediate) { () throws(ManagedObjectError) in
        try MetadataTable.write(metadata, database)
      }
      try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    do {
      try FileManager.default.moveItem(atPath: made, toPath: output)
      try FileSystem.synchronizeFolder(of: output)
    } catch {
      throw ManagedObjectError(.migration, "cannot make \(output): \(error)")
    }
    withExtendedLifetime(folder) {}
  }
}

/// The new store.
extension MigrationRun {
  private mutating func change(
    _ database: Database, _ mapping: InferredMapping, _ externalData: ExternalData
  ) throws(ManagedObjectError) -> Set<String> {
    try StoreMigration(database, mapping, configuration: configuration, externalData)
      .run(&metadata, configuration: configuration)
  }

  /// - Returns: the path of the file.
  private mutating func makeStore(_ folder: ScratchFolder) throws(ManagedObjectError) -> String {
    var made: String?
    for (number, step) in steps.enumerated() {
      switch step {
      case .inferred(let mapping):
        let file = if let made { made } else { try copy(folder) }
        let database = try Database(path: file, .readWrite)
        try database.relax()
        try database.transaction(.immediate) { () throws(ManagedObjectError) in
          _ = try change(database, mapping, ExternalData(ofStore: file))
        }
        made = file
      case .mapped(let plan):
        let file = folder.newFile()
        try makeObjects(plan, made ?? path, file, number)
        made = file
      }
    }
    if let made { return made }
    return try copy(folder)
  }

  /// Copies the store, with all data in the file itself.
  private func copy(_ folder: ScratchFolder) throws(ManagedObjectError) -> String {
    let file = folder.newFile()
    let database = try Database(path: file, .create)
    try database.relax()
    try Database(path: path, .readOnly).copy(to: database)
    // The copy says of itself that it has a log if the original has one.
    try database.execute("PRAGMA journal_mode = DELETE")
    let schema = try StoreSchema(source, configuration, of: FileSchema(database), in: database)
    try database.transaction(.immediate) { () throws(ManagedObjectError) in
      try ExternalColumns(schema).takeIntoRows(database, ExternalData(ofStore: path))
    }
    return file
  }

  private func makeObjects(
    _ plan: MappingPlan, _ old: String, _ new: String, _ number: Int
  ) throws(ManagedObjectError) {
    let source = try SQLiteStore(
      URL(filePath: old), model: plan.source, configuration: configuration, isReadOnly: true)
    try source.beginReading()
    // A function may have kept objects of the store, which nobody is to wait for.
    defer { try? source.endReading() }
    var metadata = metadata
    metadata.describe(plan.destination, configuration)
    let schema = StoreSchema(plan.destination, configuration: configuration)
    do {
      let database = try Database(path: new, .create)
      try database.execute("PRAGMA auto_vacuum = 2")
      try database.relax()
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
    let destination = try SQLiteStore(URL(filePath: new), model: plan.destination, configuration: configuration)
    try destination.relax()
    let stepCount = steps.count
    let report = report
    try ObjectMigration(plan, from: source, to: destination) {
      (phase, name, done, total) throws(ManagedObjectError) in
      do {
        try report(
          MigrationProgress(
            step: number, stepCount: stepCount, phase: phase, mappingName: name, completedCount: done,
            totalCount: total))
      } catch let error as ManagedObjectError {
        throw error
      } catch {
        throw ManagedObjectError(.migrationCancelled, "the migration was stopped: \(error)")
      }
    }.run()
  }
}

/// What a migration asks of the two stores.
extension SQLiteStore {
  /// The numbers of objects of an entity above another one, in order.
  func numbers(ofEntity index: Int, after number: Int64, limit: Int) throws(ManagedObjectError) -> [Int64] {
    try withState { state throws(ManagedObjectError) in
      guard let table = state.schema.table(ofEntity: index) else { return [] }
      let statement = try state.database.statement(
        "SELECT Z_PK FROM \(table.name.sqlName) WHERE Z_ENT = ? AND Z_PK > ? ORDER BY Z_PK LIMIT ?")
      try statement.bind(1, state.schema.numbers[index])
      try statement.bind(2, number)
      try statement.bind(3, Int64(limit))
      var numbers: [Int64] = []
      try statement.forEachRow { numbers.append(statement.integer(0)) }
      return numbers
    }
  }

  /// The highest number that an object of a hierarchy has or had.
  fileprivate func highestNumber(ofEntity root: Int) throws(ManagedObjectError) -> Int64 {
    try withState { state throws(ManagedObjectError) in
      guard let table = state.schema.table(ofEntity: root) else { return 0 }
      let statement = try state.database.statement(
        "SELECT MAX(IFNULL((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?), 0), "
          + "IFNULL((SELECT MAX(Z_PK) FROM \(table.name.sqlName)), 0))")
      try statement.bind(1, state.schema.numbers[root])
      defer { statement.reset() }
      return try statement.step() ? max(statement.integer(0), 0) : 0
    }
  }

  /// Sees the same state from now on, whoever saves.
  fileprivate func beginReading() throws(ManagedObjectError) {
    try withState { state throws(ManagedObjectError) in try state.database.execute("BEGIN") }
  }

  fileprivate func endReading() throws(ManagedObjectError) {
    try withState { state throws(ManagedObjectError) in
      if state.database.isInTransaction { try state.database.execute("ROLLBACK") }
    }
  }

  /// Writes without care for the disk.
  fileprivate func relax() throws(ManagedObjectError) {
    try withState { state throws(ManagedObjectError) in try state.database.relax() }
  }
}
