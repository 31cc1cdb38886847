public import FoundationEssentials
public import ObjectModels
internal import SystemFiles

/// A store in a file that can be migrated to another version of its model.
public protocol MigratableStore: FileBackedStore {
  /// Migrates a store to another version of its model. The new store is a new file of the same kind. The old store
  /// stays as it is.
  ///
  /// ```swift
  /// try XMLStore.migrateStore(
  ///   at: file, from: oldModel, to: newModel, by: StoreMapping(), configuration: nil, output: newFile,
  ///   droppedValues: .refuse) { _ in }
  /// ```
  ///
  /// - Parameters:
  ///   - file: the URL of the store.
  ///   - source: the model of the store.
  ///   - destination: the model of the new store.
  ///   - mapping: the mapping of the objects; empty to infer all changes.
  ///   - configuration: the configuration whose entities the store has; nil for all.
  ///   - output: the URL of the new store. The file must not exist.
  ///   - droppedValues: the handling of values and objects that the new model cannot represent.
  ///   - progress: called during the migration. If it throws, the migration ends.
  /// - Returns: The dropped values and objects.
  /// - Throws: ``ManagedObjectError/Code/storeTypeMismatch`` if the file is a store of another kind;
  ///   ``ManagedObjectError/Code/incompatibleVersionHash`` or ``ManagedObjectError/Code/missingSourceModel`` if it was
  ///   made with another model; the errors of a migration in place.
  static func migrateStore(
    at file: URL, from source: ManagedObjectModel, to destination: ManagedObjectModel, by mapping: StoreMapping,
    configuration: String?, output: URL, droppedValues: DroppedValuePolicy,
    progress: @escaping (MigrationProgress) throws -> Void
  ) throws(ManagedObjectError) -> [MigrationLoss]
}

extension FileBackedStore {
  /// Creates a store of this kind from a store of another kind, with another version of its model. It corresponds to
  /// Core Data's `NSMigrationManager.migrateStore`.
  ///
  /// ```swift
  /// let mapping = StoreMapping(try MappingModel(contentsOf: folder.appending(path: "Notes.cdm")))
  /// try SQLiteStore.createStore(
  ///   at: newFile, model: newModel, migrating: oldFile, of: XMLStore.self, from: oldModel, by: mapping)
  /// ```
  ///
  /// The old store is migrated to the new model in a temporary file of its kind, with the same rules as in place:
  /// mappings, policies and functions of the program work in stores of all kinds. Then its objects are inserted into
  /// the new store. The new file appears when it is complete. If an error is thrown, it is not created. The old store
  /// stays as it is in both cases.
  ///
  /// To change only the model, migrate the store itself. To change only the kind, use
  /// ``PersistentStoreCoordinator/migratePersistentStore(_:to:type:)``.
  ///
  /// - Parameters:
  ///   - file: the URL of the new store. The file must not exist. Missing folders are created.
  ///   - model: the model of the new store.
  ///   - source: the URL of the old store. Other programs can use it meanwhile.
  ///   - type: the kind of the old store.
  ///   - sourceModel: the model of the old store.
  ///   - mapping: the mapping of the objects; empty to infer all changes.
  ///   - configuration: the configuration whose entities both stores have; nil for all.
  ///   - droppedValues: the handling of values and objects that the new model cannot represent.
  ///   - progress: called during the migration to the new model. If it throws, the new file is not created.
  /// - Returns: The dropped values and objects.
  /// - Throws: ``ManagedObjectError/Code/save`` if the new file exists or cannot be written; the errors of
  ///   ``MigratableStore/migrateStore(at:from:to:by:configuration:output:droppedValues:progress:)`` and of
  ///   ``PersistentStore/insertObjects(of:progress:)``.
  /// - Complexity: O(*n* log *n*) in the number of objects and references.
  @discardableResult
  public static func createStore<Source: MigratableStore>(
    at file: URL, model: ManagedObjectModel, migrating source: URL, of type: Source.Type,
    from sourceModel: ManagedObjectModel, by mapping: StoreMapping = StoreMapping(), configuration: String? = nil,
    droppedValues: DroppedValuePolicy = .refuse, progress: @escaping (MigrationProgress) throws -> Void = { _ in }
  ) throws(ManagedObjectError) -> [MigrationLoss] {
    try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      try ManagedObjectError.checkIsUnused(StoreFile.path(of: file))
    }
    let folder: PrivateFolder
    do { folder = try PrivateFolder() } catch { throw ManagedObjectError(error, .migration) }
    let migrated = URL(filePath: folder.path).appending(path: "store")
    let losses = try Source.migrateStore(
      at: source, from: sourceModel, to: model, by: mapping, configuration: configuration, output: migrated,
      droppedValues: droppedValues, progress: progress)
    try createStore(at: file, model: model, configuration: configuration) { store throws(ManagedObjectError) in
      try store.insertObjects(of: Source.openStore(at: migrated, model: model, configuration: configuration))
    }
    withExtendedLifetime(folder) {}
    return losses
  }
}

extension FileStore {
  public static func migrateStore(
    at file: URL, from source: ManagedObjectModel, to destination: ManagedObjectModel, by mapping: StoreMapping,
    configuration: String?, output: URL, droppedValues: DroppedValuePolicy,
    progress: @escaping (MigrationProgress) throws -> Void
  ) throws(ManagedObjectError) -> [MigrationLoss] {
    // Checks the kind, because the migration accepts XML and binary files.
    _ = try metadata(ofFile: file)
    return try StoreFile.migrate(
      file, from: [source], to: destination, by: mapping, configuration: configuration, output: output,
      droppedValues: droppedValues, progress: progress)
  }
}

extension XMLStore: MigratableStore {}
extension BinaryStore: MigratableStore {}
