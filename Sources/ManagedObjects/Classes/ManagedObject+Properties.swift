internal import ObjectModels
public import Predicates

/// Functions that property wrappers call to read and set values.
extension ManagedObject {
  /// Returns the slot of the property whose wrapper is at a key path; nil if the entity does not have the property.
  @inline(__always)
  final func slot(at storage: AnyKeyPath) -> Int? {
    // A prototype's entity has no properties. Looking up names would create more prototypes.
    shape.slot(storage) { shape.prototypeState == nil ? PropertyNames.name(ofWrapperAt: storage) : nil }
  }

  /// Returns the slot of an attribute without a value transformer, by the key path of its wrapper; nil for other
  /// attributes, and if the entity does not have the attribute.
  @inline(__always)
  private final func plainSlot(at storage: AnyKeyPath) -> Int? {
    shape.plainSlot(storage) { shape.prototypeState == nil ? PropertyNames.name(ofWrapperAt: storage) : nil }
  }

  /// Returns the value of an attribute; nil if it has a value transformer, or if the entity does not have it.
  @usableFromInline
  final func attributeValue(at storage: AnyKeyPath) -> AttributeValue? {
    guard let slot = plainSlot(at: storage) else { return nil }
    noteRead(.value(slot))
    if status.contains(.fault) { fire() }
    if let value = loadedAttribute(slot) { return value }
    guard case .attribute(let value) = value(ofSlot: slot) else { return nil }
    return value
  }

  /// Sets the value of an attribute. Returns false, without setting it, if the attribute has a value transformer, or if
  /// the entity does not have it.
  @usableFromInline
  final func setAttributeValue(_ value: AttributeValue, at storage: AnyKeyPath) -> Bool {
    guard let slot = plainSlot(at: storage) else { return false }
    setAttribute(value, slot: slot)
    return true
  }

  /// Returns the objects of a relationship; nil if the entity does not have the relationship.
  @usableFromInline
  final func relatedObjects(at storage: AnyKeyPath) -> [ManagedObject]? {
    slot(at: storage).map { objects(ofSlot: $0) }
  }

  @usableFromInline
  final func setRelatedObjects(_ objects: [ManagedObject], at storage: AnyKeyPath) {
    guard let slot = slot(at: storage) else { return }
    setObjects(objects, slot: slot)
  }

  /// Returns the object of a to-one relationship; nil if the entity does not have the relationship.
  @usableFromInline
  final func relatedObject(at storage: AnyKeyPath) -> ManagedObject?? { slot(at: storage).map { object(ofSlot: $0) } }

  @usableFromInline
  final func setRelatedObject(_ object: ManagedObject?, at storage: AnyKeyPath) {
    guard let slot = slot(at: storage) else { return }
    setObject(object, slot: slot)
  }

  /// Returns the objects of a fetched property. If the fetch fails, adds the error to ``ManagedObjectContext/misuse``
  /// and returns no objects.
  final func fetchedObjects(at storage: AnyKeyPath) -> [ManagedObject] {
    guard let name = PropertyNames.name(ofWrapperAt: storage) else { return [] }
    do { return try fetchedObjects(named: name) } catch {
      shape.context?.note(error)
      return []
    }
  }
}
