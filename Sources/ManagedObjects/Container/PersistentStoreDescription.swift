public import FoundationEssentials
internal import ObjectModels
internal import SystemFiles

/// A store that a container opens, and its options.
///
/// ```swift
/// let description = PersistentStoreDescription.xml(URL(filePath: "notes.xml"))
/// ```
public struct PersistentStoreDescription: Sendable {
  /// A function that opens a store for a model.
  public typealias Opening =
    @Sendable (ManagedObjectModel, PersistentStoreDescription) throws(ManagedObjectError) ->
    any PersistentStore

  /// The configuration whose entities the store has; nil for all.
  ///
  /// ```swift
  /// var contacts = PersistentStoreDescription.xml(folder.appending(path: "contacts.xml"))
  /// contacts.configuration = "Cloud"
  /// var settings = PersistentStoreDescription.binary(folder.appending(path: "settings"))
  /// settings.configuration = "Local"
  /// let container = try PersistentContainer(model: model, stores: [contacts, settings])
  /// ```
  public var configuration: String?
  /// True to open the store only for reading. If its file does not exist, it is not created.
  public var isReadOnly = false
  /// True to open the store even if it was made with another version of the model, and to read what fits. Use it to
  /// rescue the data of a store that cannot be migrated, because its model is lost or damaged. It corresponds to Core
  /// Data's `NSIgnorePersistentStoreVersioningOption`.
  ///
  /// ```swift
  /// var description = PersistentStoreDescription.sqlite(file)
  /// description.ignoresModelVersion = true
  /// let container = try PersistentContainer(model: model, stores: [description])
  /// for mismatch in container.coordinator.stores[0].modelMismatches { print(mismatch) }
  /// // Draft: the model does not have the entity: 12 objects are ignored
  /// ```
  ///
  /// The store is read-only, and is not migrated; the file must exist. Entities and properties are found by their names
  /// and renaming identifiers. Attributes that the store does not have return their default, or null; relationships
  /// that it does not have are empty. A value of another type is kept: ``ManagedObjectClass/decodedValue(of:)`` throws,
  /// and ``ManagedObject/value(forKey:)`` returns it.
  /// ``PersistentStore/modelMismatches`` lists everything that is missing, ignored or changed. In an SQLite store,
  /// requests are executed in memory if a property has another type.
  public var ignoresModelVersion = false
  /// False to throw ``ManagedObjectError/Code/noSuchFile`` if the file does not exist, instead of creating it.
  ///
  /// ```swift
  /// var store = PersistentStoreDescription.xml(file)
  /// store.createsFile = false
  /// ```
  public var createsFile = true
  /// A function that migrates the file of a store that was made with another version of the model. Its argument is the
  /// ``ManagedObjectError/Code/incompatibleVersionHash`` error, which contains the entities that differ. After the
  /// migration, the store is opened again. If the property is nil, opening the store throws the error.
  ///
  /// ```swift
  /// var store = PersistentStoreDescription.xml(file)
  /// store.migration = { error throws(ManagedObjectError) in
  ///   print(error.differingEntities)                       // ["Note"]
  ///   try upgrade(file)
  /// }
  /// ```
  public var migration: (@Sendable (ManagedObjectError) throws(ManagedObjectError) -> Void)?
  /// True to migrate a store of another version of the model when it is opened. If ``migration`` is set, it is called
  /// instead. A store that is opened read-only is not migrated.
  ///
  /// An SQLite store contains its model. For an XML or binary store, specify the ``sourceModels`` or the ``stages``;
  /// without them, opening such a store throws ``ManagedObjectError/Code/incompatibleVersionHash``.
  public var migratesAutomatically = true
  /// The models that the store can have before an automatic migration. The migration uses the model that the store's
  /// version hashes match. An SQLite store that contains its model does not need them.
  ///
  /// ```swift
  /// let versions = try VersionedModel(contentsOf: folder.appending(path: "Notes.momd"))
  /// var notes = PersistentStoreDescription.xml(file)
  /// notes.sourceModels = Array(versions.models.values)
  /// let container = try PersistentContainer(model: versions.current, stores: [notes])
  /// ```
  public var sourceModels: [ManagedObjectModel] = []
  /// The versions of the model through which an automatic migration migrates the store; nil to infer the changes from
  /// the model of the store and the new model.
  ///
  /// ```swift
  /// var notes = PersistentStoreDescription.binary(file)
  /// notes.stages = StagedMigration([.init(first), .init(second, mapping: mapping), .init(model)])
  /// ```
  public var stages: StagedMigration?
  /// The handling of values that the new model cannot represent, in an automatic migration. By default, opening a store
  /// with such values throws ``ManagedObjectError/Code/droppedValues``, or
  /// ``ManagedObjectError/Code/multipleErrors`` if several properties have such values.
  public var droppedValues = DroppedValuePolicy.refuse
  /// The URL of a store to copy if the file does not exist, such as a store in the resources of the program; nil to
  /// create an empty store. Both stores are of the same kind.
  ///
  /// The file appears when the copy is complete, also for other processes that open the store at the same time. If the
  /// copy has another version of the model, it is migrated like an existing store.
  ///
  /// ```swift
  /// var store = PersistentStoreDescription.sqlite(file)
  /// store.initialContents = resources.appending(path: "Seed.sqlite")
  /// ```
  public var initialContents: URL?
  private let opening: Opening

  /// Creates a description of a store that a function opens.
  ///
  /// ```swift
  /// let store = PersistentStoreDescription { (model, description) throws(ManagedObjectError) in
  ///   try InMemoryStore(model: model, configuration: description.configuration)
  /// }
  /// let container = try PersistentContainer(model: model, stores: [store])
  /// ```
  public init(opening: @escaping Opening) { self.opening = opening }

  /// The description of a store in memory. Its objects are lost when the program ends.
  public static var inMemory: PersistentStoreDescription {
    PersistentStoreDescription { (model, description) throws(ManagedObjectError) in
      try InMemoryStore(model: model, configuration: description.configuration)
    }
  }

  /// Returns the description of a store in Core Data's XML format.
  public static func xml(_ file: URL) -> PersistentStoreDescription {
    PersistentStoreDescription { (model, description) throws(ManagedObjectError) in
      try description.copyInitialContents(to: file, of: XMLStore.self)
      return try description.openFile(file, model) { () throws(ManagedObjectError) in
        try XMLStore(
          file, model: model, configuration: description.configuration, isReadOnly: description.isReadOnly,
          createsFile: description.createsFile, ignoresModelVersion: description.ignoresModelVersion)
      }
    }
  }

  /// Returns the description of a store in this package's binary format: a keyed archive, smaller and faster than XML.
  public static func binary(_ file: URL) -> PersistentStoreDescription {
    PersistentStoreDescription { (model, description) throws(ManagedObjectError) in
      try description.copyInitialContents(to: file, of: BinaryStore.self)
      return try description.openFile(file, model) { () throws(ManagedObjectError) in
        try BinaryStore(
          file, model: model, configuration: description.configuration, isReadOnly: description.isReadOnly,
          createsFile: description.createsFile, ignoresModelVersion: description.ignoresModelVersion)
      }
    }
  }

  /// Opens the store that another description describes, with the configuration and the options of this description.
  package func open(
    _ other: PersistentStoreDescription, _ model: ManagedObjectModel
  ) throws(ManagedObjectError) -> any PersistentStore { try other.opening(model, self) }

  /// Copies the ``initialContents`` to the file of the store, if the file does not exist and may be created.
  package func copyInitialContents(
    to file: URL, of type: (some FileBackedStore).Type
  ) throws(ManagedObjectError) {
    guard let initialContents, createsFile, !isReadOnly, !ignoresModelVersion, !FileSystem.exists(file.path) else {
      return
    }
    do { try type.copyStore(at: initialContents, to: file, writesNothing: true) } catch {
      // Another process may have created the store meanwhile.
      if !FileSystem.exists(file.path) { throw error }
    }
  }

  /// Opens an XML or binary store, after an automatic migration if the description asks for it.
  private func openFile(
    _ file: URL, _ model: ManagedObjectModel, _ open: () throws(ManagedObjectError) -> any PersistentStore
  ) throws(ManagedObjectError) -> any PersistentStore {
    try migrating(open) { mismatch throws(ManagedObjectError) in
      if let stages {
        try StoreFile.migrate(
          file, through: stages, to: model, configuration: configuration, droppedValues: droppedValues)
      } else if sourceModels.isEmpty {
        throw mismatch
      } else {
        try StoreFile.migrate(
          file, from: sourceModels, to: model, configuration: configuration, droppedValues: droppedValues)
      }
    }
  }

  /// Calls `open`. If the store was made with another version of the model and ``migratesAutomatically`` is true, calls
  /// `migrate` with the error, and `open` again.
  package func migrating(
    _ open: () throws(ManagedObjectError) -> any PersistentStore,
    _ migrate: (ManagedObjectError) throws(ManagedObjectError) -> Void
  ) throws(ManagedObjectError) -> any PersistentStore {
    do { return try open() } catch {
      let isWanted = migratesAutomatically && migration == nil && !isReadOnly
      guard isWanted, error.code == .incompatibleVersionHash else { throw error }
      try migrate(error)
    }
    return try open()
  }

  /// Opens the store. If it was made with another version of the model, calls ``migration`` first.
  func open(_ model: ManagedObjectModel) throws(ManagedObjectError) -> any PersistentStore {
    guard let migration else { return try opening(model, self) }
    let mismatch: ManagedObjectError
    do { return try opening(model, self) } catch {
      guard error.code == .incompatibleVersionHash else { throw error }
      mismatch = error
    }
    do { try migration(mismatch) } catch { throw error.naming(mismatch.fileURL) }
    return try opening(model, self)
  }
}
