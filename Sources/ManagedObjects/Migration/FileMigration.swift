internal import FoundationEssentials
internal import ObjectModels
internal import PropertyLists
internal import SharedFiles
internal import SystemFiles

/// Migrates an XML or binary store. All steps are performed in memory; then the new file replaces the old one.
struct FileMigration {
  let path: String
  let configuration: String?
  let policy: DroppedValuePolicy
  let progress: (MigrationProgress) throws -> Void
  /// Returns the model of the store, and the steps.
  let plan: (StoreMetadata, String) throws(ManagedObjectError) -> (source: ManagedObjectModel, steps: [MigrationStep])
  /// The values and objects that the steps have dropped so far.
  private(set) var losses: [MigrationLoss] = []

  init(
    path: String, configuration: String?, policy: DroppedValuePolicy,
    progress: @escaping (MigrationProgress) throws -> Void,
    plan:
      @escaping (StoreMetadata, String) throws(ManagedObjectError) -> (
        source: ManagedObjectModel, steps: [MigrationStep]
      )
  ) {
    self.path = path
    self.configuration = configuration
    self.policy = policy
    self.progress = progress
    self.plan = plan
  }

  /// Replaces the file. It is locked from the beginning, so that no other process can save meanwhile.
  mutating func migrateInPlace() throws(ManagedObjectError) {
    try ManagedObjectError.checkFile(at: path)
    var locked: LockedFile?
    do { locked = try LockedFile(path, until: .now + StoreFile.patience) } catch {
      throw ManagedObjectError(error, .migration)
    }
    guard var file = locked.take() else { throw ManagedObjectError(.noSuchFile, "there is no file \(path)") }
    let data: Data
    do { data = try file.read(limit: StoreFile.greatestSize) } catch { throw ManagedObjectError(error, .migration) }
    guard let bytes = try migrated(data) else { return }
    do throws(FileError) {
      guard let identity = try file.replace(with: bytes, settingAside: nil, displaced: StoreFile.displacedSuffix) else {
        throw FileError(EBUSY, "another program has changed \(path) during its migration")
      }
      try StoreFile.synchronizeName(identity, of: path, old: data)
    } catch {
      throw ManagedObjectError(error, .migration)
    }
  }

  /// Writes the new store to another file, which must not exist.
  mutating func migrate(to output: String) throws(ManagedObjectError) {
    guard let (data, _) = try StoreFile.read(path) else {
      throw ManagedObjectError(.noSuchFile, "there is no file \(path)")
    }
    let bytes = try migrated(data) ?? data
    do throws(FileError) {
      try FileSystem.makeFolder(FileSystem.parent(of: output), below: nil, permissions: 0o777)
      guard try FileSystem.create(output, with: bytes, permissions: 0o644) != nil else {
        throw FileError(EEXIST, "the file \(output) already exists")
      }
      try FileSystem.synchronizeFolder(of: output)
    } catch {
      throw ManagedObjectError(error, .migration)
    }
  }

  /// Returns the bytes of the migrated file; nil if it needs no migration.
  private mutating func migrated(_ data: Data) throws(ManagedObjectError) -> Data? {
    let kind = StoreFileKind(data)
    guard let kind, kind == .xml || kind == .binaryPropertyList else {
      throw ManagedObjectError(
        .storeTypeMismatch, "\(path) is \(kind?.name ?? "not a store"), not an XML or binary store")
    }
    let metadata = try kind.metadata(of: data)
    let (source, steps) = try plan(metadata, path)
    guard let last = steps.last else { return nil }
    for step in steps { _ = try kind.format(step.destination) }
    let table = RowTable(model: source, storeNumber: .next(), configuration: configuration)
    var contents = try kind.format(source).read(data, into: table, configuration: configuration)
    contents.layout = nil
    let reports = MigrationReports(stepCount: steps.count, progress)
    for (number, step) in steps.enumerated() {
      try callHandler(step, .before, &contents)
      switch step.kind {
      case .inferred(let mapping): try migrate(&contents, mapping, reports.step(number))
      case .mapped(let plan): try migrate(&contents, plan, reports.step(number))
      }
      contents.metadata.describe(step.destination, configuration)
      try callHandler(step, .after, &contents)
    }
    return try kind.format(last.destination).write(contents, old: nil, changed: []).data
  }

  private mutating func migrate(
    _ contents: inout StoreFileContents, _ mapping: InferredMapping, _ report: @escaping MigrationReports.Step
  ) throws(ManagedObjectError) {
    try note(MigrationLoss.all(mapping, contents.table))
    var migration = RowMigration(mapping, contents.table, report: report)
    contents.table = try migration.migrate(configuration)
  }

  private mutating func migrate(
    _ contents: inout StoreFileContents, _ plan: MappingPlan, _ report: @escaping MigrationReports.Step
  ) throws(ManagedObjectError) {
    if let inferred = plan.inferred {
      try note(MigrationLoss.all(inferred, contents.table, except: plan.handledEntities))
    }
    let source = InMemoryStore(
      contents.table.withModel(plan.source), contents.metadata, configuration: configuration,
      lastNumber: contents.lastNumber)
    var metadata = contents.metadata
    metadata.describe(plan.destination, configuration)
    let destination = InMemoryStore(
      RowTable(model: plan.destination, storeNumber: .next(), configuration: configuration), metadata,
      configuration: configuration, lastNumber: contents.lastNumber)
    try ObjectMigration(plan, from: source, to: destination, report: report).migrateObjects()
    (contents.table, contents.lastNumber) = destination.contents
  }

  private func callHandler(
    _ step: MigrationStep, _ moment: MigrationStep.Moment, _ contents: inout StoreFileContents
  ) throws(ManagedObjectError) {
    let before = contents
    let store = try step.callHandler(moment) { model throws(ManagedObjectError) in
      InMemoryStore(
        before.table.withModel(model), before.metadata, configuration: configuration, lastNumber: before.lastNumber)
    }
    guard let store else { return }
    (contents.table, contents.lastNumber) = store.contents
    contents.metadata.replace(with: store.metadata)
  }

  private mutating func note(_ found: [MigrationLoss]) throws(ManagedObjectError) {
    try policy.check(found)
    losses += found
  }
}

extension RowTable {
  /// Returns a table with the same rows and an equal model, such as one without classes.
  fileprivate func withModel(_ model: ManagedObjectModel) -> RowTable {
    var table = RowTable(model: model, storeNumber: storeNumber)
    table.entityRows = entityRows
    return table
  }
}

extension StoreFileKind {
  /// Returns the format of an XML or binary store.
  ///
  /// - Throws: ``ManagedObjectError/Code/incompatibleSchema`` for a model whose names XML cannot represent.
  fileprivate func format(_ model: ManagedObjectModel) throws(ManagedObjectError) -> any StoreFileFormat {
    self == .xml ? try XMLStoreFormat(model) : BinaryStoreFormat()
  }
}
