internal import ObjectModels
internal import Predicates

/// The objects of a save into the stores of a coordinator. It can go from task to task.
public struct SavedChanges: Hashable, Sendable {
  /// The objects that are new in a store.
  public var inserted: Set<ManagedObjectID> = []
  /// The objects that have other values.
  public var updated: Set<ManagedObjectID> = []
  /// The objects that are gone.
  public var deleted: Set<ManagedObjectID> = []
  /// False if nobody knows all objects that changed: any may have other values, be new or be gone.
  public var isComplete = true
  /// The author of the changes: ``ManagedObjectContext/transactionAuthor``.
  public var author = ""
  /// The name of the context.
  public var contextName = ""
  /// The number of the context whose objects were saved; 0 for none of this process, and for requests that change many
  /// objects without it.
  var origin = 0

  /// No changes.
  public init() {}

  /// Adds what was saved afterwards.
  mutating func add(
    _ keys: (inserted: [RowKey], updated: [RowKey], deleted: [RowKey]), model: ManagedObjectModel,
    storeIdentifier: String
  ) {
    func ids(_ keys: [RowKey]) -> [ManagedObjectID] {
      keys.map { ManagedObjectID($0, model: model, storeIdentifier: storeIdentifier) }
    }
    inserted.formUnion(ids(keys.inserted))
    updated.formUnion(ids(keys.updated))
    inserted.subtract(ids(keys.deleted))
    updated.subtract(ids(keys.deleted))
    deleted.formUnion(ids(keys.deleted))
  }
}
