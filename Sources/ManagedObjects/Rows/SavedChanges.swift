internal import ObjectModels
internal import Predicates

/// The IDs of the objects that a save to the stores of a coordinator changed. The value can be sent between tasks.
///
/// ```swift
/// for await changes in container.coordinator.saves where changes.author != "import" {
///   try context.mergeChanges(from: changes)
/// }
/// ```
public struct SavedChanges: Hashable, Sendable {
  /// The inserted objects.
  public var inserted: Set<ManagedObjectID> = []
  /// The updated objects.
  public var updated: Set<ManagedObjectID> = []
  /// The deleted objects.
  public var deleted: Set<ManagedObjectID> = []
  /// False if the changed objects are not all known: other objects may have been inserted, updated or deleted, too.
  public var isComplete = true
  /// The author of the changes: ``ManagedObjectContext/transactionAuthor``.
  public var author = ""
  /// The name of the context that saved the objects.
  public var contextName = ""
  /// The number of the context that saved the objects; 0 for changes from outside of this process, and for batch
  /// requests.
  var origin = 0

  /// Creates an empty value.
  public init() {}

  /// Adds the keys of objects that were saved later. A deleted object is removed from ``inserted`` and ``updated``.
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
