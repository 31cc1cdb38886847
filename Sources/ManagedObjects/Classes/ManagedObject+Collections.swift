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
    relationshipSlot(property).map { insert(object, slot: $0) }
  }

  /// Adds an object at the end of an ordered relationship, unless the relationship already contains it:
  /// `note.add(tag, to: \.tags)`.
  ///
  /// - Complexity: O(1).
  public func add<Object: ManagedObject>(_ object: Object, to property: KeyPath<Self, [Object]>) {
    relationshipSlot(property).map { insert(object, slot: $0) }
  }

  /// Removes an object from a to-many relationship: `person.remove(note, from: \.notes)`.
  ///
  /// - Complexity: O(1).
  public func remove<Object: ManagedObject>(_ object: Object, from property: KeyPath<Self, Set<Object>>) {
    relationshipSlot(property).map { remove(object, slot: $0) }
  }

  /// Removes an object from an ordered relationship: `note.remove(tag, from: \.tags)`.
  ///
  /// - Complexity: O(*n*) in the number of objects.
  public func remove<Object: ManagedObject>(_ object: Object, from property: KeyPath<Self, [Object]>) {
    relationshipSlot(property).map { remove(object, slot: $0) }
  }

  private func relationshipSlot(_ property: AnyKeyPath) -> Int? {
    let slot = shape.slot(property) { PropertyPath(property).flatMap { $0.names.count == 1 ? $0.names[0] : nil } }
    return slot.flatMap { shape.relationships[$0] == nil ? nil : $0 }
  }
}
