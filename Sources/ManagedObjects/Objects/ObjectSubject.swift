public import Predicates

/// An object as predicates and expressions are tested with it.
struct ObjectSubject: PredicateSubject {
  let object: ManagedObject
  /// True for a deleted object that another one refers to: all its properties are null.
  var isDeleted = false

  static func == (first: Self, second: Self) -> Bool { first.object == second.object }
  func hash(into hasher: inout Hasher) { hasher.combine(object) }

  func predicateValue(forKey key: PredicateKey) throws(ManagedPredicateError) -> PredicateValue<ObjectSubject> {
    if !isDeleted, let slot = key.slot(inEntity: object.key.entityIndex), slot < object.shape.record.slotCount {
      return related(object.value(ofSlot: slot))
    }
    return try unusualValue(forKey: key.name)
  }

  @inline(never)
  private func unusualValue(forKey name: String) throws(ManagedPredicateError) -> PredicateValue<ObjectSubject> {
    if EntityKey.ofObjectItself.contains(name) { return .object(self) }
    let entity = object.shape.entity
    if !isDeleted, let property = entity.property(named: name) { return related(object.value(ofSlot: property.slot)) }
    if !isDeleted, entity.fetchedProperty(named: name) != nil {
      do { return .array(try object.fetchedObjects(named: name).map { .object(ObjectSubject(object: $0)) }) } catch {
        throw error.predicateError ?? ManagedPredicateError(.unsupported, error.message)
      }
    }
    // Objects of other entities may have it.
    if entity.model.keySlots[name] != nil { return .null }
    throw ManagedPredicateError(.unknownKey, "the entity \(entity.name.quoted) has no property \(name.quoted)")
  }

  private func related(_ value: RowValue) -> PredicateValue<ObjectSubject> {
    switch value {
    case .attribute(let value): .value(value)
    case .toOne(let key): key.flatMap(target).map { .object($0) } ?? .null
    // In an order that is the same each time.
    case .toMany(let keys): .set(keys.sorted().compactMap(member))
    case .orderedToMany(let keys): .array(keys.compactMap(member))
    // It could not be read.
    case .unread: .null
    }
  }

  /// The object of a key; nil without a context.
  private func target(_ key: RowKey) -> ObjectSubject? {
    guard let object = object.managedObjectContext?.object(for: key) else { return nil }
    if object.isDeleted { return ObjectSubject(object: object, isDeleted: true) }
    if object.isFault { object.fire() }
    return ObjectSubject(object: object, isDeleted: object.isInaccessible)
  }

  /// An object of a to-many relationship, which has no deleted ones.
  private func member(_ key: RowKey) -> PredicateValue<ObjectSubject>? {
    target(key).flatMap { $0.isDeleted ? nil : .object($0) }
  }

  var predicateConstant: PredicateConstant? { .object(object.key) }

  func predicateSubject(for constant: PredicateConstant) -> ObjectSubject? {
    guard case .object(let key) = constant else { return nil }
    return target(key)
  }

  func allPredicateValues() throws(ManagedPredicateError) -> [PredicateValue<ObjectSubject>] {
    isDeleted ? [] : (0..<object.shape.record.slotCount).map { related(object.value(ofSlot: $0)) }
  }
}

extension ManagedObject.Value {
  init(_ value: PredicateValue<ObjectSubject>) {
    switch value {
    case .value(let value): self = .attribute(value)
    case .object(let subject): self = .object(subject.object)
    case .array(let elements): self = .array(elements.map { ManagedObject.Value($0) })
    case .set(let elements): self = .set(elements.map { ManagedObject.Value($0) })
    // No property and no operator on collections results in such a value.
    case .constant: self = .null
    }
  }
}

extension PreparedPredicate {
  /// True if the predicate holds for an object of a context.
  ///
  /// - Throws: ``ManagedPredicateError`` for values that the predicate cannot be asked about.
  public func evaluate(with object: ManagedObject) throws(ManagedPredicateError) -> Bool {
    try evaluate(with: ObjectSubject(object: object))
  }
}

extension ManagedPredicate {
  /// True if the predicate holds for an object of a context. For more than one object use ``PreparedPredicate``.
  ///
  /// - Throws: ``ManagedPredicateError``.
  public func evaluate(
    with object: ManagedObject, variables: [String: any PredicateArgument] = [:]
  ) throws(ManagedPredicateError) -> Bool {
    let predicate = withoutDeepRows
    _ = try predicate.height(within: Self.greatestDepth)
    let present = object.managedObjectContext?.presentPredicate(predicate) ?? predicate
    return try PreparedPredicate(present, variables: variables).evaluate(with: object)
  }
}

extension ManagedObject: PredicateArgument {
  /// The object itself.
  public final var predicateExpression: ManagedExpression { .constant(.object(key)) }
}
