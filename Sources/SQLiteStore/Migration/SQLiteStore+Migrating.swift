public import FoundationEssentials
public import ManagedObjects
internal import PropertyLists

/// Other versions of a model.
extension SQLiteStore {
  /// Changes a store to another version of its model.
  ///
  /// Two models alone tell much: attributes, relationships and entities that are new, gone, or renamed by a renaming
  /// identifier; optional attributes that are required from now on and have a default; properties that other entities
  /// of a hierarchy have; to-one relationships that become to-many; relationships with an order from now on, or
  /// without; large values in files from now on, or not any more. That is done in the file itself. New attributes have
  /// their defaults, and objects keep their numbers and versions.
  ///
  /// A mapping says the rest. Objects are made anew then, in a file beside the store, and checked by the rules of the
  /// model. Those that come from one of the same hierarchy keep their numbers.
  ///
  /// Either way the store changes in one transaction: a process that ends in the middle leaves the old store. Nobody
  /// else can save into it meanwhile.
  ///
  /// - Parameters:
  ///   - file: where the store is. Nobody may have it open.
  ///   - source: the model of the store; nil for the one that it has in itself. A store that has the destination in
  ///     itself stays as it is then, so that a migration can be called again.
  ///   - destination: the model that it is to have.
  ///   - mapping: what becomes of the objects.
  ///   - configuration: the configuration whose entities the store has; nil for all.
  ///   - output: where to make the new store, and leave the old one as it is; nil to change the store. There is no file
  ///     yet. It has all data in itself.
  ///   - progress: told of each batch of objects that a mapping is done with. An error that it throws ends the
  ///     migration.
  /// - Throws: ``ManagedObjectError/Code/inferredMapping`` with all reasons why the models do not tell it,
  ///   ``ManagedObjectError/Code/missingSourceModel`` for a store without a model in it,
  ///   ``ManagedObjectError/Code/incompatibleVersionHash`` for a store that was not made with `source`,
  ///   ``ManagedObjectError/Code/migration`` and ``ManagedObjectError/Code/entityMigrationPolicy`` with all that a
  ///   mapping says and that cannot be done, ``ManagedObjectError/Code/migrationConstraint`` if objects have the same
  ///   values of a new uniqueness constraint, ``ManagedObjectError/Code/migrationCancelled``, and what functions of the
  ///   mapping throw. Nothing is changed then.
  /// - Complexity: O(*n* log *n*) in the number of objects, for the indexes.
  public static func migrate(
    _ file: URL, from source: ManagedObjectModel? = nil, to destination: ManagedObjectModel,
    by mapping: StoreMapping = StoreMapping(), configuration: String? = nil, output: URL? = nil,
    progress: @escaping (MigrationProgress) throws -> Void = { _ in }
  ) throws(ManagedObjectError) {
    try run(file, configuration, output, progress) { (database, metadata) throws(ManagedObjectError) in
      try destination.checkConfiguration(configuration)
      let model: ManagedObjectModel
      if let source {
        model = source
      } else if let cached = try ModelCache.read(database, FileSchema(database)) {
        // A store of the destination stays as it is: what was done is not done twice.
        if metadata.fits(destination, configuration) { return (destination, []) }
        model = cached
      } else {
        throw ManagedObjectError(
          .missingSourceModel, "\(database.path) does not have its model in it, and cannot be migrated without")
      }
      try metadata.check(model, configuration)
      return (
        model, [try MigrationRun.Step(mapping, from: model, to: destination, database.path, configuration)]
      )
    }
  }

  /// Changes a store to the last of several versions of its model, version by version. It is the same whether the store
  /// is of the first version or of a later one; one of the last stays as it is.
  ///
  /// All of it is one transaction, as ``migrate(_:from:to:by:configuration:output:progress:)`` has it.
  ///
  /// - Parameters:
  ///   - migration: the versions.
  ///   - destination: the version to end with, as the program has it; nil for the last.
  /// - Throws: ``ManagedObjectError/Code/incompatibleVersionHash`` for a store of none of the versions, and what the
  ///   migration to one version throws.
  public static func migrate(
    _ file: URL, through migration: StagedMigration, to destination: ManagedObjectModel? = nil,
    configuration: String? = nil, output: URL? = nil,
    progress: @escaping (MigrationProgress) throws -> Void = { _ in }
  ) throws(ManagedObjectError) {
    try run(file, configuration, output, progress) { (database, metadata) throws(ManagedObjectError) in
      try migration.steps(from: metadata, to: destination, database.path, configuration)
    }
  }

  private static func run(
    _ file: URL, _ configuration: String?, _ output: URL?,
    _ progress: @escaping (MigrationProgress) throws -> Void,
    _ steps: (Database, StoreMetadata) throws(ManagedObjectError) -> (
      source: ManagedObjectModel, steps: [MigrationRun.Step]
    )
  ) throws(ManagedObjectError) {
    try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      let path = try path(of: file)
      func run(_ database: Database) throws(ManagedObjectError) -> MigrationRun {
        _ = try FileSchema(database)
        let metadata = try MetadataTable.read(database)
        let (source, steps) = try steps(database, metadata)
        return MigrationRun(path, configuration, from: source, steps, metadata, report: progress)
      }
      if let output {
        var migration = try run(Database(path: path, .readOnly))
        return try migration.run(to: self.path(of: output))
      }
      let database = try Database(path: path, .readWrite)
      let files = try database.transaction(.immediate) { () throws(ManagedObjectError) in
        var migration = try run(database)
        return try migration.run(database)
      }
      ExternalData(ofStore: path).remove(files)
    }
  }
}
