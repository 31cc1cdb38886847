internal import ObjectModels
public import OrderedCollections
public import Predicates
public import PropertyLists

/// A store that keeps all rows in memory, and writes its whole file at each save.
///
/// ``XMLStore`` and ``BinaryStore`` are file stores. Both use a ``StoreFile``, which implements the requirements of
/// ``PersistentStore``.
public protocol FileStore: FileBackedStore {
  /// The file of the store, which reads and writes the rows.
  var file: StoreFile { get }
}

extension FileStore {
  public var number: StoreNumber { file.number }
  public var identifier: String { file.identifier }
  public var model: ManagedObjectModel { file.model }
  public var configuration: String? { file.configuration }
  public var isReadOnly: Bool { file.isReadOnly }
  public var modelMismatches: [ModelMismatch] { file.modelMismatches }
  public var changeToken: String? { file.changeToken }
  public var metadata: OrderedDictionary<String, PropertyList> { file.metadata }

  public func changesByOthers() throws(ManagedObjectError) -> SavedChanges? { try file.changesByOthers() }

  public func setMetadata(_ metadata: OrderedDictionary<String, PropertyList>) { file.setMetadata(metadata) }

  public func makeKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey] {
    try file.makeKeys(entityIndices)
  }

  public func rows(_ keys: [RowKey]) throws(ManagedObjectError) -> [StoreRow?] { try file.rows(keys) }

  public func fetch(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult { try file.fetch(request, of: entity) }

  public func snapshot() throws(ManagedObjectError) -> any PersistentStore { try file.snapshot() }

  @discardableResult
  public func save(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey] { try file.save(changes) }
}
