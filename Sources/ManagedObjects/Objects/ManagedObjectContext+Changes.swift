/// Properties and functions that keep the unsaved changes.
extension ManagedObjectContext {
  /// True if there are unsaved changes.
  public var hasChanges: Bool { changedCount > 0 }

  /// The new objects.
  ///
  /// - Complexity: O(*n*) in the number of changed objects.
  public var insertedObjects: Set<ManagedObject> { Set(changedObjects.filter(\.status.isInserted)) }

  /// The changed objects that are neither new nor deleted.
  ///
  /// - Complexity: O(*n*) in the number of changed objects.
  public var updatedObjects: Set<ManagedObject> { Set(changedObjects.filter(\.status.isUpdated)) }

  /// The objects that the next save deletes.
  ///
  /// - Complexity: O(*n*) in the number of changed objects.
  public var deletedObjects: Set<ManagedObject> { Set(changedObjects.filter(\.status.isDeleted)) }

  /// The objects with changes, in the order of their first change.
  var changedObjects: [ManagedObject] { listed.filter(\.status.hasChanges) }

  /// Prepares an object for a change of its values. Must be called before the change.
  func willChange(_ object: ManagedObject) {
    if object.status.contains(.fault) { object.fire() }
    if object.status.contains(.observed) { state.observed.touch(object) }
    guard state.isTracking else { return }
    if object.status.remove(.announced) != nil { hasUnannouncedChanges = true }
    // The changes of a new object are not compared with committed values.
    if object.committed == nil, !object.status.isInserted {
      if object.status.contains(.partial) { completePartial(object) }
      object.committed = object.values
    }
    if object.status.isDisjoint(with: [.inserted, .deleted, .inaccessible]) {
      list(object, as: .updated)
    } else {
      if object.status.isInaccessible {
        note(
          ManagedObjectError(
            .referentialIntegrity, "the object was changed, but is no longer available", objectID: object.objectID))
      }
      notePending(object)
    }
  }

  /// Reads the attributes that a request left out, before an object is changed or deleted: saves, validation, merges
  /// and undo need all values. If this fails, the object becomes inaccessible, so that its change cannot be saved.
  func completePartial(_ object: ManagedObject) {
    do { try object.complete() } catch {
      note(error)
      object.status.insert(.inaccessible)
    }
  }

  /// Marks an object as inserted, updated or deleted, and adds it to the list of changed objects, which retains it.
  func list(_ object: ManagedObject, as status: ManagedObject.Status) {
    if object.status.contains(.observed) { state.observed.touch(object) }
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

  /// Marks an object as neither inserted, updated nor deleted, so that the context no longer retains it. Removes its
  /// recorded errors.
  ///
  /// - Parameter isChange: true to report the object to observers.
  func unlist(_ object: ManagedObject, isChange: Bool = true) {
    guard object.status.hasChanges else { return }
    if object.status.contains(.observed) { state.observed.touch(object) }
    changedCount -= 1
    object.status.subtract(.changed)
    if object.status.contains(.refusing) { forgetRefusals(of: object, slot: nil) }
    if isChange { notePending(object) }
    if listed.count > 32, listed.count > 4 * changedCount { sweep() }
  }

  /// Records the error for a property that was set to an invalid value.
  func refuse(_ error: ManagedObjectError, _ object: ManagedObject, slot: Int) {
    beginOperation()
    defer { endOperation() }
    willChange(object)
    // An inaccessible object cannot be saved, and is not retained.
    guard object.status.hasChanges else { return }
    object.status.insert(.refusing)
    refusals[ObjectIdentifier(object), default: [:]][slot] = error
  }

  /// Removes the recorded errors of properties that were set to invalid values.
  ///
  /// - Parameter slot: the slot of the property; nil for all properties of the object.
  func forgetRefusals(of object: ManagedObject, slot: Int?) {
    if let slot { refusals[ObjectIdentifier(object)]?[slot] = nil }
    guard slot == nil || refusals[ObjectIdentifier(object)]?.isEmpty == true else { return }
    refusals[ObjectIdentifier(object)] = nil
    object.status.remove(.refusing)
  }

  /// Removes objects without changes from the list of changed objects.
  func sweep() {
    if changedCount == listed.count { return }
    // Objects are released after the list was changed, because the deallocator of data may use the context.
    let old = listed
    listed = old.filter { object in
      if object.status.hasChanges { return true }
      object.status.remove(.listed)
      return false
    }
    withExtendedLifetime(old) {}
  }

  /// Removes an object from the context.
  ///
  /// - Parameter isChange: true to report the object to observers.
  func detach(_ object: ManagedObject, isChange: Bool = true) {
    if object.status.contains(.observed) { state.observed.touch(object) }
    unlist(object, isChange: isChange)
    unregister(object)
    removalCount &+= 1
    object.status.insert(.detached)
  }
}
