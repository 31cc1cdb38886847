internal import ObjectModels
internal import OrderedCollections
internal import Predicates

/// Functions that resolve the conflicts of a save by the merge policy.
///
/// After conflicts are resolved, both sides of each relationship are consistent, even if only one side had a conflict.
extension ManagedObjectContext {
  /// Resolves conflicts, so that the save can be tried again.
  func resolve(_ resolutions: [ConflictResolution]) throws(ManagedObjectError) {
    // An object whose changes were reverted is not saved, so the store did not check it for conflicts. It is read
    // again.
    for object in listed where object.status.isUpdated && object.values == object.committed {
      if object.status.contains(.refusing) { continue }
      unlist(object)
      turnIntoFault(object)
    }
    var lost: [(object: ManagedObject, policy: MergePolicy)] = []
    let changed = resolutions.filter(\.conflict.constraint.isEmpty)
    for resolution in changed where resolution.conflict.stored == nil {
      if let object = object(of: resolution.conflict) { lost.append((object, resolution.policy)) }
    }
    try resolveLosses(lost)
    for resolution in changed {
      guard let stored = resolution.conflict.stored, let object = object(of: resolution.conflict) else { continue }
      if object.status.isDeleted {
        try resolveDeletion(of: object, stored, by: resolution.policy)
      } else {
        try merge(stored, into: object, by: resolution.policy, resolution.merged)
        object.awake(from: .mergePolicy)
      }
    }
    try resolveConstraints(resolutions.filter { !$0.conflict.constraint.isEmpty })
  }

  /// Returns the object of this context that a conflict concerns; nil if it is not registered.
  func object(of conflict: MergeConflict) -> ManagedObject? {
    guard let key = (conflict.object ?? conflict.snapshot ?? conflict.stored)?.key else { return nil }
    // The conflict refers to new objects by the permanent keys of the failed save attempt.
    return registered[key] ?? registered[attemptedKeys[key] ?? key]
  }

  // Objects that were changed both here and in the store.

  /// Merges the stored values into a changed object. The stored values become its committed values.
  ///
  /// - Parameters:
  ///   - policy: decides which value is kept if a property was changed both here and in the store. A to-many
  ///     relationship keeps the changes of both, unless the policy is `overwrite` or `rollback`.
  ///   - merged: values of attributes, by slot, that replace those that the policy selects.
  func merge(
    _ stored: StoreRow, into object: ManagedObject, by policy: MergePolicy, _ merged: [Int: AttributeValue] = [:]
  ) throws(ManagedObjectError) {
    let mine = object.values
    let old = object.committed ?? mine
    object.version = stored.version
    object.committed = stored.values
    if object.status.isDeleted { return try keepDeletion(of: object, since: old) }
    var values = stored.values
    for slot in values.indices {
      if !object.shape.isPersistent[slot] {
        values[slot] = mine[slot]
        object.committed?[slot] = old[slot]
        continue
      }
      let isChanged = mine[slot] != old[slot]
      guard isChanged || policy == .overwrite, mine[slot] != .unread else { continue }
      if case .unread = stored.values[slot] {
        values[slot] = try readValues(ofSlot: slot, [object.key])[0] ?? object.shape.emptyValues[slot]
        object.committed?[slot] = values[slot]
      }
      switch policy {
      case .rollback: continue
      case .overwrite: values[slot] = mine[slot]
      case .storeTrump, .objectTrump, .error:
        switch values[slot] {
        case .attribute, .toOne: if policy == .storeTrump, values[slot] != old[slot] { continue }
        case .toMany, .orderedToMany, .unread: break
        }
        values[slot] = self.merged(mine[slot], since: old[slot], with: values[slot])
      }
    }
    for (slot, value) in merged { values[slot] = .attribute(value) }
    try give(values, to: object, stored: object.committed ?? values)
    if policy == .rollback { dropEqualChanges(of: object) }
  }

  /// Turns an object into a fault if it has no changes, because its values may be outdated.
  private func forgetUnchanged(_ object: ManagedObject) { if !object.status.hasChanges { turnIntoFault(object) } }

  /// Marks an object as unchanged and turns it into a fault, if its values equal those of its row.
  private func dropEqualChanges(of object: ManagedObject) {
    if object.differsFromCommitted { return }
    unlist(object)
    turnIntoFault(object)
  }

  /// Sets the values of an object, and updates the inverses in the objects that it refers to now or referred to before.
  ///
  /// - Parameters:
  ///   - stored: the values of the object's row.
  ///   - isReferring: false if it is unknown whether related objects refer back to the object. All inverses are then
  ///     updated, not only those of changed references.
  private func give(
    _ values: [RowValue], to object: ManagedObject, stored: [RowValue], isReferring: Bool = true
  ) throws(ManagedObjectError) {
    for slot in values.indices {
      guard let relationship = object.shape.relationships[slot], object.shape.isPersistent[slot] else {
        if object.values[slot] != values[slot] { object.change(slot, to: values[slot]) }
        continue
      }
      if case .unread = values[slot] {
        object.values[slot] = .unread
        continue
      }
      let wanted = OrderedKeys(values[slot].keys)
      let mine = isReferring ? Set(object.values[slot].keys) : []
      let theirs = Set(stored[slot].keys)
      let touched = mine.union(theirs).union(wanted).filter {
        !(mine.contains($0) && theirs.contains($0) && wanted.contains($0))
      }.sorted().map { self.object(for: $0) }
      // Another context may have saved these objects together with this one, so their values may be outdated.
      for target in touched where target !== object { forgetUnchanged(target) }
      try readFaults(touched)
      let gone = Set(touched.filter { $0.needsRow || $0.status.isInaccessible || $0.status.isDeleted }.map(\.key))
      let keys = wanted.subtracting(gone)
      let inverse = object.shape.inverseSlots[slot]
      if let inverse {
        for target in touched where !gone.contains(target.key) && !keys.contains(target.key) {
          drop(object.key, from: target, inverse)
        }
      }
      let value = relationship.value(keys)
      if object.values[slot] != value { object.change(slot, to: value) }
      guard let inverse else { continue }
      for target in touched where keys.contains(target.key) {
        if case .toOne(let owner?) = target.value(ofSlot: inverse), owner != object.key {
          forgetUnchanged(self.object(for: owner))
        }
        enter(object, into: target, inverse, from: slot)
      }
    }
  }

  // Objects that were deleted only here or only in the store.

  /// Resolves conflicts over objects that were deleted in the store.
  private func resolveLosses(
    _ objects: [(object: ManagedObject, policy: MergePolicy)]
  ) throws(ManagedObjectError) {
    var saved: [ManagedObject] = []
    for (object, policy) in objects {
      if object.status.isDeleted || policy.storePrevails { letGo(object) } else { saved.append(object) }
    }
    try saveAgain(saved)
  }

  /// Removes an object from the context, because it was deleted in the store.
  private func letGo(_ object: ManagedObject) {
    if !object.status.isDeleted {
      for relationship in object.shape.record.relationships {
        guard let inverse = object.shape.inverseSlots[relationship.slot] else { continue }
        let slot = relationship.slot
        for key in Set(object.values[slot].keys + (object.committed?[slot].keys ?? [])).sorted() {
          guard let target = registered[key], target !== object, !target.status.isDeleted else { continue }
          if target.status.hasChanges { drop(object.key, from: target, inverse) } else { turnIntoFault(target) }
        }
      }
    }
    detach(object)
    object.status.insert(.inaccessible)
  }

  /// Turns objects that were deleted in the store into new objects, so that the next save inserts them again.
  private func saveAgain(_ objects: [ManagedObject]) throws(ManagedObjectError) {
    guard !objects.isEmpty else { return }
    var names = KeyReplacements()
    for object in objects {
      let old = object.key
      let key = RowKey.temporary(entityIndex: Int(old.entityIndex))
      names[old] = key
      rename(object, to: key, keepsOld: true)
      assignments[key] = old.store
      object.version = 0
      object.committed = nil
      object.status.subtract([.updated, .inaccessible])
      object.status.insert(.inserted)
    }
    tellChildren(names)
    // Changes the references without an inverse. Those with an inverse are set below.
    changeReferences(names)
    registered.visit { rename(in: $0, names) }
    for object in objects {
      let empty = object.shape.emptyValues
      try give(object.values, to: object, stored: empty, isReferring: false)
    }
  }

  /// Keeps an object deleted. Applies its delete rules to the objects that another context has added to its
  /// relationships in the meantime.
  ///
  /// - Parameter old: the committed values before the merge; ``ManagedObject/committed`` has the stored values.
  private func keepDeletion(of object: ManagedObject, since old: [RowValue]) throws(ManagedObjectError) {
    let stored = object.committed ?? old
    var new = object.shape.emptyValues
    for relationship in object.shape.record.relationships {
      let slot = relationship.slot
      if case .unread = stored[slot] {
        object.committed?[slot] = old[slot]
        continue
      }
      let keys = Set(stored[slot].keys).subtracting(old[slot].keys)
      for key in keys.sorted() { forgetUnchanged(self.object(for: key)) }
      new[slot] = .toMany(keys)
      let mine = object.values[slot]
      object.values[slot] = mine == old[slot] ? stored[slot] : merged(mine, since: old[slot], with: stored[slot])
    }
    for target in followRules(of: object, wasNew: false, new) where target.managedObjectContext === self {
      try delete(target)
    }
  }

  /// Resolves the conflict over an object that this context deleted and another save changed in the store.
  private func resolveDeletion(
    of object: ManagedObject, _ stored: StoreRow, by policy: MergePolicy
  ) throws(ManagedObjectError) {
    let old = object.committed ?? object.values
    let storedValues = object.shape.completed(stored.values)
    object.version = stored.version
    object.committed = storedValues
    guard policy.storePrevails else {
      try keepDeletion(of: object, since: old)
      return try object.validateDeleteRules()
    }
    unlist(object)
    object.values = storedValues
    var values = storedValues
    for relationship in object.shape.record.relationships {
      guard let inverse = object.shape.inverseSlots[relationship.slot] else { continue }
      // An object that refers to a different object by now keeps that reference.
      let kept = values[relationship.slot].keys.filter { key in
        guard case .toOne(let other?)? = registered[key]?.value(ofSlot: inverse) else { return true }
        return other == object.key
      }
      values[relationship.slot] = relationship.value(OrderedKeys(kept))
    }
    try give(values, to: object, stored: storedValues, isReferring: false)
    dropEqualChanges(of: object)
  }

  // Uniqueness constraints.

  /// The values for a uniqueness constraint that several changed objects share.
  private struct SharedValues: Hashable {
    let constraint: [String]
    let values: [RowValue]
  }

  private func resolveConstraints(_ resolutions: [ConflictResolution]) throws(ManagedObjectError) {
    var groups: OrderedDictionary<SharedValues, (policy: MergePolicy, objects: [ManagedObject])> = [:]
    for resolution in resolutions {
      let conflict = resolution.conflict
      guard let object = object(of: conflict) else { continue }
      guard let stored = conflict.stored else {
        let values = conflict.constraint.map { name in
          object.shape.entity.property(named: name).map { object.value(ofSlot: $0.slot) } ?? .null
        }
        let shared = SharedValues(constraint: conflict.constraint, values: values)
        groups[shared, default: (resolution.policy, [])].objects.append(object)
        continue
      }
      if resolution.policy.storePrevails {
        try giveUp(object)
      } else if object.status.isInserted, object.key.entityIndex == stored.key.entityIndex {
        try unite(object, with: stored, by: resolution.policy)
      } else {
        let other = self.object(for: stored.key)
        try delete(other)
        try other.validateDeleteRules()
      }
    }
    // One of the changed objects with the same values stays: the first if the store takes precedence, else the last.
    for (policy, objects) in groups.values {
      let live = objects.filter { $0.status.hasChanges && !$0.status.isDeleted && $0.managedObjectContext === self }
      for object in policy.storePrevails ? live.dropFirst() : live.dropLast() { try giveUp(object) }
    }
  }

  /// Turns a new object into the stored object that has the same values for a uniqueness constraint. If the stored
  /// object is already registered, it gets the new object's values, and the new object leaves the context.
  ///
  /// Properties that are empty in the new object keep their stored values, unless the policy is `overwrite`.
  private func unite(
    _ object: ManagedObject, with stored: StoreRow, by policy: MergePolicy
  ) throws(ManagedObjectError) {
    let known = registered[stored.key]
    if let known {
      forgetUnchanged(known)
      try readFaults([known])
      if known.isFault { known.fire() }
      if undoManager != nil { aliases[object.key] = stored.key }
      detach(object)
      object.status.insert(.inaccessible)
    } else {
      object.version = stored.version
      object.committed = object.shape.completed(stored.values)
      object.status.remove(.inserted)
      object.status.insert(.updated)
    }
    let names: KeyReplacements = [object.key: stored.key]
    root.permanentKeys.insert(names.pairs)
    follow(names)
    let target = known ?? object
    let empty = object.shape.emptyValues
    var values = target.values
    for slot in values.indices where object.shape.isPersistent[slot] {
      let mine = renamed(object.values[slot], names)
      values[slot] = known == nil ? stored.values[slot] : target.value(ofSlot: slot)
      guard policy == .overwrite || mine != empty[slot] else { continue }
      if case .unread = values[slot] {
        values[slot] = try readValues(ofSlot: slot, [stored.key])[0] ?? empty[slot]
        target.committed?[slot] = values[slot]
      }
      values[slot] = policy == .overwrite ? mine : merged(mine, since: empty[slot], with: values[slot])
    }
    try give(values, to: target, stored: target.committed ?? target.values)
    target.awake(from: .mergePolicy)
  }

  /// Discards the changes of an object, because another object keeps the values that both have for a uniqueness
  /// constraint. Deletes the object if it is new; otherwise reverts its changes.
  private func giveUp(_ object: ManagedObject) throws(ManagedObjectError) {
    guard object.status.hasChanges, !object.status.isDeleted, object.managedObjectContext === self else { return }
    if object.status.isInserted { return try delete(object) }
    guard let row = try readRows([object.key])[0] else { return letGo(object) }
    try merge(row, into: object, by: .rollback)
    object.awake(from: .mergePolicy)
  }
}

extension ManagedObjectModel.Entity.Relationship {
  /// Returns a value of the relationship that contains the objects with the given keys. For a to-one relationship, uses
  /// only the first key.
  fileprivate func value(_ keys: OrderedKeys) -> RowValue {
    if !definition.isToMany { return .toOne(keys.first) }
    return definition.isOrdered ? .orderedToMany(keys) : .toMany(Set(keys))
  }
}
