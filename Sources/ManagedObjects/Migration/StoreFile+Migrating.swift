public import FoundationEssentials
public import ObjectModels
internal import SystemFiles

/// Functions that migrate a file to another version of its model.
extension StoreFile {
  /// Migrates an XML or binary store to another version of its model.
  ///
  /// The file of such a store contains only the version hashes of its model, so the caller passes the models that it
  /// can have:
  ///
  /// ```swift
  /// let versions = try VersionedModel(contentsOf: folder.appending(path: "Notes.momd"))
  /// let losses = try StoreFile.migrate(
  ///   file, from: Array(versions.models.values), to: versions.current, droppedValues: .drop)
  /// for loss in losses { print(loss) }  // "Note.subtitle" is missing from the new model; 12 objects have a value
  /// ```
  ///
  /// Without a mapping, the changes are inferred from the two models, with the same rules as in SQLite stores. Derived
  /// attributes are computed; one that does not depend on the object, such as `now()`, keeps its value. Objects keep
  /// their primary keys and versions. With a mapping, all objects are created again in memory, and validated. The first
  /// new object for a source object keeps its primary key.
  ///
  /// The new file replaces the old one atomically. Other processes cannot save meanwhile. If an error is thrown, or the
  /// process is killed, the file contains the old store. The store keeps its identifier and its metadata.
  ///
  /// - Parameters:
  ///   - file: The URL of the store, which can be open. Stores that have opened it with the old model then throw
  ///     ``ManagedObjectError/Code/incompatibleVersionHash``.
  ///   - sources: The models that the store can have.
  ///   - destination: The new model of the store. A store that already has it stays as it is.
  ///   - mapping: The mapping of the objects; empty to infer all changes.
  ///   - configuration: The configuration whose entities the store has; nil for all entities.
  ///   - output: The URL of a new store; the old store then stays as it is. The file must not exist. Nil to replace the
  ///     old store.
  ///   - droppedValues: The handling of values and objects that the new model cannot represent. Values that a mapping
  ///     model drops, and objects that a function of the program migrates, are not reported, because this is
  ///     intentional.
  ///   - progress: Called before and after the objects of each entity, or after each batch of objects of a mapping. If
  ///     `progress` throws, the migration ends: a ``ManagedObjectError`` is rethrown, another error becomes the
  ///     ``ManagedObjectError/underlyingError`` of ``ManagedObjectError/Code/migrationCancelled``.
  /// - Returns: The dropped values and objects.
  /// - Throws: ``ManagedObjectError/Code/missingSourceModel`` if the store has none of the models,
  ///   ``ManagedObjectError/Code/inferredMapping`` for a change that cannot be inferred,
  ///   ``ManagedObjectError/Code/droppedValues`` for a loss that is not allowed,
  ///   ``ManagedObjectError/Code/migration`` and ``ManagedObjectError/Code/entityMigrationPolicy`` with all parts of a
  ///   mapping that cannot be performed, ``ManagedObjectError/Code/migrationConstraint`` if objects have the same
  ///   values for a new uniqueness constraint, and the errors of functions of the mapping. If there are several errors,
  ///   ``ManagedObjectError/Code/multipleErrors`` with all of them in ``ManagedObjectError/details``.
  ///   ``ManagedObjectError/Code/storeTypeMismatch`` for another kind of file, ``ManagedObjectError/Code/noSuchFile``,
  ///   ``ManagedObjectError/Code/open`` for a file that cannot be read, and ``ManagedObjectError/Code/locked`` if
  ///   another process is saving, and ``ManagedObjectError/Code/migration`` if `output` exists or a file cannot be
  ///   written. If it throws, nothing is changed.
  /// - Complexity: O(*n* log *n*) in the number of objects and references.
  @discardableResult
  public static func migrate(
    _ file: URL, from sources: [ManagedObjectModel], to destination: ManagedObjectModel,
    by mapping: StoreMapping = StoreMapping(), configuration: String? = nil, output: URL? = nil,
    droppedValues: DroppedValuePolicy = .refuse, progress: @escaping (MigrationProgress) throws -> Void = { _ in }
  ) throws(ManagedObjectError) -> [MigrationLoss] {
    try migrate(file, configuration, output, droppedValues, progress) {
      (metadata, path) throws(ManagedObjectError) in
      try destination.checkConfiguration(configuration)
      if metadata.fits(destination, configuration) { return (destination, []) }
      guard let source = sources.first(where: { metadata.fits($0, configuration) }) else {
        throw metadata.missingSourceModel(path, sources.count, destination, configuration)
      }
      return (source, [try MigrationStep(mapping, from: source, to: destination, sharesNumbers: true)])
    }
  }

  /// Migrates an XML or binary store through several versions of its model. The store can have any of the versions. A
  /// store that already has the final version stays as it is.
  ///
  /// ```swift
  /// let stages = try StagedMigration(contentsOf: folder.appending(path: "Notes.momd"))
  /// try StoreFile.migrate(file, through: stages)
  /// ```
  ///
  /// All steps are performed before the new file replaces the old one, as in
  /// ``migrate(_:from:to:by:configuration:output:droppedValues:progress:)``.
  ///
  /// - Parameters:
  ///   - migration: The versions of the model, and mappings between them.
  ///   - destination: The model of the version to end with; nil for the last version. Its version hashes must be those
  ///     of one of the versions.
  /// - Returns: The dropped values and objects.
  /// - Throws: ``ManagedObjectError/Code/incompatibleVersionHash`` if the store fits none of the versions up to the
  ///   destination, ``ManagedObjectError/Code/migration`` also if `destination` is not one of the versions, and the
  ///   errors of a migration to one version.
  @discardableResult
  public static func migrate(
    _ file: URL, through migration: StagedMigration, to destination: ManagedObjectModel? = nil,
    configuration: String? = nil, output: URL? = nil, droppedValues: DroppedValuePolicy = .refuse,
    progress: @escaping (MigrationProgress) throws -> Void = { _ in }
  ) throws(ManagedObjectError) -> [MigrationLoss] {
    try migrate(file, configuration, output, droppedValues, progress) {
      (metadata, path) throws(ManagedObjectError) in
      try migration.steps(from: metadata, to: destination, path, configuration, sharesNumbers: true)
    }
  }

  private static func migrate(
    _ file: URL, _ configuration: String?, _ output: URL?, _ policy: DroppedValuePolicy,
    _ progress: @escaping (MigrationProgress) throws -> Void,
    _ plan:
      @escaping (StoreMetadata, String) throws(ManagedObjectError) -> (
        source: ManagedObjectModel, steps: [MigrationStep]
      )
  ) throws(ManagedObjectError) -> [MigrationLoss] {
    try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      var migration = FileMigration(
        path: try path(of: file), configuration: configuration, policy: policy, progress: progress, plan: plan)
      if let output { try migration.migrate(to: path(of: output)) } else { try migration.migrateInPlace() }
      return migration.losses
    }
  }
}

extension StoreMetadata {
  /// Returns the error for a store whose model is not among the given ones.
  package func missingSourceModel(
    _ path: String, _ count: Int, _ destination: ManagedObjectModel, _ configuration: String?
  ) -> ManagedObjectError {
    var error = ManagedObjectError(
      .missingSourceModel,
      "\(path) cannot be migrated: it does not match any of the \(count) source models")
    do { try check(destination, configuration) } catch let mismatch {
      error.differingEntities = mismatch.differingEntities
    }
    return error
  }
}
