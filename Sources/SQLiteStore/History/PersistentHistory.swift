public import FoundationEssentials
public import ManagedObjects

/// A save, as the history of a store has it.
public struct PersistentHistoryTransaction: Hashable, Sendable {
  /// The number, by which later transactions are asked for. Each has a greater one than those before.
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
  /// The objects that were saved, in the order of the file.
  public var changes: [PersistentHistoryChange]
}

/// An object that was saved.
public struct PersistentHistoryChange: Hashable, Sendable {
  /// The raw values are those of files.
  public enum Kind: Int64, Hashable, Sendable {
    case insert = 0
    case update = 1
    case delete = 2
  }

  /// The sort of change.
  public var kind: Kind
  /// The object, which may be gone.
  public var objectID: ManagedObjectID
  /// The names of the properties that have other values, in the order of their names. Empty but for an update.
  public var updatedProperties: [String] = []
  /// The attributes of a deleted object that the model says to preserve.
  public var tombstone: [String: AttributeValue] = [:]
}
