internal import ObjectModels
internal import Predicates

/// The objects that a save to the stores of a coordinator changed. It can be sent between tasks.
public struct SavedChanges: Hashable, Sendable {
  /// The inserted objects.
  public var inserted: Set<ManagedObjectID> = []
  /// The updated objects.
  public var updated: Set<ManagedObjectID> = []
  /// The deleted objects.
  public var deleted: Set<ManagedObjectID> = []
  /// False if it is not known which objects changed: any object may have been inserted, updated or deleted.
  public var isComplete = true
  /// The author of the changes: ``ManagedObjectContext/transactionAuthor``.
  public var author = ""
  /// The name of the context.
  public var contextName = ""
  /// The number of the context that saved the objects; 0 for changes from outside of this process, and for batch
  /// requests.
  var origin = 0

  /// Creates an empty value.
  public init() {}

  /// Adds changes that were saved later.
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
