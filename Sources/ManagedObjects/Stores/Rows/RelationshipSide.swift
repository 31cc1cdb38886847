internal import ObjectModels

/// A relationship that has an inverse. Rows store both sides: the references of the relationship, and those of its
/// inverse.
package struct RelationshipSide: Sendable {
  package let slot: Int
  /// The slot of the inverse in the rows of the destination entity.
  package let inverseSlot: Int
  /// True if related objects keep their reference to a row when the row is deleted, because the inverse is to-one and
  /// this relationship has the delete rule `noAction`.
  package let leavesReferences: Bool

  /// Returns the relationships of an entity that are stored, and whose inverse is stored, too, and can contain objects
  /// of the entity.
  package static func all(_ entity: ManagedObjectModel.Entity) -> [RelationshipSide] {
    entity.relationships.compactMap { relationship in
      guard !relationship.isTransient, let inverse = entity.inverse(of: relationship), !inverse.isTransient
      else { return nil }
      // The inverse may lead to a different entity, such as a subentity. Objects of this entity then cannot be in it.
      guard entity.isKind(of: entity.destination(of: relationship).destination(of: inverse)) else { return nil }
      return RelationshipSide(
        slot: relationship.slot, inverseSlot: inverse.slot,
        leavesReferences: relationship.definition.deleteRule == .noAction && !inverse.definition.isToMany)
    }
  }
}
