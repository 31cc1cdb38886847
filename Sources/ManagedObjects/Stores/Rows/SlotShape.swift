internal import ObjectModels
package import Predicates

/// The kind of values that a ``StoreRow`` may have in a slot.
package enum SlotShape: Sendable {
  case attribute(AttributeType)
  case toOne(destination: Range<Int>)
  case toMany(destination: Range<Int>)
  case orderedToMany(destination: Range<Int>)
  /// A transient property, whose stored value is always empty.
  case transient(RowValue)

  /// Returns the shape of each slot of an entity.
  package static func all(_ entity: ManagedObjectModel.Entity) -> [SlotShape] {
    var shapes = [SlotShape](repeating: .transient(.null), count: entity.slotCount)
    for attribute in entity.attributes where !attribute.isTransient {
      shapes[attribute.slot] = .attribute(attribute.definition.type)
    }
    for relationship in entity.relationships {
      let entities = entity.destination(of: relationship).subtree
      shapes[relationship.slot] =
        if relationship.isTransient {
          .transient(relationship.emptyValue)
        } else if !relationship.definition.isToMany {
          .toOne(destination: entities)
        } else {
          relationship.isOrdered ? .orderedToMany(destination: entities) : .toMany(destination: entities)
        }
    }
    return shapes
  }

  /// Returns the reason why the slot cannot have a value; nil if the value is valid.
  @inline(__always)
  package func defect(_ value: RowValue, store: StoreNumber) -> SlotMismatch? {
    switch (self, value) {
    case (.attribute(let type), .attribute(let value)):
      return type.admits(value) ? nil : .kind("expected \(type.name), found \(value.kindName)")
    case (.toOne, .toOne(nil)), (.transient, _): return nil
    case (.toOne(let entities), .toOne(let key?)): return Self.defect(key, entities, store)
    case (.toMany(let entities), .toMany(let keys)):
      for key in keys { if let defect = Self.defect(key, entities, store) { return defect } }
      return nil
    case (.orderedToMany(let entities), .orderedToMany(let keys)):
      for key in keys { if let defect = Self.defect(key, entities, store) { return defect } }
      return nil
    case (.attribute, _): return .kind("expected an attribute, found a relationship")
    case (_, .attribute): return .kind("expected a relationship, found an attribute")
    case (_, .unread): return .kind("the value has not been read")
    default: return .kind("the kind of relationship does not match the model")
    }
  }

  private static func defect(_ key: RowKey, _ entities: Range<Int>, _ store: StoreNumber) -> SlotMismatch? {
    if key.isTemporary { return .kind("the relationship refers to an object that was never saved") }
    if key.store != store { return .external }
    return entities.contains(Int(key.entityIndex))
      ? nil : .kind("the relationship refers to an object of another entity")
  }
}

/// The reason why a slot cannot have a value.
package enum SlotMismatch: Error {
  /// The value is not of the slot's kind. The text is the message.
  case kind(String)
  /// The value refers to an object of another store.
  case external
}
