public import FoundationEssentials
public import ManagedObjects

extension PersistentStoreDescription {
  /// A store in an SQLite file, as Core Data makes them.
  ///
  /// - Parameters:
  ///   - file: where the store is.
  ///   - migratesAutomatically: true to change a store of another version of the model when it is opened. A
  ///     ``migration`` goes before that.
  ///   - stages: the versions that lead to the model; nil if the two models alone tell how. See
  ///     ``SQLiteStore/migrate(_:through:to:configuration:output:droppedValues:progress:)`` and
  ///     ``SQLiteStore/migrate(_:from:to:by:configuration:output:droppedValues:progress:)``.
  ///   - droppedValues: what becomes of values that the model does not have any more, in a store that is migrated
  ///     automatically. By default, opening such a store throws ``ManagedObjectError/Code/droppedValues``.
  ///   - tracksHistory: true to keep a history of changes from now on: ``SQLiteStore/history(after:)``. With it,
  ///     other programs are told what was saved: ``PersistentStoreCoordinator/remoteChanges``.
  ///   - allowsTriggers: true to save also if the file has triggers, views or virtual tables of other programs.
  public static func sqlite(
    _ file: URL, migratesAutomatically: Bool = true, through stages: StagedMigration? = nil,
    droppedValues: DroppedValuePolicy = .refuse, tracksHistory: Bool = false, allowsTriggers: Bool = false
  ) -> PersistentStoreDescription {
    PersistentStoreDescription { (model, description) throws(ManagedObjectError) in
      func open() throws(ManagedObjectError) -> SQLiteStore {
        let writing = StoreAccess.readWrite(
          createsFile: description.createsFile, tracksHistory: tracksHistory, allowsTriggers: allowsTriggers)
        return try SQLiteStore(
          file, model: model, configuration: description.configuration,
          access: description.isReadOnly ? .readOnly : writing)
      }
      do throws(ManagedObjectError) { return try open() } catch {
        let isWanted = migratesAutomatically && description.migration == nil && !description.isReadOnly
        guard isWanted, error.code == .incompatibleVersionHash else { throw error }
        if let stages {
          try SQLiteStore.migrate(
            file, through: stages, to: model, configuration: description.configuration, droppedValues: droppedValues)
        } else {
          try SQLiteStore.migrate(
            file, to: model, configuration: description.configuration, droppedValues: droppedValues)
        }
        return try open()
      }
    }
  }

  /// A store in a file of any kind: SQLite, XML or binary, as the file begins. Without a file, an SQLite store is
  /// made.
  ///
  /// ```swift
  /// let container = try PersistentContainer(model: model, stores: [.file(file)])
  /// ```
  ///
  /// One in SQLite is opened as ``sqlite(_:migratesAutomatically:through:droppedValues:tracksHistory:allowsTriggers:)``
  /// opens it.
  public static func file(_ file: URL) -> PersistentStoreDescription {
    PersistentStoreDescription { (model, description) throws(ManagedObjectError) in
      // Reading a database by other means than SQLite's would take away the locks that this process has on it.
      do throws(ManagedObjectError) { return try description.open(.sqlite(file), model) } catch {
        guard error.code == .storeTypeMismatch else { throw error }
        switch StoreFileKind(ofFile: file.path) {
        case .xml: return try description.open(.xml(file), model)
        case .binaryPropertyList: return try description.open(.binary(file), model)
        default: throw error
        }
      }
    }
  }
}
