/// The objects of a save into the stores of a coordinator. It can go from task to task.
public struct SavedChanges: Hashable, Sendable {
  /// The objects that are new in a store.
  public var inserted: Set<ManagedObjectID> = []
  /// The objects that have other values.
  public var updated: Set<ManagedObjectID> = []
  /// The objects that are gone.
  public var deleted: Set<ManagedObjectID> = []
  /// The author of the changes: ``ManagedObjectContext/transactionAuthor``.
  public var author = ""
  /// The name of the context.
  public var contextName = ""
}
