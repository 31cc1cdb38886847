public import ObjectModels
internal import Predicates
internal import PropertyLists

/// The migration of the objects of one entity, with the contexts of the old and the new store. The functions of a
/// migration policy receive it. It corresponds to Core Data's `NSMigrationManager`.
///
/// This policy moves an attribute of persons to objects of a new entity:
///
/// ```swift
/// let policy = EntityMigrationPolicy { person, migration in
///   try migration.createDestinationInstances(forSource: person)
///   guard let city = person["city"], city != .null else { return }
///   try migration.insert("Address", for: person).setValue(city, forKey: "city")
/// }
/// ```
///
/// Objects are migrated in batches. Both contexts contain the objects of one batch, and are reset before the next
/// batch. Object IDs stay valid.
public final class EntityMigration {
  /// The entity mapping, which describes how objects are migrated.
  public let mapping: EntityMapping
  private let objects: ObjectMigration
  private let entity: MappingPlan.Entity
  /// The objects created in this batch and their source objects, in the order of creation.
  private var instances: [(source: RowKey, destination: ManagedObject)] = []
  /// The created objects, by source object.
  private var instancesBySource: [RowKey: [ManagedObject]] = [:]
  /// The source object that is being migrated.
  var current: ManagedObject?
  /// The source objects whose primary keys were already given to new objects.
  private var kept: Set<RowKey> = []

  /// False in the second phase of a migration, which sets relationships: no new objects can be added for source objects
  /// then.
  private let canMakeObjects: Bool

  init(_ entity: MappingPlan.Entity, _ objects: ObjectMigration, canMakeObjects: Bool) {
    self.canMakeObjects = canMakeObjects
    mapping = entity.mapping
    self.entity = entity
    self.objects = objects
  }

  /// The context of the old store. Changes to its objects are discarded.
  public var sourceContext: ManagedObjectContext { objects.source.context }

  /// The context of the new store, with the objects created so far in this batch.
  public var destinationContext: ManagedObjectContext { objects.destination.context }

  /// The created objects that have not been deleted again, and their source objects.
  var made: [(source: RowKey, destination: ManagedObject)] { instances.filter(\.destination.isThere) }

  /// Creates an object of the mapping's destination entity, and sets its attributes as the mapping describes, like the
  /// default implementation of `NSEntityMigrationPolicy`.
  ///
  /// - Throws: ``ManagedObjectError/Code/entityMigrationPolicy`` if the mapping has no destination entity,
  ///   ``ManagedObjectError/Code/invalidValue`` for a value that an attribute cannot have.
  @discardableResult
  public func createDestinationInstances(forSource source: ManagedObject) throws(ManagedObjectError) -> ManagedObject {
    guard let destination = entity.destination else {
      throw ManagedObjectError(
        .entityMigrationPolicy, "the mapping \(mapping.name.quoted) has no destination entity",
        objectID: source.objectID)
    }
    let object = try insert(destination.name, for: source)
    for (name, expression) in entity.attributes {
      var value = try objects.value(expression, of: source, name)
      if case .attribute(let old) = value, let elements = entity.elements[name] {
        value = .attribute(elements.migrated(old))
      }
      // A required attribute keeps its default value if the result is null.
      if value == .null, object[name] != .null, destination.attribute(named: name)?.isOptional == false { continue }
      try object.setValue(value, forKey: name)
    }
    return object
  }

  /// Creates an object of the new model for a source object. Its attributes have their default values, and its
  /// relationships are set later, as the mapping describes. The first new object for a source object gets its primary
  /// key, if the new object belongs to the entity hierarchy of the mapping's destination entity, and if no other object
  /// of this hierarchy can have the key.
  ///
  /// To create an object that does not belong to a source object, use ``destinationContext``.
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the new model does not have the entity,
  ///   ``ManagedObjectError/Code/invalidValue`` if the entity is abstract, ``ManagedObjectError/Code/invalidState`` if
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
        "objects for \(source) can only be created before relationships are set; use destinationContext for others",
        objectID: source.objectID)
    }
    guard source === current else {
      throw ManagedObjectError(
        .invalidState, "objects can only be created for the source object that is being migrated",
        objectID: source.objectID)
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

  /// Returns the objects that have been created for source objects, in the order of `sources`. Leaves out objects that
  /// were deleted again.
  ///
  /// The function `createRelationships` of a policy can use it. Here, `new` is a new person, or a new address of
  /// `person`:
  ///
  /// ```swift
  /// let made = try migration.destinationInstances(sourceInstances: [person])
  /// if new.entity.name == "Person", let address = made.first(where: { $0.entity.name == "Address" }) {
  ///   try new.setValue(.object(address), forKey: "address")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - mappingName: The name of the entity mapping that created the objects; nil for any mapping.
  ///   - sources: Objects of the old store.
  /// - Throws: ``ManagedObjectError`` if the new store cannot be read.
  /// - Complexity: O(*m* log *n*) for *m* source objects and *n* objects created by the mappings.
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

  /// Sets the relationships of an object as the mapping describes. Call this from a policy that sets only some
  /// relationships itself. Objects that are already in a to-many relationship stay in it.
  ///
  /// - Throws: ``ManagedObjectError`` if an expression of the mapping cannot be evaluated, or a store cannot be read.
  public func createRelationships(
    forDestination destination: ManagedObject, source: ManagedObject
  ) throws(ManagedObjectError) {
    try objects.relate(destination, entity, from: source)
  }
}

extension ManagedObject {
  /// False for a deleted object, even after the deletion was saved.
  fileprivate var isThere: Bool { !isDeleted && managedObjectContext != nil }
}
