public import ManagedObjects
internal import PropertyLists

/// The part of a migration that a function sees: the mapping of an entity, and the contexts of both stores. It has the
/// part of Core Data's `NSMigrationManager`.
///
/// Both contexts have the objects of a batch only. They are empty again with the next one; ``ManagedObjectID``s last.
public final class EntityMigration {
  /// The mapping that is being done.
  public let mapping: EntityMapping
  private let objects: ObjectMigration
  private let entity: MappingPlan.Entity
  /// The objects that were made for those of the source, in the order in which they were made.
  private var instances: [(source: RowKey, destination: ManagedObject)] = []
  /// The same, by the object of the source.
  private var instancesBySource: [RowKey: [ManagedObject]] = [:]
  /// The object of the source that is being migrated.
  var current: ManagedObject?
  /// The objects of the source that have handed on their numbers.
  private var kept: Set<RowKey> = []

  /// False while relationships are set: each object has its number then, and those that it has become.
  private let canMakeObjects: Bool

  init(_ entity: MappingPlan.Entity, _ objects: ObjectMigration, canMakeObjects: Bool) {
    self.canMakeObjects = canMakeObjects
    mapping = entity.mapping
    self.entity = entity
    self.objects = objects
  }

  /// The objects as they are. Changes of them are lost.
  public var sourceContext: ManagedObjectContext { objects.source.context }

  /// The new store, with all that was made so far.
  public var destinationContext: ManagedObjectContext { objects.destination.context }

  /// The objects that were made and not deleted again, with those that they were made for.
  var made: [(source: RowKey, destination: ManagedObject)] { instances.filter(\.destination.isThere) }

  /// Makes the object of the mapping, with its attributes, as `NSEntityMigrationPolicy` does by itself.
  ///
  /// - Throws: ``ManagedObjectError/Code/entityMigrationPolicy`` for a mapping without an entity of the destination;
  ///   ``ManagedObjectError/Code/invalidValue`` for a value that an attribute cannot have.
  @discardableResult
  public func createDestinationInstances(forSource source: ManagedObject) throws(ManagedObjectError) -> ManagedObject {
    guard let destination = entity.destination else {
      throw ManagedObjectError(
        .entityMigrationPolicy, "the mapping \(mapping.name.quoted) has no entity of the destination",
        objectID: source.objectID)
    }
    let object = try insert(destination.name, for: source)
    for (name, expression) in entity.attributes {
      let value = try objects.value(expression, of: source, name)
      // A value that there must be keeps its default.
      if value == .null, object[name] != .null, destination.attribute(named: name)?.isOptional == false { continue }
      try object.setValue(value, forKey: name)
    }
    return object
  }

  /// Makes an object with the default values of its attributes. It gets the relationships that the mapping has for the
  /// source. The first object that is made for a source keeps its number.
  ///
  /// Objects that come from none are made by ``destinationContext``.
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the new model has no such entity,
  ///   ``ManagedObjectError/Code/invalidValue`` for an abstract one, ``ManagedObjectError/Code/invalidState`` if
  ///   another object is being migrated, or relationships are being set.
  @discardableResult
  public func insert(_ entityName: String, for source: ManagedObject) throws(ManagedObjectError) -> ManagedObject {
    guard let new = objects.destination.store.model.entity(named: entityName) else {
      throw ManagedObjectError(
        .undefinedKey, "the new model has no entity \(entityName.quoted)", objectID: source.objectID)
    }
    guard canMakeObjects else {
      throw ManagedObjectError(
        .invalidState,
        "objects are made for \(source) before relationships are set; destinationContext makes others",
        objectID: source.objectID)
    }
    guard source === current else {
      throw ManagedObjectError(
        .invalidState, "objects can be made for the one that is being migrated only", objectID: source.objectID)
    }
    let key = source.objectKey
    var number: Int64?
    if entity.keepsNumbers, new.root == entity.destination?.root, kept.insert(key).inserted { number = key.number }
    let object = try objects.destination.context.insert(
      new, key: number.map { RowKey(store: objects.destination.store.number, entityIndex: new.index, number: $0) })
    instances.append((key, object))
    instancesBySource[key, default: []].append(object)
    return object
  }

  /// The objects that others have become, in their order: those that were made so far, without those that were deleted
  /// again.
  ///
  /// - Parameters:
  ///   - mappingName: the mapping by which they came; nil for any.
  ///   - sources: objects of the source.
  public func destinationInstances(
    forEntityMappingName mappingName: String? = nil, sourceInstances sources: [ManagedObject]
  ) throws(ManagedObjectError) -> [ManagedObject] {
    var result: [ManagedObject] = []
    for source in sources {
      let key = source.objectKey
      if mappingName == nil || mappingName == mapping.name, let own = instancesBySource[key] {
        result += own.filter(\.isThere)
      } else {
        for key in objects.associations.destinations(of: key, mappingName) {
          if let object = try objects.destination.existingObject(key) { result.append(object) }
        }
      }
    }
    return result
  }

  /// Sets the relationships of an object by the mapping, for a policy that sets others itself. Objects that a to-many
  /// relationship has already stay in it.
  public func createRelationships(
    forDestination destination: ManagedObject, source: ManagedObject
  ) throws(ManagedObjectError) {
    try objects.relate(destination, entity, from: source)
  }
}

extension ManagedObject {
  /// False for an object that was deleted, also if that was saved.
  fileprivate var isThere: Bool { !isDeleted && managedObjectContext != nil }
}
