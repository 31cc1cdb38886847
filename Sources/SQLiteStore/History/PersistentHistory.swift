public import FoundationEssentials
public import ManagedObjects

/// A save that the history of a store recorded.
public struct PersistentHistoryTransaction: Hashable, Sendable {
  /// The transaction number. It increases with each save; pass it to ``SQLiteStore/history(after:)`` to get later
  /// saves.
  public var number: Int64
  /// The time of the save.
  public var date: Date
  /// The author: ``ManagedObjectContext/transactionAuthor``.
  public var author: String?
  /// The name of the context.
  public var contextName: String?
  /// The identifier of the program's bundle.
  public var bundleIdentifier: String?
  /// The name of the process.
  public var processName: String?
  /// The changes to objects, in the order of the file.
  public var changes: [PersistentHistoryChange]
}

/// A change to an object in a recorded save.
public struct PersistentHistoryChange: Hashable, Sendable {
  /// The kinds of changes. The raw values are those in Core Data's files.
  public enum Kind: Int64, Hashable, Sendable {
    case insert = 0
    case update = 1
    case delete = 2
  }

  /// The kind of change.
  public var kind: Kind
  /// The ID of the object, which may have been deleted since.
  public var objectID: ManagedObjectID
  /// The names of the properties whose values changed, sorted. Empty except for an update.
  public var updatedProperties: [String] = []
  /// The values of a deleted object that the model preserves in the history.
  public var tombstone: [String: AttributeValue] = [:]
}
