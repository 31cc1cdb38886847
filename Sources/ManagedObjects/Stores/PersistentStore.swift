internal import ObjectModels
public import OrderedCollections
public import Predicates
public import PropertyLists

/// A store of the rows of objects.
///
/// ``InMemoryStore``, ``XMLStore`` and ``BinaryStore`` are stores; you can write others. A coordinator and any number
/// of contexts use a store at the same time.
public protocol PersistentStore: AnyObject, Sendable {
  /// The number of the store in this process. All keys of its rows contain it.
  var number: StoreNumber { get }
  /// The identifier (`NSStoreUUID`), which the store's file contains.
  var identifier: String { get }
  /// The model of the store.
  var model: ManagedObjectModel { get }
  /// The configuration whose entities the store has; nil for all.
  var configuration: String? { get }
  /// True if the store cannot be saved.
  var isReadOnly: Bool { get }
  /// The metadata, under Apple's keys and those of programs: ``StoreMetadataKey``.
  var metadata: OrderedDictionary<String, PropertyList> { get }

  /// A text that changes with each save to the store by any program, and that stays valid in later runs of the program.
  /// Nil if the store does not support it, which is the default.
  var changeToken: String? { get }

  /// Returns the changes that other programs saved since the last call, or other stores of this program with the same
  /// file; nil if there are none. The first call only starts the observation. By default, the result is nil.
  ///
  /// ``PersistentStoreCoordinator/remoteChanges`` calls this method.
  func changesByOthers() throws(ManagedObjectError) -> SavedChanges?

  /// Sets the metadata to write with the next save. The store's own keys keep their values.
  func setMetadata(_ metadata: OrderedDictionary<String, PropertyList>)

  /// Returns keys for new objects. They are never used for other objects of the store.
  ///
  /// - Parameter entityIndices: the entity indexes of the new objects.
  func makeKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey]

  /// Returns keys for new objects that stay valid even if other processes save objects meanwhile. By default, the same
  /// as ``makeKeys(_:)``.
  func reserveKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey]

  /// Returns the rows of keys, with nil for each object that does not exist (any more).
  func rows(_ keys: [RowKey]) throws(ManagedObjectError) -> [StoreRow?]

  /// Returns the value in a slot for each of several objects of one entity; nil for a missing object, and if its entity
  /// does not have the slot. Called for rows with ``RowValue/unread`` values.
  func values(ofSlot slot: Int, _ keys: [RowKey]) throws(ManagedObjectError) -> [RowValue?]

  /// Executes a request. The store checks it as ``FetchRequest/execute(on:of:)`` does.
  ///
  /// - Parameters:
  ///   - request: the request. Its predicate has no variables, and refers to objects by
  ///     ``PredicateConstant/object(_:)``.
  ///   - entity: the entity of the request.
  func fetch(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult

  /// Executes a batch request, all or nothing. Its values have the attributes' types.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - entity: the entity of the request.
  ///   - mergePolicy: the policy for new objects that conflict with others by a uniqueness constraint: see
  ///     ``BatchRequest``.
  /// - Returns: the keys of the request's rows, and of rows that are changed in addition.
  /// - Throws: ``ManagedObjectError/Code/missingMandatoryProperty`` and
  ///   ``ManagedObjectError/Code/relationshipLacksMinimumCount`` for objects that would violate the model;
  ///   ``ManagedObjectError/Code/constraintMerge``. Nothing is changed then.
  func execute(
    _ request: BatchRequest, of entity: ManagedObjectModel.Entity, mergePolicy: MergePolicy
  ) throws(ManagedObjectError) -> (changed: [RowKey], mended: [RowKey])

  /// Saves changes, all or none.
  ///
  /// A store whose rows have both sides of relationships keeps them consistent: a change of one side changes the other,
  /// too, even in rows that are not among the changes. The versions of those rows increase, too.
  ///
  /// - Returns: the keys of the rows that were changed in addition, or saved with other values. Contexts read them
  ///   again.
  /// - Throws: ``ManagedObjectError/Code/merge`` with all objects that another context or process saved after they were
  ///   read; ``ManagedObjectError/Code/constraintMerge``; ``ManagedObjectError/Code/keysTaken`` if new rows need other
  ///   keys; ``ManagedObjectError/Code/constraintValidation`` if an object would be in the same to-many relationship of
  ///   two rows, and the relationship has no inverse. Nothing is saved then.
  @discardableResult
  func save(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey]
}

extension PersistentStore {
  public var changeToken: String? { nil }

  public func changesByOthers() throws(ManagedObjectError) -> SavedChanges? { nil }

  public func reserveKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey] { try makeKeys(entityIndices) }

  public func values(ofSlot slot: Int, _ keys: [RowKey]) throws(ManagedObjectError) -> [RowValue?] {
    try rows(keys).map { row in row.flatMap { $0.values.indices.contains(slot) ? $0.values[slot] : nil } }
  }

  public func execute(
    _ request: BatchRequest, of entity: ManagedObjectModel.Entity, mergePolicy: MergePolicy
  ) throws(ManagedObjectError) -> (changed: [RowKey], mended: [RowKey]) {
    for _ in 0..<100 {
      var batch = try BatchChanges(request, entity, of: self)
      while true {
        do {
          let mended = try save(batch.changes)
          return batch.result(mended)
        } catch {
          if error.code == .constraintMerge, try batch.settle(error.conflicts, by: mergePolicy) { continue }
          // Another context has saved one of the rows since it was read, or has used the numbers.
          guard error.code == .merge || error.code == .keysTaken else { throw error }
        }
        break
      }
    }
    throw ManagedObjectError(.timeout, "the objects keep changing in the store")
  }
}

/// The changes of a save in a store.
public struct StoreChanges: Sendable {
  /// The new rows, with keys of ``PersistentStore/makeKeys(_:)`` and version 1.
  public var inserted: [StoreRow] = []
  /// The changed rows with their new values, and with the version that was read. The store increases it by 1.
  public var updated: [StoreRow] = []
  /// The rows of ``updated`` as they were read, in the same order. Empty if unknown.
  public var snapshots: [StoreRow] = []
  /// The deleted rows as they were read.
  public var deleted: [StoreRow] = []
  /// The author of the changes: ``ManagedObjectContext/transactionAuthor``.
  public var author = ""
  /// The name of the context.
  public var contextName = ""

  /// Creates an empty value.
  public init() {}

  /// True if there are no changes.
  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

/// The keys in ``PersistentStore/metadata`` that Core Data uses.
public enum StoreMetadataKey {
  /// The identifier of the store: a UUID as text, in upper case. See ``PersistentStore/identifier``.
  public static let identifier = "NSStoreUUID"
  /// The kind of store, as text: `XML`, `Binary`, `InMemory` or, in files of Core Data, `SQLite`.
  public static let type = "NSStoreType"
  /// The version hashes of the store's entities: a dictionary of 32 bytes of data by the name of the entity.
  public static let versionHashes = "NSStoreModelVersionHashes"
  /// The version of the hash algorithm: 3.
  public static let versionHashesVersion = "NSStoreModelVersionHashesVersion"
  /// The identifiers of the model's version: an array of strings.
  public static let versionIdentifiers = "NSStoreModelVersionIdentifiers"
  /// The digest of the version hashes, as base64: the SHA-512 of the name and the hash of each entity, sorted by name.
  public static let versionHashesDigest = "NSStoreModelVersionHashesDigest"
  /// The checksum of the model, as base64: the SHA-256 of the hashes of the entities, sorted by name.
  public static let versionChecksum = "NSStoreModelVersionChecksumKey"
  /// The version of the framework that wrote the file: an integer, such as 1344.
  public static let frameworkVersion = "NSPersistenceFrameworkVersion"
  /// The auto-vacuum mode of an SQLite store: `2` in those of Core Data.
  public static let autoVacuumLevel = "_NSAutoVacuumLevel"
  /// In an SQLite store, true if this package records the history of its changes. Core Data has no such key.
  public static let historyTracking = "MOPersistentHistoryTracking"
}
