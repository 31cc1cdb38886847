public import ManagedObjects
internal import PropertyLists

/// What a function can do that migrates the objects of an entity.
///
/// Both contexts have the objects of a batch only. They are empty again with the next one; ``ManagedObjectID``s last.
public final class EntityMigration {
  /// The mapping that is being done.
  public let mapping: EntityMapping
  private let objects: ObjectMigration
  private let entity: MappingPlan.Entity
  /// The objects of the destination that were made for those of the source.
  private(set) var made: [(source: RowKey, destination: ManagedObject)] = []
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

  /// The objects as they are. What is changed in them is lost.
  public var sourceContext: ManagedObjectContext { objects.source.context }

  /// The new store, with all that was made so far.
  public var destinationContext: ManagedObjectContext { objects.destination.context }

  /// Makes the object that the mapping says, with its attributes.
  ///
  /// - Throws: ``ManagedObjectError/Code/entityMigrationPolicy`` for a mapping without an entity of the destination;
  ///   ``ManagedObjectError/Code/invalidValue`` for a value that an attribute cannot have.
  @discardableResult
  public func makeDestination(for source: ManagedObject) throws(ManagedObjectError) -> ManagedObject {
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

  /// Makes an object with the default values of its attributes. It gets the relationships that the mapping says for the
  /// object that it is made for; the first one keeps its number.
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
    made.append((key, object))
    return object
  }

  /// The objects that others have become, in their order: those that are made so far.
  ///
  /// - Parameters:
  ///   - sources: objects of the source.
  ///   - mappingName: the mapping by which they came; nil for any.
  public func destinations(
    of sources: [ManagedObject], mappingName: String? = nil
  ) throws(ManagedObjectError) -> [ManagedObject] {
    let known = Dictionary(grouping: made, by: \.source)
    var result: [ManagedObject] = []
    for source in sources {
      let key = source.objectKey
      if mappingName == nil || mappingName == mapping.name, let own = known[key] {
        result += own.map(\.destination)
      } else {
        for key in objects.associations.destinations(of: key, mappingName) {
          result.append(try objects.destination.object(key))
        }
      }
    }
    return result
  }

  /// Sets the relationships of an object as the mapping says, for a policy that sets some of them otherwise.
  public func setRelationships(
    of destination: ManagedObject, from source: ManagedObject
  ) throws(ManagedObjectError) {
    try objects.relate(destination, entity, from: source)
  }
}
