internal import ObjectModels

/// The data that all objects of an entity share in a context. A slot is the index of a property's value in an object.
final class EntityShape {
  let entity: ManagedObjectModel.Entity
  /// The record of ``entity``, to save the lookup in the model.
  let record: ManagedObjectModel.Entity.Record
  let objectClass: ManagedObject.Type
  /// The relationship in each slot; nil for attributes.
  let relationships: [ManagedObjectModel.Entity.Relationship?]
  /// The slots of the relationships.
  let relationshipSlots: [Int]
  /// For each slot, the indices of the entities that related objects can have; empty for attributes.
  let destinations: [Range<Int>]
  /// For each slot of a relationship, the slot of its inverse in the destination entity, if any.
  let inverseSlots: [Int?]
  /// For each slot, false if the property is transient.
  let isPersistent: [Bool]
  /// True if no property is transient.
  let isAllPersistent: Bool
  let initialValues: [RowValue]
  let emptyValues: [RowValue]
  /// The state of the context; nil for the object of a ``ClassPrototype``.
  let state: ContextState?
  private unowned let owner: ManagedObjectContext?
  /// The coordinator of ``context``. Objects need the coordinator for their object IDs, even after the context was
  /// released.
  let coordinator: PersistentStoreCoordinator?
  private(set) lazy var rules = ValidationRules(entity)
  /// The names of the value transformers, by slot, without those for keyed archives.
  let transformerNames: [Int: String]
  /// A cache: the slot of each property, by the key path of its property wrapper. See ``findSlot(_:_:)``.
  @safe @exclusivity(unchecked) private(set) var slots: SlotTable
  /// The average number of objects in each to-many relationship, by slot, when it was last read for several objects.
  private var averageCounts: [Int: Int] = [:]
  /// The state of a ``ClassPrototype``; nil for the objects of contexts.
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
    var destinations = [Range<Int>](repeating: 0..<0, count: record.slotCount)
    var inverseSlots = [Int?](repeating: nil, count: record.slotCount)
    var isPersistent = [Bool](repeating: true, count: record.slotCount)
    var transformerNames: [Int: String] = [:]
    for attribute in record.attributes {
      isPersistent[attribute.slot] = !attribute.definition.traits.isTransient
      if let name = attribute.definition.customTransformerName { transformerNames[attribute.slot] = name }
    }
    for relationship in record.relationships {
      relationships[relationship.slot] = relationship
      destinations[relationship.slot] = entity.destination(of: relationship).subtree
      inverseSlots[relationship.slot] = entity.inverse(of: relationship)?.slot
      isPersistent[relationship.slot] = !relationship.definition.traits.isTransient
    }
    self.relationships = relationships
    relationshipSlots = record.relationships.map(\.slot)
    self.destinations = destinations
    self.inverseSlots = inverseSlots
    self.isPersistent = isPersistent
    self.transformerNames = transformerNames
    isAllPersistent = isPersistent.allSatisfy(\.self)
    slots = SlotTable(slotCount: record.slotCount)
  }

  /// The context of the objects; nil after it was released.
  var context: ManagedObjectContext? { state?.isOpen == true ? owner : nil }

  /// Returns the number of objects whose to-many relationship is read at once, so that not more than about 260 000 keys
  /// are read. While the size of the relationships is not known, the number is small.
  func readLimit(ofSlot slot: Int) -> Int { averageCounts[slot].map { max((1 << 18) / ($0 + 1), 16) } ?? 256 }

  /// Records the values of a to-many relationship that were read, for ``readLimit(ofSlot:)``.
  func noteRead(_ values: [RowValue?], ofSlot slot: Int) {
    averageCounts[slot] = values.reduce(0) { $0 + ($1?.count ?? 0) } / values.count
  }

  /// Returns the default value of an attribute in the model, or null.
  func initialValue(ofSlot slot: Int) -> AttributeValue {
    if case .attribute(let value) = initialValues[slot] { value } else { .null }
  }

  /// Returns `values`, with an empty value for each transient property.
  func persistentValues(_ values: [RowValue]) -> [RowValue] {
    if isAllPersistent { return values }
    var values = values
    for slot in values.indices where !isPersistent[slot] { values[slot] = emptyValues[slot] }
    return values
  }

  /// Completes values that a store returned: sets each transient property to its default value.
  func completed(_ values: [RowValue]) -> [RowValue] {
    if isAllPersistent { return values }
    var values = values
    for slot in values.indices where !isPersistent[slot] { values[slot] = initialValues[slot] }
    return values
  }

  /// Returns the slot of a property, by the key path of its property wrapper. Uses a cache.
  ///
  /// - Parameters:
  ///   - keyPath: the key path of the wrapper, as the compiler passes it.
  ///   - name: returns the name of the property. Called once for each property.
  /// - Returns: nil if the entity has no such property.
  @inline(__always)
  func slot(_ keyPath: AnyKeyPath, name: () -> String?) -> Int? {
    let slot = slots.slot(keyPath) ?? findSlot(keyPath, name())
    return slot >= 0 ? slot : slot == -1 ? nil : Self.marked(slot)
  }

  /// Returns the slot of a property, as ``slot(_:name:)`` does, unless it is an attribute with a value transformer.
  @inline(__always)
  func plainSlot(_ keyPath: AnyKeyPath, name: () -> String?) -> Int? {
    let slot = slots.slot(keyPath) ?? findSlot(keyPath, name())
    return slot < 0 ? nil : slot
  }

  /// Finds the slot of a property, adds it to ``slots``, and returns it. The result is -1 if the entity has no such
  /// property, and a ``marked(_:)`` slot for an attribute with a value transformer.
  @inline(never)
  private func findSlot(_ keyPath: AnyKeyPath, _ name: String?) -> Int {
    let slot = name.flatMap { entity.property(named: $0)?.slot }
    let found = slot.map { transformerNames[$0] == nil ? $0 : Self.marked($0) } ?? -1
    slots.insert(keyPath, slot: found)
    return found
  }

  /// Converts the slot of an attribute with a value transformer to the negative number that marks it, and back.
  private static func marked(_ slot: Int) -> Int { -2 - slot }
}
