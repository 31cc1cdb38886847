public import FoundationEssentials
public import ManagedObjects
internal import SQLiteAccess
internal import SystemFiles

extension PersistentStoreDescription {
  /// A store in an SQLite file with Core Data's schema.
  ///
  /// ```swift
  /// var archive = PersistentStoreDescription.sqlite(oldFile)
  /// archive.isReadOnly = true
  /// let container = try PersistentContainer(
  ///   model: model, stores: [.sqlite(file, tracksHistory: true), archive])
  /// ```
  ///
  /// - Parameters:
  ///   - file: The URL of the store.
  ///   - migratesAutomatically: The value of ``PersistentStoreDescription/migratesAutomatically``. See
  ///     ``SQLiteStore/migrate(_:from:to:by:configuration:output:droppedValues:startsNewHistory:progress:)``.
  ///   - stages: The value of ``PersistentStoreDescription/stages``. See
  ///     ``SQLiteStore/migrate(_:through:to:configuration:output:droppedValues:startsNewHistory:progress:)``.
  ///   - droppedValues: The value of ``PersistentStoreDescription/droppedValues``.
  ///   - startsNewHistory: True to delete the recorded changes when the store is migrated automatically. It is needed
  ///     for a history that Core Data has started, if not all of its rows mean the same in the new model.
  ///   - tracksHistory: True to record a history of changes from now on: ``SQLiteStore/history(after:)``. The history
  ///     lets other programs find out which objects were saved: ``PersistentStoreCoordinator/remoteChanges``. False to
  ///     stop recording it, and to delete it: ``SQLiteStore/stopTrackingHistory()``. Nil to record it if the store
  ///     already has one.
  ///   - allowsTriggers: True to save even if the file has triggers, views or virtual tables of other programs.
  ///   - options: The options of the connection to the file, such as the time to wait for other processes. An
  ///     automatic migration uses them too.
  public static func sqlite(
    _ file: URL, migratesAutomatically: Bool = true, through stages: StagedMigration? = nil,
    droppedValues: DroppedValuePolicy = .refuse, startsNewHistory: Bool = false, tracksHistory: Bool? = nil,
    allowsTriggers: Bool = false, options: SQLiteStoreOptions = SQLiteStoreOptions()
  ) -> PersistentStoreDescription {
    var description = PersistentStoreDescription { (model, description) throws(ManagedObjectError) in
      if options.encryptionKey != nil, description.initialContents != nil {
        throw ManagedObjectError(
          .invalidValue,
          "cannot copy unencrypted initial contents into an encrypted store: create the store without them, and insert "
            + "their objects")
      }
      try description.copyInitialContents(to: file, of: SQLiteStore.self)
      return try description.migrating { () throws(ManagedObjectError) in
        let writing = StoreAccess.readWrite(
          createsFile: description.createsFile, tracksHistory: tracksHistory, allowsTriggers: allowsTriggers)
        return try SQLiteStore(
          file, model: model, configuration: description.configuration,
          access: description.ignoresModelVersion
            ? .readOnly(ignoresModelVersion: true) : description.isReadOnly ? .readOnly : writing,
          options: options)
      } _: { _ throws(ManagedObjectError) in
        try description.migrateSQLite(file, to: model, startsNewHistory: startsNewHistory, options)
      }
    }
    description.migratesAutomatically = migratesAutomatically
    description.stages = stages
    description.droppedValues = droppedValues
    return description
  }

  /// Migrates an SQLite store with the settings of the description.
  private func migrateSQLite(
    _ file: URL, to model: ManagedObjectModel, startsNewHistory: Bool, _ options: SQLiteStoreOptions
  ) throws(ManagedObjectError) {
    if let stages {
      _ = try SQLiteStore.migrate(
        file, through: stages, to: model, configuration: configuration, droppedValues: droppedValues,
        startsNewHistory: startsNewHistory, options: options)
      return
    }
    var source: ManagedObjectModel?
    if !sourceModels.isEmpty {
      let metadata = StoreMetadata(
        file: try SQLiteStore.metadata(ofFile: file, writesNothing: false, options.connectionOptions), identifier: "",
        type: SQLiteStore.type)
      source = sourceModels.first { metadata.fits($0, configuration) }
    }
    _ = try SQLiteStore.migrate(
      file, from: source, to: model, by: StoreMapping(), configuration: configuration, output: nil,
      writesNothing: false, droppedValues: droppedValues, startsNewHistory: startsNewHistory, options: options,
      progress: { _ in })
  }

  /// A store in a file of any kind. The kind is detected from the contents: SQLite, XML or binary. If the file does not
  /// exist, an SQLite store is created.
  ///
  /// ```swift
  /// let container = try PersistentContainer(model: model, stores: [.file(file)])
  /// ```
  ///
  /// An SQLite store is opened with the defaults of
  /// ``sqlite(_:migratesAutomatically:through:droppedValues:startsNewHistory:tracksHistory:allowsTriggers:options:)``.
  public static func file(_ file: URL) -> PersistentStoreDescription {
    PersistentStoreDescription { (model, description) throws(ManagedObjectError) in
      // Tries SQLite first, and reads the beginning of the file only if that fails: if this process opened and closed a
      // database file by other means, it would lose its locks on the file.
      do throws(ManagedObjectError) { return try description.open(.sqlite(file), model) } catch {
        guard error.code == .storeTypeMismatch else { throw error }
        let contents = FileSystem.exists(file.path) ? file : description.initialContents
        switch StoreFileKind(ofFile: contents?.path ?? "") {
        case .xml: return try description.open(.xml(file), model)
        case .binaryPropertyList: return try description.open(.binary(file), model)
        default: throw error
        }
      }
    }
  }
}
