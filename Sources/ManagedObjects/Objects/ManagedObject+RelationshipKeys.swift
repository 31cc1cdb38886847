internal import ObjectModels
internal import Predicates

/// Functions that read and change relationships by key.
extension ManagedObject {
  /// Returns the objects of an unordered to-many relationship, as a value that changes the relationship.
  ///
  /// ```swift
  /// try person.mutableSetValue(forKey: "notes").insert(letter)
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the entity has no unordered to-many relationship with the
  ///   name.
  public final func mutableSetValue(forKey key: String) throws(ManagedObjectError) -> MutableSet<ManagedObject> {
    let relationship = try relationship(named: key)
    guard relationship.definition.isToMany, !relationship.definition.isOrdered else {
      throw wrongKind(key, "an unordered to-many relationship")
    }
    return MutableSet(owner: self, slot: relationship.slot)
  }

  /// Returns the objects of an ordered relationship, as a value that changes the relationship.
  ///
  /// ```swift
  /// try note.mutableOrderedSetValue(forKey: "tags").insert(tag, at: 0)
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the entity has no ordered relationship with the name.
  public final func mutableOrderedSetValue(
    forKey key: String
  ) throws(ManagedObjectError) -> MutableOrderedSet<ManagedObject> {
    let relationship = try relationship(named: key)
    guard relationship.definition.isToMany, relationship.definition.isOrdered else {
      throw wrongKind(key, "an ordered relationship")
    }
    return MutableOrderedSet(owner: self, slot: relationship.slot)
  }

  private final func wrongKind(_ key: String, _ expected: String) -> ManagedObjectError {
    ManagedObjectError(.undefinedKey, "expected \(expected)", objectID: objectID, key: key)
  }

  /// Returns the IDs of the objects in a relationship, in its order. The rows of these objects are not read. The IDs of
  /// an unordered relationship are sorted by primary key.
  ///
  /// ```swift
  /// print(try note.objectIDs(forRelationshipNamed: "author"))      // [Person/p1]
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the entity has no relationship with the name;
  ///   ``ManagedObjectError/Code/referentialIntegrity`` if the object is inaccessible; the errors of reading.
  /// - Complexity: O(*n*); O(*n* log *n*) for an unordered relationship.
  public final func objectIDs(forRelationshipNamed key: String) throws(ManagedObjectError) -> [ManagedObjectID] {
    let relationship = try relationship(named: key)
    let keys = try readableValue(ofSlot: relationship.slot).keys
    return (relationship.definition.isOrdered ? keys : keys.sorted()).map { key in
      ManagedObjectID(
        managedObjectContext?.current(key) ?? key, model: shape.entity.model,
        storeIdentifier: shape.coordinator?.store(key.store)?.identifier)
    }
  }

  /// True if a relationship is a fault: the objects that it refers to have not been determined, or it is to-one and its
  /// object is a fault. Nothing is read.
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the entity has no relationship with the name.
  public final func hasFault(forRelationshipNamed key: String) throws(ManagedObjectError) -> Bool {
    let relationship = try relationship(named: key)
    if needsRow { return true }
    switch loadedValue(relationship.slot) {
    case .unread: return true
    case .toOne(let key?):
      guard let context = managedObjectContext else { return true }
      return context.registered[context.current(key)]?.isFault ?? true
    case .attribute, .toOne(nil), .toMany, .orderedToMany: return false
    }
  }

  private final func relationship(
    named key: String
  ) throws(ManagedObjectError) -> ManagedObjectModel.Entity.Relationship {
    if case .relationship(let relationship) = try property(key) { return relationship }
    throw wrongKind(key, "a relationship, found an attribute")
  }
}
