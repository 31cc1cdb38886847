internal import ObjectModels

/// A relationship that has an inverse, so that rows have both sides of it.
package struct RelationshipSide: Sendable {
  package let slot: Int
  /// The slot of the other side, in the rows that the relationship leads to.
  package let inverseSlot: Int
  /// True if the other side stays as it is when the row is deleted: a to-one relationship, by the rule to do nothing.
  package let leavesReferences: Bool

  /// The relationships of an entity that stores keep both sides of.
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
