internal import ObjectModels
internal import Predicates

/// Functions that change relationships and update their inverses.
extension ManagedObjectContext {
  /// Throws if the object `target` cannot be in a relationship of `object`.
  func checkRelation(
    of object: ManagedObject, _ relationship: ManagedObjectModel.Entity.Relationship, to target: ManagedObject
  ) throws(ManagedObjectError) {
    func failure(_ code: ManagedObjectError.Code, _ message: String) -> ManagedObjectError {
      ManagedObjectError(code, message, objectID: object.objectID, key: relationship.definition.traits.name)
    }
    if target.managedObjectContext !== self { throw failure(.invalidState, "\(target) belongs to another context") }
    let destination = object.shape.entity.destination(of: relationship)
    if !target.shape.entity.isKind(of: destination) {
      throw failure(.invalidValue, "expected \(destination.name), found \(target)")
    }
    // Without an inverse, the target is not changed and need not be read.
    if object.isFault { object.fire() }
    if target.isFault, object.shape.inverseSlots[relationship.slot] != nil { target.fire() }
    if let lost = object.isLost ? object : target.isLost ? target : nil {
      throw failure(.referentialIntegrity, "\(lost) is \(lost.status.isDeleted ? "deleted" : "no longer available")")
    }
  }

  /// Returns true if an object can be in a relationship. Otherwise, adds the error to ``misuse``, and returns false.
  func isOwn(_ target: ManagedObject, of object: ManagedObject, _ slot: Int) -> Bool {
    // Decides most cases without copying the description of the relationship.
    if target.shape.state === state, object.shape.destinations[slot].contains(Int(target.key.entityIndex)),
      target.status.isDisjoint(with: .unavailable), object.status.isDisjoint(with: .unavailable)
    {
      return true
    }
    guard let relationship = object.shape.relationships[slot] else { return false }
    do {
      try checkRelation(of: object, relationship, to: target)
      return true
    } catch {
      note(error)
      return false
    }
  }

  /// Sets the objects of a relationship, and updates the inverses.
  func setObjects(_ targets: [ManagedObject], of object: ManagedObject, _ slot: Int) {
    guard let relationship = object.shape.relationships[slot] else { return }
    guard relationship.definition.isToMany else { return setObject(targets.first, of: object, slot) }
    beginOperation()
    defer { endOperation() }
    switch object.value(ofSlot: slot) {
    case .toMany(let old):
      let new = Set(targets.map(\.key))
      for key in old.sorted() where !new.contains(key) { remove(self.object(for: key), from: object, slot) }
      for target in targets where !old.contains(target.key) { add(target, to: object, slot) }
    case .orderedToMany: setOrderedKeys(OrderedKeys(targets.map(\.key)), of: object, slot)
    case .attribute, .toOne, .unread: break
    }
  }

  /// Sets the keys of an ordered relationship, and updates the inverses.
  func setOrderedKeys(_ new: OrderedKeys, of object: ManagedObject, _ slot: Int) {
    guard case .orderedToMany(let old) = object.value(ofSlot: slot), new != old else { return }
    beginOperation()
    defer { endOperation() }
    // Replaces the value in one step, because each removal of an object from an ordered set takes O(*n*).
    object.change(slot, to: .orderedToMany(new))
    guard let inverse = object.shape.inverseSlots[slot] else { return }
    for key in old where !new.contains(key) { drop(object.key, from: self.object(for: key), inverse) }
    for key in new where !old.contains(key) { enter(object, into: self.object(for: key), inverse, from: slot) }
  }

  /// Sets the object of a to-one relationship, and updates the inverses.
  func setObject(_ target: ManagedObject?, of object: ManagedObject, _ slot: Int) {
    guard case .toOne(let old) = object.value(ofSlot: slot), old != target?.key else { return }
    beginOperation()
    defer { endOperation() }
    let inverse = object.shape.inverseSlots[slot]
    if let old, let inverse { drop(object.key, from: self.object(for: old), inverse) }
    object.change(slot, to: .toOne(target?.key))
    if let target, let inverse { enter(object, into: target, inverse, from: slot) }
  }

  /// Adds an object to a to-many relationship, and updates the inverse. In an ordered relationship, the object is
  /// inserted at `index`, or at the end if `index` is nil.
  func add(_ target: ManagedObject, to object: ManagedObject, _ slot: Int, at index: Int? = nil) {
    guard let relationship = object.shape.relationships[slot] else { return }
    guard relationship.definition.isToMany else { return setObject(target, of: object, slot) }
    beginOperation()
    defer { endOperation() }
    guard put(target.key, into: object, slot, at: index) else { return }
    if let inverse = object.shape.inverseSlots[slot] { enter(object, into: target, inverse, from: slot) }
  }

  /// Removes an object from a relationship, and updates the inverse.
  func remove(_ target: ManagedObject, from object: ManagedObject, _ slot: Int) {
    beginOperation()
    defer { endOperation() }
    guard object.shape.relationships[slot] != nil, drop(target.key, from: object, slot) else { return }
    guard let inverse = object.shape.inverseSlots[slot] else { return }
    if !target.status.contains(.detached) {
      drop(object.key, from: target, inverse)
    } else if !target.key.isTemporary {
      drop(object.key, from: self.object(for: target.key), inverse)
    }
  }

  /// Adds `object` to the inverse relationship of `target`. If the inverse is to-one, `object` replaces its previous
  /// object there, and `target` is removed from the relationship of that previous object.
  func enter(_ object: ManagedObject, into target: ManagedObject, _ inverse: Int, from slot: Int) {
    guard case .toOne(let old) = target.value(ofSlot: inverse) else {
      _ = put(object.key, into: target, inverse)
      return
    }
    if old == object.key { return }
    if let old { drop(target.key, from: self.object(for: old), slot) }
    target.change(inverse, to: .toOne(object.key))
  }

  /// Adds a key to a to-many relationship of one object. The inverse does not change.
  ///
  /// - Returns: false if the key was already there, or the relationship could not be read.
  @discardableResult
  func put(_ key: RowKey, into object: ManagedObject, _ slot: Int, at index: Int? = nil) -> Bool {
    switch object.value(ofSlot: slot) {
    case .toMany(let keys): if keys.contains(key) { return false }
    case .orderedToMany(let keys): if keys.contains(key) { return false }
    case .attribute, .toOne, .unread: return false
    }
    willChange(object)
    object.values[slot].insert(key, at: index)
    if state.isTracking { record(.put(object, slot: slot, key)) } else { object.committed?[slot] = object.values[slot] }
    return true
  }

  /// Removes a key from a relationship of one object. The inverse does not change.
  ///
  /// - Returns: false if the key was not there, or the relationship could not be read.
  @discardableResult
  func drop(_ key: RowKey, from object: ManagedObject, _ slot: Int) -> Bool {
    switch object.value(ofSlot: slot) {
    case .toOne(let old):
      if old != key { return false }
      object.change(slot, to: .toOne(nil))
      return true
    case .toMany(let keys): if !keys.contains(key) { return false }
    case .orderedToMany(let keys): if !keys.contains(key) { return false }
    case .attribute, .unread: return false
    }
    willChange(object)
    let index = object.values[slot].remove(key)
    if state.isTracking {
      record(.drop(object, slot: slot, key, at: index))
    } else {
      object.committed?[slot] = object.values[slot]
    }
    return true
  }
}
