internal import ObjectModels
public import Predicates

/// A change of many objects that a store executes itself. It creates no objects in a context, and takes only the time
/// that the store needs. It does not call methods such as ``ManagedObject/willSave()``, cannot be undone, and ignores
/// the validation predicates of the model.
///
/// A batch request fails and changes nothing if it would leave a mandatory attribute or relationship empty, for example
/// by deleting the author of notes that must have one.
///
/// ```swift
/// let request = BatchRequest.update("Note", ["isRead": .boolean(true)], where: predicate)
/// let changes = try context.execute(request)
/// try context.mergeChanges(from: changes)
/// ```
///
/// Contexts do not show the changes until you pass the result of ``ManagedObjectContext/execute(_:)`` to their
/// ``ManagedObjectContext/mergeChanges(from:)``.
public enum BatchRequest: Hashable, Sendable {
  /// Inserts objects of an entity with values for attributes. The other attributes get their default values.
  ///
  /// The ``ManagedObjectContext/mergePolicy`` decides what happens if a new object has the same values for a
  /// uniqueness constraint as another object:
  ///
  /// | policy | another object in the store | several new objects |
  /// |---|---|---|
  /// | ``MergePolicy/error`` | the request fails | the request fails |
  /// | ``MergePolicy/storeTrump``, ``MergePolicy/rollback`` | stays as it is | the first is inserted |
  /// | ``MergePolicy/objectTrump`` | gets the values that the new object has | the last is inserted |
  /// | ``MergePolicy/overwrite`` | gets all attributes, also default values | the last is inserted |
  case insert(entityName: String, [[String: AttributeValue]])
  /// Sets attributes of the objects that match a request.
  case update(FetchRequest, [String: AttributeValue])
  /// Deletes the objects that match a request. References to them are removed; other delete rules are ignored.
  case delete(FetchRequest)

  /// Inserts objects of an entity.
  ///
  /// ```swift
  /// let people = BatchRequest.insert("Person", [["name": .string("Grace")], ["name": .string("Emmy")]])
  /// try context.execute(people)
  /// ```
  public static func insert(_ entityName: String, _ objects: [[String: AttributeValue]]) -> BatchRequest {
    .insert(entityName: entityName, objects)
  }

  /// Sets attributes of the objects of an entity that match a predicate.
  public static func update(
    _ entityName: String, _ values: [String: AttributeValue], where predicate: ManagedPredicate? = nil
  ) -> BatchRequest {
    .update(FetchRequest(entityName, where: predicate), values)
  }

  /// Deletes the objects of an entity that match a predicate.
  ///
  /// ```swift
  /// let old = BatchRequest.delete("Note", where: try ManagedPredicate(format: "date < %@", lastYear))
  /// ```
  public static func delete(_ entityName: String, where predicate: ManagedPredicate? = nil) -> BatchRequest {
    .delete(FetchRequest(entityName, where: predicate))
  }

  /// The name of the entity whose objects are changed.
  public var entityName: String {
    switch self {
    case .insert(let name, _): name
    case .update(let request, _), .delete(let request): request.entityName
    }
  }
}
