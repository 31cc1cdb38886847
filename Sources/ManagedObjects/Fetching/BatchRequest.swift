internal import ObjectModels
public import Predicates

/// A change of many objects that a store makes by itself, without objects in a context: as fast as the store can, and
/// without hooks, undo, and the conditions that the model has for values.
///
/// No request leaves an object without what the model requires: values of mandatory attributes, and objects of
/// mandatory relationships. One that would, such as a deletion of the author of notes that must have one, fails and
/// changes nothing.
///
/// ```swift
/// let request = BatchRequest.update("Note", ["isRead": .boolean(true)], where: predicate)
/// let ids = try context.execute(request)
/// ```
///
/// Contexts that have the objects see the changes when they are refreshed: ``ManagedObjectContext/mergeChanges(from:)``
/// with the changes that ``ManagedObjectContext/execute(_:)`` returns.
public enum BatchRequest: Hashable, Sendable {
  /// New objects of an entity, each with values of attributes; others have their defaults.
  ///
  /// If another object has the same values of a uniqueness constraint, the ``ManagedObjectContext/mergePolicy``
  /// decides:
  ///
  /// | policy | another object in the store | several new objects |
  /// |---|---|---|
  /// | ``MergePolicy/error`` | the request fails | the request fails |
  /// | ``MergePolicy/storeTrump``, ``MergePolicy/rollback`` | stays as it is | the first is inserted |
  /// | ``MergePolicy/objectTrump`` | gets the values that the new object has | the last is inserted |
  /// | ``MergePolicy/overwrite`` | gets all attributes, also default values | the last is inserted |
  case insert(entityName: String, [[String: AttributeValue]])
  /// Gives attributes of the objects that a request finds other values.
  case update(FetchRequest, [String: AttributeValue])
  /// Deletes the objects that a request finds. What they refer to refers to them no longer; other delete rules do not
  /// count.
  case delete(FetchRequest)

  /// New objects of an entity.
  public static func insert(_ entityName: String, _ objects: [[String: AttributeValue]]) -> BatchRequest {
    .insert(entityName: entityName, objects)
  }

  /// Gives attributes of objects other values.
  public static func update(
    _ entityName: String, _ values: [String: AttributeValue], where predicate: ManagedPredicate? = nil
  ) -> BatchRequest {
    .update(FetchRequest(entityName, where: predicate), values)
  }

  /// Deletes objects.
  public static func delete(_ entityName: String, where predicate: ManagedPredicate? = nil) -> BatchRequest {
    .delete(FetchRequest(entityName, where: predicate))
  }

  /// The entity that the request is about.
  public var entityName: String {
    switch self {
    case .insert(let name, _): name
    case .update(let request, _), .delete(let request): request.entityName
    }
  }
}
