/// What is changed and not saved.
extension ManagedObjectContext {
  /// True if there are changes that are not saved.
  public var hasChanges: Bool { changedCount > 0 }

  /// The new objects.
  ///
  /// - Complexity: O(*n*) in the number of changed objects, as of the other two sets.
  public var insertedObjects: Set<ManagedObject> { Set(changedObjects.filter(\.isInserted)) }

  /// The objects with changed values, without new and deleted ones.
  public var updatedObjects: Set<ManagedObject> { Set(changedObjects.filter(\.isUpdated)) }

  /// The objects that the next save deletes.
  public var deletedObjects: Set<ManagedObject> { Set(changedObjects.filter(\.isDeleted)) }

  /// The objects with changes, in the order of the first one.
  var changedObjects: [ManagedObject] { listed.filter(\.hasChanges) }

  /// Called before a value of an object changes.
  func willChange(_ object: ManagedObject) {
    if object.status.contains(.fault) { object.fire() }
    guard state.isTracking else { return }
    if object.status.remove(.announced) != nil { hasUnannouncedChanges = true }
    // A new object has no values that changes are compared with.
    if object.committed == nil, !object.isInserted { object.committed = object.values }
    if object.status.isDisjoint(with: [.inserted, .deleted, .inaccessible]) {
      list(object, as: .updated)
    } else {
      if object.isInaccessible {
        note(ManagedObjectError(.referentialIntegrity, "an object that is gone was changed", objectID: object.objectID))
      }
      notePending(object)
    }
  }

  /// Gives an object one of the states that make the context keep it.
  func list(_ object: ManagedObject, as status: ManagedObject.Status) {
    if object.status.isDisjoint(with: .changed) {
      changedCount += 1
      hasUnannouncedChanges = true
      if !object.status.contains(.listed) {
        object.status.insert(.listed)
        listed.append(object)
      }
    }
    object.status.insert(status)
    notePending(object)
  }

  /// Takes the states from an object that make the context keep it.
  ///
  /// - Parameter isChange: true if observers are to be told.
  func unlist(_ object: ManagedObject, isChange: Bool = true) {
    guard object.hasChanges else { return }
    changedCount -= 1
    object.status.subtract(.changed)
    if object.status.contains(.refusing) { forgetRefusals(of: object, slot: nil) }
    if isChange { notePending(object) }
    if listed.count > 32, listed.count > 4 * changedCount { sweep() }
  }

  /// Keeps that a property was given what it cannot have.
  func refuse(_ error: ManagedObjectError, _ object: ManagedObject, slot: Int) {
    willChange(object)
    // What is gone cannot be saved, and is not kept.
    guard object.hasChanges else { return }
    object.status.insert(.refusing)
    refusals[ObjectIdentifier(object), default: [:]][slot] = error
  }

  /// - Parameter slot: the property that has another value now; nil for all of the object.
  func forgetRefusals(of object: ManagedObject, slot: Int?) {
    if let slot { refusals[ObjectIdentifier(object)]?[slot] = nil }
    guard slot == nil || refusals[ObjectIdentifier(object)]?.isEmpty == true else { return }
    refusals[ObjectIdentifier(object)] = nil
    object.status.remove(.refusing)
  }

  /// Drops what has no changes from the list of objects with changes.
  func sweep() {
    if changedCount == listed.count { return }
    listed.removeAll { object in
      if object.hasChanges { return false }
      object.status.remove(.listed)
      return true
    }
  }

  /// Ends the membership of an object.
  func detach(_ object: ManagedObject, isChange: Bool = true) {
    unlist(object, isChange: isChange)
    registered.remove(object.key)
    object.status.insert(.detached)
  }
}
