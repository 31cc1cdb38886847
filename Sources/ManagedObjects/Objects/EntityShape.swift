internal import ObjectModels

/// What the objects of an entity have in common in a context.
final class EntityShape {
  let entity: ManagedObjectModel.Entity
  /// What ``entity`` has, without the way through the model.
  let record: ManagedObjectModel.Entity.Record
  let objectClass: ManagedObject.Type
  /// For each slot, the relationship that is there.
  let relationships: [ManagedObjectModel.Entity.Relationship?]
  /// For each slot, the slot of the inverse in the entity that the relationship leads to.
  let inverseSlots: [Int?]
  /// For each slot, false if only the context has the value.
  let isPersistent: [Bool]
  /// True if a store keeps all properties.
  let isAllPersistent: Bool
  let initialValues: [RowValue]
  let emptyValues: [RowValue]
  /// The state of the context; nil for prototypes.
  let state: ContextState?
  private unowned let owner: ManagedObjectContext?
  /// The coordinator of ``context``, which objects need for their names also when that is gone.
  let coordinator: PersistentStoreCoordinator?
  private(set) lazy var rules = ValidationRules(entity)
  /// The slots of the properties of a class.
  private(set) var slots: SlotTable
  /// What a prototype of a class keeps for itself; nil for the objects of contexts.
  var prototypeState: AnyObject?

  init(_ entity: ManagedObjectModel.Entity, objectClass: ManagedObject.Type, context: ManagedObjectContext?) {
    self.entity = entity
    self.objectClass = objectClass
    owner = context
    state = context?.state
    coordinator = context?.coordinator
    record = entity.record
    initialValues = entity.initialValues
    emptyValues = entity.emptyValues
    var relationships = [ManagedObjectModel.Entity.Relationship?](repeating: nil, count: record.slotCount)
    var inverseSlots = [Int?](repeating: nil, count: record.slotCount)
    var isPersistent = [Bool](repeating: true, count: record.slotCount)
    for attribute in record.attributes { isPersistent[attribute.slot] = !attribute.definition.traits.isTransient }
    for relationship in record.relationships {
      relationships[relationship.slot] = relationship
      inverseSlots[relationship.slot] = entity.inverse(of: relationship)?.slot
      isPersistent[relationship.slot] = !relationship.definition.traits.isTransient
    }
    self.relationships = relationships
    self.inverseSlots = inverseSlots
    self.isPersistent = isPersistent
    isAllPersistent = isPersistent.allSatisfy(\.self)
    slots = SlotTable(slotCount: record.slotCount)
  }

  /// The context of the objects; nil when it is gone.
  var context: ManagedObjectContext? { state?.isOpen == true ? owner : nil }

  /// Values without those that only the context has.
  func persistentValues(_ values: [RowValue]) -> [RowValue] {
    if isAllPersistent { return values }
    var values = values
    for slot in values.indices where !isPersistent[slot] { values[slot] = emptyValues[slot] }
    return values
  }

  /// Returns the values of a row that was read from a store, with the default values of properties that no store keeps.
  func completed(_ values: [RowValue]) -> [RowValue] {
    if isAllPersistent { return values }
    var values = values
    for slot in values.indices where !isPersistent[slot] { values[slot] = initialValues[slot] }
    return values
  }

  /// The slot of the property that a wrapper stands for.
  ///
  /// - Parameters:
  ///   - keyPath: the wrapper's own, as the compiler hands it over.
  ///   - name: finds the name of the property. Called once for a property.
  /// - Returns: nil if the entity has no such property.
  @inline(__always)
  func slot(_ keyPath: AnyKeyPath, name: () -> String?) -> Int? {
    if let slot = slots.slot(keyPath) { return slot < 0 ? nil : slot }
    return findSlot(keyPath, name())
  }

  @inline(never)
  private func findSlot(_ keyPath: AnyKeyPath, _ name: String?) -> Int? {
    let slot = name.flatMap { entity.property(named: $0)?.slot }
    slots.insert(keyPath, slot: slot ?? -1)
    return slot
  }
}
