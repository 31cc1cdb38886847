public import FoundationEssentials
public import ManagedObjects
internal import PropertyLists

/// Other versions of a model.
extension SQLiteStore {
  /// Changes a store to another version of its model, if the models alone tell how: attributes, relationships and
  /// entities that are new, gone, or renamed by a renaming identifier; optional attributes that are required from now
  /// on and have a default; properties that other entities of a hierarchy have; to-one relationships that become
  /// to-many; relationships with an order from now on, or without.
  ///
  /// New attributes have their defaults. Objects keep their numbers and versions. It is one transaction: a process that
  /// ends in the middle leaves the old store.
  ///
  /// - Parameters:
  ///   - file: where the store is. Nobody may have it open.
  ///   - source: the model of the store; nil for the one that it has in itself.
  ///   - destination: the model that it is to have.
  ///   - configuration: the configuration whose entities the store has; nil for all.
  /// - Throws: ``ManagedObjectError/Code/inferredMapping`` with all reasons why the models do not tell it,
  ///   ``ManagedObjectError/Code/missingSourceModel`` for a store without a model in it,
  ///   ``ManagedObjectError/Code/migration``, and ``ManagedObjectError/Code/migrationConstraint`` if objects have the
  ///   same values of a new uniqueness constraint. Nothing is changed then.
  /// - Complexity: O(*n*) in the size of the store.
  public static func migrate(
    _ file: URL, from source: ManagedObjectModel? = nil, to destination: ManagedObjectModel,
    configuration: String? = nil
  ) throws(ManagedObjectError) {
    try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      try destination.checkConfiguration(configuration)
      try migrate(Database(path: path(of: file), .readWrite), source, destination, configuration)
    }
  }

  private static func migrate(
    _ database: Database, _ source: ManagedObjectModel?, _ destination: ManagedObjectModel, _ configuration: String?
  ) throws(ManagedObjectError) {
    try database.transaction(.exclusive) { () throws(ManagedObjectError) in
      var metadata = try MetadataTable.read(database)
      let model: ManagedObjectModel
      if let source {
        model = source
      } else if let cached = try ModelCache.read(database, FileSchema(database)) {
        model = cached
      } else {
        throw ManagedObjectError(
          .missingSourceModel, "\(database.path) does not have its model in it, and cannot be migrated without")
      }
      try metadata.check(model, configuration)
      let mapping = try InferredMapping(from: model, to: destination)
      try StoreMigration(database, mapping, configuration: configuration).run(&metadata, configuration: configuration)
    }
  }
}
