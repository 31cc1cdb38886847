public import FoundationEssentials
internal import ObjectModels

/// The store that a container opens, and the way to open it.
///
/// ```swift
/// let description = PersistentStoreDescription.xml(URL(filePath: "notes.xml"))
/// ```
public struct PersistentStoreDescription: Sendable {
  /// Opens a store for a model.
  public typealias Opening =
    @Sendable (ManagedObjectModel, PersistentStoreDescription) throws(ManagedObjectError) ->
    any PersistentStore

  /// The configuration whose entities the store has; nil for all.
  public var configuration: String?
  /// True if nothing is to be saved. A file that is not there is not made then, either.
  public var isReadOnly = false
  /// False if a file that is not there is an error, ``ManagedObjectError/Code/noSuchFile``, and is not made.
  ///
  /// ```swift
  /// var store = PersistentStoreDescription.xml(file)
  /// store.createsFile = false
  /// ```
  public var createsFile = true
  /// Changes the file of a store that was made with another version of the model, given the error that names the
  /// entities that differ. The store is opened again then. Nil to leave it at the error.
  public var migration: (@Sendable (ManagedObjectError) throws(ManagedObjectError) -> Void)?
  private let opening: Opening

  /// A store that a function opens.
  public init(opening: @escaping Opening) { self.opening = opening }

  /// A store that is gone when the program ends.
  public static var inMemory: PersistentStoreDescription {
    PersistentStoreDescription { (model, description) throws(ManagedObjectError) in
      try InMemoryStore(model: model, configuration: description.configuration)
    }
  }

  /// A store in a file as Core Data's XML stores have it.
  public static func xml(_ file: URL) -> PersistentStoreDescription {
    PersistentStoreDescription { (model, description) throws(ManagedObjectError) in
      try XMLStore(
        file, model: model, configuration: description.configuration, isReadOnly: description.isReadOnly,
        createsFile: description.createsFile)
    }
  }

  /// A store in a file of the project's own: a keyed archive, smaller and faster than XML.
  public static func binary(_ file: URL) -> PersistentStoreDescription {
    PersistentStoreDescription { (model, description) throws(ManagedObjectError) in
      try BinaryStore(
        file, model: model, configuration: description.configuration, isReadOnly: description.isReadOnly,
        createsFile: description.createsFile)
    }
  }

  /// Opens the store of another description, with the configuration and the options of this one.
  package func open(
    _ other: PersistentStoreDescription, _ model: ManagedObjectModel
  ) throws(ManagedObjectError) -> any PersistentStore { try other.opening(model, self) }

  /// Opens the store; migrates it first if that is needed and wanted.
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
