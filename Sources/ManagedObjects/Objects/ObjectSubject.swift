public import Predicates

/// An object that predicates and expressions are evaluated with.
struct ObjectSubject: PredicateSubject {
  let object: ManagedObject
  /// True for a deleted or inaccessible object that another object refers to. Predicates see null as the value of all
  /// its properties.
  var isDeleted = false
  /// True if `Observation` tracks the properties that are read.
  var notesReads = false

  static func == (first: Self, second: Self) -> Bool { first.object == second.object }
  func hash(into hasher: inout Hasher) { hasher.combine(object) }

  func predicateValue(forKey key: PredicateKey) throws(ManagedPredicateError) -> PredicateValue<ObjectSubject> {
    if !isDeleted, let slot = key.slot(inEntity: object.key.entityIndex), slot < object.shape.record.slotCount {
      if notesReads { object.noteRead(.value(slot)) }
      return related(object.value(ofSlot: slot))
    }
    return try unusualValue(forKey: key.name)
  }

  @inline(never)
  private func unusualValue(forKey name: String) throws(ManagedPredicateError) -> PredicateValue<ObjectSubject> {
    if EntityKey.ofObjectItself.contains(name) { return .object(self) }
    let entity = object.shape.entity
    if !isDeleted, let property = entity.property(named: name) {
      if notesReads { object.noteRead(.value(property.slot)) }
      return related(object.value(ofSlot: property.slot))
    }
    if !isDeleted, entity.fetchedProperty(named: name) != nil {
      do { return .array(try object.fetchedObjects(named: name).map { .object(ObjectSubject(object: $0)) }) } catch {
        throw error.predicateError ?? ManagedPredicateError(.unsupported, error.message)
      }
    }
    if name == EntityKey.entity, entity.hasEntityKey { return .constant(entity.predicateConstant) }
    // Only other entities have the property, such as a subentity.
    if entity.model.keySlots[name] != nil { return .null }
    throw ManagedPredicateError(.unknownKey, "the entity \(entity.name.quoted) has no property \(name.quoted)")
  }

  private func related(_ value: RowValue) -> PredicateValue<ObjectSubject> {
    switch value {
    case .attribute(let value): .value(value)
    case .toOne(let key): key.flatMap(target).map { .object($0) } ?? .null
    // Sorted, so that results are reproducible.
    case .toMany(let keys): .set(keys.sorted().compactMap(member))
    case .orderedToMany(let keys): .array(keys.compactMap(member))
    // The value could not be read.
    case .unread: .null
    }
  }

  /// Returns the object with a key; nil if this object has no context.
  private func target(_ key: RowKey) -> ObjectSubject? {
    guard let object = object.managedObjectContext?.object(for: key) else { return nil }
    if notesReads {
      object.noteRead(.isDeleted)
      object.noteRead(.isInaccessible)
    }
    if object.status.isDeleted { return ObjectSubject(object: object, isDeleted: true, notesReads: notesReads) }
    if object.isFault { object.fire() }
    return ObjectSubject(object: object, isDeleted: object.status.isInaccessible, notesReads: notesReads)
  }

  /// Returns an object in a to-many relationship, by its key; nil if the object is deleted or inaccessible.
  private func member(_ key: RowKey) -> PredicateValue<ObjectSubject>? {
    target(key).flatMap { $0.isDeleted ? nil : .object($0) }
  }

  var predicateConstant: PredicateConstant? { .object(object.key) }

  func predicateSubject(for constant: PredicateConstant) -> ObjectSubject? {
    guard case .object(let key) = constant else { return nil }
    return target(key)
  }

  func allPredicateValues() throws(ManagedPredicateError) -> [PredicateValue<ObjectSubject>] {
    if isDeleted { return [] }
    return (0..<object.shape.record.slotCount).map { slot in
      if notesReads { object.noteRead(.value(slot)) }
      return related(object.value(ofSlot: slot))
    }
  }
}

extension ManagedObject.Value {
  init(_ value: PredicateValue<ObjectSubject>) {
    switch value {
    case .value(let value): self = .attribute(value)
    case .object(let subject): self = .object(subject.object)
    case .array(let elements): self = .array(elements.map { ManagedObject.Value($0) })
    case .set(let elements): self = .set(elements.map { ManagedObject.Value($0) })
    // The value of a property or collection operator is never a constant.
    case .constant: self = .null
    }
  }
}

extension PreparedPredicate {
  /// True if the predicate matches an object of a context.
  ///
  /// ```swift
  /// let isLong = try PreparedPredicate(ManagedPredicate(format: "pages > 100"))
  /// let long = try notes.filter { try isLong.evaluate(with: $0) }
  /// ```
  ///
  /// - Throws: ``ManagedPredicateError`` if the predicate cannot be evaluated with the object's values.
  public func evaluate(with object: ManagedObject) throws(ManagedPredicateError) -> Bool {
    try evaluate(with: ObjectSubject(object: object, notesReads: true))
  }
}

extension ManagedPredicate {
  /// True if the predicate matches an object of a context. To test several objects, use ``PreparedPredicate``.
  ///
  /// ```swift
  /// let predicate = try ManagedPredicate(format: "author.name == $name")
  /// print(try predicate.evaluate(with: note, variables: ["name": "Ada"]))   // true
  /// ```
  ///
  /// - Throws: ``ManagedPredicateError`` if the predicate cannot be evaluated.
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
  /// An expression for the object, so that it can be an argument of a predicate.
  public final var predicateExpression: ManagedExpression { .constant(.object(key)) }
}
