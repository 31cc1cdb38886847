internal import OrderedCollections
internal import Predicates

/// Functions that undo and redo changes.
extension ManagedObjectContext {
  /// Undoes the last group of changes, after ending a group that is still open. Does nothing if there is no undo
  /// manager or no group to undo. A call from ``ManagedObject/awake(fromSnapshotEvents:)`` during an undo or a redo
  /// does nothing, and is added to ``misuse``.
  ///
  /// Undoing saved changes takes effect in the store with the next save.
  public func undo() { replay(redoing: false) }

  /// Redoes the changes that ``undo()`` undid last.
  public func redo() { replay(redoing: true) }

  @inline(__always)
  func record(_ change: @autoclosure () -> UndoManager.Change) {
    if recordsUndo, let undoManager { undoManager.record(change()) }
    if recordsEvents { eventChanges.append(change()) }
  }

  /// Runs code whose changes cannot be undone.
  func withoutUndo<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
    let before = recordsUndo
    recordsUndo = false
    defer { recordsUndo = before }
    try body()
  }

  private func replay(redoing: Bool) {
    if undoManager?.isReplaying == true {
      return note(ManagedObjectError(.invalidState, "undo() or redo() was called while changes are undone or redone"))
    }
    beginOperation(changesAll: true)
    defer { endOperation() }
    processPendingChanges()
    undoManager?.replay(redoing: redoing) { group in
      // Undoes deletions first, so that the other changes can refer to the deleted objects by their new keys.
      var revived: [ManagedObject] = []
      var names = KeyReplacements()
      for case .deleted(let object, let wasNew) in group.changes.reversed() {
        let old = object.key
        guard revive(object, wasNew: wasNew) else { continue }
        revived.append(object)
        if object.key != old { names[old] = object.key }
      }
      tellChildren(names)
      let isRecording = recordsUndo
      recordsUndo = false
      changeReferences(names)
      recordsUndo = isRecording
      for object in revived { rename(in: object, aliases) }
      for change in group.changes.reversed() { takeBack(change) }
      var events: OrderedDictionary<ManagedObject, SnapshotEventType> = [:]
      for change in group.changes.reversed() { events[change.object, default: []].formUnion(change.undoEvent) }
      // Compares the values once for each object, because comparing many values takes time.
      for object in events.keys { forgetEqualValues(of: object) }
      for (object, event) in events { object.awake(from: event) }
    }
    processPendingChanges()
  }

  /// Marks an object as unchanged if its values equal the committed ones again.
  private func forgetEqualValues(of object: ManagedObject) {
    guard object.status.isUpdated, object.values == object.committed else { return }
    object.committed = nil
    unlist(object)
  }

  /// Undoes one change, and records its reverse.
  private func takeBack(_ change: UndoManager.Change) {
    switch change {
    case .value(let object, let slot, let old):
      guard isUsable(object) else { return }
      _ = object.value(ofSlot: slot)
      object.change(slot, to: renamed(old, aliases))
    case .put(let object, let slot, let key):
      if isUsable(object) { drop(current(key), from: object, slot) }
    case .drop(let object, let slot, let key, let index):
      if isUsable(object) { put(current(key), into: object, slot, at: index) }
    case .created(let object):
      // No object refers to the new object any more, because the changes after its insertion have been undone already.
      guard isUsable(object) else { return }
      // The values of a deleted object are compared with those in the store.
      if object.isFault { object.fire() }
      markDeleted(object)
    case .deleted: break
    }
  }

  private func isUsable(_ object: ManagedObject) -> Bool {
    object.managedObjectContext === self && !object.status.isInaccessible
  }

  /// Undoes a deletion.
  ///
  /// - Returns: true if the object had left the context. It has a new key if its deletion was saved.
  private func revive(_ object: ManagedObject, wasNew: Bool) -> Bool {
    guard object.shape.context === self else { return false }
    if !object.status.contains(.detached) {
      guard object.status.isDeleted else { return false }
      object.status.remove(.deleted)
      if object.committed != nil {
        object.status.insert(.updated)
      } else if !object.status.hasChanges {
        changedCount -= 1
      }
      // The deletion has been reported to observers, so the object is reported as new.
      noteArrival(object)
      record(.created(object))
      return false
    }
    if !wasNew || !object.key.isTemporary {
      rename(object, to: .temporary(entityIndex: Int(object.key.entityIndex)), keepsOld: true)
    } else {
      register(object)
    }
    object.status.formIntersection([.listed, .pending, .observed])
    object.version = 0
    object.committed = nil
    list(object, as: .inserted)
    noteArrival(object)
    record(.created(object))
    return true
  }

  /// Returns the key that replaced `key` according to ``aliases``; `key` itself if it was not replaced.
  func current(_ key: RowKey) -> RowKey { Self.last(of: key, aliases) }

  /// Returns the key at the end of a chain of replacements.
  private static func last(of key: RowKey, _ names: KeyReplacements) -> RowKey {
    var key = key
    while let next = names[key] { key = next }
    return key
  }

  /// Gives an object a new key.
  ///
  /// - Parameter keepsOld: true if lookups by the old key must still find the object.
  func rename(_ object: ManagedObject, to key: RowKey, keepsOld: Bool) {
    registered.remove(object)
    if keepsOld { aliases[object.key] = key }
    if !assignments.isEmpty { assignments[object.key] = nil }
    let old = object.key
    object.key = key
    register(object)
    undecodableValues.rename(old, to: key)
    guard !followers.isEmpty else { return }
    hasSilentNews = true
    followers.tell(.renamed(old, to: key))
  }

  /// Replaces keys in the relationships of an object.
  func rename(in object: ManagedObject, _ names: KeyReplacements) {
    guard !names.isEmpty, object.hasValues else { return }
    for relationship in object.shape.record.relationships {
      let slot = relationship.slot
      if let value = renaming(object.loadedValue(slot), names) { object.values[slot] = value }
      if let committed = object.committed, let value = renaming(committed[slot], names) {
        object.committed?[slot] = value
      }
    }
  }

  /// Replaces keys in relationships without an inverse. This counts as a change of the objects, so that the next save
  /// replaces the old keys in the store.
  func changeReferences(_ names: KeyReplacements) {
    if names.isEmpty { return }
    for object in registered.objects where object.hasValues && !object.isLost {
      for relationship in object.shape.record.relationships where object.shape.inverseSlots[relationship.slot] == nil {
        if let value = renaming(object.loadedValue(relationship.slot), names) {
          object.change(relationship.slot, to: value)
        }
      }
    }
  }

  func renamed(_ value: RowValue, _ names: KeyReplacements) -> RowValue { renaming(value, names) ?? value }

  /// Returns the value of a property with keys replaced; nil if no key changes.
  func renaming(_ value: RowValue, _ names: KeyReplacements) -> RowValue? {
    func new(_ key: RowKey) -> RowKey { Self.last(of: key, names) }
    func isRenamed(_ key: RowKey) -> Bool { names[key] != nil }
    if names.isEmpty { return nil }
    switch value {
    case .toOne(let key?):
      let new = new(key)
      return new == key ? nil : .toOne(new)
    case .toMany(let keys) where keys.contains(where: isRenamed): return .toMany(Set(keys.map(new)))
    case .orderedToMany(let keys) where keys.contains(where: isRenamed):
      return .orderedToMany(OrderedKeys(keys.map(new)))
    default: return nil
    }
  }
}
