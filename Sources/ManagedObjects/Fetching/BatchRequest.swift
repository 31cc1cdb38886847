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
/// let result = try context.execute(request)
/// try context.mergeChanges(from: result.changes)
/// ```
///
/// Contexts do not show the changes until they merge them: pass ``BatchResult/changes`` to their
/// ``ManagedObjectContext/mergeChanges(from:)``, or `mergesChanges: true` to
/// ``ManagedObjectContext/execute(_:mergesChanges:)``.
///
/// An SQLite store executes requests in SQL, in one transaction. Its memory does not grow with the number of objects,
/// unless the result contains their IDs. Other stores keep the changed rows in memory until they are saved.
public struct BatchRequest {
  /// The change that a request makes.
  public enum Action {
    /// Inserts objects with values for attributes. The other attributes get their default values.
    case insert(BatchRows)
    /// Sets attributes of the objects that match a request to the values of expressions. The expressions are evaluated
    /// with the object as it was before the request.
    case update(FetchRequest, [String: ManagedExpression])
    /// Deletes the objects that match a request. References to them are removed; other delete rules are ignored.
    case delete(FetchRequest)
  }

  /// The contents of a result. It always has the number of objects.
  public enum ResultType: Hashable, Sendable {
    /// Only the number of objects. A context that merges the ``BatchResult/changes`` refreshes all of its objects.
    case count
    /// The number of objects, and their IDs in the ``BatchResult/changes``.
    case objectIDs
  }

  /// The name of the entity whose objects are changed.
  public let entityName: String
  /// The change.
  public let action: Action
  /// The contents of the result. A count needs less memory, and less time.
  public var resultType = ResultType.objectIDs
  /// The author of the change in the history of a store. The context sets its
  /// ``ManagedObjectContext/transactionAuthor``.
  public internal(set) var author = ""
  /// The name of the context in the history of a store. The context sets its ``ManagedObjectContext/name``.
  public internal(set) var contextName = ""

  init(entityName: String, _ action: Action) {
    self.entityName = entityName
    self.action = action
  }

  /// Returns the request with another result type.
  ///
  /// ```swift
  /// let count = try context.execute(.delete("Note").returning(.count)).count
  /// ```
  public func returning(_ resultType: ResultType) -> BatchRequest {
    var request = self
    request.resultType = resultType
    return request
  }
}

/// Insertions.
extension BatchRequest {
  /// Inserts objects of an entity with values for attributes. The other attributes get their default values.
  ///
  /// The elements are read one at a time while the request is executed, so a lazy sequence saves memory:
  ///
  /// ```swift
  /// let people = BatchRequest.insert("Person", lines.lazy.map { ["name": .string($0)] })
  /// let count = try context.execute(people.returning(.count)).count
  /// ```
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
  public static func insert(
    _ entityName: String, _ objects: some Sequence<[String: AttributeValue]>
  ) -> BatchRequest {
    BatchRequest(entityName: entityName, .insert(BatchRows(objects)))
  }

  /// Inserts objects of an entity until a function returns nil: see ``insert(_:_:)``.
  ///
  /// ```swift
  /// let people = BatchRequest.insert("Person") {
  ///   readLine().map { ["name": .string($0)] }
  /// }
  /// try context.execute(people)
  /// ```
  ///
  /// - Parameter next: returns the values of the next object; nil at the end. If it throws, nothing is inserted. If the
  ///   request is executed again, `next` is called again.
  public static func insert(
    _ entityName: String, _ next: @escaping () throws(ManagedObjectError) -> [String: AttributeValue]?
  ) -> BatchRequest {
    BatchRequest(entityName: entityName, .insert(BatchRows { next }))
  }
}

/// Updates and deletions.
extension BatchRequest {
  /// Sets attributes of the objects of an entity that match a predicate.
  public static func update(
    _ entityName: String, _ values: [String: AttributeValue], where predicate: ManagedPredicate? = nil
  ) -> BatchRequest {
    .update(FetchRequest(entityName, where: predicate), values.mapValues { .value($0) })
  }

  /// Sets attributes of the objects of an entity that match a predicate to the values of expressions.
  ///
  /// ```swift
  /// let values = ["pages": try ManagedExpression(format: "pages + 1"), "isRead": .value(.boolean(false))]
  /// let request = BatchRequest.update("Note", values, where: try ManagedPredicate(format: "author.name == 'Emmy'"))
  /// ```
  ///
  /// All expressions are evaluated with the objects as they were before the request. A value that the attribute cannot
  /// have, such as 1.5 for an integer, is an error, and nothing is changed.
  public static func update(
    _ entityName: String, _ values: [String: ManagedExpression], where predicate: ManagedPredicate? = nil
  ) -> BatchRequest {
    .update(FetchRequest(entityName, where: predicate), values)
  }

  /// Sets attributes of the objects that match a request, with its offset and limit, to the values of expressions.
  public static func update(_ request: FetchRequest, _ values: [String: ManagedExpression]) -> BatchRequest {
    BatchRequest(entityName: request.entityName, .update(request, values))
  }

  /// Deletes the objects of an entity that match a predicate. References to them are removed; other delete rules are
  /// ignored.
  ///
  /// ```swift
  /// let old = BatchRequest.delete("Note", where: try ManagedPredicate(format: "date < %@", lastYear))
  /// ```
  public static func delete(_ entityName: String, where predicate: ManagedPredicate? = nil) -> BatchRequest {
    .delete(FetchRequest(entityName, where: predicate))
  }

  /// Deletes the objects that match a request, with its offset and limit.
  public static func delete(_ request: FetchRequest) -> BatchRequest {
    BatchRequest(entityName: request.entityName, .delete(request))
  }

  /// Deletes the objects with the given IDs. Ignores IDs of objects that do not exist anymore.
  ///
  /// ```swift
  /// let ids = try context.fetchObjectIDs(FetchRequest("Note"))
  /// try context.execute(.delete("Note", objectIDs: ids.suffix(100)))
  /// ```
  ///
  /// - Parameter entityName: the entity of the objects, or a superentity. An ID of another entity is an error.
  public static func delete(_ entityName: String, objectIDs: some Sequence<ManagedObjectID>) -> BatchRequest {
    let keys = PredicateConstant.array(objectIDs.map { .object($0.key) })
    return .delete(entityName, where: .comparing(.evaluatedObject, .in, .constant(keys)))
  }
}

/// The result of a batch request.
public struct BatchResult: Hashable, Sendable {
  /// The number of objects that the request inserted, updated or deleted. An insertion also counts the stored objects
  /// that were updated with the values of a new object because of a uniqueness constraint.
  public internal(set) var count = 0
  /// The changes to merge into contexts. If the result type is ``BatchRequest/ResultType/count``, they contain no IDs,
  /// and ``SavedChanges/isComplete`` is false.
  public internal(set) var changes = SavedChanges()
}
