internal import ObjectModels
public import OrderedCollections
public import Predicates
public import PropertyLists

/// Keeps the rows of objects.
///
/// ``InMemoryStore``, ``XMLStore`` and ``BinaryStore`` are stores; programs can write others. A coordinator and any
/// number of contexts use a store at the same time.
public protocol PersistentStore: AnyObject, Sendable {
  /// The number of the store in this process, which the keys of all its rows have.
  var number: StoreNumber { get }
  /// The identifier (`NSStoreUUID`), which goes with the store's file.
  var identifier: String { get }
  /// The model of the store.
  var model: ManagedObjectModel { get }
  /// The configuration whose entities the store has; nil for all.
  var configuration: String? { get }
  /// True if nothing can be saved.
  var isReadOnly: Bool { get }
  /// The metadata, under Apple's keys and those of programs: ``StoreMetadataKey``.
  var metadata: OrderedDictionary<String, PropertyList> { get }

  /// A text that is another one after each save into the store, by whoever saves, also in later runs of the program;
  /// nil if the store cannot tell, as it is by default.
  var changeToken: String? { get }

  /// What others saved since this was last asked, nil for nothing; the first call begins. Others are other programs,
  /// and other stores of this one with the same file. By default there are none.
  ///
  /// ``PersistentStoreCoordinator/remoteChanges`` asks.
  func changesByOthers() throws(ManagedObjectError) -> SavedChanges?

  /// Changes what the store says of itself, with the next save. Keys of the store itself keep their values.
  func setMetadata(_ metadata: OrderedDictionary<String, PropertyList>)

  /// Keys for new objects, which no other object of the store ever gets.
  ///
  /// - Parameter entityIndices: the entity of each.
  func makeKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey]

  /// Keys for new objects that are to stay, whoever saves objects meanwhile. As ``makeKeys(_:)`` for a store that
  /// cannot see to it.
  func reserveKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey]

  /// The rows of keys, nil where an object is not there (any more).
  func rows(_ keys: [RowKey]) throws(ManagedObjectError) -> [StoreRow?]

  /// Returns the value in a slot for each of several objects of one entity; nil for an object that is missing, and for
  /// a slot that its entity does not have. Called for rows that have ``RowValue/unread``.
  func values(ofSlot slot: Int, _ keys: [RowKey]) throws(ManagedObjectError) -> [RowValue?]

  /// Executes a request. The store checks that it fits the entity, as ``FetchRequest/execute(on:of:)`` does.
  ///
  /// - Parameters:
  ///   - request: what to find. Its predicate has no variables, and names objects by
  ///     ``PredicateConstant/object(_:)``.
  ///   - entity: the entity of the request.
  func fetch(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult

  /// Executes a request that changes many objects, all or none. Its values are of the attributes' types.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - entity: the entity of the request.
  ///   - mergePolicy: decides about new objects with the values of a uniqueness constraint that another object has, as
  ///     ``BatchRequest`` says.
  /// - Returns: the keys of the rows that the request is about, and of those that are changed besides.
  /// - Throws: ``ManagedObjectError/Code/missingMandatoryProperty`` and
  ///   ``ManagedObjectError/Code/relationshipLacksMinimumCount`` for objects that would lack what the model requires,
  ///   ``ManagedObjectError/Code/constraintMerge``; nothing is changed then.
  func execute(
    _ request: BatchRequest, of entity: ManagedObjectModel.Entity, mergePolicy: MergePolicy
  ) throws(ManagedObjectError) -> (changed: [RowKey], mended: [RowKey])

  /// Saves changes, all or none.
  ///
  /// A store whose rows have both sides of relationships keeps them in step: what the changes do to one side it does to
  /// the other, also in rows that the changes do not have. Those get another version, too.
  ///
  /// - Returns: the keys of the rows that were changed besides, or saved with other values. Contexts read them again.
  /// - Throws: ``ManagedObjectError/Code/merge`` with all objects that somebody else saved after they were read, and
  ///   ``ManagedObjectError/Code/constraintMerge``, ``ManagedObjectError/Code/keysTaken`` if new rows need other keys,
  ///   ``ManagedObjectError/Code/constraintValidation`` for an object that two rows are to have in a to-many
  ///   relationship without an inverse: nothing is saved then.
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
          // Another context has saved one of the rows after it was read, or has taken the numbers.
          guard error.code == .merge || error.code == .keysTaken else { throw error }
        }
        break
      }
    }
    throw ManagedObjectError(.timeout, "the objects changed in the store again and again")
  }
}

/// The changes of a save in a store.
public struct StoreChanges: Sendable {
  /// New rows, with keys of ``PersistentStore/makeKeys(_:)`` and version 1.
  public var inserted: [StoreRow] = []
  /// Rows with new values, and the version that they were read with. The store gives them 1 more.
  public var updated: [StoreRow] = []
  /// The rows of ``updated`` as they were read, in the same order. Empty if nobody knows.
  public var snapshots: [StoreRow] = []
  /// Rows that go, as they were read.
  public var deleted: [StoreRow] = []
  /// The author of the changes: ``ManagedObjectContext/transactionAuthor``.
  public var author = ""
  /// The name of the context.
  public var contextName = ""

  /// No changes.
  public init() {}

  /// True if nothing changes.
  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

/// The keys of ``PersistentStore/metadata`` that Core Data's files have.
public enum StoreMetadataKey {
  /// The identifier of the store: a UUID as text, in upper case. See ``PersistentStore/identifier``.
  public static let identifier = "NSStoreUUID"
  /// The kind of store, as text: `XML`, `Binary`, `InMemory` or, in files of Core Data, `SQLite`.
  public static let type = "NSStoreType"
  /// The version hashes of the store's entities: a dictionary of 32 bytes of data by the name of the entity.
  public static let versionHashes = "NSStoreModelVersionHashes"
  /// The number of the way in which the hashes are made: 3.
  public static let versionHashesVersion = "NSStoreModelVersionHashesVersion"
  /// The identifiers of the model's version: an array of text.
  public static let versionIdentifiers = "NSStoreModelVersionIdentifiers"
  /// The digest of the version hashes, as base64: the SHA-512 of the name and the hash of each entity, sorted by name.
  public static let versionHashesDigest = "NSStoreModelVersionHashesDigest"
  /// The checksum of the model, as base64: the SHA-256 of the hashes of the entities, sorted by name.
  public static let versionChecksum = "NSStoreModelVersionChecksumKey"
  /// The version of the framework that wrote the file: an integer, such as 1344.
  public static let frameworkVersion = "NSPersistenceFrameworkVersion"
  /// Of an SQLite store, how its file gets smaller: `2` in those of Core Data.
  public static let autoVacuumLevel = "_NSAutoVacuumLevel"
  /// Of an SQLite store, true if this package keeps the history of its changes. Core Data has no such key.
  public static let historyTracking = "MOPersistentHistoryTracking"
}
