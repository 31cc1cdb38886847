public import FoundationEssentials
public import ManagedObjects
internal import PropertyLists
internal import SQLiteAccess
internal import SystemFiles

/// Functions that migrate a store to another version of its model.
extension SQLiteStore {
  /// Migrates a store to another version of its model.
  ///
  /// Without a mapping, the changes are inferred from the two models. These can be inferred: attributes, relationships
  /// and entities that are added, removed, or renamed with a renaming identifier; optional attributes that become
  /// required and have a default; properties that move up or down a hierarchy; to-one relationships that become
  /// to-many; to-many relationships that become ordered or unordered; large values that move to or from external files;
  /// derived attributes, whose values are computed for all objects.
  /// The file itself is changed. New attributes have their defaults, and objects keep their primary keys and versions.
  ///
  /// ```swift
  /// let losses = try SQLiteStore.migrate(file, to: newModel, droppedValues: .drop) { progress in
  ///   print("\(progress.mappingName): \(progress.completedCount) of \(progress.totalCount)")  // Note: 40 of 40
  /// }
  /// for loss in losses { print(loss) }  // "Note.subtitle" is missing from the new model; 12 objects have a value
  /// ```
  ///
  /// With a mapping, all objects are created again in a file next to the store, and validated. The objects of an entity
  /// hierarchy keep their primary keys if they come from one hierarchy.
  ///
  /// Without a mapping, a history that this package has started is kept; with a mapping, it is deleted: see
  /// ``history(after:)``. It is not known how Core Data converts a history that it has started. Such a history is kept
  /// if all its rows mean the same in the new model. Otherwise the store is not migrated, unless the caller chooses a
  /// new history. A store with tables of CloudKit is not migrated.
  ///
  /// In both cases the store changes in one transaction: if the process ends before it commits, the file has the old
  /// store. No other process can save to the store meanwhile. External files that are no longer used are removed at the
  /// end, unless another file in the folder has the same name with another extension: it could be a copy that needs
  /// them.
  ///
  /// - Parameters:
  ///   - file: The URL of the store. It must not be open.
  ///   - source: The model of the store; nil for the model that the store embeds. With nil, a store that already has
  ///     the new model stays as it is, so that a migration can be repeated.
  ///   - destination: The new model of the store.
  ///   - mapping: The mapping of the objects; empty to infer all changes.
  ///   - configuration: The configuration whose entities the store has; nil for all entities.
  ///   - output: The URL of a new store; the old store then stays as it is. The file must not exist. Nil to change the
  ///     store. The new store has all data in the file itself. It has the objects that exist when the migration begins,
  ///     even if another process saves meanwhile.
  ///   - droppedValues: The handling of values and objects that the new model cannot represent. What a mapping model
  ///     drops, and objects that a function of the program migrates, do not count, because this is intentional.
  ///   - startsNewHistory: True to delete the recorded changes of the store. New transactions continue the numbers, so
  ///     older tokens are expired. No effect on a store without a history.
  ///   - progress: Called after each batch of objects of a mapping; without a mapping, before and after the rows of
  ///     each table. If `progress` throws, the migration ends: a ``ManagedObjectError`` is rethrown, another error
  ///     becomes the ``ManagedObjectError/underlyingError`` of ``ManagedObjectError/Code/migrationCancelled``.
  /// - Returns: The dropped values and objects.
  /// - Throws: ``ManagedObjectError/Code/inferredMapping`` for a change that cannot be inferred,
  ///   ``ManagedObjectError/Code/droppedValues`` for a loss that is not allowed,
  ///   ``ManagedObjectError/Code/missingSourceModel`` if the store does not embed a model,
  ///   ``ManagedObjectError/Code/incompatibleVersionHash`` if the store was not made with `source`,
  ///   ``ManagedObjectError/Code/migration`` and ``ManagedObjectError/Code/entityMigrationPolicy`` with all parts of a
  ///   mapping that cannot be performed, ``ManagedObjectError/Code/migration`` also for rows that are not objects of
  ///   the model, and for a history that cannot be kept, ``ManagedObjectError/Code/migrationConstraint`` if objects
  ///   have the same values for a new uniqueness constraint, ``ManagedObjectError/Code/migrationCancelled``, and the
  ///   errors of functions of the mapping. If there are several errors, such as two changes that cannot be inferred,
  ///   ``ManagedObjectError/Code/multipleErrors`` with all of them in ``ManagedObjectError/details``.
  ///   ``ManagedObjectError/Code/open`` if the file does not exist or is not a store,
  ///   ``ManagedObjectError/Code/storeTypeMismatch`` if it is a store of another kind. If it throws, nothing is
  ///   changed.
  /// - Complexity: O(*n* log *n*) in the number of objects, for the indexes.
  @discardableResult
  public static func migrate(
    _ file: URL, from source: ManagedObjectModel? = nil, to destination: ManagedObjectModel,
    by mapping: StoreMapping = StoreMapping(), configuration: String? = nil, output: URL? = nil,
    droppedValues: DroppedValuePolicy = .refuse, startsNewHistory: Bool = false,
    progress: @escaping (MigrationProgress) throws -> Void = { _ in }
  ) throws(ManagedObjectError) -> [MigrationLoss] {
    try migrate(
      file, from: source, to: destination, by: mapping, configuration: configuration, output: output,
      writesNothing: false, droppedValues: droppedValues, startsNewHistory: startsNewHistory, progress: progress)
  }

  /// Migrates a store, as the public function does.
  ///
  /// - Parameters:
  ///   - options: The options of the connection to the file. The new store has the same key.
  ///   - writesNothing: With an `output`, true to write nothing next to the old store. No other process may save
  ///     to the old store meanwhile.
  package static func migrate(
    _ file: URL, from source: ManagedObjectModel?, to destination: ManagedObjectModel, by mapping: StoreMapping,
    configuration: String? = nil, output: URL?, writesNothing: Bool, droppedValues: DroppedValuePolicy,
    startsNewHistory: Bool = false, options: SQLiteStoreOptions = SQLiteStoreOptions(),
    progress: @escaping (MigrationProgress) throws -> Void
  ) throws(ManagedObjectError) -> [MigrationLoss] {
    try migrateFile(
      file, configuration, output, writesNothing: writesNothing, droppedValues, startsNewHistory: startsNewHistory,
      options, progress
    ) {
      (database, metadata) throws(ManagedObjectError) in
      try destination.checkConfiguration(configuration)
      let model: ManagedObjectModel
      if let source {
        model = source
      } else if let cached = try ModelCache.read(database, FileSchema(database)) {
        // A store that already has the new model stays as it is.
        if metadata.fits(destination, configuration) { return (destination, []) }
        model = cached
      } else {
        throw ManagedObjectError(
          .missingSourceModel, "\(database.path) does not contain its model: specify the source model to migrate it")
      }
      try metadata.check(model, configuration)
      return (model, [try MigrationStep(mapping, from: model, to: destination, sharesNumbers: false)])
    }
  }

  /// Migrates a store through several versions of its model. The store can have any of the versions. A store that
  /// already has the final version stays as it is.
  ///
  /// All steps are performed in one transaction, as in
  /// ``migrate(_:from:to:by:configuration:output:droppedValues:startsNewHistory:progress:)``.
  ///
  /// - Parameters:
  ///   - migration: The versions of the model, and mappings between them.
  ///   - destination: The model of the version to end with; nil for the last version. Its version hashes must be those
  ///     of one of the versions.
  ///   - droppedValues: The handling of values and objects that the next version cannot represent.
  ///   - startsNewHistory: True to delete the recorded changes of the store, as in a migration to one version.
  /// - Returns: The dropped values and objects.
  /// - Throws: ``ManagedObjectError/Code/incompatibleVersionHash`` if the store fits none of the versions up to the
  ///   destination, ``ManagedObjectError/Code/migration`` also if `destination` is not one of the versions, and the
  ///   errors of a migration to one version.
  @discardableResult
  public static func migrate(
    _ file: URL, through migration: StagedMigration, to destination: ManagedObjectModel? = nil,
    configuration: String? = nil, output: URL? = nil, droppedValues: DroppedValuePolicy = .refuse,
    startsNewHistory: Bool = false, progress: @escaping (MigrationProgress) throws -> Void = { _ in }
  ) throws(ManagedObjectError) -> [MigrationLoss] {
    try migrate(
      file, through: migration, to: destination, configuration: configuration, output: output,
      droppedValues: droppedValues, startsNewHistory: startsNewHistory, options: SQLiteStoreOptions(),
      progress: progress)
  }

  /// Migrates a store through several versions of its model, as the public function does.
  ///
  /// - Parameter options: The options of the connection to the file. The new store has the same key.
  package static func migrate(
    _ file: URL, through migration: StagedMigration, to destination: ManagedObjectModel?, configuration: String?,
    output: URL? = nil, droppedValues: DroppedValuePolicy, startsNewHistory: Bool, options: SQLiteStoreOptions,
    progress: @escaping (MigrationProgress) throws -> Void = { _ in }
  ) throws(ManagedObjectError) -> [MigrationLoss] {
    try migrateFile(
      file, configuration, output, droppedValues, startsNewHistory: startsNewHistory, options, progress
    ) {
      (database, metadata) throws(ManagedObjectError) in
      try migration.steps(from: metadata, to: destination, database.path, configuration, sharesNumbers: false)
    }
  }

  private static func migrateFile(
    _ file: URL, _ configuration: String?, _ output: URL?, writesNothing: Bool = false,
    _ policy: DroppedValuePolicy, startsNewHistory: Bool, _ options: SQLiteStoreOptions,
    _ progress: @escaping (MigrationProgress) throws -> Void,
    _ steps: (Database, StoreMetadata) throws(ManagedObjectError) -> (
      source: ManagedObjectModel, steps: [MigrationStep]
    )
  ) throws(ManagedObjectError) -> [MigrationLoss] {
    try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      // SQLite's log and journal are next to the file itself, not next to a link to it.
      let path = FileSystem.target(of: try StoreFile.path(of: file))
      var scratchOptions = options
      scratchOptions.pragmas = [:]
      let connectionOptions = options.connectionOptions
      func plan(_ database: Database) throws(ManagedObjectError) -> MigrationRun {
        _ = try FileSchema(database)
        let metadata = try MetadataTable.read(database)
        let (source, steps) = try steps(database, metadata)
        for step in steps {
          let obstacles = WritingObstacles.inNewStore(StoreSchema(step.destination, configuration: configuration))
          if !obstacles.isEmpty { throw WritingObstacles.error(obstacles, path) }
        }
        return MigrationRun(
          path: path, configuration: configuration, source: source, steps: steps, metadata: metadata, policy: policy,
          startsNewHistory: startsNewHistory, scratchOptions: scratchOptions, options: connectionOptions,
          reports: MigrationReports(stepCount: steps.count, progress))
      }
      if let output {
        let output = try StoreFile.path(of: output)
        let database = try Database(path: path, writesNothing ? .immutable : .readOnly, connectionOptions)
        // Reads in one transaction, so that metadata and rows belong to the same state.
        var (migration, copy) = try database.transaction(.deferred) { () throws(ManagedObjectError) in
          let migration = try plan(database)
          return (migration, try migration.copy(database, for: output))
        }
        try migration.migrateCopy(copy, to: output)
        return migration.losses
      }
      let database = try Database(path: path, .readWrite, connectionOptions)
      let pragmas = try StorePragmas(options.pragmas)
      try pragmas.apply(to: database)
      try pragmas.applyJournalMode(to: database, isReadOnly: false)
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

extension SQLiteStore: MigratableStore {
  public static func migrateStore(
    at file: URL, from source: ManagedObjectModel, to destination: ManagedObjectModel, by mapping: StoreMapping,
    configuration: String?, output: URL, droppedValues: DroppedValuePolicy,
    progress: @escaping (MigrationProgress) throws -> Void
  ) throws(ManagedObjectError) -> [MigrationLoss] {
    try migrate(
      file, from: source, to: destination, by: mapping, configuration: configuration, output: output,
      droppedValues: droppedValues, progress: progress)
  }
}
