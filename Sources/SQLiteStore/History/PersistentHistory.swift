public import FoundationEssentials
public import ManagedObjects

/// A save that the history of a store recorded. ``SQLiteStore/history(after:)`` returns the saves.
public struct PersistentHistoryTransaction: Hashable, Sendable {
  /// The identifier of the store: ``PersistentStore/identifier``.
  public var storeIdentifier: String
  /// The transaction number, which increases with each save. ``SQLiteStore/history(after:)`` returns the saves after a
  /// number.
  public var number: Int64
  /// The time of the save.
  public var date: Date
  /// The author of the save: ``ManagedObjectContext/transactionAuthor``; nil if the context had none.
  public var author: String?
  /// The name of the context that saved; nil if it had none.
  public var contextName: String?
  /// The bundle identifier of the program that saved; the name of the process for saves of this package. Nil if it was
  /// not recorded.
  public var bundleIdentifier: String?
  /// The name of the process that saved; nil if it was not recorded.
  public var processName: String?
  /// The changes to objects, in the order they were recorded. A ``HistoryRequest`` can leave out some or all of them.
  public var changes: [PersistentHistoryChange]

  /// The token of this save. ``HistoryRequest/after`` selects the saves after it.
  public var token: PersistentHistoryToken { PersistentHistoryToken(numbers: [storeIdentifier: number]) }
}

/// A change to an object in a save that the history recorded.
///
/// The history keeps the values of a deleted object's attributes with
/// ``AttributeDescription/preservesValueInHistoryOnDeletion``:
///
/// ```swift
/// for change in try store.history().flatMap(\.changes) where change.kind == .delete {
///   print(change.objectID, change.tombstone["identifier"] ?? .null)  // Note/p1 "a1"
/// }
/// ```
public struct PersistentHistoryChange: Hashable, Sendable {
  /// A kind of change. The raw values are those in Core Data's files.
  public enum Kind: Int64, Hashable, Sendable {
    case insert = 0
    case update = 1
    case delete = 2
  }

  /// The kind of change.
  public var kind: Kind
  /// The ID of the object, which may have been deleted since.
  public var objectID: ManagedObjectID
  /// For an update, the names of the properties whose values changed, sorted. Empty for other kinds of changes.
  ///
  /// If an entity has several to-many relationships, their names can be missing in a history that Core Data has
  /// recorded, because the file does not always show which of them changed.
  public var updatedProperties: [String] = []
  /// The values of a deleted object that the model says to preserve in the history, by attribute name.
  public var tombstone: [String: AttributeValue] = [:]
}
