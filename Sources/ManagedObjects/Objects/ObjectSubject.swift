public import Predicates

/// An object that predicates and expressions are evaluated with.
struct ObjectSubject: PredicateSubject {
  private(set) var object: ManagedObject
  /// True for a deleted or inaccessible object that another object refers to. Predicates see null as the value of all
  /// its properties.
  var isDeleted = false
  /// True if `Observation` tracks the properties that are read.
  var notesReads = false
  /// True if related objects are read in batches, because most objects of the fetch are evaluated.
  var usesBatches = false

  static func == (first: Self, second: Self) -> Bool { first.object == second.object }
  func hash(into hasher: inout Hasher) { hasher.combine(object) }

  func predicateValue(forKey key: PredicateKey) throws(ManagedPredicateError) -> PredicateValue<ObjectSubject> {
    if !isDeleted, let slot = key.slot(inEntity: object.key.entityIndex), slot < object.shape.record.slotCount {
      if notesReads { object.noteRead(.value(slot)) }
      return related(object.value(ofSlot: slot), slot)
    }
    return try unusualValue(forKey: key.name)
  }

  @inline(never)
  private func unusualValue(forKey name: String) throws(ManagedPredicateError) -> PredicateValue<ObjectSubject> {
    if EntityKey.ofObjectItself.contains(name) { return .object(self) }
    let entity = object.shape.entity
    if !isDeleted, let property = entity.property(named: name) {
      if notesReads { object.noteRead(.value(property.slot)) }
      return related(object.value(ofSlot: property.slot), property.slot)
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

  private func related(_ value: RowValue, _ slot: Int) -> PredicateValue<ObjectSubject> {
    switch value {
    case .attribute(let value): .value(value)
    case .toOne(let key): key.flatMap { target($0, slot) }.map { .object($0) } ?? .null
    // Sorted, so that results are reproducible.
    case .toMany(let keys): .set(members(keys.sorted(), slot))
    case .orderedToMany(let keys): .array(members(keys, slot))
    // The value could not be read.
    case .unread: .null
    }
  }

  /// Returns the object of a to-one relationship; nil if this object has no context.
  private func target(_ key: RowKey, _ slot: Int) -> ObjectSubject? {
    object.managedObjectContext.map { context in
      subject(of: usesBatches ? context.target(key, of: object, slot) : context.object(for: key))
    }
  }

  /// Returns the objects of a to-many relationship, without those that are deleted or inaccessible.
  private func members(_ keys: some Collection<RowKey>, _ slot: Int) -> [PredicateValue<ObjectSubject>] {
    guard let context = object.managedObjectContext else { return [] }
    let targets = usesBatches ? context.targets(keys, of: object, slot) : keys.map { context.object(for: $0) }
    return targets.compactMap { target in
      let subject = subject(of: target)
      return subject.isDeleted ? nil : .object(subject)
    }
  }

  private func subject(of object: ManagedObject) -> ObjectSubject {
    if notesReads {
      object.noteRead(.isDeleted)
      object.noteRead(.isInaccessible)
    }
    var subject = self
    subject.object = object
    subject.isDeleted = object.status.isDeleted
    if subject.isDeleted { return subject }
    if object.isFault { object.fire() }
    subject.isDeleted = object.status.isInaccessible
    return subject
  }

  var predicateConstant: PredicateConstant? { .object(object.key) }

  func predicateSubject(for constant: PredicateConstant) -> ObjectSubject? {
    guard case .object(let key) = constant else { return nil }
    return object.managedObjectContext.map { subject(of: $0.object(for: key)) }
  }

  func allPredicateValues() throws(ManagedPredicateError) -> [PredicateValue<ObjectSubject>] {
    if isDeleted { return [] }
    return (0..<object.shape.record.slotCount).map { slot in
      if notesReads { object.noteRead(.value(slot)) }
      return related(object.value(ofSlot: slot), slot)
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
    try evaluate(with: ObjectSubject(object: object, notesReads: true, usesBatches: true))
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
