internal import ObjectModels
public import OrderedCollections
public import Predicates
public import PropertyLists

/// A store of objects, each in the form of a ``StoreRow``.
///
/// ``InMemoryStore``, ``XMLStore`` and ``BinaryStore`` conform to the protocol; you can write other stores. A
/// coordinator and any number of contexts use a store at the same time. See <doc:WriteAStore>.
public protocol PersistentStore: AnyObject, Sendable {
  /// The number of the store in this process. All keys of its rows contain it.
  var number: StoreNumber { get }
  /// The identifier (`NSStoreUUID`), which the store's file contains.
  var identifier: String { get }
  /// The model of the store.
  var model: ManagedObjectModel { get }
  /// The configuration whose entities the store has; nil for all.
  var configuration: String? { get }
  /// True if changes cannot be saved to the store.
  var isReadOnly: Bool { get }
  /// The differences from the model, if the store was opened with ``PersistentStoreDescription/ignoresModelVersion``.
  /// Empty by default.
  ///
  /// ```swift
  /// for mismatch in store.modelMismatches where mismatch.kind == .unknownEntity { print(mismatch.entity) }
  /// ```
  var modelMismatches: [ModelMismatch] { get }
  /// The metadata: the values that the store sets under the keys in ``StoreMetadataKey``, and the values that programs
  /// set under other keys.
  var metadata: OrderedDictionary<String, PropertyList> { get }

  /// A string that identifies the state of the store: it changes with each save by any program, and can be compared in
  /// later runs of the program. Nil, which is the default, if the store does not support it.
  var changeToken: String? { get }

  /// Returns the changes that were saved since the last call by other programs, or by other stores of this program with
  /// the same file; nil if there are none. The first call returns nil, and starts the observation. By default, the
  /// result is always nil.
  ///
  /// ``PersistentStoreCoordinator/remoteChanges`` calls this method.
  ///
  /// - Throws: ``ManagedObjectError`` if the store cannot be read.
  func changesByOthers() throws(ManagedObjectError) -> SavedChanges?

  /// Sets the metadata to write with the next save. Keys that the store itself sets, such as
  /// ``StoreMetadataKey/identifier``, keep their values.
  ///
  /// ```swift
  /// var metadata = store.metadata
  /// metadata["title"] = "Letters"
  /// store.setMetadata(metadata)
  /// ```
  func setMetadata(_ metadata: OrderedDictionary<String, PropertyList>)

  /// Returns keys for new objects. While the store is open, it does not return these keys again.
  ///
  /// - Parameter entityIndices: the index in the model of each new object's entity.
  /// - Throws: ``ManagedObjectError/Code/operation`` if no keys are left; the errors of reading the store.
  func makeKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey]

  /// Returns keys for new objects. Unlike those of ``makeKeys(_:)``, these keys stay valid even if other processes save
  /// objects meanwhile. The default implementation returns the keys of ``makeKeys(_:)``.
  ///
  /// - Throws: the errors of ``makeKeys(_:)``.
  func reserveKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey]

  /// Returns the rows of objects, in the order of the keys. The result has nil for each object that does not exist or
  /// was deleted.
  ///
  /// - Throws: ``ManagedObjectError`` if the store cannot be read.
  func rows(_ keys: [RowKey]) throws(ManagedObjectError) -> [StoreRow?]

  /// Returns the value in one slot for each of several objects of an entity. The result has nil for an object that does
  /// not exist, or whose entity does not have the slot. Contexts call the method when they need a value that is
  /// ``RowValue/unread`` in a row.
  ///
  /// - Throws: the errors of ``rows(_:)``.
  func values(ofSlot slot: Int, _ keys: [RowKey]) throws(ManagedObjectError) -> [RowValue?]

  /// Executes a request. The store checks it as ``FetchRequest/execute(on:of:)`` does.
  ///
  /// - Parameters:
  ///   - request: the request. Its predicate has no variables, and refers to objects by
  ///     ``PredicateConstant/object(_:)``.
  ///   - entity: the entity of the request.
  /// - Throws: ``ManagedObjectError/Code/unsupportedRequest`` for a request that does not fit the entity; the errors of
  ///   ``rows(_:)``.
  func fetch(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult

  /// Returns a read-only store with the present objects of this store, under the same keys. It keeps its state when
  /// this store, or another process, changes the objects. Contexts with a query generation read it: see
  /// ``ManagedObjectContext/setQueryGenerationFrom(_:)``. The default implementation throws.
  ///
  /// ```swift
  /// let snapshot = try store.snapshot()
  /// try store.save(changes)
  /// let rows = try snapshot.rows(keys)                     // as before the save
  /// ```
  ///
  /// The stores of this package support it, except for an SQLite file without a write-ahead log. The snapshot of an
  /// SQLite store is another connection, in a read transaction that lasts until the snapshot is released.
  ///
  /// - Throws: ``ManagedObjectError/Code/unsupportedRequest`` if the store cannot keep an old state; the errors of
  ///   opening the store.
  func snapshot() throws(ManagedObjectError) -> any PersistentStore

  /// Executes a batch request. If an error is thrown, nothing is changed. The default implementation fetches the rows,
  /// and saves their changes in one ``save(_:)``.
  ///
  /// - Parameters:
  ///   - request: the request, which the caller has checked. ``BatchRows/makeIterator(for:)`` checks new objects.
  ///   - entity: the entity of the request.
  ///   - mergePolicy: the policy for new objects that share the values for a uniqueness constraint with other objects:
  ///     see ``BatchRequest``.
  /// - Throws: ``ManagedObjectError/Code/missingMandatoryProperty`` and
  ///   ``ManagedObjectError/Code/relationshipLacksMinimumCount`` for objects that would violate the model;
  ///   ``ManagedObjectError/Code/constraintMerge`` for objects that would violate a uniqueness constraint, if the
  ///   policy does not resolve this.
  func execute(
    _ request: BatchRequest, of entity: ManagedObjectModel.Entity, mergePolicy: MergePolicy
  ) throws(ManagedObjectError) -> StoreBatchResult

  /// Saves changes. If an error is thrown, nothing is saved.
  ///
  /// A store keeps a relationship and its inverse consistent: if the changes contain only one of them, it also changes
  /// the other, even in rows that are not among the changes. The versions of those rows increase, too.
  ///
  /// - Returns: the keys of the rows that the store changed although they are not among the changes, and of those that
  ///   it saved with other values. Contexts read them again.
  /// - Throws: ``ManagedObjectError/Code/merge`` with all objects that another context or process saved after they were
  ///   read; ``ManagedObjectError/Code/constraintMerge`` for rows that would violate a uniqueness constraint;
  ///   ``ManagedObjectError/Code/keysTaken`` if new rows need other keys;
  ///   ``ManagedObjectError/Code/constraintValidation`` if an object would be in the same to-many relationship of two
  ///   rows, and the relationship has no inverse.
  @discardableResult
  func save(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey]
}

extension PersistentStore {
  public var modelMismatches: [ModelMismatch] { [] }

  public var changeToken: String? { nil }

  public func changesByOthers() throws(ManagedObjectError) -> SavedChanges? { nil }

  public func snapshot() throws(ManagedObjectError) -> any PersistentStore {
    throw ManagedObjectError(
      .unsupportedRequest,
      "the store \(identifier.printable(limit: 80)) does not support query generations, only its newest objects")
  }

  public func reserveKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey] { try makeKeys(entityIndices) }

  public func values(ofSlot slot: Int, _ keys: [RowKey]) throws(ManagedObjectError) -> [RowValue?] {
    try rows(keys).map { row in row.flatMap { $0.values.indices.contains(slot) ? $0.values[slot] : nil } }
  }

  public func execute(
    _ request: BatchRequest, of entity: ManagedObjectModel.Entity, mergePolicy: MergePolicy
  ) throws(ManagedObjectError) -> StoreBatchResult {
    var batch = try BatchChanges(request, entity, mergePolicy, of: self)
    for _ in 0..<100 {
      try batch.prepare()
      while true {
        do {
          let mended = try save(batch.changes)
          return batch.result(mended)
        } catch {
          if error.code == .constraintMerge, try batch.settle(error.conflicts) { continue }
          // Another context has saved one of the rows since it was read, or has used the new keys. The request is
          // executed again.
          guard error.code == .merge || error.code == .keysTaken else { throw error }
        }
        break
      }
    }
    throw ManagedObjectError(.timeout, "cannot execute the request, because its objects keep changing in the store")
  }
}

/// The result of a batch request in one store.
public struct StoreBatchResult: Sendable {
  /// The number of rows that the request inserted, updated or deleted, including rows that got the values of new rows.
  public var count: Int
  /// The keys of the rows that the request inserted, updated or deleted. Empty if the request asks for a count.
  public var changed: [RowKey]
  /// The keys of other rows that changed as a consequence. Empty if the request asks for a count.
  public var mended: [RowKey]

  /// Creates a result.
  public init(count: Int, changed: [RowKey] = [], mended: [RowKey] = []) {
    self.count = count
    self.changed = changed
    self.mended = mended
  }
}

/// The changes that a save makes to one store.
public struct StoreChanges: Sendable {
  /// The new rows, with keys of ``PersistentStore/makeKeys(_:)`` and version 1.
  public var inserted: [StoreRow] = []
  /// The changed rows with their new values, and with the version that was read. The store increases it by 1.
  public var updated: [StoreRow] = []
  /// The rows of ``updated`` as they were read, in the same order. Empty if they are not known.
  public var snapshots: [StoreRow] = []
  /// The deleted rows as they were read.
  public var deleted: [StoreRow] = []
  /// The author of the changes: ``ManagedObjectContext/transactionAuthor``.
  public var author = ""
  /// The name of the context that saves the changes.
  public var contextName = ""
  /// True to save the derived attributes as they are, because the rows are those of another store.
  package var keepsDerivedValues = false

  /// Creates an empty value.
  public init() {}

  /// True if there are no changes.
  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

/// The keys of ``PersistentStore/metadata`` that stores themselves set. All except ``historyTracking`` are those of
/// Core Data.
public enum StoreMetadataKey {
  /// The identifier of the store: a UUID as text, in upper case. See ``PersistentStore/identifier``.
  public static let identifier = "NSStoreUUID"
  /// The kind of store, as text: `XML`, `Binary`, `InMemory` or, in files of Core Data, `SQLite`.
  public static let type = "NSStoreType"
  /// The version hashes of the store's entities: a dictionary with 32 bytes of data under the name of each entity.
  public static let versionHashes = "NSStoreModelVersionHashes"
  /// The version of the hash algorithm: the integer 3.
  public static let versionHashesVersion = "NSStoreModelVersionHashesVersion"
  /// The version identifiers of the model: an array of strings.
  public static let versionIdentifiers = "NSStoreModelVersionIdentifiers"
  /// The digest of the version hashes, as base64: the SHA-512 of the name and the hash of each entity, sorted by name.
  public static let versionHashesDigest = "NSStoreModelVersionHashesDigest"
  /// The checksum of the model, as base64: the SHA-256 of the hashes of the entities, sorted by name.
  public static let versionChecksum = "NSStoreModelVersionChecksumKey"
  /// The version of the framework that wrote the file: an integer, such as 1344.
  public static let frameworkVersion = "NSPersistenceFrameworkVersion"
  /// The auto-vacuum mode of an SQLite store, as text: `2` in stores of Core Data.
  public static let autoVacuumLevel = "_NSAutoVacuumLevel"
  /// In an SQLite store, true if this package has started the history of the store's changes. Core Data has no such
  /// key.
  public static let historyTracking = "MOPersistentHistoryTracking"
  /// In an SQLite store whose history was switched off, the number of its last transaction: an integer. A new history
  /// continues with the next numbers. Core Data has no such key.
  public static let lastHistoryNumber = "MOPersistentHistoryLastNumber"
}
