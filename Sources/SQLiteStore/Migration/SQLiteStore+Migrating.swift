public import FoundationEssentials
public import ManagedObjects
internal import PropertyLists
internal import SystemFiles

/// Other versions of a model.
extension SQLiteStore {
  /// Changes a store to another version of its model.
  ///
  /// Without a mapping, the two models must be enough to know the changes: attributes, relationships and entities that
  /// are added, removed, or renamed by a renaming identifier; optional attributes that become required and have a
  /// default; properties that move up or down a hierarchy; to-one relationships that become to-many; to-many
  /// relationships that get an order or lose it; large values that move into files or back into rows. The file itself
  /// is changed. New attributes have their defaults, and objects keep their numbers and versions.
  ///
  /// With a mapping, all objects are made anew in a file beside the store, and checked by the rules of the model.
  /// Objects that come from one of the same hierarchy keep their numbers.
  ///
  /// In both cases the store changes in one transaction: a process that ends in the middle leaves the old store. Nobody
  /// else can save into it meanwhile. Files that had large values are removed at the end, unless another file beside
  /// the store has the same name with another extension: it could be a copy, which needs them.
  ///
  /// - Parameters:
  ///   - file: where the store is. Nobody may have it open.
  ///   - source: the model of the store; nil for the one that it has in itself. A store that has the destination in
  ///     itself stays as it is then, so that a migration can be called again.
  ///   - destination: the model that the store gets.
  ///   - mapping: the changes of the objects.
  ///   - configuration: the configuration whose entities the store has; nil for all.
  ///   - output: the URL of a new store, which has no file yet; the old store stays as it is then. Nil to change the
  ///     store. The new store has all data in itself. It has the objects of the moment at which the migration begins,
  ///     also if another process saves meanwhile.
  ///   - droppedValues: what becomes of values and objects that the new model does not have. A mapping model says what
  ///     it keeps, and a function what becomes of the objects of its entity; those count as intended.
  ///   - progress: called after each batch of objects of a mapping; without a mapping, before and after the rows of
  ///     each table. An error that it throws ends the migration: a ``ManagedObjectError`` as it is, another one as the
  ///     ``ManagedObjectError/underlyingError`` of ``ManagedObjectError/Code/migrationCancelled``.
  /// - Returns: what was dropped.
  /// - Throws: ``ManagedObjectError/Code/inferredMapping`` with all reasons why the models are not enough,
  ///   ``ManagedObjectError/Code/droppedValues`` with all that would be dropped and may not be,
  ///   ``ManagedObjectError/Code/missingSourceModel`` for a store without a model in it,
  ///   ``ManagedObjectError/Code/incompatibleVersionHash`` for a store that was not made with `source`,
  ///   ``ManagedObjectError/Code/migration`` and ``ManagedObjectError/Code/entityMigrationPolicy`` with all parts of a
  ///   mapping that cannot be done, ``ManagedObjectError/Code/migration`` also for rows that are no objects,
  ///   ``ManagedObjectError/Code/migrationConstraint`` if objects have the same values of a new uniqueness constraint,
  ///   ``ManagedObjectError/Code/migrationCancelled``, and the errors of functions of the mapping. Nothing is changed
  ///   then.
  /// - Complexity: O(*n* log *n*) in the number of objects, for the indexes.
  @discardableResult
  public static func migrate(
    _ file: URL, from source: ManagedObjectModel? = nil, to destination: ManagedObjectModel,
    by mapping: StoreMapping = StoreMapping(), configuration: String? = nil, output: URL? = nil,
    droppedValues: DroppedValuePolicy = .refuse, progress: @escaping (MigrationProgress) throws -> Void = { _ in }
  ) throws(ManagedObjectError) -> [MigrationLoss] {
    try migrate(
      file, from: source, to: destination, by: mapping, configuration: configuration, output: output,
      writesNothing: false, droppedValues: droppedValues, progress: progress)
  }

  /// - Parameter writesNothing: true to write nothing beside the old store, if a new one is made. Nobody may save into
  ///   the old one meanwhile.
  package static func migrate(
    _ file: URL, from source: ManagedObjectModel?, to destination: ManagedObjectModel, by mapping: StoreMapping,
    configuration: String? = nil, output: URL?, writesNothing: Bool, droppedValues: DroppedValuePolicy,
    progress: @escaping (MigrationProgress) throws -> Void
  ) throws(ManagedObjectError) -> [MigrationLoss] {
    try migrateFile(file, configuration, output, writesNothing: writesNothing, droppedValues, progress) {
      (database, metadata) throws(ManagedObjectError) in
      try destination.checkConfiguration(configuration)
      let model: ManagedObjectModel
      if let source {
        model = source
      } else if let cached = try ModelCache.read(database, FileSchema(database)) {
        // A store of the destination stays as it is: nothing is done twice.
        if metadata.fits(destination, configuration) { return (destination, []) }
        model = cached
      } else {
        throw ManagedObjectError(
          .missingSourceModel, "\(database.path) does not have its model in it, and cannot be migrated without")
      }
      try metadata.check(model, configuration)
      return (model, [try MigrationRun.Step(mapping, from: model, to: destination, database.path, configuration)])
    }
  }

  /// Changes a store to the last of several versions of its model, version by version. It is the same whether the store
  /// is of the first version or of a later one; one of the last stays as it is.
  ///
  /// All of it is one transaction, as ``migrate(_:from:to:by:configuration:output:droppedValues:progress:)`` has it.
  ///
  /// - Parameters:
  ///   - migration: the versions.
  ///   - destination: the version to end with, as the program has it; nil for the last.
  ///   - droppedValues: what becomes of values and objects that the next version does not have.
  /// - Returns: what was dropped.
  /// - Throws: ``ManagedObjectError/Code/incompatibleVersionHash`` for a store of none of the versions, and the errors
  ///   of the migration to one version.
  @discardableResult
  public static func migrate(
    _ file: URL, through migration: StagedMigration, to destination: ManagedObjectModel? = nil,
    configuration: String? = nil, output: URL? = nil, droppedValues: DroppedValuePolicy = .refuse,
    progress: @escaping (MigrationProgress) throws -> Void = { _ in }
  ) throws(ManagedObjectError) -> [MigrationLoss] {
    try migrateFile(file, configuration, output, droppedValues, progress) {
      (database, metadata) throws(ManagedObjectError) in
      try migration.steps(from: metadata, to: destination, database.path, configuration)
    }
  }

  private static func migrateFile(
    _ file: URL, _ configuration: String?, _ output: URL?, writesNothing: Bool = false,
    _ policy: DroppedValuePolicy, _ progress: @escaping (MigrationProgress) throws -> Void,
    _ steps: (Database, StoreMetadata) throws(ManagedObjectError) -> (
      source: ManagedObjectModel, steps: [MigrationRun.Step]
    )
  ) throws(ManagedObjectError) -> [MigrationLoss] {
    try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      // Files beside the store are beside that, not beside a link to it.
      let path = FileSystem.target(of: try path(of: file))
      func plan(_ database: Database) throws(ManagedObjectError) -> MigrationRun {
        _ = try FileSchema(database)
        let metadata = try MetadataTable.read(database)
        let (source, steps) = try steps(database, metadata)
        return MigrationRun(
          path: path, configuration: configuration, source: source, steps: steps, metadata: metadata, policy: policy,
          report: progress)
      }
      if let output {
        let output = try self.path(of: output)
        let database = try Database(path: path, writesNothing ? .immutable : .readOnly)
        // One transaction, so that metadata and rows are of the same moment.
        var (migration, copy) = try database.transaction(.deferred) { () throws(ManagedObjectError) in
          let migration = try plan(database)
          return (migration, try migration.copy(database, for: output))
        }
        try migration.migrateCopy(copy, to: output)
        return migration.losses
      }
      let database = try Database(path: path, .readWrite)
      let (files, losses) = try database.transaction(.immediate) { () throws(ManagedObjectError) in
        var migration = try plan(database)
        let files = try migration.migrateInPlace(database)
        return (files, migration.losses)
      }
      ExternalData(ofStore: path).remove(files)
      return losses
    }
  }
}
