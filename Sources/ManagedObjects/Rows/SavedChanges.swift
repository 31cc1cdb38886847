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

  /// Creates a value without objects for a save of a context.
  init(author: String, contextName: String, origin: Int) {
    self.author = author
    self.contextName = contextName
    self.origin = origin
  }

  /// The number of object IDs.
  var count: Int { inserted.count + updated.count + deleted.count }

  /// Removes the object IDs, and marks the value as incomplete.
  mutating func removeIDs() { (inserted, updated, deleted, isComplete) = ([], [], [], false) }

  /// Adds changes that were saved later. Author and context name become empty, and the origin 0, if they differ.
  ///
  /// - Complexity: O(*n*) in the number of the later changes.
  mutating func append(_ later: SavedChanges) {
    if self == SavedChanges() {
      self = later
      return
    }
    if author != later.author { author = "" }
    if contextName != later.contextName { contextName = "" }
    if origin != later.origin { origin = 0 }
    if !later.isComplete { isComplete = false }
    inserted.subtract(later.deleted)
    updated.subtract(later.deleted)
    deleted.subtract(later.inserted)
    inserted.formUnion(later.inserted)
    updated.formUnion(later.updated)
    deleted.formUnion(later.deleted)
  }

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
