internal import Predicates

/// A class of managed objects. The protocol lets methods of ``ManagedObject`` take key paths of the subclass. You do
/// not conform to it yourself.
public protocol ManagedObjectClass: ManagedObject {}

extension ManagedObject: ManagedObjectClass {}

extension ManagedObjectClass {
  /// Adds an object to a to-many relationship: `person.add(note, to: \.notes)`.
  ///
  /// - Complexity: O(1).
  public func add<Object: ManagedObject>(_ object: Object, to property: KeyPath<Self, Set<Object>>) {
    changeRelationship(property) { insert(object, slot: $0) }
  }

  /// Adds an object at the end of an ordered relationship, unless the relationship already contains it:
  /// `note.add(tag, to: \.tags)`.
  ///
  /// - Complexity: O(1).
  public func add<Object: ManagedObject>(_ object: Object, to property: KeyPath<Self, [Object]>) {
    changeRelationship(property) { insert(object, slot: $0) }
  }

  /// Removes an object from a to-many relationship: `person.remove(note, from: \.notes)`.
  ///
  /// - Complexity: O(1).
  public func remove<Object: ManagedObject>(_ object: Object, from property: KeyPath<Self, Set<Object>>) {
    changeRelationship(property) { remove(object, slot: $0) }
  }

  /// Removes an object from an ordered relationship: `note.remove(tag, from: \.tags)`.
  ///
  /// - Complexity: O(*n*) in the number of objects.
  public func remove<Object: ManagedObject>(_ object: Object, from property: KeyPath<Self, [Object]>) {
    changeRelationship(property) { remove(object, slot: $0) }
  }

  /// Returns the objects of a to-many relationship, as a value that changes the relationship:
  /// `person.mutableSet(\.notes).formUnion(drafts)`.
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the key path is not that of a relationship.
  public func mutableSet<Object: ManagedObject>(
    _ property: KeyPath<Self, Set<Object>>
  ) throws(ManagedObjectError) -> MutableSet<Object> {
    guard let slot = relationshipSlot(property) else { throw notARelationship(property) }
    return MutableSet(owner: self, slot: slot)
  }

  /// Returns the objects of an ordered relationship, as a value that changes the relationship:
  /// `note.mutableOrderedSet(\.tags).insert(tag, at: 0)`.
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the key path is not that of a relationship.
  public func mutableOrderedSet<Object: ManagedObject>(
    _ property: KeyPath<Self, [Object]>
  ) throws(ManagedObjectError) -> MutableOrderedSet<Object> {
    guard let slot = relationshipSlot(property) else { throw notARelationship(property) }
    return MutableOrderedSet(owner: self, slot: slot)
  }

  private func changeRelationship(_ property: AnyKeyPath, _ change: (_ slot: Int) -> Void) {
    if let slot = relationshipSlot(property) { change(slot) } else { shape.context?.note(notARelationship(property)) }
  }

  private func notARelationship(_ property: AnyKeyPath) -> ManagedObjectError {
    ManagedObjectError(.undefinedKey, "\(property) is not the key path of a relationship", objectID: objectID)
  }

  private func relationshipSlot(_ property: AnyKeyPath) -> Int? {
    propertySlot(property).flatMap { shape.relationships[$0] == nil ? nil : $0 }
  }

  /// Returns the slot of the property at a key path such as `\.title`; nil if the key path does not lead to one
  /// property of the entity.
  func propertySlot(_ property: AnyKeyPath) -> Int? {
    shape.slot(property) { PropertyPath(property).flatMap { $0.names.count == 1 ? $0.names[0] : nil } }
  }
}
