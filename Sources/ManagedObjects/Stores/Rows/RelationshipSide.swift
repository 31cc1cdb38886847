internal import ObjectModels

/// One side of a relationship with an inverse. Rows store both sides.
package struct RelationshipSide: Sendable {
  package let slot: Int
  /// The slot of the other side, in the rows of the destination entity.
  package let inverseSlot: Int
  /// True if the other side keeps its reference when the row is deleted: it is to-one, and the delete rule is to do
  /// nothing.
  package let leavesReferences: Bool

  /// Returns the relationships of an entity whose both sides are stored.
  package static func all(_ entity: ManagedObjectModel.Entity) -> [RelationshipSide] {
    entity.relationships.compactMap { relationship in
      guard !relationship.isTransient, let inverse = entity.inverse(of: relationship), !inverse.isTransient
      else { return nil }
      // The inverse may lead to fewer entities than those that have the relationship.
      guard entity.isKind(of: entity.destination(of: relationship).destination(of: inverse)) else { return nil }
      return RelationshipSide(
        slot: relationship.slot, inverseSlot: inverse.slot,
        leavesReferences: relationship.definition.deleteRule == .noAction && !inverse.definition.isToMany)
    }
  }
}
