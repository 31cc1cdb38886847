package import ObjectModels

/// The name of a property, and the entity that declares it. It is the same for all entities that inherit the property.
package struct PropertyName: Hashable, Sendable {
  package let entityIndex: Int
  package let name: String

  /// Creates the name of a property.
  ///
  /// - Parameter entity: An entity that declares or inherits the property.
  package init(_ entity: ManagedObjectModel.Entity, _ name: String) {
    var owner = entity
    while let superentity = owner.superentity, superentity.property(named: name) != nil { owner = superentity }
    entityIndex = owner.index
    self.name = name
  }

  /// Returns the entity that declares the property.
  package func owner(in model: ManagedObjectModel) -> ManagedObjectModel.Entity {
    ManagedObjectModel.Entity(model: model, index: entityIndex)
  }
}
